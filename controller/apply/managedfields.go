// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// setManagedFields replaces the managedFields of an object that is at a resourceVersion. It is for what no apply can
// say; the content stays as it is.
func (a *Applier) setManagedFields(ctx context.Context, of *unstructured.Unstructured, version string, entries []metav1.ManagedFieldsEntry, as Manager) (Result, error) {
	patch, err := managedFieldsPatch(version, entries)
	if err != nil {
		return Result{}, err
	}
	target := &unstructured.Unstructured{}
	target.SetGroupVersionKind(of.GroupVersionKind())
	target.SetNamespace(of.GetNamespace())
	target.SetName(of.GetName())
	sent := a.writes.sending(of.GetUID())
	defer sent()
	err = a.client.Patch(ctx, target, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(as))
	if err := classify(as, err, nil, nil); err != nil {
		return Result{}, err
	}
	a.writes.record(target.GetUID(), target.GetResourceVersion(), a.clock.Now())
	return Result{Outcome: Changed, UID: target.GetUID(), ResourceVersion: target.GetResourceVersion()}, nil
}

// managedFieldsPatch is a JSON patch. The resourceVersion is replaced, not tested, so that a race is answered with
// a conflict and not with an invalid request (client-go does the same, util/csaupgrade).
func managedFieldsPatch(version string, entries []metav1.ManagedFieldsEntry) ([]byte, error) {
	if len(entries) == 0 {
		// An empty list would be ignored; a list with an empty entry clears (kubernetes.io, server-side-apply).
		entries = []metav1.ManagedFieldsEntry{{}}
	}
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": entries},
		{"op": "replace", "path": "/metadata/resourceVersion", "value": version},
	})
	if err != nil {
		return nil, fmt.Errorf("encoding managedFields: %w", err)
	}
	return patch, nil
}

// entryOf is an apply manager's entry, or nil.
func entryOf(entries []metav1.ManagedFieldsEntry, m Manager, subresource string) *metav1.ManagedFieldsEntry {
	return entryFor(entries, Owner{Manager: string(m), Operation: metav1.ManagedFieldsOperationApply, Subresource: subresource})
}

func entryFor(entries []metav1.ManagedFieldsEntry, o Owner) *metav1.ManagedFieldsEntry {
	i := slices.IndexFunc(entries, func(e metav1.ManagedFieldsEntry) bool { return ownerOf(e).Is(o) })
	if i < 0 {
		return nil
	}
	return &entries[i]
}

// withoutOwner is managedFields without an owner's entry.
func withoutOwner(entries []metav1.ManagedFieldsEntry, o Owner) []metav1.ManagedFieldsEntry {
	return slices.DeleteFunc(slices.Clone(entries), func(e metav1.ManagedFieldsEntry) bool { return ownerOf(e).Is(o) })
}

// withFields is an entry with other fields.
func withFields(e metav1.ManagedFieldsEntry, set *fieldpath.Set) (metav1.ManagedFieldsEntry, error) {
	var text bytes.Buffer
	if err := set.ToJSONStream(&text); err != nil {
		return e, fmt.Errorf("encoding the fields of manager %q: %w", e.Manager, err)
	}
	e.FieldsV1 = metav1.NewFieldsV1(text.String())
	return e, nil
}
