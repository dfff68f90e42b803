// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"net/netip"
	"slices"
	"time"
)

// networkInterface is a network interface that came with an instance. Before the launch it has neither ids nor addresses,
// but for the private one that is asked for.
type networkInterface struct {
	id, attachmentID       string
	deviceIndex, cardIndex int
	subnet                 Subnet
	groups                 []SecurityGroup
	privateIP              netip.Addr
	ipv6                   []netip.Addr
	ipv6Count              int
	description            string
	sourceDestCheck        bool
	deleteOnTermination    bool
}

// primary is the interface at device index 0.
func (s *launchSpec) primary() *networkInterface { return &s.interfaces[0] }

// editInterface changes one interface, and leaves earlier configurations as they were.
func (s *launchSpec) editInterface(id string, edit func(*networkInterface)) {
	s.interfaces = slices.Clone(s.interfaces)
	for n := range s.interfaces {
		if s.interfaces[n].id == id {
			edit(&s.interfaces[n])
		}
	}
}

// resolveInterfaces looks up subnets and groups. The primary interface's subnet may be open until there is room; the others
// are in its subnet unless they name one in the same zone.
func (r *region) resolveInterfaces(requests []interfaceRequest, where placement) ([]networkInterface, error) {
	var out []networkInterface
	for n, request := range requests {
		subnet := where.candidates[0]
		if n > 0 && request.subnetID != "" {
			other, err := r.subnets(request.subnetID, "")
			if err != nil {
				return nil, err
			}
			subnet = other.candidates[0]
		}
		if subnet.Zone != where.candidates[0].Zone {
			return nil, fail(codeInvalidParameterCombination, "The subnets of the network interfaces are in different availability zones.")
		}
		i, err := r.resolveInterface(request, subnet)
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

func (r *region) resolveInterface(request interfaceRequest, subnet Subnet) (networkInterface, error) {
	groups, err := r.resolveGroups(request.groupIDs, request.groupNames, subnet)
	switch {
	case err != nil:
		return networkInterface{}, err
	case request.privateIP.IsValid() && !subnet.CIDR.Contains(request.privateIP):
		return networkInterface{}, fail(codeInvalidParameterValue, "Address does not fall within the subnet's address range")
	case request.ipv6Count > 0 && !subnet.IPv6CIDR.IsValid():
		return networkInterface{}, fail(codeInvalidParameterValue, "The subnet '%s' has no IPv6 CIDR block.", subnet.ID)
	}
	return networkInterface{
		deviceIndex: request.deviceIndex, cardIndex: request.cardIndex, subnet: subnet, groups: groups,
		privateIP: request.privateIP, ipv6Count: request.ipv6Count, description: request.description,
		sourceDestCheck: true, deleteOnTermination: request.deleteOnTermination,
	}, nil
}

// attachInterfaces makes the interfaces of a launch with their addresses. Its error names the subnet that has none left.
func (c *call) attachInterfaces(i *instance) error {
	asked := i.spec.interfaces
	i.spec.interfaces = nil
	for n, made := range asked {
		if n == 0 || made.subnet.ID == asked[0].subnet.ID {
			made.subnet = i.subnet
		}
		address, ok := c.region.takeAddress(made.subnet, c.now, made.privateIP)
		if !ok {
			return noAddresses(made)
		}
		made.id, made.attachmentID, made.privateIP = c.sim.ids.next("eni"), c.sim.ids.next("eni-attach"), address
		c.region.addresses[address] = i
		for range made.ipv6Count {
			made.ipv6 = append(made.ipv6, c.region.nextIPv6Address(made.subnet))
		}
		i.spec.interfaces = append(i.spec.interfaces, made)
	}
	return nil
}

// detachInterfaces gives the addresses of a launch back that came to nothing.
func (r *region) detachInterfaces(i *instance) {
	for _, n := range i.spec.interfaces {
		delete(r.addresses, n.privateIP)
	}
}

func noAddresses(n networkInterface) error {
	if n.privateIP.IsValid() {
		return fail(codeInvalidIPAddressInUse, "Address %s is in use.", n.privateIP)
	}
	return fail(codeInsufficientFreeAddressesInSubnet,
		"There are not enough free addresses in subnet '%s' to satisfy the requested number of instances.", n.subnet.ID)
}

// nextIPv6Address never gives an address twice: a /64 has enough of them.
func (r *region) nextIPv6Address(subnet Subnet) netip.Addr {
	address, ok := r.nextIPv6[subnet.ID]
	if !ok {
		address = firstAddress(subnet.IPv6CIDR)
	}
	r.nextIPv6[subnet.ID] = address.Next()
	return address
}

// interfaceByID finds an interface of an instance that is not on its way out.
func (c *call) interfaceByID(id string, lag time.Duration) (*instance, *networkInterface) {
	for _, i := range c.region.order {
		if !c.shown(i, lag) || c.leaving(i) {
			continue
		}
		for n := range i.spec.interfaces {
			if i.spec.interfaces[n].id == id {
				return i, &i.spec.interfaces[n]
			}
		}
	}
	return nil, nil
}
