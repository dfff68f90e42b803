// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// server does with one object what the API server does with a custom resource
// (apiextensions-apiserver, pkg/registry/customresource), except for defaults. It is not controller-runtime's fake
// client, since that claims an empty status for whoever applies the object.
type server struct {
	converter managedfields.TypeConverter
	kind      schema.GroupVersionKind
	// object is nil while there is none.
	object  *unstructured.Unstructured
	version int
	// sent counts the applies, and requests all that could change something.
	sent, requests int
	// answer is given instead of what would come of an apply; nil for the truth.
	answer instanceConfig
	// validate finds what is wrong with an object; nil finds nothing.
	validate func(*unstructured.Unstructured) field.ErrorList
	// before runs before each request that could change something; its error is the answer.
	before func(verb string) error
	// deletions are the preconditions of the deletions.
	deletions []client.Preconditions
}

// serverUID is the uid that the object gets.
const serverUID = "u-1"

var gvk = ec2v1.SchemeGroupVersion.WithKind("EC2Instance")

// The verbs of requests.
const (
	verbApply  = "apply"
	verbPatch  = "patch"
	verbDelete = "delete"
)

// begins counts a request.
func (s *server) begins(verb string) error {
	s.requests++
	if s.before == nil {
		return nil
	}
	return s.before(verb)
}

func (s *server) apply(patch *unstructured.Unstructured, subresource, manager string, force bool) (*unstructured.Unstructured, error) {
	s.sent++
	if err := s.begins(verbApply); err != nil {
		return nil, err
	}
	live, err := s.admit(patch, subresource)
	if err != nil {
		return nil, err
	}
	merged, err := s.merge(live, patch, subresource, manager, force)
	if err != nil {
		return nil, err
	}
	if err := s.guards(patch, subresource); err != nil {
		return nil, err
	}
	// Only the endpoint's own part of the object changes.
	kept := []string{"status"}
	if subresource != "" {
		kept = []string{"spec"}
	}
	keep(merged.Object, live.Object, kept...)
	return s.store(live, merged)
}

// store validates an object and makes it the one that there is, unless it is the same.
func (s *server) store(live, merged *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if s.validate != nil {
		if wrong := s.validate(merged); len(wrong) > 0 {
			return nil, apierrors.NewInvalid(s.kind.GroupKind(), merged.GetName(), wrong)
		}
	}
	merged.SetUID(serverUID)
	merged.SetResourceVersion(live.GetResourceVersion())
	if s.object == nil || !reflect.DeepEqual(withoutTimes(live), withoutTimes(merged)) {
		s.version++
		merged.SetResourceVersion(strconv.Itoa(s.version))
		s.object = merged
	}
	if s.object.GetDeletionTimestamp() != nil && len(s.object.GetFinalizers()) == 0 {
		gone := s.object
		s.object = nil
		return gone, nil
	}
	return s.object.DeepCopy(), nil
}

// admit returns the object to merge with.
func (s *server) admit(patch *unstructured.Unstructured, subresource string) (*unstructured.Unstructured, error) {
	if s.object == nil {
		if subresource != "" {
			return nil, errNotFound
		}
		if patch.GetUID() != "" {
			return nil, errUIDOfNone
		}
		return s.empty(), nil
	}
	return s.object.DeepCopy(), nil
}

// guards are checked after the merge: a conflict of ownership is told first.
func (s *server) guards(patch *unstructured.Unstructured, subresource string) error {
	if s.object == nil {
		return nil
	}
	if version := patch.GetResourceVersion(); version != "" && version != s.object.GetResourceVersion() {
		return errOldVersion
	}
	if uid := patch.GetUID(); uid != "" && uid != s.object.GetUID() && subresource == "" {
		return apierrors.NewInvalid(s.kind.GroupKind(), patch.GetName(), field.ErrorList{field.Invalid(field.NewPath("metadata", "uid"), uid, "field is immutable")})
	}
	return nil
}

func (s *server) empty() *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetGroupVersionKind(s.kind)
	return out
}

func (s *server) merge(live, patch *unstructured.Unstructured, subresource, manager string, force bool) (*unstructured.Unstructured, error) {
	fm, err := s.fieldManager(subresource)
	if err != nil {
		return nil, err
	}
	applied, err := fm.Apply(live, patch.DeepCopy(), manager, force)
	if err != nil {
		return nil, err
	}
	return untyped(applied)
}

func (s *server) fieldManager(subresource string) (*managedfields.FieldManager, error) {
	reset := fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
	if subresource != "" {
		reset = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
	}
	fm, err := managedfields.NewDefaultCRDFieldManager(s.converter, oneVersion{}, noDefaults{}, creater{}, s.kind, s.kind.GroupVersion(), subresource,
		fieldpath.NewExcludeFilterSetMap(map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(s.kind.GroupVersion().String()): reset}))
	if err != nil {
		return nil, fmt.Errorf("building the merge: %w", err)
	}
	return fm, nil
}

func untyped(obj runtime.Object) (*unstructured.Unstructured, error) {
	out, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil, errors.New("merged into another type")
	}
	return out, nil
}

func withoutTimes(u *unstructured.Unstructured) map[string]any {
	out := u.DeepCopy()
	entries := out.GetManagedFields()
	for i := range entries {
		entries[i].Time = nil
	}
	out.SetManagedFields(entries)
	return out.Object
}
