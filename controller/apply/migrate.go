// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Migration moves what managers own by Update, kubectl's client-side apply among them, to one that applies. The
// fields of From and To are united; values do not change. Without it, whoever comes to server-side apply from
// another way of writing shares every field with their own past, so that nothing they leave out is ever removed.
type Migration struct {
	// From are the managers whose Update entries move, such as kubectl-client-side-apply.
	From []string
	// To is the manager that owns the fields afterwards.
	To Manager
	// Subresource of the entries: empty for the object itself.
	Subresource string
	// DryRun has the API server check everything and store nothing.
	DryRun bool
}

// Migrated is what a migration did, or would do.
type Migrated struct {
	// Before and After are the object's managedFields.
	Before, After []metav1.ManagedFieldsEntry
	// Changed is false where From own nothing, so that there is nothing to do.
	Changed bool
}

// NothingToMigrateError says that none of a migration's managers owns anything by Update.
type NothingToMigrateError struct {
	Migration Migration
	// Owners of the object, to choose from.
	Owners []Owner
}

// Error lists the owners that there are.
func (e *NothingToMigrateError) Error() string {
	return fmt.Sprintf("none of %s owns anything by Update; the owners are %s", strings.Join(e.Migration.From, ", "), listed(e.Owners))
}

// Migrate carries a migration out with client-go's csaupgrade. obj names the object by kind, namespace and name; it
// is read anew for each try, so that a write in between is not undone, and is afterwards the object as it is.
//
// csaupgrade unites only entries of one version of the API and drops the fields of the others; Migrate refuses
// such an object.
func Migrate(ctx context.Context, c client.Client, obj client.Object, m Migration) (Migrated, error) {
	var out Migrated
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
			return err //nolint:wrapcheck // RetryOnConflict looks at it, and it is wrapped below.
		}
		// A deep copy, since csaupgrade writes into what it is given.
		out = Migrated{Before: copyOfEntries(obj.GetManagedFields())}
		if err := m.check(out.Before); err != nil {
			return err
		}
		return m.try(ctx, c, obj, &out)
	})
	if err != nil {
		return out, fmt.Errorf("moving fields to manager %q: %w", m.To, err)
	}
	return out, nil
}

func (m Migration) try(ctx context.Context, c client.Client, obj client.Object, out *Migrated) error {
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(obj, sets.New(m.From...), string(m.To), csaupgrade.Subresource(m.Subresource))
	if err != nil {
		return fmt.Errorf("uniting managedFields: %w", err)
	}
	if patch != nil {
		opts := []client.PatchOption{client.FieldOwner(m.To)}
		if m.DryRun {
			opts = append(opts, client.DryRunAll)
		}
		if err := c.Patch(ctx, obj, client.RawPatch(types.JSONPatchType, patch), opts...); err != nil {
			return err //nolint:wrapcheck // The same.
		}
	}
	out.After = copyOfEntries(obj.GetManagedFields())
	out.Changed = !equality.Semantic.DeepEqual(timeless(out.Before), timeless(out.After))
	return nil
}

// check finds what csaupgrade would pass over without a word.
func (m Migration) check(entries []metav1.ManagedFieldsEntry) error {
	var moving, owners []Owner
	for _, e := range entries {
		o := ownerOf(e)
		owners = append(owners, o)
		from := o.Operation == metav1.ManagedFieldsOperationUpdate && slices.Contains(m.From, o.Manager)
		to := o.Operation == metav1.ManagedFieldsOperationApply && o.Manager == string(m.To)
		if o.Subresource == m.Subresource && (from || to) {
			moving = append(moving, o)
		}
	}
	if !slices.ContainsFunc(moving, func(o Owner) bool { return o.Operation == metav1.ManagedFieldsOperationUpdate }) {
		return &NothingToMigrateError{Migration: m, Owners: owners}
	}
	for _, o := range moving {
		if o.APIVersion != moving[0].APIVersion {
			return fmt.Errorf("%s owns fields in %s and %s in %s: only fields of one version can be united; "+
				"have one of them apply in the other's version first", moving[0], moving[0].APIVersion, o, o.APIVersion)
		}
	}
	return nil
}

func copyOfEntries(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	out := make([]metav1.ManagedFieldsEntry, len(entries))
	for i := range entries {
		entries[i].DeepCopyInto(&out[i])
	}
	return out
}
