// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Predictor tells, from a cached object alone, whether an apply would change anything. It runs the merge code
// of the API server itself with the schema that was generated with the apply configurations.
type Predictor struct {
	scheme    *runtime.Scheme
	converter managedfields.TypeConverter

	mu       sync.Mutex
	managers map[mergerKey]*managedfields.FieldManager
}

type mergerKey struct {
	gvk         schema.GroupVersionKind
	subresource string
}

// NewPredictor returns a Predictor for the kinds of scheme; converter is the generated one
// (applyconfig.NewTypeConverter).
func NewPredictor(scheme *runtime.Scheme, converter managedfields.TypeConverter) *Predictor {
	return &Predictor{scheme: scheme, converter: converter, managers: map[mergerKey]*managedfields.FieldManager{}}
}

// NoOp tells whether the API server would change nothing, neither content nor ownership, if it applied body to
// live. It says no wherever it is not certain.
func (p *Predictor) NoOp(live client.Object, body *unstructured.Unstructured, in Intent) bool {
	before, err := p.unstructured(live)
	if err != nil || !certain(before, body) {
		return false
	}
	fm, err := p.merger(before.GroupVersionKind(), in.Subresource)
	if err != nil {
		return false
	}
	after, err := fm.Apply(before, patch(body, in.Subresource), string(in.Manager), in.Force)
	if err != nil {
		return false // The API server will say what is wrong, in its own words.
	}
	merged, ok := after.(*unstructured.Unstructured)
	return ok && sameOwners(before, merged) && sameContent(before, merged)
}

// unstructured returns a copy of live that the merge code may keep.
func (p *Predictor) unstructured(live client.Object) (*unstructured.Unstructured, error) {
	gvk, err := apiutil.GVKForObject(live, p.scheme)
	if err != nil {
		return nil, fmt.Errorf("telling the kind of %T: %w", live, err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(live)
	if err != nil {
		return nil, fmt.Errorf("converting %s: %w", gvk.Kind, err)
	}
	out := (&unstructured.Unstructured{Object: content}).DeepCopy()
	out.SetGroupVersionKind(gvk)
	return out, nil
}

// certain tells whether a prediction on live can be trusted: it is the object that the intent speaks of, at the
// version that the intent was decided on, and all of its field ownership is there and of the one version of the
// API that we know.
func certain(live, body *unstructured.Unstructured) bool {
	entries := live.GetManagedFields()
	foreignVersion := func(e metav1.ManagedFieldsEntry) bool { return e.APIVersion != body.GetAPIVersion() }
	return len(entries) > 0 &&
		!slices.ContainsFunc(entries, foreignVersion) &&
		live.GetName() == body.GetName() && live.GetNamespace() == body.GetNamespace() &&
		(body.GetUID() == "" || body.GetUID() == live.GetUID()) &&
		(body.GetResourceVersion() == "" || body.GetResourceVersion() == live.GetResourceVersion())
}

// patch returns what the merge code gets to see of body: guards are no content, and the API server ignores
// status outside of its subresource.
func patch(body *unstructured.Unstructured, subresource string) *unstructured.Unstructured {
	out := body.DeepCopy()
	unstructured.RemoveNestedField(out.Object, "metadata", "uid")
	unstructured.RemoveNestedField(out.Object, "metadata", "resourceVersion")
	if subresource == "" {
		unstructured.RemoveNestedField(out.Object, "status")
	}
	return out
}

func (p *Predictor) merger(gvk schema.GroupVersionKind, subresource string) (*managedfields.FieldManager, error) {
	key := mergerKey{gvk: gvk, subresource: subresource}
	p.mu.Lock()
	defer p.mu.Unlock()
	if fm, ok := p.managers[key]; ok {
		return fm, nil
	}
	fm, err := managedfields.NewDefaultCRDFieldManager(p.converter, oneVersion{}, noDefaults{}, creater{}, gvk, gvk.GroupVersion(), subresource,
		map[fieldpath.APIVersion]fieldpath.Filter{
			fieldpath.APIVersion(gvk.GroupVersion().String()): fieldpath.NewExcludeSetFilter(resetFields(subresource)),
		})
	if err != nil {
		return nil, fmt.Errorf("building the merge of %s: %w", gvk.Kind, err)
	}
	p.managers[key] = fm
	return fm, nil
}

// resetFields are the fields that the API server neither changes nor records through an endpoint of a custom
// resource (apiextensions-apiserver, pkg/registry/customresource: strategy.go and status_strategy.go).
func resetFields(subresource string) *fieldpath.Set {
	if subresource == SubresourceStatus {
		return fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
	}
	return fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
}

// sameOwners compares ownership; times are no ownership.
func sameOwners(a, b *unstructured.Unstructured) bool {
	return equality.Semantic.DeepEqual(timeless(a.GetManagedFields()), timeless(b.GetManagedFields()))
}

func timeless(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	out := slices.Clone(entries)
	for i := range out {
		out[i].Time = nil
	}
	slices.SortFunc(out, func(a, b metav1.ManagedFieldsEntry) int {
		return slices.Compare(
			[]string{a.Manager, string(a.Operation), a.Subresource, a.APIVersion},
			[]string{b.Manager, string(b.Operation), b.Subresource, b.APIVersion})
	})
	return out
}

func sameContent(a, b *unstructured.Unstructured) bool {
	a, b = a.DeepCopy(), b.DeepCopy()
	a.SetManagedFields(nil)
	b.SetManagedFields(nil)
	return equality.Semantic.DeepEqual(a.Object, b.Object)
}
