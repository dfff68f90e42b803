// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/ownership/intents"
)

// way is one EC2Instance, which may not exist, and a way to it: through the door or past it.
type way struct {
	t      tester
	name   string
	client client.Client
	door   *apply.Applier
	// clock is the door's.
	clock *clocktesting.FakePassiveClock
}

func newWay(t tester, name string, cfg *rest.Config) *way {
	t.Helper()
	c, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	clock := clocktesting.NewFakePassiveClock(time.Now())
	return &way{t: t, name: name, client: c, door: apply.New(c, predictor, apply.WithClock(clock)), clock: clock}
}

// later lets a fight over a field be long ago, which the door would otherwise not go on with.
func (w *way) later() { w.clock.SetTime(w.clock.Now().Add(24 * time.Hour)) }

// live is the object, or nil where there is none.
func (w *way) live() *ec2v1.EC2Instance {
	w.t.Helper()
	obj := &ec2v1.EC2Instance{}
	err := w.client.Get(w.t.Context(), client.ObjectKey{Namespace: namespace, Name: w.name}, obj)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return obj
}

// config is an empty intent for the object, and base one that the API server takes.
func (w *way) config() intents.Config { return ec2v1ac.EC2Instance(w.name, namespace) }

func (w *way) base() intents.Config {
	return w.config().WithSpec(ec2v1ac.EC2InstanceSpec().
		WithImage(ec2v1ac.Image().WithID("ami-00000000000000001")).WithInstanceType("t3.micro"))
}

// create makes the object, and writes it once more: a creation drops the status' default, which is stored with the next write.
func (w *way) create(who manager) {
	w.t.Helper()
	for range 2 {
		if err := w.client.Apply(w.t.Context(), w.base(), client.FieldOwner(who)); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *way) delete() {
	w.t.Helper()
	if err := w.client.Delete(context.Background(), &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{Name: w.name, Namespace: namespace}}); err != nil {
		w.t.Fatal(err)
	}
}

// isReady is an intent for the status.
func (w *way) isReady() intents.Config {
	return w.config().WithStatus(ec2v1ac.EC2InstanceStatus().WithConditions(metav1ac.Condition().
		WithType("Ready").WithStatus(metav1.ConditionTrue).WithReason("Tested").WithMessage("").
		WithLastTransitionTime(metav1.NewTime(time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)))))
}

// TestSkippedIntentsCostNothing: an intent that would change nothing is not sent, and any other is exactly one request.
func TestSkippedIntentsCostNothing(t *testing.T) {
	const agent = "one-door"
	cfg := shared.RESTConfig()
	cfg.UserAgent = agent
	w, eye := newWay(t, "skipped", cfg), newWay(t, "skipped", shared.RESTConfig())
	sent := func() cluster.Requests {
		t.Helper()
		all, err := shared.Requests()
		if err != nil {
			t.Fatal(err)
		}
		return all.Where(func(r cluster.Request) bool { return r.UserAgent == agent && r.Group == ec2v1.GroupName })
	}
	expect := func(live client.Object, in apply.Intent, outcome apply.Outcome, count int) {
		t.Helper()
		before := len(sent())
		result, err := w.door.Apply(t.Context(), live, in)
		if err != nil {
			t.Fatal(err)
		}
		now := eye.live()
		if diff := cmp.Diff(apply.Result{Outcome: outcome, UID: now.UID, ResourceVersion: now.ResourceVersion}, result); diff != "" {
			t.Errorf("the result differs (-want +got):\n%s", diff)
		}
		if requests := sent()[before:]; len(requests) != count {
			t.Errorf("%d requests were sent, want %d: %v", len(requests), count, requests)
		}
	}
	main := func() apply.Intent { return apply.Intent{Config: w.base(), Manager: "a", Create: true} }
	status := func() apply.Intent {
		config := w.isReady().WithResourceVersion(eye.live().ResourceVersion)
		return apply.Intent{Config: config, Manager: "b", Subresource: apply.SubresourceStatus, Force: true}
	}

	expect(nil, main(), apply.Changed, 1)
	live := eye.live()
	for range 10 {
		expect(live, main(), apply.Skipped, 0)
	}
	expect(live, status(), apply.Changed, 1)
	for range 10 {
		expect(eye.live(), status(), apply.Skipped, 0)
	}
	// The cache is old: it is sent, and told apart by the guard's version.
	expect(live, status(), apply.Unchanged, 1)

	for _, r := range sent() {
		if r.Verb != "patch" {
			t.Errorf("the door sent more than applies: %s", r)
		}
	}
	if last := sent()[len(sent())-1]; last.FieldManager != "b" || !last.Force || last.Subresource != "status" {
		t.Errorf("the last request is %+v", last)
	}
}

// TestErrorsAreToldApart: an old resourceVersion, an object that is gone, a conflict of ownership and everything else are four things.
func TestErrorsAreToldApart(t *testing.T) {
	w := newWay(t, "told-apart", shared.RESTConfig())
	w.create(a)
	first := w.live()
	w.delete()
	w.create(a)
	second := w.live()
	labelled := func() intents.Config { return w.base().WithLabels(map[string]string{"x": "z"}) }
	if err := w.client.Apply(t.Context(), labelled(), client.FieldOwner(a)); err != nil {
		t.Fatal(err)
	}
	nobody := newWay(t, "nobody", shared.RESTConfig())
	for _, test := range []struct {
		says   string
		way    *way
		intent apply.Intent
		want   string
	}{
		{"the status of no object", nobody, apply.Intent{Config: nobody.isReady().WithResourceVersion("1"), Subresource: apply.SubresourceStatus}, "gone"},
		{"a uid of no object", nobody, apply.Intent{Config: nobody.base().WithUID(noUID)}, "gone"},
		{"another object's uid", w, apply.Intent{Config: w.base().WithUID(noUID)}, "gone"},
		{"the uid of the object before", w, apply.Intent{Config: w.base().WithUID(first.UID)}, "gone"},
		{"an old version", w, apply.Intent{Config: w.base().WithUID(second.UID).WithResourceVersion(second.ResourceVersion)}, "stale"},
		{"an old version of the status", w, apply.Intent{Config: w.isReady().WithResourceVersion(second.ResourceVersion), Subresource: apply.SubresourceStatus}, "stale"},
		{"the status of the object before", w, apply.Intent{Config: w.isReady().WithResourceVersion(first.ResourceVersion), Subresource: apply.SubresourceStatus}, "stale"},
		{"another's value", w, apply.Intent{Config: w.config().WithUID(second.UID).WithSpec(ec2v1ac.EC2InstanceSpec().WithInstanceType("t3.large"))}, "conflict"},
		{"what is not valid", w, apply.Intent{Config: w.config().WithUID(second.UID).WithFinalizers("no slash")}, "other"},
		{"what is right", w, apply.Intent{Config: w.config().WithUID(second.UID).WithLabels(map[string]string{"tier": "web"})}, ""},
	} {
		t.Run(test.says, func(t *testing.T) {
			test.intent.Manager = "b"
			_, err := test.way.door.Apply(t.Context(), nil, test.intent)
			if got := kindOfError(err); got != test.want {
				t.Errorf("the error is told to be %q, not %q: %v", got, test.want, err)
			}
		})
	}
	if nobody.live() != nil {
		t.Error("an object was created")
	}
}

// kindOfError is what controller/apply takes an error for; an error is of one kind only.
func kindOfError(err error) string {
	var kinds []string
	for name, is := range map[string]bool{"gone": apply.IsGone(err), "stale": apply.IsStale(err), "conflict": apply.IsOwnershipConflict(err)} {
		if is {
			kinds = append(kinds, name)
		}
	}
	switch {
	case err == nil:
		return ""
	case len(kinds) == 0:
		return "other"
	}
	return strings.Join(kinds, " and ")
}

// doorLength is how many applies one object gets of TestTheDoorChangesNothingElse.
const doorLength = 12

// TestTheDoorChangesNothingElse: of two objects, one gets the intents of three managers through the door, with the live object at hand, and
// the other through a plain client. They stay the same, in content and ownership, and so do the answers.
func TestTheDoorChangesNothingElse(t *testing.T) {
	made, outcomes := 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		made++
		through, past := newPair(t, made)
		latest := map[string]drawn{}
		for range doorLength {
			in := drawIntent(t)
			// What a controller applies most often is what it has applied before.
			if again, ok := latest[in.key()]; ok && rapid.Bool().Draw(t, "again") {
				in = again
			}
			latest[in.key()] = in
			outcome, err := in.through(through)
			outcomes[outcome]++
			if want, got := in.past(past), causes(err); want != got {
				t.Fatalf("through the door: %q, past it: %q", got, want)
			}
			if diff := cmp.Diff(past.essence(), through.essence()); diff != "" {
				t.Fatalf("the objects differ (-past +through):\n%s", diff)
			}
		}
	})
	tally.note("Through the door and past it: %s.", listed(outcomes))
	for _, outcome := range []apply.Outcome{apply.Skipped, apply.Changed, "refused"} {
		if outcomes[string(outcome)] == 0 {
			t.Errorf("no intent was %s: %v", outcome, outcomes)
		}
	}
	// The live object was at hand, so what changes nothing was never sent.
	if n := outcomes[string(apply.Unchanged)]; n != 0 {
		t.Errorf("%d intents were sent for nothing", n)
	}
}
