// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

const csa = "kubectl-client-side-apply"

// usedToUpdate is a world in which kubectl's client-side apply has written a spec, then some edit, and then we have
// applied a part of it.
func usedToUpdate(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.mustApply(main("maker", web().WithLabels(map[string]string{"l": "x"})))
	put := func(manager string, change func(*unstructured.Unstructured)) {
		updated := w.raw()
		change(updated)
		if _, err := w.server.put(updated, "", manager, false); err != nil {
			t.Fatal(err)
		}
	}
	put(csa, func(u *unstructured.Unstructured) {
		set(u, map[string]any{"id": "ami-0123456789abcdef0"}, "spec", "image")
		set(u, "t3.micro", "spec", "instanceType")
		set(u, "k", "spec", "keyName")
	})
	put("edit", func(u *unstructured.Unstructured) { set(u, true, "spec", "suspend") })
	return w
}

// holdsOf are the leaves of a manager's entry.
func holdsOf(t *testing.T, entries []metav1.ManagedFieldsEntry, owner string) string {
	t.Helper()
	for _, e := range entries {
		if ownerOf(e).String() != owner {
			continue
		}
		set, err := FieldsOf(e)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(leafTexts(set), " ")
	}
	return ""
}

func named() *ec2v1.EC2Instance {
	return &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}
}

func TestMigrate(t *testing.T) {
	const (
		fromCSA  = ".spec.image .spec.instanceType .spec.keyName"
		fromEdit = ".spec.suspend"
	)
	for _, test := range []struct {
		says string
		// before is applied by us first.
		before specConfig
		from   []string
		// ours are our fields before and after, and rest those of csa and edit afterwards.
		ours [2]string
		rest [2]string
	}{
		{says: "to a new entry", from: []string{csa}, ours: [2]string{"", fromCSA}, rest: [2]string{"", fromEdit}},
		{says: "to a new entry, of two", from: []string{csa, "edit"}, ours: [2]string{"", fromCSA + " " + fromEdit}},
		{
			says: "to the one that we have", before: ec2v1ac.EC2InstanceSpec().WithKeyName("k").WithSuspend(true), from: []string{csa, "nobody"},
			ours: [2]string{".spec.keyName .spec.suspend", fromCSA + " " + fromEdit}, rest: [2]string{"", fromEdit},
		},
	} {
		t.Run(test.says, func(t *testing.T) {
			for _, obj := range []client.Object{named(), func() client.Object {
				u := &unstructured.Unstructured{}
				u.SetGroupVersionKind(gvk)
				u.SetName("web")
				u.SetNamespace("shop")
				return u
			}()} {
				w := usedToUpdate(t)
				if test.before != nil {
					w.mustApply(main(us, web().WithSpec(test.before)))
				}
				before := w.raw()
				got, err := Migrate(t.Context(), w.client, obj, Migration{From: test.from, To: us})
				if err != nil {
					t.Fatal(err)
				}
				after := w.raw()
				same(t, true, got.Changed)
				same(t, before.GetManagedFields(), got.Before)
				same(t, after.GetManagedFields(), got.After)
				same(t, after.GetManagedFields(), obj.GetManagedFields())
				same(t, after.GetResourceVersion(), obj.GetResourceVersion())
				same(t, test.ours, [2]string{holdsOf(t, got.Before, "us (Apply)"), holdsOf(t, got.After, "us (Apply)")})
				same(t, test.rest, [2]string{holdsOf(t, got.After, csa+" (Update)"), holdsOf(t, got.After, "edit (Update)")})
				after.SetResourceVersion(before.GetResourceVersion())
				same(t, withoutOwners(before).Object, withoutOwners(after).Object)
			}
		})
	}
}

// TestWhatIsMigratedIsOurs: what we then leave out goes.
func TestWhatIsMigratedIsOurs(t *testing.T) {
	w := usedToUpdate(t)
	spec := func() specConfig { return ec2v1ac.EC2InstanceSpec().WithImage(image()).WithInstanceType("t3.micro") }
	if _, err := Migrate(t.Context(), w.client, named(), Migration{From: []string{csa}, To: us}); err != nil {
		t.Fatal(err)
	}
	w.mustApply(main(us, web().WithSpec(spec())))
	if live := w.live(); live.Spec.KeyName != "" || live.Spec.Suspend == nil {
		t.Errorf("the object has %v", live.Spec)
	}
}

// TestADryRunLeavesTheObject.
func TestADryRunLeavesTheObject(t *testing.T) {
	w := usedToUpdate(t)
	before := w.raw()
	got, err := Migrate(t.Context(), w.client, named(), Migration{From: []string{csa}, To: us, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	same(t, before.Object, w.raw().Object)
	if !got.Changed || holdsOf(t, got.After, "us (Apply)") == "" || holdsOf(t, got.Before, "us (Apply)") != "" {
		t.Errorf("the migration would be %v", got)
	}
}

// TestAMigrationIsTriedAgain on a newer object when somebody writes in between, whose write is not undone.
func TestAMigrationIsTriedAgain(t *testing.T) {
	w := usedToUpdate(t)
	tries := 0
	w.server.before = func(verb string) error {
		if verb != verbPatch {
			return nil
		}
		if tries++; tries == 1 {
			updated := w.raw()
			set(updated, "eu-central-1", "spec", "region")
			if _, err := w.server.put(updated, "", csa, false); err != nil {
				t.Fatal(err)
			}
		}
		return nil
	}
	got, err := Migrate(t.Context(), w.client, named(), Migration{From: []string{csa}, To: us})
	if err != nil || tries != 2 {
		t.Fatalf("after %d tries the error is %v", tries, err)
	}
	same(t, ".spec.image .spec.instanceType .spec.keyName .spec.region", holdsOf(t, got.After, "us (Apply)"))
	same(t, "eu-central-1", w.live().Spec.Region)
}

func TestMigrationsThatFail(t *testing.T) {
	w := usedToUpdate(t)
	before := w.raw()
	refusal := errors.New("no")

	_, err := Migrate(t.Context(), w.client, named(), Migration{From: []string{"nobody", "maker"}, To: us})
	nothing, ok := errors.AsType[*NothingToMigrateError](err)
	if !ok || len(nothing.Owners) != 3 || nothing.Migration.To != us {
		t.Fatalf("the error is %v", err)
	}
	for _, want := range []string{`moving fields to manager "us"`, "none of nobody, maker owns anything by Update", "edit (Update)", csa + " (Update)", "maker (Apply)"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
	if _, err := Migrate(t.Context(), w.client, named(), Migration{From: []string{csa}, To: us, Subresource: "status"}); err == nil {
		t.Error("entries of another endpoint were moved")
	}

	older := before.DeepCopy()
	entries := older.GetManagedFields()
	for i := range entries {
		if entries[i].Manager == "edit" {
			entries[i].APIVersion = "ec2.fieldowner.dev/v1alpha1"
		}
	}
	older.SetManagedFields(entries)
	w.server.object = older
	_, err = Migrate(t.Context(), w.client, named(), Migration{From: []string{csa, "edit"}, To: us})
	if err == nil || !strings.Contains(err.Error(), "only fields of one version can be united") || !strings.Contains(err.Error(), "v1alpha1") {
		t.Errorf("with two versions of the API the error is %v", err)
	}

	broken := before.DeepCopy()
	entries = broken.GetManagedFields()
	for i := range entries {
		entries[i].FieldsV1 = metav1.NewFieldsV1("[]")
	}
	broken.SetManagedFields(entries)
	w.server.object = broken
	if _, err := Migrate(t.Context(), w.client, named(), Migration{From: []string{csa}, To: us}); err == nil {
		t.Error("managedFields that cannot be read were moved")
	}
	same(t, broken.Object, w.raw().Object)

	w.server.object = before
	w.server.before = func(string) error { return refusal }
	if _, err := Migrate(t.Context(), w.client, named(), Migration{From: []string{csa}, To: us}); !errors.Is(err, refusal) {
		t.Errorf("the error is %v", err)
	}
	w.server.object = nil
	if _, err := Migrate(t.Context(), w.client, named(), Migration{From: []string{csa}, To: us}); !errors.Is(err, errNotFound) {
		t.Errorf("without an object the error is %v", err)
	}
}
