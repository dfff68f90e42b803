// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"fmt"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/operation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celcommon "k8s.io/apiserver/pkg/cel/common"
)

const subresourceStatus = "status"

// customStrategy does what apiextensions-apiserver (pkg/registry/customresource) does for a kind that a CRD defines and
// that has a status subresource.
type customStrategy struct {
	common

	schema        *structuralschema.Structural
	whole, status validation.SchemaValidator
	rules         customRules
}

// AllowUnconditionalUpdate: an update must name the resourceVersion.
func (*customStrategy) AllowUnconditionalUpdate(context.Context) bool { return false }

// PrepareForCreate drops status: it is written at its own endpoint.
func (*customStrategy) PrepareForCreate(_ context.Context, obj runtime.Object) {
	u := asUnstructured(obj)
	delete(u.Object, "status")
	u.SetGeneration(1)
}

// PrepareForUpdate keeps status as it is, and counts changes of anything but metadata.
func (*customStrategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	u, before := asUnstructured(obj), asUnstructured(old)
	if status, ok := before.Object["status"]; ok {
		u.Object["status"] = status
	} else {
		delete(u.Object, "status")
	}
	if !equality.Semantic.DeepEqual(withoutMetadata(u.Object), withoutMetadata(before.Object)) {
		u.SetGeneration(before.GetGeneration() + 1)
	}
}

func withoutMetadata(object map[string]any) map[string]any {
	out := make(map[string]any, len(object))
	for name, value := range object {
		if name != "metadata" {
			out[name] = value
		}
	}
	return out
}

// Validate checks a new object.
func (s *customStrategy) Validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	u := asUnstructured(obj)
	if errs := s.validateKind(u); len(errs) > 0 {
		return errs
	}
	metadata, errs := metadataOf(u)
	if len(errs) == 0 {
		errs = metavalidation.ValidateObjectMetaDeclaratively(ctx, operation.Create, metadata, nil, s.namespaced, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata"), true)
	}
	errs = append(errs, validation.ValidateCustomResource(nil, u.Object, s.whole)...)
	errs = append(errs, objectmeta.Validate(ctx, nil, u.Object, s.schema, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.schema, u.Object)...)
	return sorted(s.withRules(ctx, errs, u.Object, nil, nil))
}

// ValidateUpdate checks a changed object. What has not changed is not checked again.
func (s *customStrategy) ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	u, before := asUnstructured(obj), asUnstructured(old)
	correlated := s.correlated(u, before)
	errs := s.validateKind(u)
	if len(errs) == 0 {
		errs = s.validateMetadata(ctx, u, before)
	}
	if !sameMaps(withoutMetadata(u.Object), withoutMetadata(before.Object)) {
		errs = append(errs, validation.ValidateCustomResourceUpdate(nil, u.Object, before.Object, s.whole, validation.WithRatcheting(correlated))...)
		errs = append(errs, objectmeta.Validate(ctx, nil, u.Object, s.schema, false)...)
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.schema, u.Object)...)
	}
	return sorted(s.withRules(ctx, errs, u.Object, before.Object, correlated))
}

// validateKind holds an object to the kind.
func (s *customStrategy) validateKind(u *unstructured.Unstructured) field.ErrorList {
	var errs field.ErrorList
	if u.GetKind() != s.gvk.Kind {
		errs = append(errs, field.Invalid(field.NewPath("kind"), u.GetKind(), fmt.Sprintf("must be %v", s.gvk.Kind)))
	}
	if version := s.gvk.GroupVersion().String(); u.GetAPIVersion() != version {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), u.GetAPIVersion(), fmt.Sprintf("must be %v", version)))
	}
	return errs
}

func (s *customStrategy) validateMetadata(ctx context.Context, u, before *unstructured.Unstructured) field.ErrorList {
	metadata, errs := metadataOf(u)
	if len(errs) > 0 {
		return errs
	}
	old, errs := metadataOf(before)
	if len(errs) > 0 {
		return errs
	}
	return metavalidation.ValidateObjectMetaDeclaratively(ctx, operation.Update, metadata, old, s.namespaced, nil, field.NewPath("metadata"), true)
}

func (s *customStrategy) correlated(u, before *unstructured.Unstructured) *celcommon.CorrelatedObject {
	return celcommon.NewCorrelatedObject(u.Object, before.Object, &model.Structural{Structural: s.schema})
}

// blocking are the errors after which CEL rules are not asked.
var blocking = []field.ErrorType{
	field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid,
}

// withRules adds what the CEL rules have against an object, if the other errors let them be asked.
func (s *customStrategy) withRules(ctx context.Context, errs field.ErrorList, object, old map[string]any, correlated *celcommon.CorrelatedObject) field.ErrorList {
	if !s.rules.any() {
		return errs
	}
	for _, err := range errs {
		if slices.Contains(blocking, err.Type) {
			return append(errs, field.Invalid(nil, nil,
				"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"))
		}
	}
	return append(errs, s.rules.check(ctx, object, old, correlated)...)
}

// customStatusStrategy is the strategy of the status endpoint.
type customStatusStrategy struct{ *customStrategy }

// PrepareForUpdate keeps everything but status and managedFields.
func (customStatusStrategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	u := asUnstructured(obj)
	status, there := u.Object["status"]
	owners := u.GetManagedFields()
	*u = *asUnstructured(old).DeepCopy()
	u.SetManagedFields(owners)
	if there {
		u.Object["status"] = status
	} else {
		delete(u.Object, "status")
	}
}

// ValidateUpdate checks a changed status.
func (s customStatusStrategy) ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	u, before := asUnstructured(obj), asUnstructured(old)
	correlated := s.correlated(u, before)
	errs := s.validateMetadata(ctx, u, before)
	if status, there := u.Object["status"]; there {
		errs = append(errs, validation.ValidateCustomResourceUpdate(field.NewPath("status"), status, before.Object["status"], s.status,
			validation.WithRatcheting(correlated.Key("status")))...)
	}
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.schema, u.Object)...)
	return sorted(s.withRules(ctx, errs, u.Object, before.Object, correlated))
}

func asUnstructured(obj runtime.Object) *unstructured.Unstructured {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		panic("a kind that a CRD defines is unstructured")
	}
	return u
}

func metadataOf(u *unstructured.Unstructured) (*metav1.ObjectMeta, field.ErrorList) {
	out := &metav1.ObjectMeta{}
	metadata, ok := u.Object["metadata"].(map[string]any)
	if !ok {
		return out, nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(metadata, out); err != nil {
		return nil, field.ErrorList{field.Invalid(field.NewPath("metadata"), metadata, err.Error())}
	}
	return out, nil
}
