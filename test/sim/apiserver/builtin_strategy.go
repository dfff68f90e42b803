// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// rules are what a kind of Kubernetes' own, or one endpoint of it, adds to what all have in common. All may be nil.
type rules struct {
	// names that objects may have.
	names metavalidation.ValidateNameFunc
	// prepareNew and prepareChanged put an object right before it is checked.
	prepareNew     func(obj client.Object)
	prepareChanged func(obj, old client.Object)
	// check an object; old is nil for a new one.
	check func(obj, old client.Object) field.ErrorList
	// canonical is the last touch.
	canonical func(obj client.Object)
	// putCreates: an update may create.
	putCreates bool
}

// builtInStrategy carries rules out.
type builtInStrategy struct {
	common

	rules rules
}

// AllowUnconditionalUpdate: an update need not name the resourceVersion.
func (builtInStrategy) AllowUnconditionalUpdate(context.Context) bool { return true }

// AllowCreateOnUpdate tells whether an update may create.
func (s builtInStrategy) AllowCreateOnUpdate(context.Context) bool { return s.rules.putCreates }

// PrepareForCreate puts a new object right.
func (s builtInStrategy) PrepareForCreate(_ context.Context, obj runtime.Object) {
	if o, ok := obj.(client.Object); ok && s.rules.prepareNew != nil {
		s.rules.prepareNew(o)
	}
}

// PrepareForUpdate puts a changed object right.
func (s builtInStrategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	o, ok := obj.(client.Object)
	before, also := old.(client.Object)
	if ok && also && s.rules.prepareChanged != nil {
		s.rules.prepareChanged(o, before)
	}
}

// Validate checks a new object.
func (s builtInStrategy) Validate(_ context.Context, obj runtime.Object) field.ErrorList {
	o, ok := obj.(client.Object)
	if !ok {
		return nil
	}
	errs := metavalidation.ValidateObjectMetaAccessor(o, s.namespaced, s.rules.names, field.NewPath("metadata"))
	errs = append(errs, checkFinalizers(o.GetFinalizers())...)
	if s.rules.check != nil {
		errs = append(errs, s.rules.check(o, nil)...)
	}
	return sorted(errs)
}

// ValidateUpdate checks a changed object.
func (s builtInStrategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	o, ok := obj.(client.Object)
	before, also := old.(client.Object)
	if !ok || !also {
		return nil
	}
	errs := checkFinalizers(o.GetFinalizers())
	if s.rules.check != nil {
		errs = append(errs, s.rules.check(o, before)...)
	}
	return sorted(errs)
}

// checkFinalizers wants the names of finalizers qualified, but for standard ones.
func checkFinalizers(finalizers []string) field.ErrorList {
	var errs field.ErrorList
	standard := []string{string(corev1.FinalizerKubernetes), metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}
	for i, f := range finalizers {
		if !strings.Contains(f, "/") && !slices.Contains(standard, f) {
			errs = append(errs, field.Invalid(field.NewPath("metadata", "finalizers").Index(i), f, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return errs
}

// DeclarativeValidationConfig implements [rest.DeclarativeValidationStrategy].
func (builtInStrategy) DeclarativeValidationConfig(context.Context, runtime.Object, runtime.Object) rest.DeclarativeValidationConfig {
	return rest.DeclarativeValidationConfig{}
}

// ValidateDeclaratively is where kube-apiserver lets generated validation take the place of what it covers, so that
// what both find is told once.
func (builtInStrategy) ValidateDeclaratively(_ context.Context, _, _ runtime.Object, errs field.ErrorList, _ operation.Type, _ rest.DeclarativeValidationConfig) field.ErrorList {
	var out field.ErrorList
	for _, err := range errs {
		if !slices.ContainsFunc(out, func(o *field.Error) bool { return o.Error() == err.Error() }) {
			out = append(out, err)
		}
	}
	return out
}

// Canonicalize is the last touch.
func (s builtInStrategy) Canonicalize(obj runtime.Object) {
	if o, ok := obj.(client.Object); ok && s.rules.canonical != nil {
		s.rules.canonical(o)
	}
}

// checking makes a check of any object of one of a type; old is its zero value for a new object.
func checking[T client.Object](check func(obj, old T) field.ErrorList) func(obj, old client.Object) field.ErrorList {
	return func(obj, old client.Object) field.ErrorList {
		typed, ok := obj.(T)
		if !ok {
			return nil
		}
		before, _ := old.(T)
		return check(typed, before)
	}
}
