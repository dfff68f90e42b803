// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"pgregory.net/rapid"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// strict asks for what the CRD requires, and looks at its rules only when all that is required is there, as the API
// server does (apiextensions-apiserver, pkg/registry/customresource).
func strict(u *unstructured.Unstructured) field.ErrorList {
	var out field.ErrorList
	require := func(in map[string]any, at *field.Path, names ...string) {
		for _, name := range names {
			if _, ok := in[name]; !ok {
				out = append(out, field.Required(at.Child(name), ""))
			}
		}
	}
	require(u.Object, nil, "spec")
	spec, ok := u.Object["spec"].(map[string]any)
	if !ok {
		return out
	}
	at := field.NewPath("spec")
	require(spec, at, "image", "instanceType")
	tags, _ := spec["tags"].([]any)
	for i, item := range tags {
		fields, _ := item.(map[string]any)
		require(fields, at.Child("tags").Index(i), "key", "value")
	}
	if status, ok := u.Object["status"].(map[string]any); ok {
		conditions, _ := status["conditions"].([]any)
		for i, item := range conditions {
			fields, _ := item.(map[string]any)
			require(fields, field.NewPath("status", "conditions").Index(i), "type", "status")
		}
	}
	if len(out) > 0 {
		return append(out, field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"))
	}
	if _, ok := spec["region"]; !ok && u.GetUID() != "" && u.GetLabels()["region"] == "fixed" {
		out = append(out, field.Invalid(at.Child("region"), "object", "must not set, change or remove region after creation"))
	}
	return out
}

// strictWorld has an object that nobody but a minder has something of.
func strictWorld(t rapid.TB, intents ...Intent) *world {
	t.Helper()
	w := newWorld(t)
	for _, in := range intents {
		w.mustApply(in)
	}
	w.mustApply(main("minder", web().WithLabels(map[string]string{"minded": "x"})))
	w.server.validate = strict
	return w
}

func (w *world) release(m Manager, subresource string) (Result, error) {
	w.t.Helper()
	return w.applier.Release(context.Background(), w.raw(), m, subresource)
}

// has tells whether a manager has an entry on an endpoint.
func (w *world) has(m Manager, subresource string) bool {
	w.t.Helper()
	return slices.ContainsFunc(w.live().ManagedFields, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == string(m) && e.Subresource == subresource
	})
}

func image() *ec2v1ac.ImageApplyConfiguration { return ec2v1ac.Image().WithID("ami-0123456789abcdef0") }

// TestRelease: what we alone own goes, what others own too stays, and what is required stays without an owner.
func TestRelease(t *testing.T) {
	whole := func() Intent {
		return main(us, web().WithAnnotations(map[string]string{"n": "1"}).WithSpec(usersSpec()))
	}
	part := func(s specConfig) Intent { return main(us, web().WithSpec(s)) }
	for _, test := range []struct {
		says     string
		intents  []Intent
		spec     ec2v1.EC2InstanceSpec
		requests int
		// unowned are the paths that have a value and no owner.
		unowned []string
	}{
		{
			says:     "optional fields go, and shared ones stay",
			intents:  []Intent{main(user, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithImage(image()).WithInstanceType("t3.micro"))), part(usersSpec().WithKeyName("k"))},
			spec:     ec2v1.EC2InstanceSpec{Image: ec2v1.Image{ID: "ami-0123456789abcdef0"}, InstanceType: "t3.micro"},
			requests: 1,
		},
		{
			says: "required fields stay, and the optional ones go",
			intents: []Intent{
				part(usersSpec().WithKeyName("k").WithTags(tag("mine", "1"))),
				main(user, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithSuspend(true).WithTags(ec2v1ac.Tag().WithKey("stage")))),
			},
			spec: ec2v1.EC2InstanceSpec{
				Image: ec2v1.Image{ID: "ami-0123456789abcdef0"}, InstanceType: "t3.micro", Suspend: new(true),
				Tags: []ec2v1.Tag{{Key: "stage", Value: new("test")}},
			},
			requests: 3, unowned: []string{".spec.image", ".spec.instanceType", `.spec.tags[key="stage"].value`},
		},
		{
			says:     "with the whole of a required spec, all of it stays",
			intents:  []Intent{whole()},
			spec:     ec2v1.EC2InstanceSpec{Image: ec2v1.Image{ID: "ami-0123456789abcdef0"}, InstanceType: "t3.micro", Tags: []ec2v1.Tag{{Key: "stage", Value: new("test")}}, SecurityGroupIDs: []string{"sg-00000001", "sg-00000002"}},
			requests: 3, unowned: []string{
				".spec.image", ".spec.instanceType", `.spec.securityGroupIDs[="sg-00000001"]`, `.spec.securityGroupIDs[="sg-00000002"]`,
				`.spec.tags[key="stage"].key`, `.spec.tags[key="stage"].value`,
			},
		},
		{
			says: "nothing but what is required",
			intents: []Intent{
				part(ec2v1ac.EC2InstanceSpec().WithImage(image())),
				main(user, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithInstanceType("t3.micro"))),
			},
			spec:     ec2v1.EC2InstanceSpec{Image: ec2v1.Image{ID: "ami-0123456789abcdef0"}, InstanceType: "t3.micro"},
			requests: 2, unowned: []string{".spec.image"},
		},
		{
			says: "a rule that the API server looks at only when all that is required is there",
			intents: []Intent{
				part(usersSpec().WithRegion("eu-central-1").WithKeyName("k")),
				main(user, web().WithLabels(map[string]string{"region": "fixed"}).WithSpec(ec2v1ac.EC2InstanceSpec().WithSuspend(true))),
			},
			spec:     ec2v1.EC2InstanceSpec{Image: ec2v1.Image{ID: "ami-0123456789abcdef0"}, InstanceType: "t3.micro", Region: "eu-central-1", Suspend: new(true)},
			requests: 4, unowned: []string{".spec.image", ".spec.instanceType", ".spec.region"},
		},
	} {
		t.Run(test.says, func(t *testing.T) {
			w := strictWorld(t, test.intents...)
			got, err := w.release(us, "")
			if err != nil {
				t.Fatal(err)
			}
			live := w.live()
			same(t, Result{Outcome: Changed, UID: serverUID, ResourceVersion: live.ResourceVersion}, got)
			same(t, len(test.intents)+1+test.requests, w.server.requests)
			same(t, test.spec, live.Spec)
			if w.has(us, "") || len(live.Annotations) != 0 {
				t.Errorf("we still have %v, and the annotations are %v", live.ManagedFields, live.Annotations)
			}
			same(t, test.unowned, w.unowned())
			if !w.applier.Fresh(live) {
				t.Error("the newest object is not fresh")
			}
			again, err := w.release(us, "")
			if err != nil || again.Outcome != Skipped || w.server.requests != len(test.intents)+1+test.requests {
				t.Errorf("a second release gives %v (%v)", again, err)
			}
			// Whoever wants what is left takes it without force.
			for _, path := range test.unowned {
				if path == ".spec.instanceType" {
					w.mustApply(main("heir", web().WithSpec(ec2v1ac.EC2InstanceSpec().WithInstanceType("m5.large"))))
					same(t, "heir (Apply)", w.ownersAt(".spec.instanceType"))
				}
			}
		})
	}
}

// unowned are the leaves of spec that nobody owns.
func (w *world) unowned() []string {
	w.t.Helper()
	raw := w.raw()
	m, err := w.predictor.mergers.of(gvk, "")
	if err != nil {
		w.t.Fatal(err)
	}
	table, err := Ownership(raw)
	if err != nil {
		w.t.Fatal(err)
	}
	part := identityOf(raw)
	part.Object["spec"] = raw.Object["spec"]
	object, err := m.converter.ObjectToTyped(part)
	if err != nil {
		w.t.Fatal(err)
	}
	set, err := object.ToFieldSet()
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, path := range leafTexts(set) {
		if strings.HasPrefix(path, ".spec") && !slices.Contains(table.Paths(), path) {
			out = append(out, path)
		}
	}
	return out
}

// TestReleaseOfTheStatus is guarded by the resourceVersion.
func TestReleaseOfTheStatus(t *testing.T) {
	w := strictWorld(t, main(user, web().WithSpec(usersSpec())), status(us, ourStatus()))
	old := w.live()
	w.mustApply(main(user, web().WithSpec(usersSpec().WithKeyName("k"))))
	if _, err := w.applier.Release(t.Context(), old, us, SubresourceStatus); !IsStale(err) {
		t.Errorf("on an old object the error is %v", err)
	}
	got, err := w.release(us, SubresourceStatus)
	if err != nil || got.Outcome != Changed || w.has(us, "status") || w.live().Status.InstanceID != "" {
		t.Errorf("the result is %v (%v), the status %v", got, err, w.live().Status)
	}

	// Of a condition that another manager has a part in, what is required stays.
	w.mustApply(status(us, ourStatus()))
	w.mustApply(status(other, web().WithStatus(ec2v1ac.EC2InstanceStatus().WithConditions(metav1ac.Condition().WithType("Ready").WithMessage("")))))
	if _, err := w.release(us, SubresourceStatus); err != nil || w.has(us, "status") {
		t.Fatalf("the owners are %v (%v)", w.live().ManagedFields, err)
	}
	same(t, any(map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True", "message": ""}}}), w.raw().Object["status"])
	same(t, "", w.ownersAt(`.status.conditions[type="Ready"].status`))
}

// TestReleaseKeepsMetadata that cannot go.
func TestReleaseKeepsMetadata(t *testing.T) {
	w := strictWorld(t, main(user, web().WithSpec(usersSpec())), main(us, web().WithLabels(map[string]string{"must": "x"}).WithFinalizers("example.com/us")))
	w.server.validate = func(u *unstructured.Unstructured) field.ErrorList {
		if u.GetLabels()["must"] == "" {
			return field.ErrorList{field.Invalid(field.NewPath("metadata", "labels"), u.GetLabels(), "must have the label")}
		}
		return nil
	}
	if _, err := w.release(us, ""); err != nil {
		t.Fatal(err)
	}
	live := w.live()
	same(t, map[string]string{"must": "x", "minded": "x"}, live.Labels)
	if w.has(us, "") || len(live.Finalizers) != 0 || w.ownersAt(".metadata.labels.must") != "" {
		t.Errorf("the finalizers are %v, the owners %v", live.Finalizers, live.ManagedFields)
	}
}

// TestReleaseOfNothing costs nothing.
func TestReleaseOfNothing(t *testing.T) {
	w := strictWorld(t, main(user, web().WithSpec(usersSpec())))
	for _, subresource := range []string{"", SubresourceStatus} {
		requests := w.server.requests
		got, err := w.release(us, subresource)
		if err != nil || got.Outcome != Skipped || w.server.requests != requests {
			t.Errorf("the result is %v (%v) after %d requests", got, err, w.server.requests-requests)
		}
	}
}

// TestReleaseNeedsTheObject.
func TestReleaseNeedsTheObject(t *testing.T) {
	w := strictWorld(t, main(user, web().WithSpec(usersSpec())))
	if _, err := w.applier.Release(t.Context(), nil, us, ""); err == nil || !strings.Contains(err.Error(), "us can release only") {
		t.Errorf("the error is %v", err)
	}
	if _, err := w.applier.Release(t.Context(), &metav1.PartialObjectMetadata{}, us, ""); err == nil {
		t.Error("an object of an unknown kind is released")
	}
	if _, err := w.applier.Release(t.Context(), w.live(), "", ""); err == nil || w.server.requests != 2 {
		t.Errorf("a release by nobody gives %v", err)
	}
	gone := w.live()
	w.server.object = nil
	gone.ManagedFields = append(gone.ManagedFields, entry("us", byApply, "", `{"f:spec":{"f:keyName":{}}}`))
	if _, err := w.applier.Release(t.Context(), gone, us, ""); !IsGone(err) {
		t.Errorf("of an object that is gone the error is %v", err)
	}
}

// TestAnInterruptedRelease is repeated from the start, wherever it stopped.
func TestAnInterruptedRelease(t *testing.T) {
	interruption := errors.New("interrupted")
	for _, stop := range []struct {
		verb string
		nth  int
	}{{verbApply, 1}, {verbApply, 2}, {verbPatch, 1}} {
		w := strictWorld(t, main(us, web().WithAnnotations(map[string]string{"n": "1"}).WithSpec(usersSpec())),
			main(user, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithSuspend(true))))
		seen := map[string]int{}
		w.server.before = func(verb string) error {
			if seen[verb]++; verb == stop.verb && seen[verb] == stop.nth {
				return interruption
			}
			return nil
		}
		if _, err := w.release(us, ""); !errors.Is(err, interruption) {
			t.Errorf("interrupted at %v the error is %v", stop, err)
		}
		if w.live().Spec.InstanceType != "t3.micro" || !w.has(us, "") {
			t.Errorf("interrupted at %v the object is %v", stop, w.live())
		}
		if _, err := w.release(us, ""); err != nil {
			t.Fatal(err)
		}
		live := w.live()
		if w.has(us, "") || len(live.Annotations) != 0 || len(live.Spec.SecurityGroupIDs) != 0 || live.Spec.InstanceType != "t3.micro" {
			t.Errorf("interrupted at %v and repeated, the object is %v", stop, live)
		}
	}
}

// TestAReleaseIsGuarded: a write in between is not undone.
func TestAReleaseIsGuarded(t *testing.T) {
	w := strictWorld(t, main(us, web().WithSpec(usersSpec())), main(user, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithSuspend(true))))
	before := w.server.version
	w.server.before = func(verb string) error {
		if verb == verbPatch && w.server.version < before+2 {
			w.server.version = before + 5
			w.server.object.SetResourceVersion("99")
		}
		return nil
	}
	if _, err := w.release(us, ""); !IsStale(err) || !w.has(us, "") {
		t.Errorf("the error is %v", err)
	}
}

// TestAReleaseOfARecreatedObject leaves the new one alone, whenever it comes.
func TestAReleaseOfARecreatedObject(t *testing.T) {
	for nth := 1; nth <= 2; nth++ {
		w := strictWorld(t, main(us, web().WithSpec(usersSpec())), main(user, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithSuspend(true))))
		seen := 0
		w.server.before = func(string) error {
			if seen++; seen == nth {
				return errUIDOfAnother
			}
			return nil
		}
		if _, err := w.release(us, ""); !IsGone(err) || seen != nth || !w.has(us, "") {
			t.Errorf("recreated at request %d, the error after %d is %v", nth, seen, err)
		}
	}
}

// TestAReleaseThatIsRefusedForAnotherReason leaves all values: the manager's entry goes alone.
func TestAReleaseThatIsRefusedForAnotherReason(t *testing.T) {
	refuse := func(list field.ErrorList) func(*unstructured.Unstructured) field.ErrorList {
		return func(u *unstructured.Unstructured) field.ErrorList {
			if _, ok := u.GetAnnotations()["n"]; ok {
				return nil
			}
			return list
		}
	}
	build := func(wrong ...*field.Error) *world {
		w := strictWorld(t, main(us, web().WithAnnotations(map[string]string{"n": "1"}).WithSpec(usersSpec())))
		w.server.validate = refuse(wrong)
		return w
	}
	w := build(field.Invalid(field.NewPath("status", "other"), "x", "of which we own nothing"))
	if _, err := w.release(us, ""); err != nil || w.has(us, "") || w.live().Annotations["n"] != "1" || w.live().Spec.InstanceType != "t3.micro" {
		t.Errorf("the object is %v (%v)", w.live(), err)
	}
	w = build(field.Required(field.NewPath("spec"), "")) // The same refusal, whatever of spec is kept.
	if _, err := w.release(us, ""); err != nil || w.has(us, "") || w.live().Annotations["n"] != "1" {
		t.Errorf("the object is %v (%v)", w.live(), err)
	}
	w = build(field.Required(field.NewPath("spec"), ""))
	blind := w.raw()
	entries := append(blind.GetManagedFields(), entry("old", byUpdate, "", "{}"))
	entries[len(entries)-1].APIVersion = "ec2.fieldowner.dev/v1beta1"
	blind.SetManagedFields(entries)
	if _, err := w.applier.Release(t.Context(), blind, us, ""); err != nil || w.has(us, "") || w.live().Spec.InstanceType != "t3.micro" {
		t.Errorf("of an object on which nothing can be foreseen: %v (%v)", w.live(), err)
	}
	w = build(field.Required(field.NewPath("spec"), ""))
	strange := w.live()
	strange.ManagedFields = slices.DeleteFunc(strange.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return e.Manager == string(us) })
	strange.ResourceVersion = ""
	w.predictor.SchemaDiffers(gvk.GroupKind(), true)
	if _, err := w.applier.Release(t.Context(), strange, us, ""); !apierrors.IsInvalid(err) || !w.has(us, "") {
		t.Errorf("of a manager that the cached object does not know: %v", err)
	}
}

// TestAnOwnerlessObject: the last entry of managedFields goes, too, and what is left is nobody's (before-first-apply).
func TestAnOwnerlessObject(t *testing.T) {
	w := newWorld(t)
	w.mustApply(main(us, web().WithSpec(usersSpec())))
	w.server.validate = strict
	if _, err := w.release(us, ""); err != nil || len(w.live().ManagedFields) != 0 || w.live().Spec.InstanceType != "t3.micro" {
		t.Errorf("the object is %v (%v)", w.live(), err)
	}
	w.mustApply(main("heir", web().WithSpec(ec2v1ac.EC2InstanceSpec().WithInstanceType("t3.micro"))))
	same(t, "before-first-apply (Update) and heir (Apply)", w.ownersAt(".spec.instanceType"))
}

// TestReleasesAreSafe: whatever managers have applied, a release leaves all that others own as it is and theirs, and
// takes the manager's entry away; and values go only if the manager was their only owner.
func TestReleasesAreSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.mustApply(main(user, web().WithSpec(usersSpec())))
		for range rapid.IntRange(1, 4).Draw(t, "applies") {
			w.tryApply(drawIntent(t))
		}
		w.server.validate = strict
		if len(strict(w.raw())) > 0 {
			t.Skip("the object is not valid")
		}
		leaving := drawIntent(t)
		before := w.raw()
		then, err := Ownership(before)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.applier.Release(t.Context(), w.live(), leaving.Manager, leaving.Subresource); err != nil {
			t.Fatal(err)
		}
		after := w.raw()
		if w.has(leaving.Manager, leaving.Subresource) {
			t.Fatalf("%s still has %v", leaving.Manager, after.GetManagedFields())
		}
		now, err := Ownership(after)
		if err != nil {
			t.Fatal(err)
		}
		kept := holds(now)
		for hold, f := range holds(then) {
			if o := f.Owners[0]; o.Manager == string(leaving.Manager) && o.Subresource == leaving.Subresource {
				continue
			}
			if _, ok := kept[hold]; !ok {
				t.Errorf("%s was lost", hold)
			}
			was, _ := ValueAt(before.Object, f.Path)
			is, _ := ValueAt(after.Object, f.Path)
			same(t, was, is)
		}
		same(t, field.ErrorList(nil), strict(after))
	})
}

func TestIndexed(t *testing.T) {
	w := newWorld(t)
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	table, err := Ownership(w.raw())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range table {
		got = append(got, indexed(w.raw().Object, f.Path))
	}
	same(t, []string{"spec.image", "spec.instanceType", "spec.securityGroupIDs[0]", "spec.securityGroupIDs[1]", "spec.tags[0].key", "spec.tags[0].value"}, got)
	for path, want := range map[string]bool{
		"spec.tags[0].value": true, "spec.tags[0]": false, "spec.tags[0].valueFrom": false, "spec.tags[1].value": false,
		"metadata.labels.a": true, "metadata.labelsToo": false, "spec.list[3]": true, "spec.list": true,
	} {
		refusal := apierrors.NewInvalid(kind, "web", field.ErrorList{
			field.Required(field.NewPath("spec", "tags").Index(0).Child("value"), ""),
			field.Invalid(field.NewPath("metadata", "labels"), "x", ""),
			field.Required(field.NewPath("spec", "list"), ""),
		})
		if got := isRefused(path, refusal); got != want {
			t.Errorf("%s is refused: %t", path, got)
		}
	}
	if isRefused("spec", errForbidden) {
		t.Error("a refusal without causes is about a field")
	}
}
