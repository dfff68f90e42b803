// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
)

// revision is what an instance was configured as until a moment.
type revision struct {
	until time.Time
	spec  launchSpec
}

// revisionsKept is how long earlier configurations are remembered: longer than any lag.
const revisionsKept = time.Hour

// reconfigure changes what the instance is configured as from now on.
func (i *instance) reconfigure(now time.Time, edit func(*launchSpec)) {
	i.revisions = slices.DeleteFunc(i.revisions, func(r revision) bool { return now.Sub(r.until) > revisionsKept })
	i.revisions = append(i.revisions, revision{until: now, spec: i.spec})
	edit(&i.spec)
}

// specAt is what the instance was configured as at a moment.
func (i *instance) specAt(at time.Time) launchSpec {
	for _, r := range i.revisions {
		if at.Before(r.until) {
			return r.spec
		}
	}
	return i.spec
}

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
