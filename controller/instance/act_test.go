// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// newActor acts on an EC2 that has nothing, at a time; the observer does not run.
func newActor(at time.Time) (*actor, *fakeEC2, *clocktesting.FakePassiveClock) {
	ec2, clock := newFakeEC2(), clocktesting.NewFakePassiveClock(at)
	view := observer.New(observer.Options{Cluster: testCluster}).Track(testScope, ec2, time.Hour)
	return &actor{session: ec2, view: view, memory: &Memory{}, clock: clock}, ec2, clock
}

// One answer that does not show an instance proves nothing, however old the launch is.
func TestAnInstanceIsGoneWhenItWasNotSeenForTheWholeWindow(t *testing.T) {
	ceased := func(ago time.Duration) given {
		return allOf(kept(1, cloud.StateRunning, func(e *observer.Entry) { e.Missing = begin.Add(long - ago) }))
	}
	tests := map[string]struct {
		given given
		// goneAfter is how long after the first look it is gone.
		goneAfter time.Duration
	}{
		"no list has shown it: from the first look on":                  {given: allOf(intent(1), recordedInStatus(1), after(long)), goneAfter: consistencyWindow},
		"the observer has missed it for longer: from the first look on": {given: ceased(consistencyWindow), goneAfter: consistencyWindow},
		"the observer shows it: from the first look on":                 {given: kept(1, cloud.StateRunning), goneAfter: consistencyWindow},
		"the observer misses another one: from the first look on":       {given: allOf(kept(1, cloud.StateRunning), ec2Shows(2, cloud.StateRunning, missing)), goneAfter: consistencyWindow},
		"the launch is younger than the first look: from the launch on": {
			given:     allOf(ceased(consistencyWindow), intent(1, func(i *LaunchIntent) { i.At = metav1.NewTime(begin.Add(long + time.Minute)) })),
			goneAfter: consistencyWindow + time.Minute,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := inputOf(test.given)
			a, _, clock := newActor(in.Now)
			// From the first look on, where it is not the last one.
			for at := time.Duration(0); at < test.goneAfter; at += 59 * time.Second {
				clock.SetTime(in.Now.Add(at))
				if err := a.findByID(t.Context(), in, instanceID(1)); !errors.Is(err, errUnseen) || a.memory.Gone != "" {
					t.Errorf("after %s: %v, gone is %q", at, err, a.memory.Gone)
				}
			}
			clock.SetTime(in.Now.Add(test.goneAfter))
			if err := a.findByID(t.Context(), in, instanceID(1)); err != nil || a.memory.Gone != instanceID(1) {
				t.Errorf("after %s: %v, gone is %q", test.goneAfter, err, a.memory.Gone)
			}
		})
	}
}

// What is found in between, by its id or for another one, begins the window anew.
func TestTheWindowBeginsAnew(t *testing.T) {
	in := inputOf(intent(1), recordedInStatus(1), after(long))
	tests := map[string]func(*testing.T, *actor, *fakeEC2){
		"it was found": func(t *testing.T, a *actor, ec2 *fakeEC2) {
			t.Helper()
			ec2.instances[instanceID(1)] = testInstance(1, cloud.StateRunning)
			if err := a.findByID(t.Context(), in, instanceID(1)); err != nil {
				t.Error(err)
			}
			if _, ok := a.view.ByID(instanceID(1)); !ok {
				t.Error("what was found is not put into the store")
			}
			clear(ec2.instances)
		},
		"nobody has looked for a while": func(*testing.T, *actor, *fakeEC2) {},
		"another one was looked for": func(t *testing.T, a *actor, _ *fakeEC2) {
			t.Helper()
			if err := a.findByID(t.Context(), in, instanceID(2)); !errors.Is(err, errUnseen) {
				t.Error(err)
			}
		},
	}
	for name, between := range tests {
		t.Run(name, func(t *testing.T) {
			a, ec2, clock := newActor(in.Now)
			unseen := func(at time.Duration) {
				t.Helper()
				clock.SetTime(in.Now.Add(at))
				if err := a.findByID(t.Context(), in, instanceID(1)); !errors.Is(err, errUnseen) || a.memory.Gone != "" {
					t.Errorf("after %s: %v, gone is %q", at, err, a.memory.Gone)
				}
			}
			unseen(0)
			between(t, a, ec2)
			for at := consistencyWindow; at < 2*consistencyWindow; at += looksApart {
				unseen(at)
			}
			unseen(2*consistencyWindow - time.Second)
			clock.SetTime(in.Now.Add(2 * consistencyWindow))
			if err := a.findByID(t.Context(), in, instanceID(1)); err != nil || a.memory.Gone != instanceID(1) {
				t.Errorf("%v, gone is %q", err, a.memory.Gone)
			}
		})
	}
}

// The recorded id may be another one than the attempt's instance has.
func TestWhatItsTokenFindsIsNotGone(t *testing.T) {
	in := inputOf(kept(1, cloud.StateRunning, missing))
	a, ec2, _ := newActor(in.Now)
	a.memory.Vanished = search{Of: instanceID(1), First: in.Now.Add(-consistencyWindow), Latest: in.Now.Add(-time.Second)}
	i := testInstance(1, cloud.StateRunning)
	i.ID = instanceID(9)
	ec2.instances[i.ID] = i
	if err := a.findByID(t.Context(), in, instanceID(1)); err != nil || a.memory.Gone != "" {
		t.Errorf("%v, gone is %q", err, a.memory.Gone)
	}
	if _, ok := a.view.ByID(i.ID); !ok {
		t.Error("what was found is not put into the store")
	}
}

// EC2 may have answered another process otherwise where its answer depends on the moment: then the attempt is looked for,
// whether spec has changed or the object is being deleted.
func TestOnlyRefusedParametersProveThatAnAttemptMadeNothing(t *testing.T) {
	for _, class := range []cloud.Class{
		cloud.ClassInvalid, cloud.ClassCapacity, cloud.ClassQuota, cloud.ClassThrottled, cloud.ClassUnauthorized, cloud.ClassCredentials,
		cloud.ClassNotYetVisible, cloud.ClassWrongState, cloud.ClassProtected, cloud.ClassDependency, cloud.ClassTransient,
	} {
		t.Run(string(class), func(t *testing.T) {
			edited := inputOf(intent(1), prepared(otherHash), after(time.Minute))
			deleted := inputOf(intent(1), after(time.Minute), deleting(time.Second))
			a, ec2, _ := newActor(edited.Now)
			a.memory.Wrote = token(1)
			ec2.refuse = failureOf(class)
			plan := Plan{Step: StepLaunch, Of: token(1), Intent: &LaunchIntent{Token: token(1)}}
			if _, err := a.act(t.Context(), plan, inputOf(prepared(hash)).Prepared); err == nil {
				t.Fatal("EC2 did not refuse")
			}
			afterEdit, afterDeletion := StepFindByToken, StepFindByToken
			if class == cloud.ClassInvalid {
				afterEdit, afterDeletion = StepIntend, StepRelease
			}
			edited.Memory, deleted.Memory = *a.memory, *a.memory
			if got := Decide(edited).Step; got != afterEdit {
				t.Errorf("after an edit: %s, want %s", got, afterEdit)
			}
			if got := Decide(deleted).Step; got != afterDeletion {
				t.Errorf("after its deletion: %s, want %s", got, afterDeletion)
			}
		})
	}
}

// Somebody has taken the intent away, and the instance has lost its tags, as terminated ones do.
func TestAnInstanceIsKnownByItsTokenWithoutTheIntent(t *testing.T) {
	a, _, _ := newActor(begin)
	i := testInstance(1, cloud.StateTerminated)
	i.Tags = nil
	a.view.Put(i)
	entries := entriesOf(a.view, inputOf().Object, testCluster)
	if len(entries) != 1 || entries[0].ID != i.ID {
		t.Errorf("the object's instances are %+v", entries)
	}
}
