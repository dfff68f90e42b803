// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"cmp"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Owner is one manager's hold on a field. The API server tells owners apart by name, operation and subresource, and
// those by Update by the version of the API, too: the same name with another operation is another owner.
type Owner struct {
	Manager string
	// Operation is Apply for server-side apply, and Update for everything else: PUT, other patches, kubectl's
	// client-side apply.
	Operation metav1.ManagedFieldsOperationType
	// Subresource is empty for the object's own endpoint.
	Subresource string
	// APIVersion that the owner wrote the fields in.
	APIVersion string
	// Time is when the owner last changed what it owns; nil where it is not known.
	Time *metav1.Time
}

// String names the owner for people: `kubectl (Apply)`, `ec2-instance (Apply, status)`. It holds nothing that
// changes while the owner stays the same.
func (o Owner) String() string {
	if o.Subresource == "" {
		return fmt.Sprintf("%s (%s)", o.Manager, o.Operation)
	}
	return fmt.Sprintf("%s (%s, %s)", o.Manager, o.Operation, o.Subresource)
}

// Nobody tells an owner that is none: before-first-apply, which has what nobody claimed when managedFields were cleared.
func (o Owner) Nobody() bool { return o.Manager == beforeFirstApply }

// Is tells whether two are the same owner, whatever the version of the API and the time.
func (o Owner) Is(other Owner) bool { return compareOwners(o, other) == 0 }

func compareOwners(a, b Owner) int {
	return cmp.Or(
		strings.Compare(a.Manager, b.Manager),
		strings.Compare(string(a.Operation), string(b.Operation)),
		strings.Compare(a.Subresource, b.Subresource),
	)
}

func ownerOf(e metav1.ManagedFieldsEntry) Owner {
	return Owner{Manager: e.Manager, Operation: e.Operation, Subresource: e.Subresource, APIVersion: e.APIVersion, Time: e.Time}
}

// FieldsOf reads what an entry of managedFields owns. One without fields owns nothing.
func FieldsOf(e metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := &fieldpath.Set{}
	if e.FieldsV1 == nil {
		return set, nil
	}
	if err := set.FromJSON(e.FieldsV1.GetRawReader()); err != nil {
		return nil, fmt.Errorf("reading the fields of manager %q: %w", e.Manager, err)
	}
	return set, nil
}
