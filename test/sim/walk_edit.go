// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// edit makes the n-th edit. It is done if the schema allows it.
func (k *walk) edit(obj *walked, n int) (done bool, err error) {
	d := &drawer{specSchema: k.schema, random: stepRandom(k.seed, n), name: obj.name, number: obj.number}
	e := d.draw(obj.applied)
	obj.whim = d.oneIn(10)
	against := k.schema.against(e.next, obj.applied)
	k.world.trace("edit %d of %s: %s: the schema has %v against it", n, obj.name, e.what, against.ToAggregate())
	if len(e.broken) > 0 && len(against) == 0 {
		k.violated(obj, "edit %d: %s: the schema allows it", n, e.what)
		return false, nil
	}
	if len(against) > 0 {
		k.tally.refusedBySchema++
		return false, k.refused(obj, e, against)
	}
	k.tally.allowed++
	obj.latent = !k.isSound(obj)
	obj.what = fmt.Sprintf("edit %d: %s", n, e.what)
	if err := k.apply(obj, e.next); err != nil {
		k.violated(obj, "the schema allows it, and the API server does not: %v", err)
		return false, nil
	}
	return true, nil
}

// refused has the API server refuse what the schema does not allow: with the field's name, and without a trace.
func (k *walk) refused(obj *walked, e edit, against field.ErrorList) error {
	before, err := k.world.get(obj.name)
	if err != nil {
		return err
	}
	err = k.send(namespace, obj.name, e.next)
	after, getErr := k.world.get(obj.name)
	if getErr != nil {
		return getErr
	}
	names := e.broken
	if len(names) == 0 {
		for _, wrong := range against {
			names = append(names, lastName(wrong.Field))
		}
	}
	switch {
	case err == nil:
		k.violated(obj, "%s: the schema has %v against it, and the API server takes it", e.what, against.ToAggregate())
	case !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) && !isSchemaError(err):
		return fmt.Errorf("applying to %s: %w", obj.name, err)
	case !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(err.Error(), name) }):
		k.violated(obj, "%s: the refusal names none of %v: %v", e.what, names, err)
	case !reflect.DeepEqual(before, after):
		k.violated(obj, "%s: it was refused, and something has changed", e.what)
	}
	return nil
}

// isSchemaError tells a refusal by the merge code, which has no type of its own.
func isSchemaError(err error) bool {
	return apierrors.ReasonForError(err) == metav1.StatusReasonUnknown && strings.Contains(err.Error(), ".spec")
}

// apply applies a spec to an object, and remembers it.
func (k *walk) apply(obj *walked, next spec) error {
	if err := k.send(namespace, obj.name, next); err != nil {
		return err
	}
	obj.before, obj.applied = obj.applied, next
	had, has := k.schema.leaves(obj.before), k.schema.leaves(next)
	obj.gaveUp = false
	for path := range had {
		obj.gaveUp = obj.gaveUp || !has[path]
	}
	for path := range has {
		obj.ever[path] = true
	}
	return nil
}

// send applies a spec as the user.
func (k *walk) send(in, name string, next spec) error {
	u := &unstructured.Unstructured{Object: spec{"spec": runtime.DeepCopyJSON(next)}}
	u.SetGroupVersionKind(instanceKind)
	u.SetNamespace(in)
	u.SetName(name)
	return k.world.user.Apply(context.Background(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(userName), client.ForceOwnership)
}
