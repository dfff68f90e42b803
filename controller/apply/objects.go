// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The fields of metadata that the API server keeps for itself (apimachinery, pkg/api/validation/objectmeta.go): what a
// write says of the first is ignored, and the others are never removed.
var (
	systemFields   = []string{"uid", "resourceVersion", "creationTimestamp", "generation"}
	deletionFields = []string{"deletionTimestamp", "deletionGracePeriodSeconds"}
)

// endpointPart is what a write through an endpoint makes of an object: only the endpoint's own part changes. It shares
// what it can with both.
func endpointPart(before, wanted *unstructured.Unstructured, subresource string) *unstructured.Unstructured {
	old, asked := metadataOf(before), metadataOf(wanted)
	if subresource == SubresourceStatus {
		out := maps.Clone(before.Object)
		keep(out, wanted.Object, "status")
		keep(old, asked, "managedFields")
		out["metadata"] = old
		return &unstructured.Unstructured{Object: out}
	}
	out := maps.Clone(wanted.Object)
	keep(out, before.Object, "status")
	keep(asked, old, systemFields...)
	for _, name := range deletionFields {
		if value, ok := old[name]; ok {
			asked[name] = value
		}
	}
	out["metadata"] = asked
	return &unstructured.Unstructured{Object: out}
}

// metadataOf is a copy of an object's metadata that shares what is in it.
func metadataOf(u *unstructured.Unstructured) map[string]any {
	out := map[string]any{}
	if metadata, ok := u.Object["metadata"].(map[string]any); ok {
		maps.Copy(out, metadata)
	}
	return out
}

// keep makes some of an object's fields what they are in another one.
func keep(out, from map[string]any, names ...string) {
	for _, name := range names {
		delete(out, name)
		if value, ok := from[name]; ok {
			out[name] = value
		}
	}
}

// sameOwners compares ownership; times are no ownership. It works on what is there: to decode managedFields is dear.
func sameOwners(a, b *unstructured.Unstructured) bool {
	return equality.Semantic.DeepEqual(ownersIn(a), ownersIn(b))
}

// ownersIn are the entries of managedFields, without times, in the order of their owners.
func ownersIn(u *unstructured.Unstructured) []map[string]any {
	entries, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "managedFields")
	items, _ := entries.([]any)
	out := make([]map[string]any, 0, len(items))
	for _, item := range items {
		entry, ok := item.(map[string]any)
		if !ok {
			continue
		}
		entry = maps.Clone(entry)
		delete(entry, "time")
		out = append(out, entry)
	}
	slices.SortFunc(out, func(a, b map[string]any) int {
		for _, name := range []string{"manager", "operation", "subresource", "apiVersion"} {
			x, _ := a[name].(string)
			y, _ := b[name].(string)
			if order := strings.Compare(x, y); order != 0 {
				return order
			}
		}
		return 0
	})
	return out
}

func timeless(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	out := slices.Clone(entries)
	for i := range out {
		out[i].Time = nil
	}
	slices.SortFunc(out, func(a, b metav1.ManagedFieldsEntry) int {
		return cmp.Or(compareOwners(ownerOf(a), ownerOf(b)), strings.Compare(a.APIVersion, b.APIVersion))
	})
	return out
}

func sameContent(a, b *unstructured.Unstructured) bool {
	return equality.Semantic.DeepEqual(withoutOwners(a).Object, withoutOwners(b).Object)
}

// withoutOwners is an object without managedFields. It shares the rest with it.
func withoutOwners(u *unstructured.Unstructured) *unstructured.Unstructured {
	object := maps.Clone(u.Object)
	if metadata, ok := object["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		delete(metadata, "managedFields")
		object["metadata"] = metadata
	}
	return &unstructured.Unstructured{Object: object}
}
