// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"
	"time"
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
