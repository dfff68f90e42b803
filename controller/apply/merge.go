// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// mergers hold the API server's merge code (managedfields.FieldManager) for each kind and endpoint.
type mergers struct {
	converters []managedfields.TypeConverter

	mu  sync.Mutex
	all map[mergerKey]*merger
}

type mergerKey struct {
	gvk         schema.GroupVersionKind
	subresource string
}

// merger is the merge of one kind at one endpoint. Both are nil for a kind without a schema.
type merger struct {
	*managedfields.FieldManager
	converter managedfields.TypeConverter
}

func (m *mergers) of(gvk schema.GroupVersionKind, subresource string) (*merger, error) {
	key := mergerKey{gvk: gvk, subresource: subresource}
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.all[key]; ok {
		return known, nil
	}
	made := &merger{converter: m.converterOf(gvk)}
	if made.converter != nil {
		var err error
		if made.FieldManager, err = newFieldManager(made.converter, gvk, subresource); err != nil {
			return nil, err
		}
	}
	m.all[key] = made
	return made, nil
}

// converterOf is the first converter that has a schema of the kind, or nil.
func (m *mergers) converterOf(gvk schema.GroupVersionKind) managedfields.TypeConverter {
	empty := &unstructured.Unstructured{Object: map[string]any{}}
	empty.SetGroupVersionKind(gvk)
	for _, c := range m.converters {
		if _, err := c.ObjectToTyped(empty); err == nil {
			return c
		}
	}
	return nil
}

func newFieldManager(converter managedfields.TypeConverter, gvk schema.GroupVersionKind, subresource string) (*managedfields.FieldManager, error) {
	reset := map[fieldpath.APIVersion]fieldpath.Filter{
		fieldpath.APIVersion(gvk.GroupVersion().String()): fieldpath.NewExcludeSetFilter(resetFields(subresource)),
	}
	fm, err := managedfields.NewDefaultCRDFieldManager(converter, oneVersion{}, noDefaults{}, creater{}, gvk, gvk.GroupVersion(), subresource, reset)
	if err != nil {
		return nil, fmt.Errorf("building the merge of %s: %w", gvk.Kind, err)
	}
	return fm, nil
}

// resetFields are the fields that the API server neither changes nor records through an endpoint of a custom
// resource (apiextensions-apiserver, pkg/registry/customresource: strategy.go and status_strategy.go). The
// built-in kinds that we apply do the same, or have no status.
func resetFields(subresource string) *fieldpath.Set {
	if subresource == SubresourceStatus {
		return fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
	}
	return fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
}

// The merge code asks for a conversion between versions, for defaults and for new objects. Our kinds have one
// version, and the objects that it sees come from the API server, with their defaults.

// oneVersion converts between the versions of kinds that have only one.
type oneVersion struct{}

func (oneVersion) Convert(_, _, _ any) error {
	return fmt.Errorf("converting: %w", errOneVersion)
}

func (oneVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

var errOneVersion = fmt.Errorf("the kind has only one version")

// noDefaults leaves objects as they are.
type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

// creater makes empty unstructured objects.
type creater struct{}

func (creater) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	out := &unstructured.Unstructured{}
	out.SetGroupVersionKind(kind)
	return out, nil
}

// extract returns the intent of some of an object's fields, with the keys of the items that they are in.
func (m *merger) extract(from *unstructured.Unstructured, fields *fieldpath.Set, subresource string) (*unstructured.Unstructured, error) {
	whole, err := m.converter.ObjectToTyped(withoutOwners(from))
	if err != nil {
		return nil, fmt.Errorf("reading the cached object: %w", err)
	}
	part, err := m.converter.TypedToObject(whole.ExtractItems(fields, typed.WithAppendKeyFields()))
	if err != nil {
		return nil, fmt.Errorf("extracting fields: %w", err)
	}
	extracted, err := asUnstructured(part)
	if err != nil {
		return nil, err
	}
	out := identityOf(from)
	for name, value := range extracted.Object {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			out.Object[name] = value
		}
	}
	if metadata, ok := extracted.Object["metadata"].(map[string]any); ok {
		for name, value := range metadata {
			if err := unstructured.SetNestedField(out.Object, value, "metadata", name); err != nil {
				return nil, fmt.Errorf("extracting metadata.%s: %w", name, err)
			}
		}
	}
	return guarded(out, from, subresource), nil
}

// fieldsIn are the fields that an intent sets through an endpoint, without those that only say what it is for.
func (p *Predictor) fieldsIn(body *unstructured.Unstructured, subresource string) (*fieldpath.Set, error) {
	m, err := p.mergers.of(body.GroupVersionKind(), subresource)
	if err != nil {
		return nil, err
	}
	typedBody, err := m.converter.ObjectToTyped(body)
	if err != nil {
		return nil, fmt.Errorf("reading an intent: %w", err)
	}
	all, err := typedBody.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("telling the fields of an intent: %w", err)
	}
	return all.RecursiveDifference(resetFields(subresource).Union(identity)), nil
}

// identity are the fields that say what an intent is for; nobody owns them.
var identity = fieldpath.NewSet(
	fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"),
	fieldpath.MakePathOrDie("metadata", "name"), fieldpath.MakePathOrDie("metadata", "namespace"),
	fieldpath.MakePathOrDie("metadata", "uid"), fieldpath.MakePathOrDie("metadata", "resourceVersion"),
)
