// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"

const modifyPlacementParameters = "Affinity GroupId GroupName HostId InstanceId PartitionNumber Tenancy"

// modifyInstancePlacement changes where a stopped instance will run. Affinity alone can be changed in any state.
func modifyInstancePlacement(c *call) (any, error) {
	i, err := c.target()
	if err != nil {
		return nil, err
	}
	return c.reconfigure(i, changePosition)
}

func changePosition(c *call, i *instance) (change, error) {
	asked, err := readPosition(c.params, "")
	if err != nil {
		return nil, err
	}
	if err := c.movable(i, asked); err != nil {
		return nil, err
	}
	wanted := i.spec.position.with(asked)
	if c.leavesGroup() {
		wanted.groupID, wanted.groupName, wanted.partition = "", "", 0
	}
	settled, err := c.region.world.settle(wanted)
	return func(s *launchSpec) { s.position = settled }, err
}

// leavesGroup says whether the call takes the instance out of its group: it gives an empty name.
func (c *call) leavesGroup() bool {
	name, given := c.params["GroupName"]
	return given && name == ""
}

// movable refuses the changes that EC2 does not make, or not now.
func (c *call) movable(i *instance, asked position) error {
	nothing := asked == position{} && !c.leavesGroup()
	affinityOnly := asked == position{affinity: asked.affinity} && !c.leavesGroup()
	switch {
	case nothing:
		return missingParameter("Affinity, GroupId, GroupName, HostId, PartitionNumber or Tenancy")
	case !affinityOnly && !c.in(i, lifecycle.Stopped):
		return fail(codeInvalidInstanceState, "The instance '%s' is not in the 'stopped' state.", i.id)
	case i.spec.position.tenancy == tenancyHost && asked.tenancy != "" && asked.tenancy != tenancyHost:
		return fail(codeInvalidRequest, "The tenancy of an instance cannot be changed from 'host' to '%s'.", asked.tenancy)
	}
	return nil
}

// with is the position with those parts of asked that are set. Another group takes the place of the present one.
func (p position) with(asked position) position {
	if asked.groupID+asked.groupName != "" {
		p.groupID, p.groupName, p.partition = asked.groupID, asked.groupName, 0
	} else if p.groupName != "" {
		p.groupID = "" // one of the two is enough to find it again
	}
	for _, field := range []struct{ target, asked *string }{
		{&p.tenancy, &asked.tenancy}, {&p.affinity, &asked.affinity}, {&p.hostID, &asked.hostID},
	} {
		if *field.asked != "" {
			*field.target = *field.asked
		}
	}
	if asked.partition != 0 {
		p.partition = asked.partition
	}
	return p
}
