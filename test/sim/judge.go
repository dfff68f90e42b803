// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

var instanceKind = ec2v1.SchemeGroupVersion.WithKind("EC2Instance")

// judge holds every moment of a run to the invariants. Their numbers are those of the design, and docs/reliability.md tells them.
type judge struct {
	world *world

	mu         sync.Mutex
	seen       int64
	known      map[types.UID]*ec2v1.EC2Instance
	violations []string
	// writes and mutations are what operators changed in Kubernetes and in EC2.
	writes, mutations int
}

func newJudge(w *world) *judge {
	return &judge{world: w, known: map[types.UID]*ec2v1.EC2Instance{}}
}

func (j *judge) violated(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	j.world.trace("VIOLATED: %s", text)
	j.violations = append(j.violations, text)
}

// mutated looks at EC2 after a call that changes something.
func (j *judge) mutated(action string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.mutations++
	j.world.trace("ec2 %s", action)
	j.onePerObject()
}

// onePerObject: at most one live instance for each object (invariant 1), by the uid that it bears.
func (j *judge) onePerObject() {
	live := map[string][]string{}
	for _, i := range j.world.ec2.Instances() {
		if i.Live() {
			uid := i.Tags[ec2v1.TagUID]
			live[uid] = append(live[uid], i.ID)
		}
	}
	for uid, ids := range live {
		if len(ids) > 1 {
			slices.Sort(ids)
			j.violated("invariant 1: object %s has instances %v", uid, ids)
		}
	}
}

// wrote looks at what a write changed. It is told of all users' writes.
func (j *judge) wrote(r apiserver.Record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !r.Changed {
		return
	}
	operator := isOperator(r.User)
	if operator {
		if r.Kind.Kind != "EC2Account" { // An account counts instances by state, and EC2 forgets terminated ones after an hour.
			j.writes++
		}
		j.world.trace("%s %s %s %s %s as %s", r.User, r.Verb, r.Kind.Kind, r.Subresource, r.Name, r.Manager)
	}
	for _, c := range j.world.api.Changes(j.seen) {
		j.seen = c.ResourceVersion
		if c.Kind == instanceKind {
			j.changed(c, operator)
		}
	}
}

// changed compares an EC2Instance with how it was before.
func (j *judge) changed(c apiserver.Change, operator bool) {
	obj, err := typedInstance(c.Object)
	if err != nil {
		j.violated("an object that cannot be read: %v", err)
		return
	}
	before := j.known[obj.UID]
	j.known[obj.UID] = obj
	if c.Type == watch.Deleted {
		delete(j.known, obj.UID)
		j.released(obj)
		return
	}
	if before == nil || !operator {
		return
	}
	if before.Generation != obj.Generation {
		j.violated("invariant 4: the operator changed spec of %s", obj.Name)
	}
	j.foreignSurvives(before, obj)
	j.timesStay(before, obj)
}

// foreignSurvives: what others have is there after the operator's write (invariant 8).
func (j *judge) foreignSurvives(before, after *ec2v1.EC2Instance) {
	for _, f := range before.Finalizers {
		if f != ec2v1.InstanceFinalizer && !slices.Contains(after.Finalizers, f) {
			j.violated("invariant 8: the operator removed finalizer %s of %s", f, after.Name)
		}
	}
	for key, value := range before.Labels {
		if after.Labels[key] != value {
			j.violated("invariant 8: the operator changed label %s of %s", key, after.Name)
		}
	}
	if conditionOf(before.Status.Conditions, foreignCondition) != nil && conditionOf(after.Status.Conditions, foreignCondition) == nil {
		j.violated("invariant 8: the operator removed condition %s of %s", foreignCondition, after.Name)
	}
}

// timesStay: a condition whose status is as before keeps its time (invariant 7).
func (j *judge) timesStay(before, after *ec2v1.EC2Instance) {
	for _, b := range before.Status.Conditions {
		a := conditionOf(after.Status.Conditions, b.Type)
		if a != nil && a.Status == b.Status && !a.LastTransitionTime.Equal(&b.LastTransitionTime) {
			j.violated("invariant 7: condition %s of %s is %s as before, since another time", b.Type, after.Name, b.Status)
		}
	}
}

// released: an object is gone only when nothing of it lives in EC2 (invariant 3).
func (j *judge) released(obj *ec2v1.EC2Instance) {
	if obj.Spec.DeletionPolicy != ec2v1.DeletionTerminate {
		return
	}
	for _, i := range liveOf(j.world.ec2, obj.UID) {
		j.violated("invariant 3: %s is gone, and instance %s is %s", obj.Name, i.ID, i.State)
	}
}

// totals are what operators have changed so far.
func (j *judge) totals() (writes, mutations int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.writes, j.mutations
}

func (j *judge) verdict() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.violations)
}

func liveOf(sim *ec2sim.Sim, uid types.UID) []ec2sim.Instance {
	var out []ec2sim.Instance
	for _, i := range sim.Instances() {
		if i.Live() && i.Tags[ec2v1.TagUID] == string(uid) {
			out = append(out, i)
		}
	}
	return out
}

func typedInstance(u *unstructured.Unstructured) (*ec2v1.EC2Instance, error) {
	obj := &ec2v1.EC2Instance{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj); err != nil {
		return nil, fmt.Errorf("converting an EC2Instance: %w", err)
	}
	return obj, nil
}
