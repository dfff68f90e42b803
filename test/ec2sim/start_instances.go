// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"net/netip"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
)

// startInstances is a no-op for instances that are pending or running. Starting
// needs capacity and quota like a launch.
func startInstances(c *call) (any, error) {
	instances, err := c.targets()
	if err != nil {
		return nil, err
	}
	for _, i := range instances {
		if c.in(i, lifecycle.Stopping, lifecycle.ShuttingDown, lifecycle.Terminated) {
			return nil, fail(codeIncorrectInstanceState, "The instance '%s' is not in a state from which it can be started.", i.id)
		}
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	if err := c.roomToStart(instances); err != nil {
		return nil, err
	}
	return c.change(instances, func(i *instance) {
		if c.in(i, lifecycle.Stopped) {
			i.start(c.now, &c.settings, c.region.publicIPFor(i))
		}
	}), nil
}

// roomToStart checks capacity and quota for all that have to start, before any does.
func (c *call) roomToStart(instances []*instance) error {
	type pool struct{ typ, zone string }
	needed, vcpus := map[pool]int{}, 0
	for _, i := range instances {
		if !c.in(i, lifecycle.Stopped) {
			continue
		}
		p := pool{i.spec.instanceType.Name, i.zone.Name}
		needed[p]++
		vcpus += i.spec.instanceType.VCPUs
		if needed[p] > c.region.capacityLeft(p.typ, p.zone, &c.settings, c.now) {
			return insufficientCapacity(p.typ, p.zone)
		}
	}
	if vcpus > c.region.quotaLeft(&c.settings, c.now) {
		return vcpuLimitExceeded(&c.settings)
	}
	return nil
}

// publicIPFor is the address that an instance gets with each start.
func (r *region) publicIPFor(i *instance) netip.Addr {
	if !i.wantsPublicIP() {
		return netip.Addr{}
	}
	return r.nextPublicIP()
}
