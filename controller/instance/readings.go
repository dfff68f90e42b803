// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// Reading is the latest that EC2 told of a field which its lists of instances do not have.
type Reading struct {
	// ID of the instance, and when it was read, for which generation of spec.
	ID         string
	At         time.Time
	Generation int64
	// Value of the field; of user data, what stands for the bytes.
	Value string
	// Volumes of the instance, by id; only of blockDevices.
	Volumes map[string]cloud.VolumeDetail
	// Wanted stands for the bytes that spec asked for at that time; only of user data.
	Wanted string
}

// readingsOf are the readings of an instance, by field.
func (m Memory) readingsOf(id string) map[string]Reading {
	out := map[string]Reading{}
	for field, r := range m.Readings {
		if r.ID == id {
			out[field] = r
		}
	}
	return out
}

// dueReading is the reading that comes next.
type dueReading struct {
	field Field
	// now: it is to be made now. Else in is how long until one is, zero for never.
	now bool
	in  time.Duration
	// failure is how one that is due has failed; unknown: without it nothing is known of the field.
	failure *cloud.Error
	unknown bool
}

// nextReading finds the reading that is due, or when the next one is.
func (f facts) nextReading(in Input) dueReading {
	var next dueReading
	if !f.current.Missing.IsZero() {
		return next
	}
	for _, field := range fields {
		if field.isSet == nil || !field.isSet(&in.Object.Spec) || allowanceOf(&in.Object.Spec, field.Name) == ec2v1.UpdateIgnore {
			continue
		}
		until := f.readingDue(in, field).Sub(in.Now)
		if until <= 0 {
			until = in.Memory.wait(reading(field.Name), f.current.ID, in.Now)
			if until == 0 {
				return dueReading{field: field, now: true}
			}
			next.failure = in.Memory.failure(reading(field.Name), f.current.ID)
			next.unknown = next.unknown || !f.knownInSync(in, field.Name)
		}
		if next.in == 0 || until < next.in {
			next.in = until
		}
	}
	return next
}

// readingDue is when a field is to be read: when spec has changed, when a change of it should show, and else at a slow interval.
func (f facts) readingDue(in Input, field Field) time.Time {
	r, ok := in.Memory.Readings[field.Name]
	switch {
	case !ok || r.ID != f.current.ID:
		return f.firstReading(in, field)
	case r.Generation != in.Object.Generation, f.contradicted(in, field) && in.Now.Sub(r.At) > settle:
		return time.Time{}
	}
	if at, made := in.changeShows(field, r); made {
		return at
	}
	if f.lacksVolumes(in, field, r) {
		return r.At.Add(settle)
	}
	return r.At.Add(readAgain + spread(in.Object.UID, field.Name, readAgain/readSpread))
}

// firstReading: a process that has just started takes what was in sync for so, and spreads its first readings over the interval: the
// account would be throttled otherwise.
func (f facts) firstReading(in Input, field Field) time.Time {
	if f.knownInSync(in, field.Name) {
		return in.Memory.Since.Add(spread(in.Object.UID, field.Name, readAgain))
	}
	return time.Time{}
}

// changeShows is when a change of the field that was made since the reading should show; one that was refused for a moment may be under
// way already, as one of a volume is for a while, and is looked for before it is asked for again.
func (in Input) changeShows(field Field, r Reading) (time.Time, bool) {
	made := in.Memory.Calls[modifying(field.Name)]
	if typed := in.Memory.Calls[modifying("instanceType")]; typed.Err == nil && typed.At.After(made.At) {
		made = typed // EC2 drops with the type what the new one does not have, such as credits.
	}
	switch {
	case made.At.Before(r.At):
		return time.Time{}, false
	case made.Err == nil:
		return made.At.Add(settle), true
	case made.Err.Class == cloud.ClassWrongState:
		return made.next(in.Object.UID), true
	default:
		return time.Time{}, false
	}
}

// lacksVolumes tells whether EC2 lists a volume of spec that the reading does not have: it was attached since, or did not show yet.
func (f facts) lacksVolumes(in Input, field Field, r Reading) bool {
	return field.Name == fieldDevices && slices.ContainsFunc(f.current.Volumes, func(v cloud.Volume) bool {
		_, read := r.Volumes[v.ID]
		return !read && slices.ContainsFunc(in.Object.Spec.BlockDevices, func(d ec2v1.BlockDevice) bool { return d.DeviceName == v.DeviceName })
	})
}

// contradicted tells whether status tells of a difference that this process does not see: another process of ours has read something
// newer.
func (f facts) contradicted(in Input, field Field) bool {
	return toldToDiffer(in.Object, field.Name) && !field.compare(f.sight(in)).differs
}

// toldToDiffer tells whether status tells of a difference in a field, for the spec that there is now.
func toldToDiffer(obj *ec2v1.EC2Instance, field string) bool {
	return obj.Status.ObservedGeneration == obj.Generation &&
		slices.ContainsFunc(obj.Status.Plan, func(c ec2v1.PlannedChange) bool { return c.Field == field })
}

// knownInSync tells whether EC2 is known to match this generation of spec in a field: status says so, or the instance was launched for it
// and status says nothing else. What drifts, and what a Secret has, change without an edit.
func (f facts) knownInSync(in Input, field string) bool {
	launched := f.intent != nil && f.intent.Token == f.current.ClientToken && f.intent.Generation == in.Object.Generation
	synced := meta.FindStatusCondition(in.Object.Status.Conditions, ec2v1.ConditionSynced)
	switch {
	case toldToDiffer(in.Object, field):
		return false
	case synced == nil, synced.ObservedGeneration != in.Object.Generation, in.Object.Status.InstanceID != f.current.ID:
		return launched
	case synced.Status == metav1.ConditionFalse:
		return launched // It is told of other fields.
	default:
		return synced.Status == metav1.ConditionTrue
	}
}

// spread is a part of a duration that is the same for the same object and field, so that objects do not all come at once.
func spread(uid types.UID, field string, over time.Duration) time.Duration {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s/%s", uid, field)
	return time.Duration(h.Sum64() % uint64(over))
}
