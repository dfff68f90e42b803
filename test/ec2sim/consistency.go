// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/glob"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
)

// EC2 is eventually consistent, and its subsystems catch up separately. This file
// decides what each of them knows at a moment; nothing else does.

// view is an instance as DescribeInstances shows it now.
type view struct {
	*instance
	// spec is what the instance was configured as then.
	spec       launchSpec
	status     lifecycle.Status
	launchTime time.Time
	tags       map[string]string
}

// view shows the instance as it was StateLag ago, with the tags that show by now.
func (c *call) view(i *instance) view {
	at := c.now.Add(-c.settings.StateLag)
	return view{
		instance: i, spec: i.specAt(at), status: i.history.At(at), launchTime: i.history.LastStarted(at),
		tags: c.resourceTags(c.region.resources[i.id]),
	}
}

// resourceTags are the tags that show of a resource, without those that a fault hides.
func (c *call) resourceTags(r *resource) map[string]string {
	tags := r.shownTags(c.now, &c.settings)
	for key := range tags {
		if anyMatch(c.effects.hideTags, key) {
			delete(tags, key)
		}
	}
	return tags
}

// knows says whether a subsystem that lags behind launches by lag knows the resource.
func (c *call) knows(r *resource, lag time.Duration) bool {
	return !c.now.Before(r.owner.history.Launched().Add(lag)) && !r.gone(c.now, &c.settings) &&
		!anyMatch(c.effects.hide, r.id) && !anyMatch(c.effects.hide, r.owner.id)
}

// shown says whether a subsystem that lags behind launches by lag knows the instance.
func (c *call) shown(i *instance, lag time.Duration) bool {
	return c.knows(c.region.resources[i.id], lag)
}

// listed are the instances that a describe without ids covers.
func (c *call) listed() []*instance {
	return slices.DeleteFunc(slices.Clone(c.region.order), func(i *instance) bool { return !c.shown(i, c.settings.DescribeListLag) })
}

// byID are the instances with the ids, in that order, as known to a subsystem that
// lags by lag. One id that it does not know fails them all.
func (c *call) byID(ids []string, lag time.Duration) ([]*instance, error) {
	var found []*instance
	var missing []string
	for _, id := range ids {
		if i, ok := c.region.instances[id]; ok && c.shown(i, lag) {
			found = append(found, i)
		} else {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return nil, instancesNotFound(missing)
	}
	return found, nil
}

func anyMatch(patterns []string, text string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return glob.Match(p, text) })
}
