// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lagcache

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

// Source is where the history comes from: an [apiserver.Server].
type Source interface {
	Changes(since int64) []apiserver.Change
}

// Options of a cache.
type Options struct {
	Source Source
	Scheme *runtime.Scheme
	// ByObject is what the cache holds of a kind, as for controller-runtime's cache: those with a label.
	ByObject map[client.Object]cache.ByObject
	// BeforeRead is called before each Get and List and before a handler is told what is there, and may wait; nil lets all
	// read. Reads by handlers, which are told of a change, do not wait. What names the read.
	BeforeRead func(ctx context.Context, what string) error
}

// Cache is an operator's cache. At first it is empty, as before the first list: see Relist.
type Cache struct {
	source     Source
	scheme     *runtime.Scheme
	beforeRead func(ctx context.Context, what string) error
	// telling is how many calls of handlers are under way.
	telling atomic.Int32

	mu sync.Mutex
	// revision that the cache shows, and whether it has listed.
	revision  int64
	listed    bool
	selectors map[schema.GroupKind]labels.Selector
	views     map[viewKey]*view
}

var _ cache.Cache = (*Cache)(nil)

// viewKey is a kind, as objects or as metadata alone: informers of controller-runtime's are separate, too.
type viewKey struct {
	schema.GroupVersionKind

	form form
}

// form is what the objects of a view are in Go.
type form string

const (
	typed        form = "typed"
	metadataOnly form = "metadata"
	untyped      form = "unstructured"
)

// New makes an empty cache.
func New(o Options) (*Cache, error) {
	c := &Cache{source: o.Source, scheme: o.Scheme, beforeRead: o.BeforeRead, selectors: map[schema.GroupKind]labels.Selector{}, views: map[viewKey]*view{}}
	for obj, by := range o.ByObject {
		gvk, err := apiutil.GVKForObject(obj, o.Scheme)
		if err != nil {
			return nil, fmt.Errorf("telling the kind of %T: %w", obj, err)
		}
		if by.Label != nil {
			c.selectors[gvk.GroupKind()] = by.Label
		}
	}
	return c, nil
}

// Revision that the cache shows.
func (c *Cache) Revision() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.revision
}

// Behind is how many changes the cache does not show yet.
func (c *Cache) Behind() int {
	return len(c.source.Changes(c.Revision()))
}

// Advance shows the changes up to a revision, one after another, as a watch does, and returns how many.
func (c *Cache) Advance(to int64) (int, error) {
	n := 0
	for _, change := range c.source.Changes(c.Revision()) {
		if change.ResourceVersion > to {
			break
		}
		if err := c.show(change); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// Step shows the next change, if there is one.
func (c *Cache) Step() (bool, error) {
	next := c.source.Changes(c.Revision())
	if len(next) == 0 {
		return false, nil
	}
	return true, c.show(next[0])
}

// show shows one change in all views and tells their handlers.
func (c *Cache) show(change apiserver.Change) error {
	var told []func()
	c.mu.Lock()
	c.revision = change.ResourceVersion
	for _, v := range c.sorted() {
		if v.key.GroupVersionKind != change.Kind {
			continue
		}
		tell, err := v.apply(change)
		if err != nil {
			c.mu.Unlock()
			return err
		}
		told = append(told, tell...)
	}
	c.mu.Unlock()
	c.tellAll(told)
	return nil
}

func (c *Cache) tellAll(told []func()) {
	c.telling.Add(1)
	defer c.telling.Add(-1)
	for _, tell := range told {
		tell()
	}
}

// Relist shows the world at a revision at once, as an informer that has lost its watch and lists: what is gone is told
// as a tombstone with the last state that the cache knew. The revision may be older than the cache's, as that of
// another API server may be.
func (c *Cache) Relist(at int64) error {
	world := c.worldAt(at)
	var told []func()
	c.mu.Lock()
	c.revision = at
	for _, v := range c.sorted() {
		tell, err := v.relist(world)
		if err != nil {
			c.mu.Unlock()
			return err
		}
		told = append(told, tell...)
	}
	c.listed = true
	c.mu.Unlock()
	c.tellAll(told)
	return nil
}

// objectKey is an object of any kind.
type objectKey struct {
	schema.GroupVersionKind
	types.NamespacedName
}

// worldAt is what there is at a revision.
func (c *Cache) worldAt(revision int64) map[objectKey]*unstructured.Unstructured {
	out := map[objectKey]*unstructured.Unstructured{}
	for _, change := range c.source.Changes(0) {
		if change.ResourceVersion > revision {
			break
		}
		key := objectKey{GroupVersionKind: change.Kind, NamespacedName: change.Key()}
		if gone(change) {
			delete(out, key)
		} else {
			out[key] = change.Object
		}
	}
	return out
}

// viewOf is the view that holds objects like obj, filled with the world as the cache shows it if it is new.
func (c *Cache) viewOf(gvk schema.GroupVersionKind, f form) (*view, error) {
	key := viewKey{GroupVersionKind: gvk, form: f}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.views[key]; v != nil {
		return v, nil
	}
	v := newView(c, key, c.selectors[gvk.GroupKind()])
	if _, err := v.relist(c.worldAt(c.revision)); err != nil {
		return nil, err
	}
	c.views[key] = v
	return v, nil
}

// kindAndForm tell where an object is to be found.
func (c *Cache) kindAndForm(obj runtime.Object) (schema.GroupVersionKind, form, error) {
	gvk, err := apiutil.GVKForObject(obj, c.scheme)
	if err != nil {
		return gvk, "", fmt.Errorf("telling the kind of %T: %w", obj, err)
	}
	return gvk, formOf(obj), nil
}

// Start implements [cache.Informers]. There is nothing to run.
func (*Cache) Start(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// WaitForCacheSync implements [cache.Informers].
func (*Cache) WaitForCacheSync(context.Context) bool { return true }
