// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"

// target reads the one instance that a call acts on. Nothing can be changed on one that is on its way out.
func (c *call) target() (*instance, error) {
	id := c.params["InstanceId"]
	if id == "" {
		return nil, missingParameter("InstanceId")
	}
	if err := checkInstanceIDs([]string{id}); err != nil {
		return nil, err
	}
	found, err := c.byID([]string{id}, c.settings.ActByIDLag)
	if err != nil {
		return nil, err
	}
	if c.in(found[0], lifecycle.ShuttingDown, lifecycle.Terminated) {
		return nil, fail(codeIncorrectInstanceState, "The instance '%s' is in the '%s' state.", id, found[0].state(c.now))
	}
	return found[0], nil
}

// stopped refuses what EC2 changes only while an instance is stopped.
func (c *call) stopped(i *instance) error {
	if !c.in(i, lifecycle.Stopped) {
		return fail(codeIncorrectInstanceState, "The instance '%s' is not in the 'stopped' state.", i.id)
	}
	return nil
}
