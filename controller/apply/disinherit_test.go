// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// cleared is a world in which we have the whole of our intent, and somebody has cleared the managedFields.
func cleared(t *testing.T, ours ...Intent) *world {
	t.Helper()
	w := newWorld(t)
	w.mustApply(main(user, web().WithLabels(map[string]string{"theirs": "x"}).WithSpec(usersSpec())))
	for _, in := range ours {
		w.mustApply(in)
	}
	updated := w.raw()
	updated.SetManagedFields([]metav1.ManagedFieldsEntry{{}})
	if _, err := w.server.put(updated, "", "cleaner", false); err != nil {
		t.Fatal(err)
	}
	if len(w.live().ManagedFields) != 0 {
		t.Fatal("managedFields were not cleared")
	}
	return w
}

// ownersAt are the owners at a path, as text.
func (w *world) ownersAt(path string) string {
	w.t.Helper()
	table, err := Ownership(w.live())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range table {
		if f.Path.String() == path {
			return listed(f.Owners)
		}
	}
	return ""
}

// pass applies an intent on the newest object.
func (w *world) pass(in Intent) (Result, error) {
	w.t.Helper()
	in.Config = copyOf(w.t, in.Config)
	return w.applier.Apply(context.Background(), w.live(), in)
}

// TestWhatIsOursIsNobodysNoLonger: after managedFields were cleared, before-first-apply owns all that is ours, too;
// it is taken out once, and what we then drop really goes.
func TestWhatIsOursIsNobodysNoLonger(t *testing.T) {
	ours := main(us, ourMain().WithUID(serverUID))
	w := cleared(t, ours)
	finalizer := `.metadata.finalizers[="example.com/us"]`
	nobody := "before-first-apply (Update)"

	got, err := w.pass(ours)
	if err != nil || got.Outcome != Changed || got.Taken != nil {
		t.Fatalf("the first apply gives %v (%v)", got, err)
	}
	same(t, nobody+" and us (Apply)", w.ownersAt(finalizer))
	if !Inherited(w.live()) {
		t.Error("the object is not told as inherited")
	}

	before, requests := w.live(), w.server.requests
	if _, err = w.pass(ours); !IsStale(err) || !errors.Is(err, errInherited) {
		t.Fatalf("the error is %v, want that the caller is to come back", err)
	}
	same(t, 1, w.server.requests-requests)
	same(t, "us (Apply)", w.ownersAt(finalizer))
	same(t, nobody, w.ownersAt(".metadata.labels.theirs"))
	same(t, nobody, w.ownersAt(".spec.instanceType"))
	// Set elements, list items and fields that only the user has are nobody's, as they were.
	same(t, nobody, w.ownersAt(`.spec.securityGroupIDs[="sg-00000001"]`))
	same(t, nobody, w.ownersAt(`.spec.tags[key="stage"].value`))
	if w.applier.Fresh(before) {
		t.Error("the write is not waited for")
	}
	same(t, before.Spec, w.live().Spec)

	got, err = w.pass(ours)
	if err != nil || got.Outcome != Skipped || w.server.requests-requests != 1 {
		t.Errorf("the pass after gives %v (%v) and %d requests", got, err, w.server.requests-requests)
	}
	got, err = w.pass(main(us, web().WithUID(serverUID).WithSpec(ourMain().Spec.WithSuspend(true))))
	if err != nil || got.Outcome != Changed {
		t.Fatalf("the change gives %v (%v)", got, err)
	}
	if live := w.live(); len(live.Finalizers) != 0 || live.Labels["theirs"] != "x" {
		t.Errorf("the object still has the finalizers %v; its labels are %v", live.Finalizers, live.Labels)
	}
}

// TestAConditionIsOursAlone after managedFields were cleared and the status was applied: one that we no longer tell goes.
func TestAConditionIsOursAlone(t *testing.T) {
	condition := func(kind string) *metav1ac.ConditionApplyConfiguration {
		return metav1ac.Condition().WithType(kind).WithStatus(metav1.ConditionTrue).WithReason("R").WithMessage("").WithLastTransitionTime(metav1.NewTime(someTime))
	}
	told := func(kinds ...string) Intent {
		s := ec2v1ac.EC2InstanceStatus().WithInstanceID("i-1")
		for _, kind := range kinds {
			s.WithConditions(condition(kind))
		}
		return forced(status(us, web().WithStatus(s)))
	}
	w := cleared(t, told("Ready", "Stalled"), status(other, web().WithStatus(ec2v1ac.EC2InstanceStatus().WithConditions(condition("Compliant")))))
	next := func(in Intent) error {
		in.Config.(instanceConfig).WithResourceVersion(w.live().ResourceVersion) //nolint:forcetypeassert // It is one.
		_, err := w.pass(in)
		return err
	}
	if err := next(told("Ready", "Stalled")); err != nil {
		t.Fatal(err)
	}
	if err := next(told("Ready")); !IsStale(err) {
		t.Fatalf("the error is %v", err)
	}
	if err := next(told("Ready")); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, c := range w.live().Status.Conditions {
		kinds = append(kinds, c.Type)
	}
	slices.Sort(kinds)
	same(t, []string{"Compliant", "Ready"}, kinds)
	same(t, "before-first-apply (Update, status)", w.ownersAt(`.status.conditions[type="Compliant"].status`))
}

// TestNobodyGoesWhenNothingIsLeft: before-first-apply has no entry when all that it had is ours.
func TestNobodyGoesWhenNothingIsLeft(t *testing.T) {
	fields := `{"f:spec":{"f:keyName":{}}}`
	entries := []metav1.ManagedFieldsEntry{entry(beforeFirstApply, byUpdate, "", fields), entry("us", byApply, "", fields)}
	got, changed, err := disinherited(entries, us, "", fieldpath.NewSet())
	if err != nil || !changed {
		t.Fatalf("changed: %t (%v)", changed, err)
	}
	same(t, entries[1:], got)
}

// TestWhatIsWantedIsNobodys: what we do not own yet, and are about to set, is taken out of before-first-apply, too.
func TestWhatIsWantedIsNobodys(t *testing.T) {
	w := newWorld(t)
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	w.mustApply(main(us, ourMain()))
	w.server.object.SetManagedFields(nil)
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	// Another value than the one that before-first-apply has now: without force, and it is no conflict.
	changed := func() Intent {
		return Intent{Config: ourMain().WithAnnotations(map[string]string{"example.com/us": "2"}).WithUID(serverUID), Manager: us}
	}
	if _, err := w.applier.Apply(t.Context(), w.live(), changed()); !IsStale(err) {
		t.Fatalf("the error is %v, want that the object has changed", err)
	}
	if _, err := w.applier.Apply(t.Context(), w.live(), changed()); err != nil {
		t.Fatal(err)
	}
	if got := w.live().Annotations["example.com/us"]; got != "2" {
		t.Errorf("the annotation is %q", got)
	}
	same(t, "us (Apply)", w.ownersAt(`.metadata.annotations.example.com/us`))
	same(t, "before-first-apply (Update) and user (Apply)", w.ownersAt(`.spec.instanceType`))
}

// TestNothingToDisinherit.
func TestNothingToDisinherit(t *testing.T) {
	keyName, suspend := `{"f:spec":{"f:keyName":{}}}`, `{"f:spec":{"f:suspend":{}}}`
	ours := entry("us", byApply, "", keyName)
	for says, entries := range map[string][]metav1.ManagedFieldsEntry{
		"nobody has managedFields":          nil,
		"there is no before-first-apply":    {ours, entry("user", byUpdate, "", keyName)},
		"we have nothing":                   {entry(beforeFirstApply, byUpdate, "", keyName)},
		"nothing is shared":                 {entry(beforeFirstApply, byUpdate, "", suspend), ours},
		"it is of the status":               {entry(beforeFirstApply, byUpdate, "status", keyName), ours},
		"our entry is of the status":        {entry(beforeFirstApply, byUpdate, "", keyName), entry("us", byApply, "status", keyName)},
		"somebody applies by that name":     {entry(beforeFirstApply, byApply, "", keyName), ours},
		"our entry is not that of an apply": {entry(beforeFirstApply, byUpdate, "", keyName), entry("us", byUpdate, "", keyName)},
	} {
		if got, changed, err := disinherited(entries, us, "", fieldpath.NewSet()); err != nil || changed || got != nil {
			t.Errorf("%s: changed to %v (%v)", says, got, err)
		}
	}
	for _, entries := range [][]metav1.ManagedFieldsEntry{
		{entry(beforeFirstApply, byUpdate, "", "[]"), ours},
		{entry(beforeFirstApply, byUpdate, "", keyName), entry("us", byApply, "", "[]")},
	} {
		if _, changed, err := disinherited(entries, us, "", fieldpath.NewSet()); err == nil || changed {
			t.Errorf("what cannot be read was changed: %t (%v)", changed, err)
		}
	}
}

// TestADisinheritanceIsGuarded: it is not written over somebody's write that the cache does not show.
func TestADisinheritanceIsGuarded(t *testing.T) {
	ours := main(us, ourMain().WithUID(serverUID))
	w := cleared(t, ours)
	if _, err := w.pass(ours); err != nil {
		t.Fatal(err)
	}
	old := w.live()
	w.mustApply(main(other, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithKeyName("k"))))
	now := w.raw()
	if _, err := w.applier.Apply(t.Context(), old, main(us, ourMain().WithUID(serverUID))); !IsStale(err) || strings.Contains(err.Error(), "taken out") {
		t.Errorf("the error is %v", err)
	}
	same(t, now.Object, w.raw().Object)
	// A blind prediction does not tell what to take out.
	if _, err := w.applier.Apply(t.Context(), nil, main(us, ourMain().WithUID(serverUID))); err != nil {
		t.Errorf("without a cached object: %v", err)
	}
	if Inherited(&ec2v1.EC2Instance{}) {
		t.Error("an object without managedFields is inherited")
	}
}

// TestAStructThatWeDropIsGone: of a struct whose members were all ours, nobody is left as the owner. The API server would have the
// struct itself back otherwise, as null, and refuse the object for that.
func TestAStructThatWeDropIsGone(t *testing.T) {
	told := func(s *ec2v1ac.EC2InstanceStatusApplyConfiguration) Intent {
		return forced(status(us, web().WithStatus(s)))
	}
	with := told(ec2v1ac.EC2InstanceStatus().WithState("stopped").WithStateReason(ec2v1ac.StateReason().WithCode("Client.Shutdown")).
		WithConditions(metav1ac.Condition().WithType("Ready").WithStatus("True").WithReason("A").WithMessage("").WithLastTransitionTime(metav1.Unix(1, 0))))
	w := cleared(t, with)
	without := told(ec2v1ac.EC2InstanceStatus().WithState("running"))
	for _, in := range []Intent{with, without, without} {
		in.Config.(instanceConfig).WithResourceVersion(w.live().ResourceVersion) //nolint:forcetypeassert // It is one.
		if _, err := w.pass(in); err != nil && !IsStale(err) {
			t.Fatal(err)
		}
	}
	live := w.live()
	if live.Status.State != "running" || live.Status.StateReason != nil || len(live.Status.Conditions) != 0 {
		t.Errorf("the status is %+v", live.Status)
	}
	for _, path := range []string{".status.stateReason", `.status.conditions[type="Ready"]`} {
		if owners := w.ownersAt(path); owners != "" {
			t.Errorf("%s is owned by %s", path, owners)
		}
	}
}
