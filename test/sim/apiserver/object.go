// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// codec turns the content of a kind's objects into the form that the server works on, and back.
type codec interface {
	// fresh returns an object with nothing but its kind.
	fresh() client.Object
	// decode reads what a client sent: unknown fields are dropped, and defaults are set. The kind is what it says there.
	decode(body []byte) (client.Object, error)
	// encode returns what is stored of an object. It may keep and change obj.
	encode(obj client.Object) (map[string]any, error)
	// load reads what is stored, and sets defaults. It may keep raw.
	load(raw map[string]any) (client.Object, error)
}

// stored is an object in the store. Nothing of it changes.
type stored struct {
	raw     map[string]any
	loaded  client.Object
	version int64
}

// copy returns an object of its own.
func copyOf(obj client.Object) client.Object {
	out, _ := obj.DeepCopyObject().(client.Object) // A copy is of the same type.
	return out
}

// content returns the object as it is sent to clients.
func content(obj client.Object) (map[string]any, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return u.Object, nil
	}
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("converting %T: %w", obj, err)
	}
	return out, nil
}

// withKind gives an object that does not say of what kind it is the kind of the endpoint.
func withKind(obj client.Object, gvk schema.GroupVersionKind) {
	apiVersion, kind := obj.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	if kind == "" {
		kind = gvk.Kind
	}
	if apiVersion == "" {
		apiVersion = gvk.GroupVersion().String()
	}
	obj.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, kind))
}

// sameJSON tells whether two values are the same text when they are written as JSON.
func sameJSON(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && sameMaps(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && (a == nil) == (b == nil) && slices.EqualFunc(a, b, sameJSON)
	case int64, float64:
		return a == b || number(a) == number(b)
	default:
		return a == b
	}
}

func sameMaps(a, b map[string]any) bool {
	if len(a) != len(b) || (a == nil) != (b == nil) {
		return false
	}
	for key, value := range a {
		if other, there := b[key]; !there || !sameJSON(value, other) {
			return false
		}
	}
	return true
}

func number(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

// versionOf reads a resourceVersion; 0 stands for none.
func versionOf(obj metav1.Object) (int64, error) {
	if obj.GetResourceVersion() == "" {
		return 0, nil
	}
	v, err := strconv.ParseUint(obj.GetResourceVersion(), 10, 63)
	if err != nil {
		return 0, field.Invalid(field.NewPath("metadata", "resourceVersion"), obj.GetResourceVersion(), err.Error())
	}
	return int64(v), nil
}

func versionText(v int64) string { return strconv.FormatInt(v, 10) }

// common is the part of a strategy (apiserver, registry/rest) that is the same for all kinds.
type common struct {
	gvk        schema.GroupVersionKind
	namespaced bool
}

func (c common) ObjectKinds(runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	return []schema.GroupVersionKind{c.gvk}, false, nil
}
func (c common) Recognizes(gvk schema.GroupVersionKind) bool { return gvk == c.gvk }
func (c common) NamespaceScoped() bool                       { return c.namespaced }

// GenerateName is not called: the server makes names, which must be the same in each run.
func (common) GenerateName(base string) string                                           { return base }
func (common) WarningsOnCreate(context.Context, runtime.Object) []string                 { return nil }
func (common) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string { return nil }
func (common) Canonicalize(runtime.Object)                                               {}
func (common) AllowCreateOnUpdate(context.Context) bool                                  { return false }

// sorted puts errors into an order: validation goes over maps.
func sorted(errs field.ErrorList) field.ErrorList {
	slices.SortStableFunc(errs, func(a, b *field.Error) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Error(), b.Error()))
	})
	return errs
}
