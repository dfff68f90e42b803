// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

// viewsLag is how long what is true in EC2 may take to be seen: the lags of its views, and two polls.
const viewsLag = 3 * time.Minute

// writer is the latest write of an object's status by an operator.
type writer struct {
	at       time.Time
	revision int64
	// truth of the object's instances, and since when it was seen to be so.
	truth string
	since time.Time
}

// changedNothing: a write that changes nothing is sent only by one who could not know.
func (j *judge) changedNothing(r apiserver.Record) {
	id := objectID{r.Kind.Kind, r.Key()}
	read, known := j.history.read[readKey{r.User, id}]
	versions := j.history.versions[id]
	if !known || len(versions) == 0 || r.Verb != apiserver.VerbApply {
		return
	}
	latest := versions[len(versions)-1]
	j.holds(nothingForNothing, latest.change == nil || latest.revision > read, "%s applies %s %s %s as %s, which changes nothing, having read revision %d",
		r.User, r.Kind.Kind, r.Name, r.Subresource, r.Manager, read)
}

// statusWritten: a write of status changes more than times of managedFields, and has a cause.
func (j *judge) statusWritten(before, after *ec2v1.EC2Instance, old *apiserver.Change, c apiserver.Change) {
	truth := j.truthFor(after.UID)
	w := j.writers[after.UID]
	if w == nil {
		w = &writer{truth: truth, since: time.Now()}
		j.writers[after.UID] = w
	}
	if old != nil && !w.at.IsZero() {
		caused := old.ResourceVersion != w.revision || truth != w.truth || w.at.Sub(w.since) < viewsLag || w.at.Sub(j.calls.trouble) < viewsLag
		caused = caused || unseenCause(before) || unseenCause(after)
		j.holds(nothingVolatile, caused || !onlyTalk(before, after), "the status of %s was written for nothing but messages and times: %+v, and before %+v",
			after.Name, after.Status.Conditions, before.Status.Conditions)
	}
	if truth != w.truth {
		w.truth, w.since = truth, time.Now()
	}
	w.at, w.revision = time.Now(), c.ResourceVersion
}

// unseenCause tells whether a status tells of what only the operator sees: that it has just started and has not listed yet, or that a child's
// name is somebody else's.
func unseenCause(obj *ec2v1.EC2Instance) bool {
	return slices.ContainsFunc(obj.Status.Conditions, func(c metav1.Condition) bool {
		return strings.Contains(c.Message, "first list") || strings.Contains(c.Message, "is not this object's")
	})
}

// onlyTalk tells whether two statuses differ in messages and times only.
func onlyTalk(before, after *ec2v1.EC2Instance) bool {
	return !reflect.DeepEqual(before.Status, after.Status) && reflect.DeepEqual(withoutTalk(before), withoutTalk(after))
}

func withoutTalk(obj *ec2v1.EC2Instance) ec2v1.EC2InstanceStatus {
	s := obj.Status.DeepCopy()
	for i := range s.Conditions {
		s.Conditions[i].Message, s.Conditions[i].LastTransitionTime = "", metav1.Time{}
	}
	for i := range s.Plan {
		s.Plan[i].Message = ""
	}
	if s.StateReason != nil {
		s.StateReason.Message = ""
	}
	if s.Launch != nil {
		s.Launch.At = nil
	}
	s.LaunchTime, s.LastRebootTime = nil, nil
	return *s
}

// truthFor is what is true of an object's instances.
func (j *judge) truthFor(uid types.UID) string {
	var own []ec2sim.Instance
	for _, i := range j.world.ec2.Instances() {
		if i.Tags[ec2v1.TagUID] == string(uid) {
			own = append(own, i)
		}
	}
	return truthOf(j.world.ec2, own)
}

// conditionTimes: a condition whose status is as before keeps its time.
func (j *judge) conditionTimes(before, after *ec2v1.EC2Instance) {
	for _, b := range before.Status.Conditions {
		a := conditionOf(after.Status.Conditions, b.Type)
		if a != nil && a.Status == b.Status {
			j.holds(timesStay, a.LastTransitionTime.Equal(&b.LastTransitionTime), "condition %s of %s is %s as before, since another time", b.Type, after.Name, b.Status)
		}
	}
}
