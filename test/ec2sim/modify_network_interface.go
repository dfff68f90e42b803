// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"

const modifyNetworkInterfaceParameters = "NetworkInterfaceId SecurityGroupId SourceDestCheck"

// modifyNetworkInterfaceAttribute changes one attribute of a network interface that came with an instance.
func modifyNetworkInterfaceAttribute(c *call) (any, error) {
	i, err := c.targetInterface()
	if err != nil {
		return nil, err
	}
	groups, check := c.params.Has("SecurityGroupId"), c.params.Has("SourceDestCheck")
	switch {
	case groups && check:
		return nil, fail(codeInvalidParameterCombination, "Fields for multiple attribute types specified")
	case groups:
		return c.reconfigure(i, changeGroups("SecurityGroupId"))
	case check:
		return c.reconfigure(i, attributeChanges["SourceDestCheck"])
	default:
		return nil, fail(codeInvalidParameterCombination, "No attributes specified.")
	}
}

// targetInterface finds the instance that a network interface is attached to.
func (c *call) targetInterface() (*instance, error) {
	id := c.params["NetworkInterfaceId"]
	if id == "" {
		return nil, missingParameter("NetworkInterfaceId")
	}
	if err := checkID("eni", id, codeInvalidInterfaceIDMalformed); err != nil {
		return nil, err
	}
	for _, i := range c.region.order {
		if i.interfaceID == id && c.shown(i, c.settings.ActByIDLag) && !c.in(i, lifecycle.ShuttingDown, lifecycle.Terminated) {
			return i, nil
		}
	}
	return nil, fail(codeInvalidInterfaceIDNotFound, "The networkInterface ID '%s' does not exist", id)
}
