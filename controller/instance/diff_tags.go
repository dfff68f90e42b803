// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

const fieldTags = "tags"

// tagDiff is what is to be done about an instance's tags.
type tagDiff struct {
	set     map[string]string
	remove  []string
	managed []string
	// settling is how much longer tags that do not show yet are waited for.
	settling time.Duration
}

func (d tagDiff) differ() bool { return len(d.set)+len(d.remove) > 0 }

// diffTags compares tags; ours are the keys that are recorded as ours. Those of others are left alone: a tag is removed only when it is recorded as ours.
func diffTags(in Input, current *observer.Entry, ours []string) tagDiff {
	owner := cloud.Owner{UID: in.Object.UID, Namespace: in.Object.Namespace, Name: in.Object.Name}
	desired := cloud.DesiredTags(in.Cluster, owner, &in.Object.Spec)
	d := tagDiff{set: lacking(desired, current.Tags)}
	if allowanceOf(&in.Object.Spec, fieldTags) == ec2v1.UpdateIgnore {
		// What is ours stays ours to remove, once it is no longer ignored. The identity is no field of spec.
		maps.DeleteFunc(d.set, func(key, _ string) bool { return !strings.HasPrefix(key, ec2v1.TagPrefix) })
		d.managed = slices.Clone(ours)
		return d.settled(in, current, desired)
	}
	var coming []string
	_, shown := current.Tags[ec2v1.TagUID]
	for _, key := range in.Memory.alsoOurs(current.ID, ours) {
		_, wanted := desired[key]
		_, present := current.Tags[key]
		switch {
		case !wanted && ignoresTag(&in.Object.Spec, key):
			// It is the business of another tool from now on.
		case !wanted && present:
			d.remove = append(d.remove, key)
		case !wanted && !shown:
			coming = append(coming, key) // EC2 shows not even the identity: that it does not show this one says nothing.
		case !wanted:
			// What we have just set may not show yet: it stays ours until it does, or should have.
			if left := in.tagShows(current, key); left > 0 {
				coming = append(coming, key)
				d.settling = max(d.settling, left)
			}
		}
	}
	d.managed = managedKeys(desired, append(coming, d.remove...))
	return d.settled(in, current, desired)
}

// settled waits for the tags of a launch to show before they are set again.
func (d tagDiff) settled(in Input, current *observer.Entry, desired map[string]string) tagDiff {
	if len(d.set) > 0 {
		if left := in.tagsSettling(current.ID, desired); left > 0 {
			d.settling, d.set = max(d.settling, left), nil
		}
	}
	return d
}

// lacking are the tags that are not there, or have another value.
func lacking(desired, have map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range desired {
		if is, ok := have[key]; !ok || is != value {
			out[key] = value
		}
	}
	return out
}

// ourTags are the keys of the tags that are recorded as ours; of an instance that is not recorded yet, those that it
// was launched with.
func (f facts) ourTags(current *observer.Entry) []string {
	switch {
	case current == nil || f.object.Status.InstanceID == current.ID:
		return f.object.Status.ManagedTagKeys
	case f.intent != nil && f.intent.Token == current.ClientToken:
		return f.intent.TagKeys
	case f.launchedHere == current.ID:
		return f.launchedKeys // The intent was taken away.
	default:
		return f.object.Status.ManagedTagKeys
	}
}

// tagShows returns how much longer a tag that was set lately may take to show; zero when what EC2 shows was asked for long
// after that. What RunInstances set, or an earlier process, is not remembered by key: it may take as long from then on.
func (in Input) tagShows(current *observer.Entry, key string) time.Duration {
	at, ok := in.Memory.TagsSet[tagOf(current.ID, key)]
	if !ok {
		at = in.Memory.Since
		if current.LaunchTime.After(at) {
			at = current.LaunchTime
		}
	}
	shows := at.Add(consistencyWindow)
	if !current.Described.Before(shows) {
		return 0
	}
	return max(lookAgain, shows.Sub(in.Now))
}

// tagsSettling returns how much longer the tags that RunInstances has set may take to show; zero when they
// were not set by RunInstances, or long ago, or have been changed since.
func (in Input) tagsSettling(id string, desired map[string]string) time.Duration {
	launched, ok := in.Memory.Calls[StepLaunch]
	if !ok || launched.Err != nil || launched.Of != launchedTags(id, desired) {
		return 0
	}
	if tagged, ok := in.Memory.Calls[StepTag]; ok && tagged.At.After(launched.At) {
		return 0
	}
	return max(0, launched.At.Add(tagSettle).Sub(in.Now))
}

// launchedTags is what is remembered of an accepted launch: the instance and the tags that it was given.
func launchedTags(id string, tags map[string]string) string {
	return id + " " + joinTags(tags)
}

// managedKeys are the keys that are ours on the instance, besides its identity: those that spec wants, and
// those that are still to be removed.
func managedKeys(desired map[string]string, remove []string) []string {
	keys := slices.Clone(remove)
	for key := range desired {
		if !strings.HasPrefix(key, ec2v1.TagPrefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (d tagDiff) change() (Change, bool) {
	if !d.differ() {
		return Change{}, false
	}
	c := Change{Field: fieldTags, Desired: joinTags(d.set), Action: ec2v1.PlanActionInPlace, State: ec2v1.PlanStatePending}
	if len(d.remove) > 0 {
		c.Message = "to remove: " + strings.Join(slices.Sorted(slices.Values(d.remove)), ", ")
	}
	return c, true
}

func (d tagDiff) fingerprint(id string) string {
	return fmt.Sprintf("%s +%s -%s", id, joinTags(d.set), strings.Join(slices.Sorted(slices.Values(d.remove)), ","))
}

func joinTags(tags map[string]string) string {
	parts := make([]string, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		parts = append(parts, key+"="+tags[key])
	}
	return strings.Join(parts, ", ")
}
