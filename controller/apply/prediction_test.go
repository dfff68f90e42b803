// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// leafTexts are the leaves of a set.
func leafTexts(set *fieldpath.Set) []string {
	var out []string
	set.Leaves().Iterate(func(p fieldpath.Path) { out = append(out, p.String()) })
	return out
}

// TestPredictedChanges: the user has applied a spec, we have applied our part; what would an intent of ours change?
func TestPredictedChanges(t *testing.T) {
	for _, test := range []struct {
		says                     string
		intent                   Intent
		added, removed, modified []string
		conflicts                []string
		refused                  bool
	}{
		{says: "nothing", intent: main(us, ourMain())},
		{
			says: "one field more", intent: main(us, changed(func(s specConfig) { s.WithKeyName("k") })),
			added: []string{".spec.keyName"},
		},
		{
			says: "a tag more, and one less", intent: main(us, changed(func(s specConfig) { s.Tags[1].WithKey("c") })),
			added:   []string{`.spec.tags[key="c"].key`, `.spec.tags[key="c"].value`},
			removed: []string{`.spec.tags[key="b"].key`, `.spec.tags[key="b"].value`},
		},
		{
			says: "another value, and a field less", intent: main(us, changed(func(s specConfig) { s.Tags[0].WithValue("2"); s.Suspend = nil })),
			removed: []string{".spec.suspend"}, modified: []string{`.spec.tags[key="a"].value`},
		},
		{
			says: "to own what is there changes no content", intent: main(us, changed(func(s specConfig) { s.WithInstanceType("t3.micro") })),
		},
		{
			says: "refused", intent: main(us, changed(func(s specConfig) { s.WithInstanceType("m5.large").WithKeyName("k") })), refused: true,
			conflicts: []string{`.spec.instanceType is owned by user (Apply) with "t3.micro", wanted "m5.large"`},
		},
		{
			says: "taken by force", intent: forced(main(us, changed(func(s specConfig) { s.WithInstanceType("m5.large").WithKeyName("k") }))),
			added: []string{".spec.keyName"}, modified: []string{".spec.instanceType"},
			conflicts: []string{`.spec.instanceType is owned by user (Apply) with "t3.micro", wanted "m5.large"`},
		},
		{says: "forced, with nothing to take", intent: forced(main(us, changed(func(s specConfig) { s.WithKeyName("k") }))), added: []string{".spec.keyName"}},
	} {
		t.Run(test.says, func(t *testing.T) {
			w := newWorld(t)
			w.mustApply(main(user, web().WithSpec(usersSpec())))
			w.mustApply(main(us, ourMain()))
			got, err := w.predictor.Predict(w.live(), test.intent)
			if err != nil {
				t.Fatal(err)
			}
			same(t, [][]string{test.added, test.removed, test.modified}, [][]string{leafTexts(got.Added), leafTexts(got.Removed), leafTexts(got.Modified)})
			conflicts := texts(got.Conflicts)
			if len(conflicts) != len(test.conflicts) || strings.Join(conflicts, "\n") != strings.Join(test.conflicts, "\n") {
				t.Errorf("the conflicts are %v, want %v", conflicts, test.conflicts)
			}
			if test.refused != (got.Object == nil) || got.Unsafe != "" {
				t.Errorf("the object is %v, refused: %t, unsafe %q", got.Object, test.refused, got.Unsafe)
			}
		})
	}
}

// TestPredictRefusesWhatTheSchemaDoes, in the merge code's words.
func TestPredictRefusesWhatTheSchemaDoes(t *testing.T) {
	w := newWorld(t)
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	body := w.raw()
	body.Object["spec"] = map[string]any{"nope": "x"}
	delete(body.Object, "metadata")
	body.SetName("web")
	body.SetNamespace("shop")
	in := main(us, nil)
	for want, config := range map[string]Intent{
		"no apply configuration":       in,
		"field not declared in schema": {Config: client.ApplyConfigurationFromUnstructured(body), Manager: us},
	} {
		if want == "no apply configuration" {
			config.Config = nil
		}
		if got, err := w.predictor.Predict(w.live(), config); err == nil || !strings.Contains(err.Error(), want) || got.NoOp {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
	// It is sent, and the API server says what is wrong.
	body.SetUID(serverUID)
	in.Config = client.ApplyConfigurationFromUnstructured(body)
	if _, err := w.applier.Apply(t.Context(), w.live(), in); err == nil || !strings.Contains(err.Error(), "field not declared in schema") || w.server.sent != 2 {
		t.Errorf("the error is %v after %d applies", err, w.server.sent)
	}
}

func TestPredictUpdate(t *testing.T) {
	const (
		userHolds = ".spec.image: user (Apply)"
		editHolds = ".spec.instanceType: edit (Update)"
	)
	for _, test := range []struct {
		says        string
		subresource string
		change      func(*unstructured.Unstructured)
		noOp        bool
		modified    []string
		added       []string
		// owners of what edit, which puts, owns afterwards.
		owners []string
	}{
		{says: "the same", change: func(*unstructured.Unstructured) {}, noOp: true},
		{says: "the same status", subresource: "status", change: func(*unstructured.Unstructured) {}, noOp: true},
		{says: "another type is taken from the user", change: func(u *unstructured.Unstructured) {
			set(u, "m5.large", "spec", "instanceType")
		}, modified: []string{".spec.instanceType"}, owners: []string{editHolds}},
		{says: "status through the object's own endpoint is ignored", change: func(u *unstructured.Unstructured) {
			set(u, "i-2", "status", "instanceID")
		}, noOp: true},
		{says: "spec through the status' endpoint is ignored", subresource: "status", change: func(u *unstructured.Unstructured) {
			set(u, "m5.large", "spec", "instanceType")
			set(u, "i-2", "status", "instanceID")
			set(u, "arn:x", "status", "arn")
		}, modified: []string{".status.instanceID"}, added: []string{".status.arn"}, owners: []string{".status.arn: edit (Update, status)", ".status.instanceID: edit (Update, status)"}},
		{says: "what is the API server's own is not changed", change: func(u *unstructured.Unstructured) {
			for _, name := range systemFields {
				unstructured.RemoveNestedField(u.Object, "metadata", name)
			}
		}, noOp: true},
		{says: "without managedFields, as a client without a mind for them puts", change: func(u *unstructured.Unstructured) {
			u.SetManagedFields(nil)
			set(u, "m5.large", "spec", "instanceType")
		}, modified: []string{".spec.instanceType"}, owners: []string{editHolds}},
	} {
		t.Run(test.says, func(t *testing.T) {
			w := newWorld(t)
			w.mustApply(main(user, web().WithSpec(usersSpec())))
			w.mustApply(status(us, ourStatus()))
			updated := w.raw()
			test.change(updated)
			for _, live := range []client.Object{w.live(), w.raw()} {
				got, err := w.predictor.PredictUpdate(live, updated, "edit", test.subresource)
				if err != nil {
					t.Fatal(err)
				}
				if got.NoOp != test.noOp || got.Unsafe != "" || got.Conflicts != nil {
					t.Errorf("a no-op: %t, want %t; unsafe %q; conflicts %v", got.NoOp, test.noOp, got.Unsafe, got.Conflicts)
				}
				same(t, [][]string{test.added, nil, test.modified}, [][]string{leafTexts(got.Added), leafTexts(got.Removed), leafTexts(got.Modified)})
				table, err := Ownership(got.Object)
				if err != nil {
					t.Fatal(err)
				}
				same(t, test.owners, shownTable(table.Of("edit")))
				same(t, []string{userHolds}, shownTable(table.Below(fieldpath.MakePathOrDie("spec", "image"))))
			}
		})
	}
}

func TestPredictUpdateNeedsCertainty(t *testing.T) {
	w := newWorld(t)
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	cleared, old := w.live(), w.live()
	cleared.ManagedFields = nil
	old.ResourceVersion = "0"
	for _, test := range []struct {
		live client.Object
		want Reason
	}{{w.live(), ""}, {nil, ReasonNotCached}, {cleared, ReasonNoManagedFields}, {old, ReasonGuarded}} {
		got, err := w.predictor.PredictUpdate(test.live, w.live(), "edit", "")
		if err != nil || got.Unsafe != test.want || got.NoOp != (test.want == "") || (got.Object == nil) != test.want.blind() {
			t.Errorf("unsafe %q, want %q, a no-op: %t, object %v (%v)", got.Unsafe, test.want, got.NoOp, got.Object, err)
		}
	}
	for _, updated := range []client.Object{nil, &metav1.PartialObjectMetadata{}} {
		if _, err := w.predictor.PredictUpdate(w.live(), updated, "edit", ""); err == nil || !strings.Contains(err.Error(), "known kind") {
			t.Errorf("an update of %T gives the error %v", updated, err)
		}
	}
	wrong := w.raw()
	set(wrong, "x", "spec", "nope")
	if _, err := w.predictor.PredictUpdate(w.live(), wrong, "edit", ""); err == nil {
		t.Error("an update that the schema does not know is no error")
	}
}

// TestUnsafeIsNeverANoOp: for each reason an intent that changes nothing, on an object that gives the reason.
func TestUnsafeIsNeverANoOp(t *testing.T) {
	w := newWorld(t)
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	w.mustApply(main(us, ourMain()))
	for _, reason := range []Reason{
		ReasonNotCached, ReasonDeleting, ReasonNoManagedFields, ReasonOtherAPIVersion, ReasonUnreadable, ReasonUnknownKind,
		ReasonLossyType, ReasonSchemaDiffers, ReasonOtherObject, ReasonGuarded,
	} {
		in, live := main(us, ourMain().WithUID(serverUID)), client.Object(w.live())
		w.predictor.SchemaDiffers(gvk.GroupKind(), false)
		switch reason {
		case ReasonNotCached:
			live = nil
		case ReasonDeleting:
			live.SetDeletionTimestamp(&metav1.Time{Time: someTime})
		case ReasonNoManagedFields:
			live.SetManagedFields(nil)
		case ReasonOtherAPIVersion:
			live.GetManagedFields()[0].APIVersion = "ec2.fieldowner.dev/v2"
		case ReasonUnreadable:
			live.GetManagedFields()[0].FieldsV1 = metav1.NewFieldsV1("[]")
		case ReasonUnknownKind:
			raw := w.raw()
			raw.SetKind("EC2Widget")
			live, in = raw, Intent{Config: web().WithKind("EC2Widget"), Manager: us}
		case ReasonOtherObject:
			live.SetUID("u-2")
		case ReasonGuarded:
			live.SetResourceVersion("0")
			in.Config = ourMain().WithResourceVersion("1")
		case ReasonSchemaDiffers:
			w.predictor.SchemaDiffers(gvk.GroupKind(), true)
		case ReasonLossyType:
			lossyPod(t, w)
			continue
		}
		got, err := w.predictor.Predict(live, in)
		if err != nil || got.Unsafe != reason || got.NoOp {
			t.Errorf("unsafe %q, want %q, a no-op: %t (%v)", got.Unsafe, reason, got.NoOp, err)
		}
		if reason.blind() != (got.Object == nil) {
			t.Errorf("%q is blind: %t, and the object is %v", reason, reason.blind(), got.Object)
		}
	}
	if Reason("another").blind() {
		t.Error("a reason that nobody knows is blind")
	}
}

func set(u *unstructured.Unstructured, value any, path ...string) {
	if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
		panic(err)
	}
}
