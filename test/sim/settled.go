// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// settled compares the world with what was asked for, when it has come to rest.
func (w *world) settled(o options) {
	uids := map[string]bool{}
	for _, name := range names {
		obj, err := w.get(name)
		if err != nil {
			w.judge.violated("reading %s: %v", name, err)
			continue
		}
		if obj == nil {
			continue
		}
		uids[string(obj.UID)] = true
		w.asAsked(obj, o)
	}
	for _, i := range w.ec2.Instances() {
		if i.Live() && !uids[i.Tags[ec2v1.TagUID]] {
			w.judge.violated("a leak: instance %s (%s) of object %s, which is gone", i.ID, i.State, i.Tags[ec2v1.TagName])
		}
	}
}

// asAsked compares one object with its instance.
func (w *world) asAsked(obj *ec2v1.EC2Instance, o options) {
	switch {
	case obj.DeletionTimestamp != nil:
		if slices.Contains(obj.Finalizers, ec2v1.InstanceFinalizer) {
			w.judge.violated("invariant 3: the deletion of %s has not ended: %+v", obj.Name, obj.Status.Conditions)
		}
		return // Another finalizer holds it.
	case obj.Spec.Suspend != nil && *obj.Spec.Suspend:
		return
	}
	live := liveOf(w.ec2, obj.UID)
	if len(live) != 1 {
		w.judge.violated("%s has %d live instances at rest: %+v", obj.Name, len(live), obj.Status.Conditions)
		return
	}
	if live[0].ID != obj.Status.InstanceID {
		w.judge.violated("%s records instance %s, and EC2 has %s", obj.Name, obj.Status.InstanceID, live[0].ID)
	}
	if state := stateAsked(obj); live[0].State != state {
		w.judge.violated("%s is %s in EC2, and asked to be %s: %+v", obj.Name, live[0].State, state, obj.Status.Conditions)
	}
	// Of two operators at once, one may set a tag that the other has just seen given up: nobody knows it then.
	if o.operators == 1 {
		w.taggedAsAsked(obj, live[0])
	}
	w.readyAsTrue(obj)
}

func stateAsked(obj *ec2v1.EC2Instance) string {
	if obj.Spec.PowerState == ec2v1.PowerStateStopped {
		return "stopped"
	}
	return "running"
}

func (w *world) taggedAsAsked(obj *ec2v1.EC2Instance, i ec2sim.Instance) {
	wanted := map[string]string{}
	for _, t := range obj.Spec.Tags {
		if t.Value != nil {
			wanted[t.Key] = *t.Value
		}
	}
	for _, key := range []string{"team", "cost-center"} {
		if i.Tags[key] != wanted[key] {
			w.judge.violated("%s has tag %s=%q in EC2, and %q in spec", obj.Name, key, i.Tags[key], wanted[key])
		}
	}
}

// readyAsTrue: an object that is as asked says so, unless somebody else has the name of one of its children.
func (w *world) readyAsTrue(obj *ec2v1.EC2Instance) {
	ready := conditionOf(obj.Status.Conditions, ec2v1.ConditionReady)
	stalled := conditionOf(obj.Status.Conditions, ec2v1.ConditionStalled)
	if ready == nil || (ready.Status != metav1.ConditionTrue && (stalled == nil || stalled.Reason != ec2v1.ReasonChildNotControlled)) {
		w.judge.violated("%s is not Ready at rest: %+v", obj.Name, obj.Status.Conditions)
	}
}
