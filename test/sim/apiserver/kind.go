// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/config/crd"
)

// kind is one kind of object. It is shared by all servers of the process.
type kind struct {
	gvk        schema.GroupVersionKind
	resource   string
	namespaced bool
	// folder is where etcd would have the objects: it is in error texts.
	folder string
	codec  codec
	create rest.RESTCreateStrategy
	// endpoints by subresource; "" is the object itself.
	endpoints map[string]*endpoint

	// beginCreate and beginUpdate set what the server allots (addresses, ports).
	beginCreate func(s *Server, obj client.Object) error
	beginUpdate func(s *Server, obj, old client.Object) error
	// held tells whether an object that could go must stay.
	held func(obj client.Object) bool
}

// endpoint is where objects of a kind are written.
type endpoint struct {
	subresource string
	manager     *managedfields.FieldManager
	update      rest.RESTUpdateStrategy
}

func (k *kind) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: k.gvk.Group, Resource: k.resource}
}

// catalog is all that the servers of a process share.
type catalog struct {
	scheme     *runtime.Scheme
	mapper     meta.RESTMapper
	byResource map[schema.GroupVersionResource]*kind
	byKind     map[schema.GroupKind]*kind
	// sorted are the kinds in one order.
	sorted []*kind
}

// shared is made once: schemas, CEL programs and merges take long to compile.
var shared = sync.OnceValues(newCatalog)

// Scheme is what the server knows.
func Scheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), discoveryv1.AddToScheme(scheme), ec2v1.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("building the scheme: %w", err)
	}
	return scheme, nil
}

func newCatalog() (*catalog, error) {
	scheme, err := Scheme()
	if err != nil {
		return nil, err
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	out := &catalog{
		scheme: scheme, mapper: mapper,
		byResource: map[schema.GroupVersionResource]*kind{}, byKind: map[schema.GroupKind]*kind{},
	}
	kinds, err := builtInKinds(scheme)
	if err != nil {
		return nil, err
	}
	definitions, err := crd.All()
	if err != nil {
		return nil, fmt.Errorf("reading the CRDs: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		k, err := customKind(scheme, definitions[name])
		if err != nil {
			return nil, fmt.Errorf("compiling %s: %w", name, err)
		}
		kinds = append(kinds, k)
	}
	for _, k := range kinds {
		out.add(k, mapper)
	}
	return out, nil
}

func (c *catalog) add(k *kind, mapper *meta.DefaultRESTMapper) {
	gvr := k.gvk.GroupVersion().WithResource(k.resource)
	scope := meta.RESTScopeRoot
	if k.namespaced {
		scope = meta.RESTScopeNamespace
	}
	mapper.AddSpecific(k.gvk, gvr, gvr, scope)
	c.byResource[gvr], c.byKind[k.gvk.GroupKind()] = k, k
	c.sorted = append(c.sorted, k)
}

// newEndpoint makes the merge of a kind at an endpoint. resets are the fields that are neither changed nor recorded there.
func newEndpoint(gvk schema.GroupVersionKind, subresource string, types managedfields.TypeConverter, m form, strategy rest.RESTUpdateStrategy, resets ...string) (*endpoint, error) {
	reset := fieldpath.NewSet()
	for _, name := range resets {
		reset.Insert(fieldpath.MakePathOrDie(name))
	}
	filters := map[fieldpath.APIVersion]fieldpath.Filter{}
	if !reset.Empty() {
		filters[fieldpath.APIVersion(gvk.GroupVersion().String())] = fieldpath.NewExcludeSetFilter(reset)
	}
	manager, err := managedfields.NewDefaultCRDFieldManager(types, m, m, m, gvk, gvk.GroupVersion(), subresource, filters)
	if err != nil {
		return nil, fmt.Errorf("building the merge of %s: %w", gvk.Kind, err)
	}
	return &endpoint{subresource: subresource, manager: manager, update: strategy}, nil
}

// form is what the merge code asks for: conversion, defaults and new objects.
type form interface {
	runtime.ObjectConvertor
	runtime.ObjectDefaulter
	runtime.ObjectCreater
}

// oneVersion converts between the versions of kinds that have only one.
type oneVersion struct{}

var errOneVersion = errors.New("the kind has only one version")

func (oneVersion) Convert(_, _, _ any) error { return errOneVersion }

func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// isVersion tells whether gv is the version of gvk; managedFields may name any.
func isVersion(gvk schema.GroupVersionKind, gv runtime.GroupVersioner) bool {
	_, ok := gv.KindForGroupVersionKinds([]schema.GroupVersionKind{gvk})
	return ok
}
