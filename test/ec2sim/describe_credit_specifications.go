// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"cmp"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

type creditsResponse struct {
	wire.Head
	Credits   []xmlCredits `xml:"instanceCreditSpecificationSet>item"`
	NextToken string       `xml:"nextToken,omitempty"`
}

type xmlCredits struct {
	InstanceID string `xml:"instanceId"`
	CPUCredits string `xml:"cpuCredits"`
}

func (x xmlCredits) id() string { return x.InstanceID }

// describeInstanceCreditSpecifications gives what is asked for by id, and otherwise the unlimited ones (API reference,
// DescribeInstanceCreditSpecifications). An instance that is not burstable is standard.
func describeInstanceCreditSpecifications(c *call) (any, error) {
	ids, err := uniqueInstanceIDs(c.params)
	if err != nil {
		return nil, err
	}
	if len(ids) > 0 && c.params.Has("MaxResults") {
		return nil, fail(codeInvalidParameterCombination, "The parameter instancesSet cannot be used with the parameter maxResults")
	}
	filters, p, err := c.readListing(func(name string) bool { return name == "instance-id" })
	if err != nil {
		return nil, err
	}
	instances, err := c.described(ids)
	if err != nil {
		return nil, err
	}
	var items []xmlCredits
	for _, i := range instances {
		item := xmlCredits{i.id, cmp.Or(c.view(i).spec.credits, creditsStandard)}
		if len(ids) == 0 && item.CPUCredits != creditsUnlimited {
			continue
		}
		if matches(filters, func(string) []string { return []string{item.InstanceID} }) {
			items = append(items, item)
		}
	}
	shown, next := paginate(c, p, items, xmlCredits.id, xmlCredits.id)
	return &creditsResponse{Credits: shown, NextToken: next}, nil
}
