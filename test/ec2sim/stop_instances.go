// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"

// stopInstances is a no-op for instances that are stopping or stopped. That EC2
// refuses to stop a pending instance is an assumption: AWS does not say.
func stopInstances(c *call) (any, error) {
	instances, err := c.targets()
	if err != nil {
		return nil, err
	}
	hibernate, err := c.params.Bool("Hibernate")
	if err != nil {
		return nil, err
	}
	for _, i := range instances {
		if err := c.stoppable(i, hibernate); err != nil {
			return nil, err
		}
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	why := userReason(c.now)
	if hibernate {
		why = hibernateReason(c.now)
	}
	return c.change(instances, func(i *instance) {
		if c.in(i, lifecycle.Running) {
			i.stop(c.now, &c.settings, why)
		}
	}), nil
}

func (c *call) stoppable(i *instance, hibernate bool) error {
	switch {
	case c.in(i, lifecycle.Pending, lifecycle.ShuttingDown, lifecycle.Terminated):
		return fail(codeIncorrectInstanceState, "This instance '%s' is not in a state from which it can be stopped.", i.id)
	case i.spec.disableAPIStop && c.in(i, lifecycle.Running):
		return fail(codeOperationNotPermitted,
			"The instance '%s' may not be stopped. Modify its 'disableApiStop' instance attribute and try again.", i.id)
	case hibernate:
		if err := i.canHibernate(); err != nil {
			return err
		}
	}
	return i.stoppableSpot()
}
