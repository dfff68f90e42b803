// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/fieldowner/ec2-operator/test/ownership/intents"
)

// TestPredictionsAreTrue: whatever five managers apply, with or without force, or put, in whatever order,
//   - what is predicted of an intent is what the server makes of it: the same content, the same owners, the same
//     conflicts or takings, and each change told;
//   - it is predicted to change nothing if, and only if, it then changes nothing;
//   - a manager's intent that was just applied is predicted to change nothing;
//   - and with any one leaf of it changed, added or removed, to change something.
func TestPredictionsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.mustApply(main(user, web().WithSpec(usersSpec())))
		for range rapid.IntRange(1, 6).Draw(t, "writes") {
			if rapid.IntRange(0, 3).Draw(t, "put") == 0 {
				putAndCompare(t, w)
				continue
			}
			in := drawIntent(t)
			after := applyAndCompare(t, w, in)
			if after == nil {
				continue
			}
			if !w.noOp(w.live(), after, in) {
				t.Fatalf("the same again would change something\nobject %v\nintent %s %v", after.Object, in.Manager, mustBody(t, in).Object)
			}
			if err := w.apply(in); err != nil || w.server.object.GetResourceVersion() != after.GetResourceVersion() {
				t.Fatalf("the same again changed something (%v)\nobject %v\nthen %v", err, after.Object, w.raw().Object)
			}
			body := mustBody(t, in)
			what := changeLeaf(t, body, in.Subresource)
			in.Config = client.ApplyConfigurationFromUnstructured(body)
			if w.predicts(after, in) {
				t.Fatalf("%s was predicted to change nothing\nobject %v\nintent %s %v", what, after.Object, in.Manager, body.Object)
			}
		}
	})
}

// applyAndCompare applies an intent and holds the prediction to what came of it; nil when it was refused.
func applyAndCompare(t *rapid.T, w *world, in Intent) *unstructured.Unstructured {
	t.Helper()
	before, body := w.raw(), mustBody(t, in)
	predicted, err := w.predictor.Predict(before, in)
	if err != nil {
		t.Fatal(err)
	}
	noOp := w.predicts(w.live(), in) // By the Go type.
	refusal := w.request(in)
	after := w.raw()
	nothing := refusal == nil && sameOwners(before, after) && sameContent(before, after)
	if predicted.NoOp != noOp || noOp != (nothing && predicted.Unsafe == "") {
		t.Fatalf("predicted to change nothing: %t (unsafe %q), changed nothing: %t (%v)\nbefore %v\nintent %s %v\nafter %v",
			predicted.NoOp, predicted.Unsafe, nothing, refusal, before.Object, in.Manager, body.Object, after.Object)
	}
	if refusal != nil {
		conflicts, ok := Explain(refusal, before, body)
		if !ok || predicted.Object != nil {
			t.Fatalf("refused with %v, and predicted to become %v", refusal, predicted.Object)
		}
		same(t, conflicts, predicted.Conflicts)
		return nil
	}
	became(t, w, in.Subresource, before, after, predicted)
	if len(before.GetManagedFields()) > 0 {
		same(t, lost(t, before, after, in), taken(predicted.Conflicts))
	}
	return after
}

// putAndCompare puts an object of a manager's making and holds the prediction to what came of it.
func putAndCompare(t *rapid.T, w *world) {
	t.Helper()
	in := drawIntent(t)
	before := w.raw()
	wanted := before.DeepCopy()
	part := "spec"
	if in.Subresource != "" {
		part = in.Subresource
	}
	keep(wanted.Object, mustBody(t, in).Object, part)
	if rapid.IntRange(0, 4).Draw(t, "clear") == 0 {
		wanted.SetManagedFields([]metav1.ManagedFieldsEntry{{}})
	}
	predicted, err := w.predictor.PredictUpdate(before, wanted, in.Manager, in.Subresource)
	if err != nil {
		t.Fatal(err)
	}
	after, err := w.server.put(wanted, in.Subresource, string(in.Manager), false)
	if err != nil {
		t.Fatal(err)
	}
	if nothing := sameOwners(before, after) && sameContent(before, after); predicted.NoOp != (nothing && predicted.Unsafe == "") {
		t.Fatalf("predicted to change nothing: %t, changed nothing: %t\nbefore %v\nafter %v", predicted.NoOp, nothing, before.Object, after.Object)
	}
	became(t, w, in.Subresource, before, after, predicted)
}

// became holds a prediction's object and changes to the truth.
func became(t *rapid.T, w *world, subresource string, before, after *unstructured.Unstructured, predicted Prediction) {
	t.Helper()
	want := after.DeepCopy()
	want.SetResourceVersion(before.GetResourceVersion())
	same(t, withoutOwners(want).Object, withoutOwners(predicted.Object).Object)
	same(t, timeless(want.GetManagedFields()), timeless(predicted.Object.GetManagedFields()))
	m, err := w.predictor.mergers.of(gvk, subresource)
	if err != nil {
		t.Fatal(err)
	}
	then, since := leavesOf(t, m, before), leavesOf(t, m, after)
	then.Union(since).Iterate(func(path fieldpath.Path) {
		old, was := ValueAt(before.Object, path)
		now, is := ValueAt(after.Object, path)
		if was != then.Has(path) || is != since.Has(path) || path.Equals(fieldpath.MakePathOrDie("metadata", "resourceVersion")) {
			return // A list or map that became empty, or is so no longer: what was in it tells the change.
		}
		truth := []bool{!was && is, was && !is, was && is && !equality.Semantic.DeepEqual(old, now)}
		told := []bool{predicted.Added.Has(path), predicted.Removed.Has(path), predicted.Modified.Has(path)}
		if !slices.Equal(truth, told) {
			t.Errorf("%s was added, removed, modified: %v, predicted: %v", path, truth, told)
		}
	})
}

func leavesOf(t *rapid.T, m *merger, u *unstructured.Unstructured) *fieldpath.Set {
	t.Helper()
	object, err := m.converter.ObjectToTyped(withoutOwners(u))
	if err != nil {
		t.Fatal(err)
	}
	set, err := object.ToFieldSet()
	if err != nil {
		t.Fatal(err)
	}
	return set.Leaves()
}

// lost are the fields that other managers owned before an apply and do not own after it, though the fields are there.
// What went with an item that the apply removed is taken from nobody.
func lost(t *rapid.T, before, after *unstructured.Unstructured, by Intent) map[string]bool {
	t.Helper()
	self := Owner{Manager: string(by.Manager), Operation: byApply, Subresource: by.Subresource}
	now, err := Ownership(after)
	if err != nil {
		t.Fatal(err)
	}
	then, err := Ownership(before)
	if err != nil {
		t.Fatal(err)
	}
	kept, out := holds(now), map[string]bool{}
	for hold, f := range holds(then) {
		_, there := ValueAt(after.Object, f.Path)
		if _, still := kept[hold]; !still && there && !f.Owners[0].Is(self) {
			out[hold] = true
		}
	}
	return out
}

// holds are the single holds on fields, each as text.
func holds(t Table) map[string]Field {
	out := map[string]Field{}
	for _, f := range t {
		for _, o := range f.Owners {
			out[f.Path.String()+" "+o.String()] = Field{Path: f.Path, Owners: []Owner{o}}
		}
	}
	return out
}

// taken are the holds that conflicts tell of.
func taken(conflicts []Conflict) map[string]bool {
	out := map[string]bool{}
	for _, c := range conflicts {
		for _, o := range c.Owners {
			out[c.Field+" "+o.String()] = true
		}
	}
	return out
}

func drawIntent(t *rapid.T) Intent {
	in := Intent{Manager: rapid.SampledFrom([]Manager{us, user, other, "fourth", "fifth"}).Draw(t, "manager"), Force: rapid.Bool().Draw(t, "force")}
	if rapid.Bool().Draw(t, "status") {
		in.Subresource = SubresourceStatus
		in.Config = intents.Status("web", "shop").Draw(t, "intent")
		return in
	}
	in.Config = intents.Main("web", "shop").Draw(t, "intent")
	return in
}

func mustBody(t *rapid.T, in Intent) *unstructured.Unstructured {
	t.Helper()
	body, err := in.body()
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// leaf is a place in an intent.
type leaf struct {
	path string
	// set puts a value in its place, and remove takes it out.
	value  any
	set    func(any)
	remove func()
}

// changeLeaf changes, removes or adds one leaf and tells what it did.
func changeLeaf(t *rapid.T, body *unstructured.Unstructured, subresource string) string {
	t.Helper()
	all := leavesIn(body, subresource)
	how := rapid.SampledFrom([]string{"add", "change", "remove"}).Draw(t, "how")
	if how == "add" || len(all) == 0 {
		add(t, body, subresource)
		return "an added leaf"
	}
	l := rapid.SampledFrom(all).Draw(t, "leaf")
	if how == "remove" {
		l.remove()
		return "removing " + l.path
	}
	switch v := l.value.(type) {
	case string:
		l.set(v + "-changed")
	case int64:
		l.set(v + 1)
	case bool:
		l.set(!v)
	default:
		t.Fatalf("%s is a %T", l.path, v)
	}
	return "changing " + l.path
}

func add(t *rapid.T, body *unstructured.Unstructured, subresource string) {
	t.Helper()
	path := []string{"metadata", "labels", "added"}
	if subresource == SubresourceStatus {
		path = []string{"status", "arn"}
	}
	if err := unstructured.SetNestedField(body.Object, "added", path...); err != nil {
		t.Fatal(err)
	}
}

func leavesIn(body *unstructured.Unstructured, subresource string) []leaf {
	var out []leaf
	roots := []string{"metadata", "spec"}
	if subresource == SubresourceStatus {
		roots = []string{subresource}
	}
	for _, root := range roots {
		walk(root, body.Object[root], func(v any) { body.Object[root] = v }, func() { delete(body.Object, root) }, &out)
	}
	slices.SortFunc(out, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	return out
}

// walk finds the leaves below a value. The object's own identity is no leaf.
func walk(path string, value any, set func(any), remove func(), out *[]leaf) {
	switch v := value.(type) {
	case nil:
	case map[string]any:
		for key, child := range v {
			if path == "metadata" && strings.HasPrefix(key, "name") {
				continue
			}
			walk(path+"."+key, child, func(x any) { v[key] = x }, func() { delete(v, key) }, out)
		}
	case []any:
		for i, child := range v {
			walk(fmt.Sprintf("%s[%d]", path, i), child, func(x any) { v[i] = x }, func() { set(append(v[:i:i], v[i+1:]...)) }, out)
		}
	default:
		*out = append(*out, leaf{path: path, value: runtime.DeepCopyJSONValue(value), set: set, remove: remove})
	}
}
