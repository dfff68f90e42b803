// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// shownTable is a table as text.
func shownTable(t Table) []string {
	var out []string
	for _, f := range t {
		names := make([]string, len(f.Owners))
		for i, o := range f.Owners {
			names[i] = o.String()
		}
		out = append(out, fmt.Sprintf("%s: %s", f.Path, strings.Join(names, ", ")))
	}
	return out
}

func contested() *metav1.ObjectMeta {
	return &metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{
		entry("user", byApply, "", `{"f:metadata":{"f:finalizers":{".":{},"v:\"x\"":{}}},"f:spec":{"f:keyName":{},"f:tags":{"k:{\"key\":\"a\"}":{".":{},"f:key":{},"f:value":{}}}}}`),
		entry("edit", byUpdate, "", `{"f:spec":{"f:keyName":{},"f:tags":{"k:{\"key\":\"a\"}":{".":{},"f:value":{}},"k:{\"key\":\"b\"}":{}}}}`),
		entry("us", byApply, "status", `{"f:status":{"f:instanceID":{}}}`),
		entry("us", byApply, "", `{"f:spec":{"f:keyName":{}}}`),
		{Manager: "nothing", Operation: byApply},
	}}
}

func TestOwnership(t *testing.T) {
	table, err := Ownership(contested())
	if err != nil {
		t.Fatal(err)
	}
	keyName, tagA, tagB := ".spec.keyName: edit (Update), us (Apply), user (Apply)", `.spec.tags[key="a"].`, `.spec.tags[key="b"]: edit (Update)`
	for _, test := range []struct {
		says string
		got  Table
		want []string
	}{
		{"all leaves, sorted, each with its owners, sorted", table, []string{
			`.metadata.finalizers[="x"]: user (Apply)`,
			keyName,
			tagA + `key: user (Apply)`,
			tagA + `value: edit (Update), user (Apply)`,
			tagB, // The item itself, since nothing below it is owned.
			".status.instanceID: us (Apply, status)",
		}},
		{"of one manager, on every endpoint", table.Of("us"), []string{keyName, ".status.instanceID: us (Apply, status)"}},
		{"of nobody", table.Of("nobody"), nil},
		{"of more than one manager", table.Shared(), []string{keyName, tagA + `value: edit (Update), user (Apply)`}},
		{
			"below a list item", table.Below(fieldpath.MakePathOrDie("spec", "tags", fieldpath.KeyByFields("key", "a"))),
			[]string{tagA + `key: user (Apply)`, tagA + `value: edit (Update), user (Apply)`},
		},
		{"at the path itself", table.Below(fieldpath.MakePathOrDie("spec", "keyName")), []string{keyName}},
		{"below nothing that is owned", table.Below(fieldpath.MakePathOrDie("spec", "keyNames")), nil},
		{"below the root", table.Of("us").Below(nil), []string{keyName, ".status.instanceID: us (Apply, status)"}},
	} {
		t.Run(test.says, func(t *testing.T) { same(t, test.want, shownTable(test.got)) })
	}
	same(t, []string{".spec.keyName", ".status.instanceID"}, table.Of("us").Paths())
	owner := table.Of("us")[1].Owners[0]
	same(t, Owner{Manager: "us", Operation: byApply, Subresource: "status", APIVersion: version1, Time: &metav1.Time{Time: someTime}}, owner)
}

// TestOwnershipOfNothing: without managedFields the table is empty, and with some that cannot be read there is none.
func TestOwnershipOfNothing(t *testing.T) {
	if table, err := Ownership(&metav1.ObjectMeta{}); err != nil || len(table) != 0 {
		t.Errorf("the table is %v (%v)", table, err)
	}
	meta := contested()
	meta.ManagedFields[1].FieldsV1 = metav1.NewFieldsV1(`{"k:nope":{}}`)
	if table, err := Ownership(meta); err == nil || table != nil {
		t.Errorf("the table is %v (%v)", table, err)
	}
}

// TestOwnershipIsWhole: the tables of all managers, put together, say what managedFields say, and no more.
func TestOwnershipIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.mustApply(main(user, web().WithSpec(usersSpec())))
		for range rapid.IntRange(0, 4).Draw(t, "applies") {
			w.tryApply(drawIntent(t))
		}
		live := w.raw()
		table, err := Ownership(live)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(table, func(a, b Field) int { return a.Path.Compare(b.Path) }) {
			t.Errorf("the table is not sorted: %v", table.Paths())
		}
		held := 0
		for _, e := range live.GetManagedFields() {
			set, err := FieldsOf(e)
			if err != nil {
				t.Fatal(err)
			}
			leaves := set.Leaves()
			held += leaves.Size()
			for _, f := range table {
				owns := slices.ContainsFunc(f.Owners, ownerOf(e).Is)
				if owns != leaves.Has(f.Path) {
					t.Errorf("%s owns %s: %t, in managedFields: %t", ownerOf(e), f.Path, owns, leaves.Has(f.Path))
				}
			}
		}
		for _, f := range table {
			held -= len(f.Owners)
		}
		if held != 0 {
			t.Errorf("the table leaves %d leaves out", held)
		}
	})
}
