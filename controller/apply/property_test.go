// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/fieldowner/ec2-operator/test/apply/intents"
)

// TestPredictionsAreTrue: whatever three managers apply, in whatever order and with or without force,
//   - an intent is predicted to change nothing if, and only if, it then changes nothing;
//   - a manager's intent that was just applied is predicted to change nothing;
//   - and with any one leaf of it changed, added or removed, to change something.
func TestPredictionsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.mustApply(main(user, web().WithSpec(usersSpec())))
		for range rapid.IntRange(1, 6).Draw(t, "applies") {
			in := drawIntent(t)
			before := w.raw()
			predicted := w.noOp(w.live(), before, in)
			err := w.apply(in)
			if err != nil && !IsOwnershipConflict(err) {
				t.Fatal(err)
			}
			after := w.raw()
			if nothing := err == nil && sameOwners(before, after) && sameContent(before, after); nothing != predicted {
				t.Fatalf("predicted to change nothing: %t, changed nothing: %t (%v)\nbefore %v\nintent %s %v\nafter %v",
					predicted, nothing, err, before.Object, in.Manager, bodyOf(t, in).Object, after.Object)
			}
			if err != nil {
				continue
			}
			if !w.noOp(w.live(), after, in) {
				t.Fatalf("the same again would change something\nobject %v\nintent %s %v", after.Object, in.Manager, bodyOf(t, in).Object)
			}
			if err := w.apply(in); err != nil || w.server.object.GetResourceVersion() != after.GetResourceVersion() {
				t.Fatalf("the same again changed something (%v)\nobject %v\nthen %v", err, after.Object, w.raw().Object)
			}
			body := bodyOf(t, in)
			what := changeLeaf(t, body, in.Subresource)
			if w.predictor.NoOp(after, body, in) {
				t.Fatalf("%s was predicted to change nothing\nobject %v\nintent %s %v", what, after.Object, in.Manager, body.Object)
			}
		}
	})
}

func drawIntent(t *rapid.T) Intent {
	in := Intent{Manager: rapid.SampledFrom([]Manager{us, user, other}).Draw(t, "manager"), Force: rapid.Bool().Draw(t, "force")}
	if rapid.Bool().Draw(t, "status") {
		in.Subresource = SubresourceStatus
		in.Config = intents.Status("web", "shop").Draw(t, "intent")
		return in
	}
	in.Config = intents.Main("web", "shop").Draw(t, "intent")
	return in
}

func bodyOf(t *rapid.T, in Intent) *unstructured.Unstructured {
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
	all := leavesOf(body, subresource)
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

func leavesOf(body *unstructured.Unstructured, subresource string) []leaf {
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
