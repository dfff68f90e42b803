// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// released: an operator gives the finalizer up only when the instance is as deletionPolicy says, in the object as it is at that moment.
func (j *judge) released(obj *ec2v1.EC2Instance) {
	if _, before := j.launches.left[obj.UID]; before {
		return // The object was held by another finalizer since.
	}
	j.launches.left[obj.UID] = obj.Spec.DeletionPolicy
	if j.launches.tampered[obj.UID] {
		return
	}
	for _, i := range j.world.ec2.Instances() {
		if i.Tags[ec2v1.TagUID] != string(obj.UID) {
			continue
		}
		ok := true
		switch obj.Spec.DeletionPolicy {
		case ec2v1.DeletionRetain:
		case ec2v1.DeletionStop:
			// EC2 may go on showing for a while that it is stopped after somebody has started it.
			started, again := j.started[i.ID]
			ok = !i.Live() || i.State == "stopping" || i.State == "stopped" || (again && time.Since(started) < consistencyWindow)
		default:
			ok = i.State == "terminated"
		}
		j.holds(finalizerLeaves, ok, "the finalizer of %s leaves with deletionPolicy %s, and instance %s is %s", obj.Name, obj.Spec.DeletionPolicy, i.ID, i.State)
	}
}

// allowed: a call changes EC2 as the object that the pass has read says.
func (j *judge) allowed(c *call) {
	obj := j.history.decidedOn(c.user)
	if obj == nil {
		j.holds(asPolicySays, false, "%s by %s, whose pass has read no object", c.action, c.user)
		return
	}
	deleting, policy := obj.DeletionTimestamp != nil, obj.Spec.DeletionPolicy
	suspended := !deleting && obj.Spec.Suspend != nil && *obj.Spec.Suspend || obj.Spec.ManagementPolicy == ec2v1.ManagementObserve
	surplus := len(liveOf(j.world.ec2, obj.UID)) > 1
	if c.action == "CancelSpotInstanceRequests" {
		j.mayCancel(c, obj, surplus, suspended)
		return
	}
	j.holds(asPolicySays, asksFor(obj, c.action, surplus) && !suspended, "%s for %s, whose deletion is %t, deletionPolicy %s, powerState %s, and suspend %t",
		c.action, obj.Name, deleting, policy, obj.Spec.PowerState, suspended)
	for _, id := range append(c.list("InstanceId"), c.list("ResourceId")...) {
		uid := tagOfTruth(j.world.ec2, id, ec2v1.TagUID)
		j.holds(asPolicySays, uid == string(obj.UID) || takesOver(obj, id), "%s of instance %s of object %s in a pass over %s (%s)", c.action, id, uid, obj.Name, obj.UID)
	}
}

// mayCancel: the request of an instance is cancelled that may be terminated, or has ended.
func (j *judge) mayCancel(c *call, obj *ec2v1.EC2Instance, surplus, suspended bool) {
	for _, id := range c.list("SpotInstanceRequestId") {
		for _, i := range j.world.ec2.Instances() {
			if i.SpotRequestID != id {
				continue
			}
			ok := !suspended && (!i.Live() || asksFor(obj, "TerminateInstances", surplus))
			j.holds(asPolicySays, ok && i.Tags[ec2v1.TagUID] == string(obj.UID), "%s of instance %s, which is %s, in a pass over %s", c.action, i.ID, i.State, obj.Name)
		}
	}
}

// asksFor tells whether an object asks for a change. surplus: EC2 has two live instances of it.
func asksFor(obj *ec2v1.EC2Instance, action string, surplus bool) bool {
	if obj.DeletionTimestamp != nil {
		return asksForInDeletion(obj, action, surplus)
	}
	stopped := toBeStopped(obj)
	switch action {
	case "TerminateInstances":
		return surplus || letsUpdate(obj, ec2v1.UpdateReplace)
	case "StopInstances":
		return stopped || letsUpdate(obj, ec2v1.UpdateStopStart)
	case "StartInstances":
		return !stopped
	default:
		return true
	}
}

// asksForInDeletion is the same of an object that is being deleted.
func asksForInDeletion(obj *ec2v1.EC2Instance, action string, surplus bool) bool {
	policy := obj.Spec.DeletionPolicy
	switch action {
	case "TerminateInstances":
		return surplus || (policy != ec2v1.DeletionRetain && policy != ec2v1.DeletionStop)
	case "StopInstances":
		return policy == ec2v1.DeletionStop
	case "ModifyInstanceAttribute":
		return obj.Spec.ProtectionPolicy == ec2v1.ProtectionLift
	default:
		return false
	}
}

// letsUpdate tells whether an object lets the operator go as far as that for a change of any field.
func letsUpdate(obj *ec2v1.EC2Instance, most ec2v1.UpdateAllowance) bool {
	enough := func(a ec2v1.UpdateAllowance) bool { return a == ec2v1.UpdateReplace || a == most }
	return enough(obj.Spec.UpdatePolicy.Allow) ||
		slices.ContainsFunc(obj.Spec.UpdatePolicy.Overrides, func(o ec2v1.UpdateOverride) bool { return enough(o.Allow) })
}

// takesOver tells whether an object is to take an instance over.
func takesOver(obj *ec2v1.EC2Instance, id string) bool {
	return obj.Spec.Adopt != nil && obj.Spec.Adopt.InstanceID == id && obj.Spec.ManagementPolicy != ec2v1.ManagementObserve
}

func tagOfTruth(sim *ec2sim.Sim, id, key string) string {
	for _, i := range sim.Instances() {
		if i.ID == id {
			return i.Tags[key]
		}
	}
	return ""
}
