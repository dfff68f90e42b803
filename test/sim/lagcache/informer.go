// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lagcache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// GetInformer implements [cache.Informers].
func (c *Cache) GetInformer(_ context.Context, obj client.Object, _ ...cache.InformerGetOption) (cache.Informer, error) {
	gvk, f, err := c.kindAndForm(obj)
	if err != nil {
		return nil, err
	}
	v, err := c.viewOf(gvk, f)
	if err != nil {
		return nil, err
	}
	return informer{view: v}, nil
}

// GetInformerForKind implements [cache.Informers].
func (c *Cache) GetInformerForKind(_ context.Context, gvk schema.GroupVersionKind, _ ...cache.InformerGetOption) (cache.Informer, error) {
	v, err := c.viewOf(gvk, typed)
	if err != nil {
		return nil, err
	}
	return informer{view: v}, nil
}

// RemoveInformer implements [cache.Informers]: nobody is told any more.
func (c *Cache) RemoveInformer(_ context.Context, obj client.Object) error {
	gvk, f, err := c.kindAndForm(obj)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.views, viewKey{GroupVersionKind: gvk, form: f})
	return nil
}

// AddHandler has a handler told of the changes of objects like obj: typed, unstructured or metadata alone. What the
// cache shows already is told at once.
func (c *Cache) AddHandler(obj client.Object, handler toolscache.ResourceEventHandler) error {
	switch obj.(type) {
	case *unstructured.Unstructured, *metav1.PartialObjectMetadata:
		if obj.GetObjectKind().GroupVersionKind().Empty() {
			return fmt.Errorf("%T does not say its kind", obj)
		}
	}
	i, err := c.GetInformer(context.Background(), obj)
	if err != nil {
		return fmt.Errorf("adding a handler: %w", err)
	}
	if _, err := i.AddEventHandler(handler); err != nil {
		return fmt.Errorf("adding a handler: %w", err)
	}
	return nil
}

// informer is a view, as controllers know it.
type informer struct{ view *view }

var _ cache.Informer = informer{}

// registration is a handler. Its view's cache's lock guards it.
type registration struct {
	handler toolscache.ResourceEventHandler
	removed bool
}

// HasSynced implements [toolscache.ResourceEventHandlerRegistration].
func (*registration) HasSynced() bool { return true }

// HasSyncedChecker implements [toolscache.ResourceEventHandlerRegistration].
func (*registration) HasSyncedChecker() toolscache.DoneChecker { return done{} }

// AddEventHandler implements [cache.Informer].
func (i informer) AddEventHandler(handler toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	v := i.view
	if err := v.cache.wait(context.Background(), "watch", v.key.Kind, string(v.key.form)); err != nil {
		return nil, err
	}
	v.cache.mu.Lock()
	r := &registration{handler: handler}
	v.handlers = append(v.handlers, r)
	known := v.all()
	v.cache.mu.Unlock()
	for _, obj := range known {
		handler.OnAdd(v.out(obj), true)
	}
	return r, nil
}

// AddEventHandlerWithResyncPeriod implements [cache.Informer]. Nothing is told anew by itself.
func (i informer) AddEventHandlerWithResyncPeriod(handler toolscache.ResourceEventHandler, _ time.Duration) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

// AddEventHandlerWithOptions implements [cache.Informer].
func (i informer) AddEventHandlerWithOptions(handler toolscache.ResourceEventHandler, _ toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

// RemoveEventHandler implements [cache.Informer].
func (i informer) RemoveEventHandler(handle toolscache.ResourceEventHandlerRegistration) error {
	v := i.view
	v.cache.mu.Lock()
	defer v.cache.mu.Unlock()
	if r, ok := handle.(*registration); ok {
		r.removed = true
		v.handlers = slices.DeleteFunc(v.handlers, func(h *registration) bool { return h == r })
	}
	return nil
}

// AddIndexers implements [cache.Informer].
func (informer) AddIndexers(toolscache.Indexers) error {
	return errors.New("only IndexField is supported")
}

// HasSynced implements [cache.Informer].
func (informer) HasSynced() bool { return true }

// HasSyncedChecker implements [cache.Informer].
func (informer) HasSyncedChecker() toolscache.DoneChecker { return done{} }

// IsStopped implements [cache.Informer].
func (informer) IsStopped() bool { return false }

// done is a check that is over.
type done struct{}

// Name implements [toolscache.DoneChecker].
func (done) Name() string { return "lagcache" }

// Done implements [toolscache.DoneChecker].
func (done) Done() <-chan struct{} {
	out := make(chan struct{})
	close(out)
	return out
}
