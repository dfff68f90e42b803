// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Release gives up all that a manager owns of an object at an endpoint. What it alone owned goes, and what others
// own too stays. Where the API server refuses since a required field would go, that field's value stays and has no
// owner afterwards: whoever applies it next, with whatever value, owns it. Other managers' values never change.
//
// The first is one apply; the second is another apply and a rewrite of managedFields, each guarded by the
// resourceVersion of the one before. An interrupted release is repeated from the start.
//
// Without any other owner the managedFields are empty then, and the API server gives all that is left to
// before-first-apply as soon as somebody applies.
func (a *Applier) Release(ctx context.Context, live client.Object, m Manager, subresource string) (Result, error) {
	before, err := a.predictor.unstructured(live)
	if err != nil {
		return Result{}, err
	}
	if before == nil {
		return Result{}, fmt.Errorf("%s can release only an object that it is shown", m)
	}
	empty := guarded(identityOf(before), before, subresource)
	draft, err := a.Draft(live, Intent{Config: client.ApplyConfigurationFromUnstructured(empty), Manager: m, Subresource: subresource})
	if err != nil {
		return Result{}, err
	}
	result, err := a.Send(ctx, draft)
	if !apierrors.IsInvalid(err) || IsGone(err) {
		return result, err
	}
	own := entryOf(before.GetManagedFields(), m, subresource)
	if own == nil {
		return Result{}, err
	}
	return a.releaseKeeping(ctx, draft, own, err)
}

// releaseKeeping releases a manager that must leave values behind. The API server looks at its rules only once all
// that is required is there, so that one refusal may follow another.
func (a *Applier) releaseKeeping(ctx context.Context, d *Draft, own *metav1.ManagedFieldsEntry, refusal error) (Result, error) {
	kept := fieldpath.NewSet()
	for {
		more, err := refusedOf(d, own, refusal)
		if err != nil {
			return Result{}, err
		}
		if more.Difference(kept).Empty() {
			// The refusal is about the whole, so that everything stays.
			return a.disown(ctx, d.before, own, d.intent.Manager)
		}
		kept = kept.Union(more)
		config, err := a.configOf(d, kept)
		if err != nil {
			return Result{}, err
		}
		d, err = a.Draft(d.live, Intent{Config: config, Manager: d.intent.Manager, Subresource: d.intent.Subresource})
		if err != nil {
			return Result{}, err
		}
		result, err := a.Send(ctx, d)
		switch {
		case apierrors.IsInvalid(err) && !IsGone(err):
			refusal = err
		case err != nil:
			return Result{}, err
		case result.Outcome == Skipped:
			return a.disown(ctx, d.before, own, d.intent.Manager)
		default:
			after, err := bodyOf(config)
			if err != nil {
				return Result{}, err
			}
			return a.disown(ctx, after, own, d.intent.Manager)
		}
	}
}

// disown takes a manager's entry out of an object's managedFields.
func (a *Applier) disown(ctx context.Context, of *unstructured.Unstructured, own *metav1.ManagedFieldsEntry, as Manager) (Result, error) {
	return a.setManagedFields(ctx, of, of.GetResourceVersion(), withoutOwner(of.GetManagedFields(), ownerOf(*own)), as)
}

// refusedOf are the leaves of an entry that the API server does not let go.
func refusedOf(d *Draft, own *metav1.ManagedFieldsEntry, refusal error) (*fieldpath.Set, error) {
	out := fieldpath.NewSet()
	set, err := FieldsOf(*own)
	if err != nil || d.prediction.Object == nil {
		return out, err
	}
	set.Leaves().Iterate(func(path fieldpath.Path) {
		if isRefused(indexed(d.prediction.Object.Object, path), refusal) {
			out.Insert(path.Copy())
		}
	})
	return out, nil
}

// configOf is the intent of some fields as they are, guarded by the resourceVersion that they were read at.
func (a *Applier) configOf(d *Draft, fields *fieldpath.Set) (runtime.ApplyConfiguration, error) {
	m, err := a.predictor.mergers.of(d.before.GroupVersionKind(), d.intent.Subresource)
	if err != nil {
		return nil, err
	}
	out, err := m.extract(d.before, fields, d.intent.Subresource)
	if err != nil {
		return nil, err
	}
	out.SetResourceVersion(d.before.GetResourceVersion())
	return client.ApplyConfigurationFromUnstructured(out), nil
}

// isRefused tells whether an API server's refusal is about a field or what it is part of. The path is as
// validation writes it, with the indexes of lists.
func isRefused(path string, refusal error) bool {
	for _, cause := range details(refusal) {
		if rest, below := strings.CutPrefix(path, cause.Field); below && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// indexed writes a path as validation does for an object: items of lists by their index.
func indexed(object map[string]any, path fieldpath.Path) string {
	var b strings.Builder
	var at any = object
	for _, element := range path {
		if element.FieldName != nil {
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(*element.FieldName)
		} else {
			items, _ := at.([]any)
			b.WriteString("[" + strconv.Itoa(indexOf(items, element)) + "]")
		}
		at, _ = step(at, element)
	}
	return b.String()
}

// identityOf is an object with nothing but its identity.
func identityOf(of *unstructured.Unstructured) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetGroupVersionKind(of.GroupVersionKind())
	out.SetNamespace(of.GetNamespace())
	out.SetName(of.GetName())
	return out
}

// guarded gives an intent the guard that its endpoint needs; see Intent.
func guarded(body, of *unstructured.Unstructured, subresource string) *unstructured.Unstructured {
	if subresource == SubresourceStatus {
		body.SetResourceVersion(of.GetResourceVersion())
	} else {
		body.SetUID(of.GetUID())
	}
	return body
}
