// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"net/netip"
	"time"
)

// region is everything that one account has in one region. The owner of a region
// holds Sim.mu.
type region struct {
	account, name string
	world         World
	instances     map[string]*instance
	order         []*instance // by launch
	resources     map[string]*resource
	volumes       map[string]*volume
	launches      map[tokenKey]*launch
	addresses     map[netip.Addr]*instance // the latest holder of each private address
	nextAddress   map[string]netip.Addr    // by subnet: where the search for a free address goes on
	nextIPv6      map[string]netip.Addr    // by subnet: the next IPv6 address
	publicIPs     uint32                   // handed out so far
	buckets       map[string]*bucket
}

func newRegion(account, name string, world World) *region {
	return &region{
		account: account, name: name, world: world,
		instances:   map[string]*instance{},
		resources:   map[string]*resource{},
		volumes:     map[string]*volume{},
		launches:    map[tokenKey]*launch{},
		addresses:   map[netip.Addr]*instance{},
		nextAddress: map[string]netip.Addr{},
		nextIPv6:    map[string]netip.Addr{},
		buckets:     map[string]*bucket{},
	}
}

// takeAddress finds a free private address of the subnet, or says that there is
// none. Addresses of terminated instances are free again; stopped ones keep theirs.
func (r *region) takeAddress(subnet Subnet, now time.Time, wanted netip.Addr) (netip.Addr, bool) {
	if wanted.IsValid() {
		return wanted, r.addressFree(wanted, now)
	}
	start, ok := r.nextAddress[subnet.ID]
	if !ok {
		start = firstAddress(subnet.CIDR)
	}
	for addr := start; ; {
		following := addressAfter(subnet, addr)
		if r.addressFree(addr, now) {
			r.nextAddress[subnet.ID] = following
			return addr, true
		}
		if following == start {
			return netip.Addr{}, false
		}
		addr = following
	}
}

// reservedAddresses are the ones that AWS keeps at the start of every subnet; it
// keeps the last one too.
const reservedAddresses = 4

func firstAddress(subnet netip.Prefix) netip.Addr {
	addr := subnet.Masked().Addr()
	for range reservedAddresses {
		addr = addr.Next()
	}
	return addr
}

// addressAfter goes round the subnet, leaving the reserved addresses out.
func addressAfter(subnet Subnet, addr netip.Addr) netip.Addr {
	next := addr.Next()
	if !subnet.CIDR.Contains(next) || !subnet.CIDR.Contains(next.Next()) {
		return firstAddress(subnet.CIDR)
	}
	return next
}

func (r *region) addressFree(addr netip.Addr, now time.Time) bool {
	holder, taken := r.addresses[addr]
	return !taken || holder.ended(now)
}

// nextPublicIP hands out addresses of 198.18.0.0/15, the range for benchmarks, so
// that nothing ever reaches a real host by mistake.
func (r *region) nextPublicIP() netip.Addr {
	const first, size = 198<<24 | 18<<16, 1 << 17
	r.publicIPs = (r.publicIPs + 1) % size
	n := uint32(first) + r.publicIPs
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
}
