// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// maxInstanceIDs is the most that TerminateInstances takes (API reference).
const maxInstanceIDs = 1000

// stateChanges is the answer of StartInstances, StopInstances and TerminateInstances.
type stateChanges struct {
	wire.Head
	Instances []xmlStateChange `xml:"instancesSet>item"`
}

type xmlStateChange struct {
	ID       string   `xml:"instanceId"`
	Current  xmlState `xml:"currentState"`
	Previous xmlState `xml:"previousState"`
}

// targets reads the instances that a call acts on. One wrong id fails the call.
func (c *call) targets() ([]*instance, error) {
	ids, err := uniqueInstanceIDs(c.params)
	switch {
	case err != nil:
		return nil, err
	case len(ids) == 0:
		return nil, missingParameter("InstanceId")
	case len(ids) > maxInstanceIDs:
		return nil, fail(codeInvalidParameterValue, "The request names %d instances, and the maximum is %d", len(ids), maxInstanceIDs)
	}
	return c.byID(ids, c.settings.ActByIDLag)
}

// change applies do to each instance and reports the states before and after.
func (c *call) change(instances []*instance, do func(*instance)) *stateChanges {
	out := &stateChanges{}
	for _, i := range instances {
		before := i.state(c.now)
		do(i)
		out.Instances = append(out.Instances, xmlStateChange{i.id, stateXML(i.state(c.now)), stateXML(before)})
	}
	return out
}

// in says whether the instance is in one of the states.
func (c *call) in(i *instance, states ...lifecycle.State) bool {
	return slices.Contains(states, i.state(c.now))
}
