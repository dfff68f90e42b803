// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// port is the key of a Service's port.
func port(number int, protocol string) fieldpath.PathElement {
	return fieldpath.PathElement{Key: fieldpath.KeyByFields("port", number, "protocol", protocol)}
}

func item(v any) value.Value { return value.NewValueInterface(v) }

func TestValueAt(t *testing.T) {
	object := map[string]any{
		"metadata": map[string]any{"finalizers": []any{"x", "y"}, "labels": map[string]any{"a.b/c": "d", "empty": ""}},
		"spec": map[string]any{
			"replicas": int64(3), "suspend": false, "nothing": nil, "empty": map[string]any{},
			"numbers": []any{int64(1), 2.5, true},
			"tags":    []any{map[string]any{"key": "a", "value": "1"}, map[string]any{"key": "b"}, "no map"},
			"ports": []any{
				map[string]any{"port": int64(53), "name": "defaulted"},
				map[string]any{"port": int64(53), "protocol": "UDP", "name": "udp"},
				map[string]any{"port": int64(80), "protocol": "UDP", "name": "other"},
				map[string]any{"name": "keyless"},
			},
			"nested": []any{[]any{"p", "q"}},
		},
	}
	for _, test := range []struct {
		says string
		path fieldpath.Path
		want any
		ok   bool
	}{
		{"the object itself", nil, object, true},
		{"a field", fieldpath.MakePathOrDie("spec", "replicas"), int64(3), true},
		{"a false value", fieldpath.MakePathOrDie("spec", "suspend"), false, true},
		{"an explicit null", fieldpath.MakePathOrDie("spec", "nothing"), nil, true},
		{"an empty map", fieldpath.MakePathOrDie("spec", "empty"), map[string]any{}, true},
		{"an empty text", fieldpath.MakePathOrDie("metadata", "labels", "empty"), "", true},
		{"a key with dots", fieldpath.MakePathOrDie("metadata", "labels", "a.b/c"), "d", true},
		{"no field", fieldpath.MakePathOrDie("spec", "none"), nil, false},
		{"a field of what is no map", fieldpath.MakePathOrDie("spec", "replicas", "x"), nil, false},
		{"a field of a list", fieldpath.MakePathOrDie("spec", "tags", "x"), nil, false},
		{"a field of null", fieldpath.MakePathOrDie("spec", "nothing", "x"), nil, false},

		{"an element of a set", fieldpath.MakePathOrDie("metadata", "finalizers", item("y")), "y", true},
		{"a number in a set", fieldpath.MakePathOrDie("spec", "numbers", item(2.5)), 2.5, true},
		{"a bool in a set", fieldpath.MakePathOrDie("spec", "numbers", item(true)), true, true},
		{"no element", fieldpath.MakePathOrDie("metadata", "finalizers", item("z")), nil, false},
		{"an element of what is no list", fieldpath.MakePathOrDie("metadata", "labels", item("d")), nil, false},

		{"by index", fieldpath.MakePathOrDie("spec", "nested", 0, 1), "q", true},
		{"beyond the end", fieldpath.MakePathOrDie("spec", "nested", 1), nil, false},
		{"before the start", fieldpath.MakePathOrDie("spec", "nested", -1), nil, false},

		{"an item by key", fieldpath.MakePathOrDie("spec", "tags", fieldpath.KeyByFields("key", "a"), "value"), "1", true},
		{"an item without the field", fieldpath.MakePathOrDie("spec", "tags", fieldpath.KeyByFields("key", "b"), "value"), nil, false},
		{"no item", fieldpath.MakePathOrDie("spec", "tags", fieldpath.KeyByFields("key", "c")), nil, false},
		{"by two keys", fieldpath.MakePathOrDie("spec", "ports", port(80, "UDP"), "name"), "other", true},
		{"the whole key goes before a defaulted one", fieldpath.MakePathOrDie("spec", "ports", port(53, "UDP"), "name"), "udp", true},
		{"a key that is left out has its default", fieldpath.MakePathOrDie("spec", "ports", port(53, "TCP"), "name"), "defaulted", true},
		{"another key does not match", fieldpath.MakePathOrDie("spec", "ports", port(80, "TCP"), "name"), nil, false},
		{"one without any key is not found", fieldpath.MakePathOrDie("spec", "ports", port(81, "TCP"), "name"), nil, false},
	} {
		t.Run(test.says, func(t *testing.T) {
			got, ok := ValueAt(object, test.path)
			if ok != test.ok {
				t.Errorf("found: %t, want %t", ok, test.ok)
			}
			same(t, test.want, got)
		})
	}
	if got, ok := ValueAt(object, fieldpath.Path{{}}); ok {
		t.Errorf("an element of no kind leads to %v", got)
	}
}
