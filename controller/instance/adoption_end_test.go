// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// intendsFor tells of a plan's intent which attempt it is for, and why.
func intendsFor(attempt int64, reason string) func(*testing.T, Plan) {
	return func(t *testing.T, p Plan) {
		t.Helper()
		if p.Intent == nil || p.Intent.Attempt != attempt || p.Intent.Reason != reason || p.Intent.For != "" {
			t.Errorf("intends %+v", p.Intent)
		}
	}
}

// notRecreated: the object has one instance in its life.
func notRecreated(in *Input) { in.Object.Spec.RecreatePolicy = ec2v1.RecreateNever }

// What was taken over ends like any other instance, and its successors do.
func TestDecideAfterTheEndOfAdopted(t *testing.T) {
	ended := func(state cloud.State, edits ...func(*LaunchIntent)) given {
		return allOf(tookOver(1, edits...), ec2Shows(1, state, foreignToken), after(long), prepared(otherHash))
	}
	toReplace := replacing(time.Minute)
	emptied := func(in *Input) { in.Object.Status = ec2v1.EC2InstanceStatus{} }
	successor := func(edits ...func(*LaunchIntent)) given {
		return allOf(names(1), intent(1, edits...), ec2Shows(1, cloud.StateTerminated, foreignToken), func(in *Input) {
			recordedInStatus(2)(in)
			in.Object.Status.Launch.Attempt, in.Object.Status.Launch.ClientToken = 1, token(1)
			in.Object.Finalizers = []string{ec2v1.InstanceFinalizer}
		}, ec2Shows(2, cloud.StateTerminated, func(e *observer.Entry) { e.ClientToken = token(1) }), after(long), prepared(otherHash))
	}
	decideAll(t, []decision{
		{name: "it is shutting down", given: []given{ended(cloud.StateShuttingDown)}, ready: "False Terminating", flow: "Reconciling"},
		{
			name: "it was terminated", given: []given{ended(cloud.StateTerminated)},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsFor(1, launchTerminated),
		},
		{
			name: "it was terminated, and is known by its intent alone", given: []given{ended(cloud.StateTerminated), emptied},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsFor(1, launchTerminated),
		},
		{
			name:  "it was terminated before its tags were seen, or is another object's: that status tells of it proves nothing",
			given: []given{names(1), recordedTaken(1), ec2Shows(1, cloud.StateTerminated, unowned), after(long), prepared(otherHash)},
			ready: "False AdoptionRefused", flow: "Stalled", after: adoptAgain,
		},
		{name: "it was terminated, and has no successor", given: []given{ended(cloud.StateTerminated), notRecreated}, ready: "False Terminated", flow: "Stalled"},
		{
			name: "it is shutting down to be replaced", given: []given{ended(cloud.StateShuttingDown, toReplace), spec(otherImage)},
			ready: "False Replacing", flow: "Reconciling",
		},
		{
			name: "it was terminated to be replaced", given: []given{ended(cloud.StateTerminated, toReplace), spec(otherImage), notRecreated},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsFor(1, launchReplaced),
		},
		{
			name: "no list shows it", given: []given{tookOver(1), after(long), prepared(hash)},
			step: StepFindByID, id: instanceID(1), ready: "False NotYetVisible", flow: "Reconciling",
		},
		{
			name: "no list shows it, and it is known by its intent alone", given: []given{tookOver(1), emptied, after(long), prepared(hash)},
			step: StepFindByID, id: instanceID(1), ready: "False NotYetVisible", flow: "Reconciling",
		},
		{
			name: "EC2 does not know it any more", given: []given{tookOver(1), after(long), prepared(hash), remembers(func(m *Memory) { m.Gone = instanceID(1) })},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsFor(1, launchTerminated),
		},
		{
			name: "its successor is launched, with an answer that was lost", given: []given{names(1), recordedTaken(1), intent(1), ec2Shows(1, cloud.StateTerminated, foreignToken), after(long), prepared(hash)},
			step: StepLaunch, ready: "False Launching", flow: "Reconciling",
		},
		{
			name: "its successor was terminated", given: []given{successor()},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsFor(2, launchTerminated),
		},
		{
			name: "its successor was terminated to be replaced", given: []given{successor(toReplace)},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsFor(2, launchReplaced),
		},
		{
			name:  "an old copy of the intent was put back, and the successor is not shown",
			given: []given{tookOver(1), recordedInStatus(2), after(long), prepared(hash)},
			step:  StepFindByID, id: instanceID(2), ready: "False NotYetVisible", flow: "Reconciling",
		},
	})
}

// Deletion ends what was taken over, and nothing else.
func TestDecideDeletesAdopted(t *testing.T) {
	there := func(edit func(*observer.Entry)) given {
		return allOf(names(1), recordedTaken(1), ec2Shows(1, cloud.StateRunning, edit), after(long), deleting(time.Second))
	}
	released := decision{step: StepRelease, ready: "False Deleting", flow: "Reconciling"}
	terminated := decision{step: StepTerminate, id: instanceID(1), ready: "False Deleting", flow: "Reconciling"}
	row := func(as decision, name string, all ...given) decision {
		as.name, as.given = name, all
		return as
	}
	decideAll(t, []decision{
		row(released, "its tags could not be set", there(unowned), called(StepTag, instanceID(1), time.Second, failureOf(cloud.ClassUnauthorized))),
		row(released, "the object was suspended from the beginning", there(unowned), suspended),
		row(released, "it was never tagged, and is to be stopped", there(unowned), policy(ec2v1.DeletionStop)),
		row(released, "it was never tagged, and is shutting down", names(1), recordedTaken(1), ec2Shows(1, cloud.StateShuttingDown, unowned), after(long), deleting(time.Second)),
		row(released, "it has another's tags", there(ownedBy(testCluster, otherUID)), func(in *Input) { in.Claims.Owner = "team/web-2" }),
		row(released, "it was taken over, and then by another", there(ownedBy(testCluster, otherUID)), standsFor(1), func(in *Input) { in.Claims.Owner = "team/web-2" }),
		row(terminated, "it was taken over", there(foreignToken), standsFor(1)),
		row(terminated, "it bears the object's uid, and that is not written down", there(foreignToken)),
		row(terminated, "somebody has removed its tags", there(unowned), standsFor(1)),
		row(terminated, "this process has set tags that do not show yet", there(unowned), remembers(func(m *Memory) {
			m.tagged(instanceID(1), map[string]string{ec2v1.TagUID: testUID}, nil, begin)
		})),
		row(decision{step: StepFindByToken, ready: "False Deleting", flow: "Reconciling"}, "it was never tagged, and a launch is on its way", there(unowned), intent(1)),
	})
}

// What is kept of an intent that somebody has taken away says nothing of what the instance was launched with.
func TestDecideMadeUpIntent(t *testing.T) {
	parameter := spec(func(s *ec2v1.EC2InstanceSpec) {
		s.Image = ec2v1.Image{SSMParameter: "/one"}
		s.LaunchTemplate = &ec2v1.LaunchTemplate{ID: "lt-0123456789abcdef0"}
	})
	noHash := func(i *LaunchIntent) { i.Hash = "" }
	p := Decide(inputOf(intent(1, noHash), recordedInStatus(1), ec2Shows(1, cloud.StateRunning), after(long), parameter, allow(ec2v1.UpdateReplace)))
	if p.Step != StepNone || len(p.Changes) > 0 {
		t.Errorf("%s for %+v", p.Step, p.Changes)
	}
}
