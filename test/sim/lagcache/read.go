// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lagcache

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// wait holds a read up as long as the cache's owner wants.
func (c *Cache) wait(ctx context.Context, what ...string) error {
	if c.beforeRead == nil || c.telling.Load() > 0 {
		return nil
	}
	return c.beforeRead(ctx, strings.Join(what, " "))
}

// Get implements [client.Reader].
func (c *Cache) Get(ctx context.Context, key client.ObjectKey, out client.Object, _ ...client.GetOption) error {
	gvk, f, err := c.kindAndForm(out)
	if err != nil {
		return err
	}
	if err := c.wait(ctx, "get", gvk.Kind, key.String()); err != nil {
		return err
	}
	v, err := c.viewOf(gvk, f)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	obj, there := v.objects[key]
	if !there {
		return apierrors.NewNotFound(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, key.Name)
	}
	value := reflect.ValueOf(v.out(obj))
	if !value.Type().AssignableTo(reflect.TypeOf(out)) {
		return fmt.Errorf("the cache holds %s, and %T was asked for", value.Type(), out)
	}
	reflect.ValueOf(out).Elem().Set(value.Elem())
	return nil
}

// List implements [client.Reader]: by namespace, labels and indexed fields.
func (c *Cache) List(ctx context.Context, out client.ObjectList, opts ...client.ListOption) error {
	gvk, f, err := c.kindAndForm(out)
	if err != nil {
		return err
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	options := &client.ListOptions{}
	options.ApplyOptions(opts)
	if options.Continue != "" {
		return errors.New("continue list option is not supported by the cache")
	}
	if err := c.wait(ctx, append([]string{"list", gvk.Kind, options.Namespace}, selectors(options)...)...); err != nil {
		return err
	}
	v, err := c.viewOf(gvk, f)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	items, err := v.selected(options)
	if err != nil {
		return err
	}
	if err := meta.SetList(out, items); err != nil {
		return fmt.Errorf("filling %T: %w", out, err)
	}
	out.SetContinue("continue-not-supported")
	return nil
}

func selectors(o *client.ListOptions) []string {
	var out []string
	if o.LabelSelector != nil {
		out = append(out, o.LabelSelector.String())
	}
	if o.FieldSelector != nil {
		out = append(out, o.FieldSelector.String())
	}
	return out
}

func (v *view) selected(options *client.ListOptions) ([]runtime.Object, error) {
	match, err := v.byFields(options)
	if err != nil {
		return nil, err
	}
	items := []runtime.Object{}
	for _, obj := range v.all() {
		if options.Limit > 0 && int64(len(items)) >= options.Limit {
			break
		}
		if options.Namespace != "" && obj.GetNamespace() != options.Namespace {
			continue
		}
		if (options.LabelSelector == nil || options.LabelSelector.Matches(labels.Set(obj.GetLabels()))) && match(obj) {
			items = append(items, v.out(obj))
		}
	}
	return items, nil
}

// byFields makes a test of a field selector, which may only ask for equality with indexed fields.
func (v *view) byFields(options *client.ListOptions) (func(client.Object) bool, error) {
	var wanted fields.Requirements
	if options.FieldSelector != nil {
		wanted = options.FieldSelector.Requirements()
	}
	for _, w := range wanted {
		if w.Operator == "!=" {
			return nil, errors.New("non-exact field matches are not supported by the cache")
		}
		if v.indexers[w.Field] == nil {
			return nil, fmt.Errorf("index with name field:%s does not exist", w.Field)
		}
	}
	return func(obj client.Object) bool {
		for _, w := range wanted {
			if !slices.Contains(v.indexers[w.Field](obj), w.Value) {
				return false
			}
		}
		return true
	}, nil
}

// IndexField implements [client.FieldIndexer].
func (c *Cache) IndexField(_ context.Context, obj client.Object, name string, extract client.IndexerFunc) error {
	gvk, f, err := c.kindAndForm(obj)
	if err != nil {
		return err
	}
	v, err := c.viewOf(gvk, f)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v.indexers[name] != nil {
		return fmt.Errorf("indexer conflict: %s has an index %s already", gvk.Kind, name)
	}
	v.indexers[name] = extract
	return nil
}
