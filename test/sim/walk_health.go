// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// isHealthy looks at an object at rest: it is Ready, or says what is in the way; and it has one instance where it can have one.
func (k *walk) isHealthy(of *walked) bool {
	obj := k.object(namespace, of.name)
	if obj == nil {
		return false
	}
	live := liveOf(k.world.ec2, obj.UID)
	ready, launched := conditionOf(obj.Status.Conditions, ec2v1.ConditionReady), conditionOf(obj.Status.Conditions, ec2v1.ConditionLaunched)
	switch {
	case obj.Status.ObservedGeneration != obj.Generation || ready == nil || launched == nil:
		k.violated(of, "after %s the operator has not looked at it: %s", of.what, k.told(of))
	case len(live) > 1 || (len(live) == 0) != (launched.Status != metav1.ConditionTrue):
		k.violated(of, "after %s it has %d instances: %s", of.what, len(live), k.told(of))
	case ready.Status == metav1.ConditionTrue:
		k.isSettled(of, obj)
		return true
	case ready.Message == "" || !saysWhyNot(obj, ready.Reason):
		k.violated(of, "after %s it is not Ready, and does not say that something is in the way: %s", of.what, k.told(of))
	}
	return false
}

// isSettled: of an object that is Ready nothing is left to do but what policy does not allow, and that is told. The spec of one of which
// nothing is left at all is sound.
func (k *walk) isSettled(of *walked, obj *ec2v1.EC2Instance) {
	if slices.ContainsFunc(obj.Status.Plan, func(c ec2v1.PlannedChange) bool { return c.State != ec2v1.PlanStateBlocked || c.Message == "" }) {
		k.violated(of, "after %s it is Ready, and something is left to do: %s", of.what, k.told(of))
	}
	if len(obj.Status.Plan) == 0 && !hasIgnored(obj) && !handsOff(of.applied) {
		of.sound = of.applied
	}
}

// isSound tells whether EC2 is all that spec says.
func (k *walk) isSound(of *walked) bool { return reflect.DeepEqual(of.applied, of.sound) }

func hasIgnored(obj *ec2v1.EC2Instance) bool {
	return slices.ContainsFunc(obj.Spec.UpdatePolicy.Overrides, func(o ec2v1.UpdateOverride) bool { return o.Allow == ec2v1.UpdateIgnore })
}

// saysWhyNot: an object that is not Ready at rest is stalled, or suspended, or waits for what EC2 may have later.
func saysWhyNot(obj *ec2v1.EC2Instance, reason string) bool {
	stalled := conditionOf(obj.Status.Conditions, ec2v1.ConditionStalled)
	if stalled != nil && stalled.Status == metav1.ConditionTrue && stalled.Message != "" {
		return true
	}
	return slices.Contains([]string{
		ec2v1.ReasonSuspended, ec2v1.ReasonInsufficientCapacity, ec2v1.ReasonQuotaExceeded, ec2v1.ReasonDependencyNotReady,
	}, reason)
}

// told tells what an object says.
func (k *walk) told(of *walked) string {
	obj := k.object(namespace, of.name)
	if obj == nil {
		return "it is gone"
	}
	var b strings.Builder
	for _, c := range obj.Status.Conditions {
		fmt.Fprintf(&b, "\n  %s %s %s: %s", c.Type, c.Status, c.Reason, c.Message)
	}
	for _, c := range obj.Status.Plan {
		fmt.Fprintf(&b, "\n  plan: %s from %s to %s by %s: %s %s", c.Field, c.Current, c.Desired, c.Action, c.State, c.Message)
	}
	fmt.Fprintf(&b, "\n  spec: %s", strings.TrimSuffix(fmt.Sprint(of.applied), "\n"))
	return b.String()
}

func (k *walk) violated(of *walked, format string, args ...any) {
	k.world.judge.violated("%s: %s", of.name, fmt.Sprintf(format, args...))
}
