// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package owners reads from an object's managedFields who owns which of its fields,
// and tells it to people.
package owners

import (
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Owner is a field manager and the fields of one object that it owns through one
// subresource; an empty subresource is the object itself.
type Owner struct {
	Manager     string
	Operation   string
	Subresource string
	Fields      *fieldpath.Set
}

// Of reads the owners from an object as kubectl get -o json --show-managed-fields
// prints it, in the API server's order.
func Of(object []byte) ([]Owner, error) {
	var meta metav1.PartialObjectMetadata
	if err := json.Unmarshal(object, &meta); err != nil {
		return nil, fmt.Errorf("reading an object's metadata: %w", err)
	}
	owners := make([]Owner, 0, len(meta.ManagedFields))
	for _, entry := range meta.ManagedFields {
		owner := Owner{
			Manager: entry.Manager, Operation: string(entry.Operation), Subresource: entry.Subresource,
			Fields: fieldpath.NewSet(),
		}
		if entry.FieldsV1 != nil {
			if err := owner.Fields.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
				return nil, fmt.Errorf("reading the fields of manager %q: %w", entry.Manager, err)
			}
		}
		owners = append(owners, owner)
	}
	return owners, nil
}

// Below says whether the owner owns the top-level field or anything in it.
func (o Owner) Below(field string) bool {
	element := fieldpath.FieldNameElement(field)
	if o.Fields.Members.Has(element) {
		return true
	}
	_, within := o.Fields.Children.Get(element)
	return within
}

// Shared are the fields that more than one owner has, each with its owners' names;
// none when the owners' fields are disjoint.
func Shared(owners []Owner) []string {
	var shared []string
	for i, a := range owners {
		for _, b := range owners[i+1:] {
			if both := a.Fields.Intersection(b.Fields); !both.Empty() {
				shared = append(shared, fmt.Sprintf("%s: %s and %s", strings.Join(summary(both), ", "), a.Manager, b.Manager))
			}
		}
	}
	return shared
}
