// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// candidate is an instance type and a subnet to launch with. The zero value is what spec says, where spec has no fallbacks.
type candidate struct {
	// Type is the instance type; "" is the launch template's.
	Type string
	// Subnet is the subnet's id; "" leaves it to the launch template, or to EC2.
	Subnet string
}

// candidatesOf are what spec lets a launch be tried with, in its order: each instance type in all subnets before the next type, since
// another subnet mostly makes less of a difference to the user than another type. There are none where spec has no fallbacks.
func candidatesOf(spec *ec2v1.EC2InstanceSpec) []candidate {
	if len(spec.InstanceTypeFallbacks) == 0 && len(spec.SubnetFallbacks) == 0 {
		return nil
	}
	var all []candidate
	for _, name := range append([]string{spec.InstanceType}, spec.InstanceTypeFallbacks...) {
		for _, subnet := range append([]string{spec.SubnetID}, spec.SubnetFallbacks...) {
			all = append(all, candidate{Type: name, Subnet: subnet})
		}
	}
	return all
}

// in is spec with the candidate in the place of its own instance type and subnet.
func (c candidate) in(spec *ec2v1.EC2InstanceSpec) *ec2v1.EC2InstanceSpec {
	out := *spec
	out.InstanceType, out.SubnetID = cmp.Or(c.Type, spec.InstanceType), cmp.Or(c.Subnet, spec.SubnetID)
	return &out
}

func (c candidate) String() string {
	name := cmp.Or(c.Type, "the launch template's instance type")
	if c.Subnet == "" {
		return name
	}
	return name + " in " + c.Subnet
}
