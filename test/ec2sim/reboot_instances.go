// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"

// rebootInstances leaves the state running; terminated instances are ignored (API reference). That a stopped instance is
// refused is what EC2 does to every action that needs a running one.
func rebootInstances(c *call) (any, error) {
	instances, err := c.targets()
	if err != nil {
		return nil, err
	}
	for _, i := range instances {
		if c.in(i, lifecycle.Pending, lifecycle.Stopping, lifecycle.Stopped) {
			return nil, fail(codeIncorrectInstanceState, "The instance '%s' is not in a state from which it can be rebooted.", i.id)
		}
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	for _, i := range instances {
		if c.in(i, lifecycle.Running) {
			i.reboots = append(i.reboots, c.now)
		}
	}
	return &returnTrue{Return: true}, nil
}
