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
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// server does with one EC2Instance what the API server does with a custom resource that is applied
// (apiextensions-apiserver, pkg/registry/customresource), except for defaults and validation. It is not
// controller-runtime's fake client, since that claims an empty status for whoever applies the object.
type server struct {
	converter managedfields.TypeConverter
	// object is nil while there is none.
	object  *unstructured.Unstructured
	version int
	// sent counts the applies.
	sent int
}

// serverUID is the uid that the object gets.
const serverUID = "u-1"

var gvk = ec2v1.SchemeGroupVersion.WithKind("EC2Instance")

func (s *server) apply(patch *unstructured.Unstructured, subresource, manager string, force bool) (*unstructured.Unstructured, error) {
	s.sent++
	live, err := s.admit(patch, subresource)
	if err != nil {
		return nil, err
	}
	merged, err := s.merge(live, patch, subresource, manager, force)
	if err != nil {
		return nil, err
	}
	// Only the endpoint's own part of the object changes.
	kept := []string{"status"}
	if subresource != "" {
		kept = []string{"spec"}
	}
	for _, name := range kept {
		delete(merged.Object, name)
		if part, ok := live.Object[name]; ok {
			merged.Object[name] = part
		}
	}
	merged.SetUID(serverUID)
	merged.SetResourceVersion(live.GetResourceVersion())
	if s.object == nil || !reflect.DeepEqual(withoutTimes(live), withoutTimes(merged)) {
		s.version++
		merged.SetResourceVersion(strconv.Itoa(s.version))
		s.object = merged
	}
	return s.object.DeepCopy(), nil
}

// admit checks the guards and returns the object to merge with.
func (s *server) admit(patch *unstructured.Unstructured, subresource string) (*unstructured.Unstructured, error) {
	if s.object == nil {
		if subresource != "" {
			return nil, errNotFound
		}
		if patch.GetUID() != "" {
			return nil, errUIDOfNone
		}
		live := &unstructured.Unstructured{Object: map[string]any{}}
		live.SetGroupVersionKind(gvk)
		return live, nil
	}
	if version := patch.GetResourceVersion(); version != "" && version != s.object.GetResourceVersion() {
		return nil, errOldVersion
	}
	if uid := patch.GetUID(); uid != "" && uid != s.object.GetUID() && subresource == "" {
		return nil, apierrors.NewInvalid(gvk.GroupKind(), patch.GetName(), field.ErrorList{field.Invalid(field.NewPath("metadata", "uid"), uid, "field is immutable")})
	}
	return s.object.DeepCopy(), nil
}

func (s *server) merge(live, patch *unstructured.Unstructured, subresource, manager string, force bool) (*unstructured.Unstructured, error) {
	reset := fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
	if subresource != "" {
		reset = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
	}
	fm, err := managedfields.NewDefaultCRDFieldManager(s.converter, oneVersion{}, noDefaults{}, creater{}, gvk, gvk.GroupVersion(), subresource,
		fieldpath.NewExcludeFilterSetMap(map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(gvk.GroupVersion().String()): reset}))
	if err != nil {
		return nil, fmt.Errorf("building the merge: %w", err)
	}
	applied, err := fm.Apply(live, patch.DeepCopy(), manager, force)
	if err != nil {
		return nil, err
	}
	out, ok := applied.(*unstructured.Unstructured)
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
