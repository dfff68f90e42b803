// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Withdraw gives up an object that a manager made and no longer wants, such as a child that its parent's spec has
// dropped. It is deleted when nobody else has a part in it, and released when somebody has: their part stays. One
// that is being deleted is left alone.
func (a *Applier) Withdraw(ctx context.Context, live client.Object, m Manager) (Result, error) {
	if live.GetDeletionTimestamp() != nil {
		return Result{Outcome: Skipped, UID: live.GetUID(), ResourceVersion: live.GetResourceVersion()}, nil
	}
	shared, err := hasForeignFields(live, m)
	if err != nil {
		return Result{}, err
	}
	if shared {
		return a.Release(ctx, live, m, "")
	}
	uid, version := live.GetUID(), live.GetResourceVersion()
	err = a.client.Delete(ctx, live, client.Preconditions{UID: &uid, ResourceVersion: &version})
	if client.IgnoreNotFound(err) != nil {
		return Result{}, classify(m, err, nil, nil)
	}
	return Result{Outcome: Deleted, UID: uid, ResourceVersion: version}, nil
}

// hasForeignFields tells whether another manager owns anything in an object but finalizers and status, which are
// no content that it would miss.
func hasForeignFields(live client.Object, m Manager) (bool, error) {
	finalizers := fieldpath.MakePathOrDie("metadata", "finalizers")
	for _, e := range live.GetManagedFields() {
		if e.Subresource != "" || (e.Manager == string(m) && e.Operation == metav1.ManagedFieldsOperationApply) || e.Manager == beforeFirstApply {
			continue
		}
		set, err := FieldsOf(e)
		if err != nil {
			return false, fmt.Errorf("telling who has a part in %s: %w", live.GetName(), err)
		}
		foreign := false
		set.Leaves().Iterate(func(path fieldpath.Path) { foreign = foreign || !hasPrefix(path, finalizers) })
		if foreign {
			return true, nil
		}
	}
	return false, nil
}
