// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func TestWithout(t *testing.T) {
	object := func() map[string]any {
		return map[string]any{
			"kind":     "Service",
			"metadata": map[string]any{"labels": map[string]any{"a": "1"}, "finalizers": []any{"x", "y"}},
			"spec": map[string]any{
				"ports": []any{
					map[string]any{"port": int64(53), "name": "tcp"},
					map[string]any{"port": int64(53), "protocol": "UDP", "name": "udp"},
				},
				"selector": map[string]any{"app": "web"},
			},
		}
	}
	at := fieldpath.MakePathOrDie
	spec := func(o map[string]any) map[string]any { return o["spec"].(map[string]any) } //nolint:forcetypeassert // It is one.
	for _, test := range []struct {
		says  string
		paths []fieldpath.Path
		// change makes of the object what is to be left of it.
		change func(map[string]any)
	}{
		{"nothing", nil, func(map[string]any) {}},
		{"a field that is not there", []fieldpath.Path{at("spec", "none"), at("spec", "none", "x"), at("kind", "x"), at("spec", "ports", "x")}, func(map[string]any) {}},
		{"an item that is not there", []fieldpath.Path{at("spec", "ports", port(54, "TCP")), at("spec", "selector", item("web"))}, func(map[string]any) {}},
		{"the last field of a map: the map", []fieldpath.Path{at("metadata", "labels", "a")}, func(o map[string]any) {
			o["metadata"] = map[string]any{"finalizers": []any{"x", "y"}}
		}},
		{"all that is below: the parent, too", []fieldpath.Path{at("metadata", "labels", "a"), at("metadata", "finalizers", item("y")), at("metadata", "finalizers", item("x"))}, func(o map[string]any) {
			delete(o, "metadata")
		}},
		{"an element of a set", []fieldpath.Path{at("metadata", "finalizers", item("x"))}, func(o map[string]any) {
			o["metadata"].(map[string]any)["finalizers"] = []any{"y"} //nolint:forcetypeassert // It is one.
		}},
		{"a field of an item with a defaulted key", []fieldpath.Path{at("spec", "ports", port(53, "TCP"), "name")}, func(o map[string]any) {
			spec(o)["ports"] = []any{map[string]any{"port": int64(53)}, map[string]any{"port": int64(53), "protocol": "UDP", "name": "udp"}}
		}},
		{"a field of an item with the whole key", []fieldpath.Path{at("spec", "ports", port(53, "UDP"), "name")}, func(o map[string]any) {
			spec(o)["ports"] = []any{map[string]any{"port": int64(53), "name": "tcp"}, map[string]any{"port": int64(53), "protocol": "UDP"}}
		}},
		{"an item", []fieldpath.Path{at("spec", "ports", port(53, "UDP"))}, func(o map[string]any) {
			spec(o)["ports"] = []any{map[string]any{"port": int64(53), "name": "tcp"}}
		}},
		{"all items: the list", []fieldpath.Path{at("spec", "ports", port(53, "UDP")), at("spec", "ports", port(53, "TCP"))}, func(o map[string]any) {
			delete(spec(o), "ports")
		}},
		{"a map as a whole, and then what was in it", []fieldpath.Path{at("spec", "selector"), at("spec", "selector", "app")}, func(o map[string]any) {
			delete(spec(o), "selector")
		}},
	} {
		t.Run(test.says, func(t *testing.T) {
			body, want := &unstructured.Unstructured{Object: object()}, object()
			test.change(want)
			same(t, want, without(body, test.paths).Object)
			same(t, object(), body.Object)
		})
	}
}

// TestWithoutIsExact: an intent without some of its leaves has none of them, has all others as they were, has no empty
// map or list that it had not before, and the intent itself stays as it was.
func TestWithoutIsExact(t *testing.T) {
	w := newWorld(t)
	merger, err := w.predictor.mergers.of(gvk, "")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		body := mustBody(t, drawIntent(t))
		typed, err := merger.converter.ObjectToTyped(body)
		if err != nil {
			t.Fatal(err)
		}
		set, err := typed.ToFieldSet()
		if err != nil {
			t.Fatal(err)
		}
		var all, out []fieldpath.Path
		set.Leaves().Iterate(func(p fieldpath.Path) {
			if !isIdentity(p) && !isKey(p) {
				all = append(all, p.Copy())
			}
		})
		for _, p := range all {
			if rapid.Bool().Draw(t, p.String()) {
				out = append(out, p)
			}
		}
		original := body.DeepCopy()
		rest := without(body, out)
		same(t, original.Object, body.Object)
		gone := fieldpath.NewSet(out...)
		for _, p := range all {
			want, _ := ValueAt(body.Object, p)
			got, ok := ValueAt(rest.Object, p)
			switch {
			case gone.Has(p) && ok:
				t.Errorf("%s is still %v", p, got)
			case !gone.Has(p):
				same(t, want, got)
			}
		}
		if path := emptyIn(rest.Object, ""); path != "" {
			t.Errorf("%s is empty, without %v of %v", path, out, body.Object)
		}
	})
}

// isIdentity tells the fields of an object that are no content.
func isIdentity(p fieldpath.Path) bool {
	for _, name := range []string{"kind", "apiVersion"} {
		if p.Equals(fieldpath.MakePathOrDie(name)) {
			return true
		}
	}
	return p.Equals(fieldpath.MakePathOrDie("metadata", "name")) || p.Equals(fieldpath.MakePathOrDie("metadata", "namespace"))
}

// isKey tells the key of a list item, over which there is no conflict: another key is another item.
func isKey(p fieldpath.Path) bool {
	if len(p) < 2 || p[len(p)-1].FieldName == nil || p[len(p)-2].Key == nil {
		return false
	}
	return slices.ContainsFunc(*p[len(p)-2].Key, func(f value.Field) bool { return f.Name == *p[len(p)-1].FieldName })
}

// emptyIn finds an empty map or list.
func emptyIn(held any, path string) string {
	switch v := held.(type) {
	case map[string]any:
		if len(v) == 0 {
			return path
		}
		for name, child := range v {
			if found := emptyIn(child, path+"."+name); found != "" {
				return found
			}
		}
	case []any:
		if len(v) == 0 {
			return path
		}
		for _, child := range v {
			if found := emptyIn(child, path+"[]"); found != "" {
				return found
			}
		}
	}
	return ""
}
