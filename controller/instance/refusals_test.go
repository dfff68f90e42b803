// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// What status.plan tells of a call that was refused for good is that, and not to wait for it.
func TestDecideTellsOfRefusedStepsInThePlan(t *testing.T) {
	failedWith := func(field, words string) func(*testing.T, Plan) {
		return func(t *testing.T, p Plan) {
			t.Helper()
			planned(field, ec2v1.PlanStateFailed, ec2v1.ReasonBlocked)(t, p)
			for _, c := range p.Changes {
				if c.Field == field && !strings.HasPrefix(c.Message, words) {
					t.Errorf("it says %q, want %q", c.Message, words)
				}
			}
		}
	}
	untaggedOne := kept(1, cloud.StateRunning, untagged("team"))
	in := inputOf(untaggedOne)
	tags := diffTags(in, &in.Entries[0], in.Object.Status.ManagedTagKeys).fingerprint(instanceID(1))
	typ, mayStop := spec(largerType), allow(ec2v1.UpdateStopStart)
	const stop = "instanceType"
	toChange := instanceID(1) + " to change " + stop
	spot := spec(func(s *ec2v1.EC2InstanceSpec) {
		s.MarketOptions = &ec2v1.MarketOptions{MarketType: "spot", SpotOptions: &ec2v1.SpotOptions{RequestType: "persistent"}}
	})
	recorded := func(message string) given {
		return func(in *Input) {
			told(metav1.ConditionFalse)(in)
			in.Object.Status.Plan = []ec2v1.PlannedChange{{Field: stop, Desired: "t3.large", State: ec2v1.PlanStateFailed, Message: message}}
		}
	}
	refusedFor := failureOf(cloud.ClassUnauthorized)
	decideAll(t, []decision{
		{
			name: "tags", given: []given{untaggedOne, called(StepTag, tags, time.Second, refusedFor)},
			id: instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second, also: failedWith(fieldTags, refusedFor.Error()),
		},
		{
			name: "tags, and it is time to ask again", given: []given{untaggedOne, called(StepTag, tags, time.Hour, refusedFor)},
			step: StepTag, id: instanceID(1), ready: "False Unauthorized", flow: "Stalled", also: failedWith(fieldTags, refusedFor.Error()),
		},
		{
			name: "tags, for a moment: wait", given: []given{untaggedOne, called(StepTag, tags, time.Second, failureOf(cloud.ClassTransient))},
			step: StepTag, id: instanceID(1), ready: "False EC2Unavailable", flow: "Reconciling", also: planned(fieldTags, ec2v1.PlanStatePending, ec2v1.ReasonUpdatePending),
		},
		{
			name: "tags, and other ones are wanted by now", given: []given{untaggedOne, called(StepTag, instanceID(1)+" others", time.Second, refusedFor)},
			step: StepTag, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", also: planned(fieldTags, ec2v1.PlanStatePending, ec2v1.ReasonUpdatePending),
		},
		{
			name: "tags, and it is suspended", given: []given{untaggedOne, suspended, called(StepTag, tags, time.Second, refusedFor)}, ready: "False Suspended",
		},
		{
			name: "a start", given: []given{kept(1, cloud.StateStopped), called(StepStart, instanceID(1), time.Second, refusedFor)},
			id: instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second, also: failedWith(fieldPower, refusedFor.Error()),
		},
		{
			name: "a start for want of capacity: wait", given: []given{kept(1, cloud.StateStopped), called(StepStart, instanceID(1), time.Second, failureOf(cloud.ClassCapacity))},
			id: instanceID(1), ready: "False InsufficientCapacity", flow: "Reconciling", after: 29 * time.Second,
			also: planned(fieldPower, ec2v1.PlanStatePending, ec2v1.ReasonUpdatePending),
		},
		{
			name: "a stop, and what would come with it", given: []given{kept(1, cloud.StateRunning), wants(ec2v1.PowerStateStopped), typ, mayStop, called(StepStop, instanceID(1), time.Second, refusedFor)},
			id: instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second,
			also: func(t *testing.T, p Plan) {
				t.Helper()
				failedWith(fieldPower, refusedFor.Error())(t, p)
				failedWith(stop, beforehand+refusedFor.Error())(t, p)
			},
		},
		{
			name: "hibernation", given: []given{kept(1, cloud.StateRunning), wants(ec2v1.PowerStateHibernated), called(StepHibernate, instanceID(1), time.Second, refusedFor)},
			id: instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second, also: failedWith(fieldPower, refusedFor.Error()),
		},
		{
			name: "a stop for a change", given: []given{kept(1, cloud.StateRunning), typ, mayStop, called(StepStop, toChange, time.Second, refusedFor)},
			id: instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second, also: failedWith(stop, beforehand+refusedFor.Error()),
		},
		{
			name: "a stop for a change, and it is time to ask again", given: []given{kept(1, cloud.StateRunning), typ, mayStop, called(StepStop, toChange, time.Hour, refusedFor)},
			step: StepStop, id: instanceID(1), ready: "False Unauthorized", flow: "Stalled", also: failedWith(stop, beforehand+refusedFor.Error()),
		},
		{
			name: "a stop for a change, and an earlier process was told: nothing was disrupted, try again", given: []given{kept(1, cloud.StateRunning), typ, mayStop, recorded(beforehand + "no")},
			step: StepStop, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", also: planned(stop, ec2v1.PlanStatePending, ec2v1.ReasonUpdatePending),
		},
		{
			name: "the cancellation of the Spot request", given: []given{kept(1, cloud.StateRunning, ofRequest), spot, spec(otherImage), allow(ec2v1.UpdateReplace), called(StepCancelRequest, spotRequest, time.Second, refusedFor)},
			id: instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second, also: failedWith("image", beforehand+refusedFor.Error()),
		},
	})
}

// The pass that meets the refusal tells of it at once, and the plan is as before when it is over.
func TestARefusalIsToldInThePlanByThePassThatMeetsIt(t *testing.T) {
	stateOf := func(r *rig, field string) ec2v1.PlanState {
		for _, c := range r.get().Status.Plan {
			if c.Field == field {
				return c.State
			}
		}
		return ""
	}
	for field, edit := range map[string]func(*ec2v1.EC2InstanceSpec){
		fieldTags:  func(s *ec2v1.EC2InstanceSpec) { s.Tags = nil },
		fieldPower: func(s *ec2v1.EC2InstanceSpec) { s.PowerState = ec2v1.PowerStateStopped },
		"instanceType": func(s *ec2v1.EC2InstanceSpec) {
			s.InstanceType, s.UpdatePolicy.Allow = "t3.large", ec2v1.UpdateStopStart
		},
	} {
		t.Run(field, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.run()
				r.ec2.set(func() { r.ec2.refuse = failureOf(cloud.ClassUnauthorized) })
				r.edit(edit)
				after, err := r.reconcile()
				if after != cloud.ClassUnauthorized.Backoff(1) || err != nil {
					r.Errorf("again after %s, %v", after, err)
				}
				if got := stateOf(r, field); got != ec2v1.PlanStateFailed || !readyIs(ec2v1.ReasonUnauthorized)(r.get()) {
					r.Errorf("it is %s: %+v", got, r.get().Status)
				}
				r.ec2.set(func() { r.ec2.refuse = nil })
				r.until("it is tried again", func(*ec2v1.EC2Instance) bool { return stateOf(r, field) != ec2v1.PlanStateFailed })
			})
		})
	}
}
