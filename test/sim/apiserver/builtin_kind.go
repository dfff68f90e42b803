// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	clientgoac "k8s.io/client-go/applyconfigurations"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kjson "sigs.k8s.io/json"
)

// builtInKinds are Kubernetes' own.
func builtInKinds(scheme *runtime.Scheme) ([]*kind, error) {
	types := clientgoac.NewTypeConverter(scheme)
	var out []*kind
	for _, b := range []builtIn{
		namespaceKind(), secretKind(), configMapKind(), serviceKind(), endpointSliceKind(),
	} {
		k, err := b.build(types)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// builtIn is a kind of Kubernetes' own.
type builtIn struct {
	kind

	model typedModel
	// rules of the object, and of its status endpoint where it has one.
	rules  rules
	status *rules
}

func (b builtIn) build(types managedfields.TypeConverter) (*kind, error) {
	k := b.kind
	b.model.gvk = k.gvk
	main := builtInStrategy{common: common{gvk: k.gvk, namespaced: k.namespaced}, rules: b.rules}
	k.codec, k.create, k.endpoints = b.model, main, map[string]*endpoint{}
	var resets []string
	if b.status != nil {
		resets = []string{"status"}
		status, err := newEndpoint(k.gvk, subresourceStatus, types, b.model, builtInStrategy{common: main.common, rules: *b.status}, "spec")
		if err != nil {
			return nil, err
		}
		k.endpoints[subresourceStatus] = status
	}
	object, err := newEndpoint(k.gvk, "", types, b.model, main, resets...)
	k.endpoints[""] = object
	return &k, err
}

// typedModel is the form of Kubernetes' own kinds: Go types.
type typedModel struct {
	oneVersion

	gvk  schema.GroupVersionKind
	make func() client.Object
	// defaults of the version, what reading an object makes of it, and what storing it does; any may be nil.
	defaults, reads, stores func(client.Object)
}

func (m typedModel) ConvertToVersion(in runtime.Object, gv runtime.GroupVersioner) (runtime.Object, error) {
	if !isVersion(m.gvk, gv) {
		return nil, runtime.NewNotRegisteredErrForTarget("apiserver", reflect.TypeOf(in), gv)
	}
	if u, ok := in.(*unstructured.Unstructured); ok {
		return m.read(u.Object)
	}
	return in, nil
}

func (m typedModel) New(schema.GroupVersionKind) (runtime.Object, error) { return m.fresh(), nil }

func (m typedModel) Default(in runtime.Object) {
	if obj, ok := in.(client.Object); ok && m.defaults != nil {
		m.defaults(obj)
	}
}

func (m typedModel) fresh() client.Object {
	out := m.make()
	out.GetObjectKind().SetGroupVersionKind(m.gvk)
	return out
}

func (m typedModel) decode(body []byte) (client.Object, error) {
	out := m.make()
	if err := kjson.UnmarshalCaseSensitivePreserveInts(body, out); err != nil {
		return nil, err
	}
	withKind(out, m.gvk)
	if said := out.GetObjectKind().GroupVersionKind(); said.Kind != m.gvk.Kind {
		return nil, runtime.NewNotRegisteredErrForKind("apiserver", said)
	}
	if m.reads != nil {
		m.reads(out)
	}
	m.Default(out)
	return out, nil
}

// read reads what the merge code or the store has.
func (m typedModel) read(content map[string]any) (client.Object, error) {
	out := m.make()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, out); err != nil {
		return nil, err
	}
	out.GetObjectKind().SetGroupVersionKind(m.gvk)
	if m.reads != nil {
		m.reads(out)
	}
	return out, nil
}

func (m typedModel) encode(obj client.Object) (map[string]any, error) {
	if m.stores != nil {
		m.stores(obj)
	}
	return content(obj)
}

func (m typedModel) load(raw map[string]any) (client.Object, error) {
	out, err := m.read(raw)
	if err == nil {
		m.Default(out)
	}
	return out, err
}

func kindOf(gv schema.GroupVersion, name, resource string, namespaced bool) kind {
	return kind{gvk: gv.WithKind(name), resource: resource, namespaced: namespaced, folder: "/" + resource}
}

func namespaceKind() builtIn {
	status := namespaceStatusRules()
	k := kindOf(corev1.SchemeGroupVersion, "Namespace", "namespaces", false)
	k.held = func(obj client.Object) bool {
		n, ok := obj.(*corev1.Namespace)
		return ok && len(n.Spec.Finalizers) > 0
	}
	return builtIn{
		kind:  k,
		model: typedModel{make: func() client.Object { return &corev1.Namespace{} }, defaults: on(defaultNamespace)},
		rules: namespaceRules(), status: &status,
	}
}

func secretKind() builtIn {
	return builtIn{
		kind:  kindOf(corev1.SchemeGroupVersion, "Secret", "secrets", true),
		model: typedModel{make: func() client.Object { return &corev1.Secret{} }, defaults: on(defaultSecret), reads: on(moveStringData)},
		rules: secretRules(),
	}
}

func configMapKind() builtIn {
	return builtIn{
		kind:  kindOf(corev1.SchemeGroupVersion, "ConfigMap", "configmaps", true),
		model: typedModel{make: func() client.Object { return &corev1.ConfigMap{} }, defaults: on(defaultConfigMap)},
		rules: configMapRules(),
	}
}

func serviceKind() builtIn {
	k := kindOf(corev1.SchemeGroupVersion, "Service", "services", true)
	k.folder = "/services/specs"
	k.beginCreate, k.beginUpdate = allotNew, allotChanged
	status := serviceStatusRules()
	return builtIn{
		kind:  k,
		model: typedModel{make: func() client.Object { return &corev1.Service{} }, defaults: on(defaultService)},
		rules: serviceRules(), status: &status,
	}
}

func endpointSliceKind() builtIn {
	return builtIn{
		kind: kindOf(discoveryv1.SchemeGroupVersion, "EndpointSlice", "endpointslices", true),
		model: typedModel{
			make: func() client.Object { return &discoveryv1.EndpointSlice{} }, defaults: on(defaultEndpointSlice), stores: on(dropEmptyLists),
		},
		rules: endpointSliceRules(),
	}
}

// on makes a function of any object of one of a type.
func on[T client.Object](do func(T)) func(client.Object) {
	return func(obj client.Object) {
		if typed, ok := obj.(T); ok {
			do(typed)
		}
	}
}

// onTwo is on for two objects.
func onTwo[T client.Object](do func(obj, old T)) func(obj, old client.Object) {
	return func(obj, old client.Object) {
		a, ok := obj.(T)
		b, also := old.(T)
		if ok && also {
			do(a, b)
		}
	}
}
