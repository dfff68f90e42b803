// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// beforeFirstApply is the manager to which the API server gives all fields of an object without managedFields when
// somebody applies to it (apimachinery, pkg/util/managedfields/internal/skipnonapplied.go). It is nobody, so it
// never gives anything up: what we give up would stay for ever, a finalizer among it.
const beforeFirstApply = "before-first-apply"

var errInherited = errors.New("its managedFields were cleared, and " + beforeFirstApply + " has been taken out of what is ours")

// Inherited tells whether nobody (before-first-apply) owns fields of an object: its managedFields have been cleared.
func Inherited(obj client.Object) bool {
	for _, e := range obj.GetManagedFields() {
		if e.Manager == beforeFirstApply {
			return true
		}
	}
	return false
}

// disinherit takes from before-first-apply what the intent's manager owns, too, and what it wants: nobody is asked for
// what is nobody's. It is a write of its own: the caller comes back when the cache shows it.
func (a *Applier) disinherit(ctx context.Context, d *Draft) error {
	if d.before == nil || d.prediction.Unsafe.blind() || !Inherited(d.before) {
		return nil
	}
	wanted, err := a.predictor.fieldsIn(d.body, d.intent.Subresource)
	if err != nil {
		return nil //nolint:nilerr // An intent that the schema does not allow is sent, for the API server to say so.
	}
	entries, changed, err := disinherited(d.before.GetManagedFields(), d.intent.Manager, d.intent.Subresource, wanted)
	if err != nil || !changed {
		return err
	}
	if _, err := a.setManagedFields(ctx, d.before, d.before.GetResourceVersion(), entries, d.intent.Manager); err != nil {
		return err
	}
	return &StaleError{err: errInherited}
}

// disinherited is managedFields in which before-first-apply has nothing of what an apply manager owns or wants.
func disinherited(entries []metav1.ManagedFieldsEntry, m Manager, subresource string, wanted *fieldpath.Set) ([]metav1.ManagedFieldsEntry, bool, error) {
	nobody := Owner{Manager: beforeFirstApply, Operation: metav1.ManagedFieldsOperationUpdate, Subresource: subresource}
	heir := entryFor(entries, nobody)
	if heir == nil {
		return nil, false, nil
	}
	inherited, err := FieldsOf(*heir)
	if err != nil {
		return nil, false, err
	}
	ours := wanted
	if own := entryOf(entries, m, subresource); own != nil {
		owned, err := FieldsOf(*own)
		if err != nil {
			return nil, false, err
		}
		ours = wanted.Union(owned)
	}
	rest := withoutHollow(inherited.Difference(ours), ours)
	if rest.Equals(inherited) {
		return nil, false, nil
	}
	out := withoutOwner(entries, nobody)
	if !rest.Empty() {
		left, err := withFields(*heir, rest)
		if err != nil {
			return nil, false, err
		}
		out = append(out, left)
	}
	return out, true, nil
}

// withoutHollow is rest without the structs, maps and list items of which ours has members, and rest has none left. Whoever owns one
// has it back when we drop its members: an empty one, which is null to the API server, and no item of a list (structured-merge-diff#305).
func withoutHollow(rest, ours *fieldpath.Set) *fieldpath.Set {
	for {
		hollow := fieldpath.NewSet()
		rest.Iterate(func(path fieldpath.Path) {
			if !below(ours, path).Empty() && below(rest, path).Empty() {
				hollow.Insert(path.Copy())
			}
		})
		if hollow.Empty() {
			return rest
		}
		rest = rest.Difference(hollow) // What held nothing but these is hollow now.
	}
}

// below are the members of what is at a path.
func below(set *fieldpath.Set, path fieldpath.Path) *fieldpath.Set {
	for _, element := range path {
		set = set.WithPrefix(element)
	}
	return set
}
