// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestSameOwners: neither the order of the entries nor their times are ownership; all else is.
func TestSameOwners(t *testing.T) {
	entries := func(change func([]metav1.ManagedFieldsEntry)) *unstructured.Unstructured {
		other := entry("a", byApply, "", `{"f:spec":{"f:keyName":{}}}`)
		other.APIVersion = "v2"
		all := []metav1.ManagedFieldsEntry{
			entry("b", byUpdate, "", `{"f:spec":{"f:keyName":{}}}`), other,
			entry("a", byUpdate, "", `{"f:spec":{"f:keyName":{},"f:suspend":{}}}`), entry("a", byUpdate, "status", `{"f:status":{}}`),
		}
		change(all)
		out := &unstructured.Unstructured{Object: map[string]any{}}
		out.SetManagedFields(all)
		return out
	}
	asTheyAre := entries(func([]metav1.ManagedFieldsEntry) {})
	for _, test := range []struct {
		says   string
		change func([]metav1.ManagedFieldsEntry)
		want   bool
	}{
		{"the same", func([]metav1.ManagedFieldsEntry) {}, true},
		{"another time", func(e []metav1.ManagedFieldsEntry) { e[0].Time = nil }, true},
		{"another order", func(e []metav1.ManagedFieldsEntry) { e[0], e[1], e[2], e[3] = e[3], e[2], e[1], e[0] }, true},
		{"another order of fields", func(e []metav1.ManagedFieldsEntry) {
			e[2].FieldsV1 = metav1.NewFieldsV1(`{"f:spec":{"f:suspend":{},"f:keyName":{}}}`)
		}, true},
		{"other fields", func(e []metav1.ManagedFieldsEntry) { e[0].FieldsV1 = metav1.NewFieldsV1(`{"f:spec":{}}`) }, false},
		{"another manager", func(e []metav1.ManagedFieldsEntry) { e[0].Manager = "c" }, false},
		{"another operation", func(e []metav1.ManagedFieldsEntry) { e[0].Operation = byApply }, false},
		{"another subresource", func(e []metav1.ManagedFieldsEntry) { e[0].Subresource = "status" }, false},
		{"another version", func(e []metav1.ManagedFieldsEntry) { e[0].APIVersion = "v2" }, false},
	} {
		if got := sameOwners(asTheyAre, entries(test.change)); got != test.want {
			t.Errorf("%s: the same owners: %t", test.says, got)
		}
	}
	none := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"managedFields": []any{"no entry"}}}}
	if !sameOwners(&unstructured.Unstructured{}, none) || sameOwners(none, asTheyAre) {
		t.Error("objects without owners are not the same")
	}
}

// TestAPatchThatClears says so with one empty entry.
func TestAPatchThatClears(t *testing.T) {
	for _, none := range [][]metav1.ManagedFieldsEntry{nil, {}} {
		got, err := managedFieldsPatch("7", none)
		if err != nil {
			t.Fatal(err)
		}
		same(t, `[{"op":"replace","path":"/metadata/managedFields","value":[{}]},{"op":"replace","path":"/metadata/resourceVersion","value":"7"}]`, string(got))
	}
}
