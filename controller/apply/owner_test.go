// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

const (
	byApply  = metav1.ManagedFieldsOperationApply
	byUpdate = metav1.ManagedFieldsOperationUpdate
	version1 = "ec2.fieldowner.dev/v1"
)

// entry is one of managedFields.
func entry(m string, op metav1.ManagedFieldsOperationType, subresource, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: m, Operation: op, Subresource: subresource, APIVersion: version1,
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields), Time: &metav1.Time{Time: someTime},
	}
}

func TestOwnersAreNamed(t *testing.T) {
	at := &metav1.Time{Time: someTime}
	for want, owner := range map[string]Owner{
		"kubectl (Apply)":              {Manager: "kubectl", Operation: byApply, APIVersion: version1, Time: at},
		"kubectl-edit (Update)":        {Manager: "kubectl-edit", Operation: byUpdate},
		"ec2-instance (Apply, status)": {Manager: "ec2-instance", Operation: byApply, Subresource: "status", Time: at},
	} {
		if got := owner.String(); got != want {
			t.Errorf("%v reads %q, want %q", owner, got, want)
		}
	}
}

// TestOwnersAreToldApart by name, operation and subresource.
func TestOwnersAreToldApart(t *testing.T) {
	a := Owner{Manager: "a", Operation: byApply, Subresource: "status", APIVersion: version1}
	for _, test := range []struct {
		says   string
		change func(*Owner)
		want   bool
	}{
		{"the same", func(*Owner) {}, true},
		{"another time", func(o *Owner) { o.Time = &metav1.Time{Time: someTime} }, true},
		{"another version of the API", func(o *Owner) { o.APIVersion = "v2" }, true},
		{"another name", func(o *Owner) { o.Manager = "b" }, false},
		{"another operation", func(o *Owner) { o.Operation = byUpdate }, false},
		{"another subresource", func(o *Owner) { o.Subresource = "" }, false},
	} {
		b := a
		test.change(&b)
		if a.Is(b) != test.want || b.Is(a) != test.want {
			t.Errorf("%s: the same owner: %t, want %t", test.says, a.Is(b), test.want)
		}
	}
}

func TestFieldsOfAnEntry(t *testing.T) {
	got, err := FieldsOf(entry("a", byApply, "", `{"f:spec":{"f:keyName":{}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := fieldpath.NewSet(fieldpath.MakePathOrDie("spec", "keyName")); !got.Equals(want) {
		t.Errorf("the fields are %v, want %v", got, want)
	}
	none := entry("a", byApply, "", "")
	none.FieldsV1 = nil
	if got, err := FieldsOf(none); err != nil || !got.Empty() {
		t.Errorf("an entry without fields owns %v (%v)", got, err)
	}
	if _, err := FieldsOf(entry("a", byApply, "", `{"k:nope":{}}`)); err == nil || !strings.Contains(err.Error(), `manager "a"`) {
		t.Errorf("fields that cannot be read give the error %v, want one that names the manager", err)
	}
}
