// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lagcache

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

// view holds the objects of one kind in one form. Its cache's lock guards it.
type view struct {
	cache    *Cache
	key      viewKey
	selector labels.Selector
	objects  map[types.NamespacedName]client.Object
	indexers map[string]client.IndexerFunc
	handlers []*registration
}

func newView(c *Cache, key viewKey, selector labels.Selector) *view {
	if selector == nil {
		selector = labels.Everything()
	}
	return &view{cache: c, key: key, selector: selector, objects: map[types.NamespacedName]client.Object{}, indexers: map[string]client.IndexerFunc{}}
}

// sorted are the views in one order.
func (c *Cache) sorted() []*view {
	out := make([]*view, 0, len(c.views))
	for _, v := range c.views {
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b *view) int {
		return cmp.Or(cmp.Compare(a.key.GroupVersionKind.String(), b.key.GroupVersionKind.String()), cmp.Compare(a.key.form, b.key.form))
	})
	return out
}

func gone(c apiserver.Change) bool { return c.Type == watch.Deleted }

// apply takes a change in, and returns what is to be told of it. An object that loses the label is gone, to this view.
func (v *view) apply(change apiserver.Change) ([]func(), error) {
	key := change.Key()
	before, had := v.objects[key]
	has := !gone(change) && v.selector.Matches(labels.Set(change.Object.GetLabels()))
	if !had && !has {
		return nil, nil
	}
	if !has {
		delete(v.objects, key)
		last := v.out(before)
		last.SetResourceVersion(change.Object.GetResourceVersion())
		return v.tell(func(h toolscache.ResourceEventHandler) { h.OnDelete(v.out(last)) }), nil
	}
	after, err := v.convert(change.Object)
	if err != nil {
		return nil, err
	}
	v.objects[key] = after
	if !had {
		return v.tell(func(h toolscache.ResourceEventHandler) { h.OnAdd(v.out(after), false) }), nil
	}
	return v.tell(func(h toolscache.ResourceEventHandler) { h.OnUpdate(v.out(before), v.out(after)) }), nil
}

// relist takes a world in, and returns what is to be told of it.
func (v *view) relist(world map[objectKey]*unstructured.Unstructured) ([]func(), error) {
	var told []func()
	initial := !v.cache.listed
	there := map[types.NamespacedName]bool{}
	for _, obj := range v.among(world) {
		key := client.ObjectKeyFromObject(obj)
		there[key] = true
		before, had := v.objects[key]
		after, err := v.convert(obj)
		if err != nil {
			return nil, err
		}
		v.objects[key] = after
		if had {
			told = append(told, v.tell(func(h toolscache.ResourceEventHandler) { h.OnUpdate(v.out(before), v.out(after)) })...)
		} else {
			told = append(told, v.tell(func(h toolscache.ResourceEventHandler) { h.OnAdd(v.out(after), initial) })...)
		}
	}
	for _, lost := range v.all() {
		key := client.ObjectKeyFromObject(lost)
		if there[key] {
			continue
		}
		delete(v.objects, key)
		told = append(told, v.tell(func(h toolscache.ResourceEventHandler) {
			h.OnDelete(toolscache.DeletedFinalStateUnknown{Key: strings.TrimPrefix(key.String(), "/"), Obj: v.out(lost)})
		})...)
	}
	return told, nil
}

// among are the view's objects in a world, by namespace and name.
func (v *view) among(world map[objectKey]*unstructured.Unstructured) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for key, obj := range world {
		if key.GroupVersionKind == v.key.GroupVersionKind && v.selector.Matches(labels.Set(obj.GetLabels())) {
			out = append(out, obj)
		}
	}
	slices.SortFunc(out, func(a, b *unstructured.Unstructured) int { return byKey(a, b) })
	return out
}

func byKey(a, b client.Object) int {
	return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
}

// all are the view's objects, by namespace and name.
func (v *view) all() []client.Object {
	out := make([]client.Object, 0, len(v.objects))
	for _, obj := range v.objects {
		out = append(out, obj)
	}
	slices.SortFunc(out, byKey)
	return out
}

// tell is one call for each handler that there is now.
func (v *view) tell(do func(toolscache.ResourceEventHandler)) []func() {
	var out []func()
	for _, r := range v.handlers {
		out = append(out, func() {
			if !v.cache.isRemoved(r) {
				do(r.handler)
			}
		})
	}
	return out
}

func (c *Cache) isRemoved(r *registration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return r.removed
}

// out is a copy for others.
func (v *view) out(obj client.Object) client.Object {
	out, _ := obj.DeepCopyObject().(client.Object) // A copy is of the same type.
	return out
}

// convert brings an object of the history into the view's form.
func (v *view) convert(obj *unstructured.Unstructured) (client.Object, error) {
	switch v.key.form {
	case untyped:
		return obj.DeepCopy(), nil
	case metadataOnly:
		out := &metav1.PartialObjectMetadata{}
		content := map[string]any{"metadata": obj.Object["metadata"]}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, out); err != nil {
			return nil, fmt.Errorf("reading the metadata of %s: %w", v.key.Kind, err)
		}
		out.SetGroupVersionKind(v.key.GroupVersionKind)
		return out, nil
	default:
		return v.convertTyped(obj)
	}
}

func (v *view) convertTyped(obj *unstructured.Unstructured) (client.Object, error) {
	made, err := v.cache.scheme.New(v.key.GroupVersionKind)
	if err != nil {
		return nil, fmt.Errorf("making a %s: %w", v.key.Kind, err)
	}
	out, ok := made.(client.Object)
	if !ok {
		return nil, fmt.Errorf("%T is no object", made)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, out); err != nil {
		return nil, fmt.Errorf("reading a %s: %w", v.key.Kind, err)
	}
	out.GetObjectKind().SetGroupVersionKind(v.key.GroupVersionKind)
	return out, nil
}

func formOf(obj runtime.Object) form {
	switch obj.(type) {
	case runtime.Unstructured:
		return untyped
	case *metav1.PartialObjectMetadata, *metav1.PartialObjectMetadataList:
		return metadataOnly
	default:
		return typed
	}
}
