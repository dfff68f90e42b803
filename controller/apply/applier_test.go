// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// TestOutcomes: what is known to change nothing is not sent, and what was sent is told apart.
func TestOutcomes(t *testing.T) {
	w := newWorld(t)
	create := func() Intent {
		return Intent{Config: web().WithSpec(usersSpec()), Manager: user, Create: true}
	}
	w.expect(nil, create(), Changed, 1)
	live := w.live()
	w.expect(live, create(), Skipped, 0)
	w.expect(nil, create(), Changed, 1) // There is nothing to compare the answer with.

	guarded := func() Intent { return status(us, ourStatus().WithResourceVersion(w.live().ResourceVersion)) }
	w.expect(w.live(), guarded(), Changed, 1)
	w.expect(w.live(), guarded(), Skipped, 0)
}

// TestOutcomeOfAnOldCache: the intent's own version, newer than the cache's, is what an answer is compared with.
func TestOutcomeOfAnOldCache(t *testing.T) {
	old, guarded := &ec2v1.EC2Instance{}, web().WithResourceVersion("6")
	old.ResourceVersion = "5"
	for _, test := range []struct {
		says   string
		live   client.Object
		config instanceConfig
		answer string
		want   Outcome
	}{
		{"the cache's version", old, web(), "5", Unchanged},
		{"another than the cache's version", old, web(), "6", Changed},
		{"the guard's version", old, guarded, "6", Unchanged},
		{"another than the guard's version", old, guarded, "7", Changed},
		{"the guard's version, without a cache", nil, guarded, "6", Unchanged},
		{"any version, without a guard and a cache", nil, web(), "6", Changed},
		{"no version", nil, web(), "", Changed},
	} {
		t.Run(test.says, func(t *testing.T) {
			w := newWorld(t)
			w.server.answer = web().WithUID("u-1")
			if test.answer != "" {
				w.server.answer.WithResourceVersion(test.answer)
			}
			got, err := w.applier.Apply(t.Context(), test.live, Intent{Config: copyOf(t, test.config), Manager: us, Create: true})
			if err != nil {
				t.Fatal(err)
			}
			same(t, Result{Outcome: test.want, UID: "u-1", ResourceVersion: test.answer}, got)
		})
	}
}

// TestARefusedIntentIsNotSent.
func TestARefusedIntentIsNotSent(t *testing.T) {
	w := newWorld(t)
	_, err := w.applier.Apply(t.Context(), nil, Intent{Config: web().WithSpec(usersSpec()), Manager: us})
	if err == nil || !strings.Contains(err.Error(), "must carry a uid") || w.server.sent != 0 {
		t.Errorf("the error is %v and %d applies were sent", err, w.server.sent)
	}
	if _, err := w.applier.Apply(t.Context(), nil, Intent{Manager: us}); err == nil || w.server.sent != 0 {
		t.Errorf("an intent without configuration gave %v and %d applies", err, w.server.sent)
	}
}

// TestTheManagersAndForceReachTheServer, on both endpoints.
func TestTheManagersAndForceReachTheServer(t *testing.T) {
	w := newWorld(t)
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	w.mustApply(status(user, ourStatus()))
	take := web().WithSpec(ec2v1ac.EC2InstanceSpec().WithInstanceType("t3.large"))
	takeStatus := web().WithStatus(ec2v1ac.EC2InstanceStatus().WithInstanceID("i-2"))
	for _, in := range []Intent{main(us, take), status(us, takeStatus)} {
		if err := w.apply(in); !IsOwnershipConflict(err) || !strings.HasPrefix(err.Error(), "us does not own") {
			t.Errorf("without force the error is %v", err)
		}
		w.mustApply(forced(in))
	}
	if live := w.live(); live.Spec.InstanceType != "t3.large" || live.Status.InstanceID != "i-2" {
		t.Errorf("the object has %q and %q", live.Spec.InstanceType, live.Status.InstanceID)
	}
}

// TestWritesAreWaitedFor until the cache has them.
func TestWritesAreWaitedFor(t *testing.T) {
	w := newWorld(t)
	in := func(kind string) Intent {
		return Intent{Config: web().WithSpec(usersSpec().WithInstanceType(kind)).WithUID(serverUID), Manager: user}
	}
	w.expect(nil, Intent{Config: web().WithSpec(usersSpec()), Manager: user, Create: true}, Changed, 1)
	old := w.live()
	if !w.applier.Fresh(old) {
		t.Error("the cache has the only write and is not fresh")
	}
	w.expect(old, in("t3.large"), Changed, 1)
	if w.applier.Fresh(old) {
		t.Error("the cache lacks a write and is fresh")
	}
	if !w.applier.Fresh(w.live()) || !w.applier.Fresh(old) {
		t.Error("what was once seen is waited for again")
	}
	w.expect(w.live(), in("t3.micro"), Changed, 1)
	w.applier.Forget(serverUID)
	if !w.applier.Fresh(old) {
		t.Error("a forgotten object is waited for")
	}
}

// expect applies an intent through the door.
func (w *world) expect(live *ec2v1.EC2Instance, in Intent, want Outcome, requests int) {
	w.t.Helper()
	var cached client.Object
	if live != nil {
		cached = live
	}
	before := w.server.sent
	got, err := w.applier.Apply(context.Background(), cached, in)
	if err != nil {
		w.t.Fatal(err)
	}
	now := w.live()
	same(w.t, Result{Outcome: want, UID: now.UID, ResourceVersion: now.ResourceVersion}, got)
	same(w.t, requests, w.server.sent-before)
}
