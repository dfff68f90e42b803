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
		if err := c.startable(i); err != nil {
			return nil, err
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
			c.start(i)
		}
	}), nil
}

// startable refuses the states from which no start is possible. For a moment after a change of the type the part of EC2
// that starts instances still plans with the type before (hashicorp/terraform-provider-aws#16433).
func (c *call) startable(i *instance) error {
	switch {
	case c.in(i, lifecycle.Stopping, lifecycle.ShuttingDown, lifecycle.Terminated):
		return fail(codeIncorrectInstanceState, "The instance '%s' is not in a state from which it can be started.", i.id)
	case c.in(i, lifecycle.Stopped) && c.now.Before(i.spec.typeSetAt.Add(c.settings.TypeChangeLag)):
		return fail(codeInvalidParameterValue, "LaunchPlan instance type does not match attribute value")
	}
	return c.startableSpot(i)
}

// start is called once there is room.
func (c *call) start(i *instance) {
	i.reconfigure(c.now, func(s *launchSpec) {
		_ = c.takeHardware(s, room{zone: i.zone, count: 1}) // a call that starts several may overbook, see hardwareFor
	})
	i.start(c.now, &c.settings, c.region.publicIPFor(i))
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
		if err := c.hardwareFor(i); err != nil {
			return err
		}
	}
	if vcpus > c.region.quotaLeft(&c.settings, c.now) {
		return vcpuLimitExceeded(&c.settings)
	}
	return nil
}

// hardwareFor checks that there is room where the instance belongs. What other starts of the same call take is not seen.
func (c *call) hardwareFor(i *instance) error {
	spec := i.spec
	return c.takeHardware(&spec, room{zone: i.zone, count: 1})
}

// publicIPFor is the address that an instance gets with each start.
func (r *region) publicIPFor(i *instance) netip.Addr {
	if !i.wantsPublicIP() {
		return netip.Addr{}
	}
	return r.nextPublicIP()
}
