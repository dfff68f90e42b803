// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Predictor tells, from a cached object alone, what an apply would do. It runs the merge code of the API server
// itself with the schemas that were generated with the apply configurations.
type Predictor struct {
	scheme  *runtime.Scheme
	mergers mergers

	mu      sync.RWMutex
	differs map[schema.GroupKind]bool
	changed uint64
	lossy   map[reflect.Type]bool
}

// NewPredictor returns a Predictor for the kinds of scheme. The converters are the generated ones
// (applyconfig.NewTypeConverter for our kinds, client-go's for built-in ones); each kind takes the first that
// knows it.
func NewPredictor(scheme *runtime.Scheme, converters ...managedfields.TypeConverter) *Predictor {
	return &Predictor{
		scheme:  scheme,
		mergers: mergers{converters: converters, all: map[mergerKey]*merger{}},
		differs: map[schema.GroupKind]bool{},
		lossy:   map[reflect.Type]bool{},
	}
}

// SchemaDiffers says whether a kind's schema in the cluster is another than the compiled one. While it is,
// nothing is skipped: a field that we do not know may have a default.
func (p *Predictor) SchemaDiffers(kind schema.GroupKind, differs bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.differs[kind] != differs {
		p.differs[kind] = differs
		p.changed++
	}
}

// schemas counts the changes of which kinds' schemas are relied on.
func (p *Predictor) schemas() uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.changed
}

// Prediction is what the API server would do with an intent.
type Prediction struct {
	// NoOp: nothing would change, neither content nor ownership. It is never true where Unsafe tells a reason.
	NoOp bool
	// Unsafe is empty where the prediction may be relied on, or else why not.
	Unsafe Reason
	// Conflicts, without force, are why the API server would refuse; with force, what would be taken from whom.
	Conflicts []Conflict
	// Object is the object afterwards, with its managedFields; nil where the API server would refuse, or where
	// nothing can be foreseen.
	Object *unstructured.Unstructured
	// Added, Removed and Modified are the fields whose content would change. Defaults and what admission changes
	// come on top. Never nil.
	Added, Removed, Modified *fieldpath.Set
}

// Predict tells what the API server would do with the intent if the object is as live shows it. live may be nil,
// for an object that is not cached; nothing is foreseen then. The error is that of the merge code, for an intent
// that the schema does not allow: the API server would answer with the same.
func (p *Predictor) Predict(live client.Object, in Intent) (Prediction, error) {
	body, err := in.body()
	if err != nil {
		return Prediction{}, err
	}
	before, _ := p.unstructured(live) // What cannot be read is not predicted on: see unsafe.
	return p.predict(live, before, body, in)
}

func (p *Predictor) predict(live client.Object, before, body *unstructured.Unstructured, in Intent) (Prediction, error) {
	out := Prediction{Unsafe: p.unsafe(live, before, body, in.Subresource)}
	if out.Unsafe.blind() {
		return out.filled(nil, nil)
	}
	m, err := p.mergers.of(before.GroupVersionKind(), in.Subresource)
	if err != nil {
		return Prediction{}, err
	}
	after, err := m.apply(before, body, in.Manager, in.Force)
	if conflicts, ok := Explain(err, before, body); ok {
		out.Conflicts = conflicts
		return out.filled(nil, nil)
	}
	if err != nil {
		return Prediction{}, err
	}
	after = endpointPart(before, after, in.Subresource)
	out.Object = after
	same := sameOwners(before, after) && sameContent(before, after)
	out.NoOp = same && out.Unsafe == ""
	if same {
		return out.filled(nil, nil)
	}
	if in.Force {
		_, refusal := m.apply(before, body, in.Manager, false)
		out.Conflicts, _ = Explain(refusal, before, body)
	}
	return out.filled(m.compare(before, after))
}

// PredictUpdate tells what the API server would do with a PUT of the updated object, or with a patch that leads to
// it, under a manager's name: such a write never conflicts.
func (p *Predictor) PredictUpdate(live, updated client.Object, manager Manager, subresource string) (Prediction, error) {
	before, _ := p.unstructured(live) // The same.
	wanted, err := p.unstructured(updated)
	if err != nil || wanted == nil {
		return Prediction{}, errors.Join(errors.New("an update must be of an object of a known kind"), err)
	}
	out := Prediction{Unsafe: p.unsafe(live, before, wanted, subresource)}
	if out.Unsafe.blind() {
		return out.filled(nil, nil)
	}
	m, err := p.mergers.of(before.GroupVersionKind(), subresource)
	if err != nil {
		return Prediction{}, err
	}
	after, err := m.update(before, endpointPart(before, wanted, subresource), manager)
	if err != nil {
		return Prediction{}, err
	}
	out.Object = after
	out.NoOp = out.Unsafe == "" && sameOwners(before, after) && sameContent(before, after)
	return out.filled(m.compare(before, after))
}

// filled completes a prediction with what would change; nil stands for nothing.
func (o Prediction) filled(c *changes, err error) (Prediction, error) {
	if err != nil {
		return Prediction{}, err
	}
	if c == nil {
		c = &changes{added: fieldpath.NewSet(), removed: fieldpath.NewSet(), modified: fieldpath.NewSet()}
	}
	o.Added, o.Removed, o.Modified = c.added, c.removed, c.modified
	return o, nil
}

type changes struct{ added, removed, modified *fieldpath.Set }

func (m *merger) apply(before, patch *unstructured.Unstructured, manager Manager, force bool) (*unstructured.Unstructured, error) {
	after, err := m.FieldManager.Apply(before.DeepCopy(), patch.DeepCopy(), string(manager), force)
	if err != nil {
		return nil, err //nolint:wrapcheck // It is the API server's own error, to be told apart like one.
	}
	return asUnstructured(after)
}

func (m *merger) update(before, wanted *unstructured.Unstructured, manager Manager) (*unstructured.Unstructured, error) {
	after, err := m.Update(before.DeepCopy(), wanted, string(manager))
	if err != nil {
		return nil, fmt.Errorf("merging an update: %w", err)
	}
	return asUnstructured(after)
}

func asUnstructured(obj runtime.Object) (*unstructured.Unstructured, error) {
	out, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil, errors.New("the merge code returned a typed object for an unstructured one")
	}
	return out, nil
}

// compare tells what of the content changes.
func (m *merger) compare(before, after *unstructured.Unstructured) (*changes, error) {
	b, err := m.converter.ObjectToTyped(withoutOwners(before))
	if err != nil {
		return nil, fmt.Errorf("reading the cached object: %w", err)
	}
	a, err := m.converter.ObjectToTyped(withoutOwners(after))
	if err != nil {
		return nil, fmt.Errorf("reading the predicted object: %w", err)
	}
	c, err := b.Compare(a)
	if err != nil {
		return nil, fmt.Errorf("comparing the objects: %w", err)
	}
	return &changes{added: c.Added, removed: c.Removed, modified: c.Modified}, nil
}

// unstructured returns live in the form that the merge code works on; nil for nil. It may share parts with live,
// and is only read.
func (p *Predictor) unstructured(live client.Object) (*unstructured.Unstructured, error) {
	if live == nil {
		return nil, nil //nolint:nilnil // An object that is not cached is no error.
	}
	gvk, err := apiutil.GVKForObject(live, p.scheme)
	if err != nil {
		return nil, fmt.Errorf("telling the kind of %T: %w", live, err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(live)
	if err != nil {
		return nil, fmt.Errorf("converting %s: %w", gvk.Kind, err)
	}
	out := &unstructured.Unstructured{Object: content}
	if _, ok := live.(runtime.Unstructured); ok {
		out = out.DeepCopy()
	}
	out.SetGroupVersionKind(gvk)
	return out, nil
}
