// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// without returns an intent that says nothing of some fields. What is empty without them is left out too, since an
// empty map or list is a value of its own.
func without(body *unstructured.Unstructured, paths []fieldpath.Path) *unstructured.Unstructured {
	out := body.DeepCopy()
	for _, path := range paths {
		if rest, ok := removed(out.Object, path).(map[string]any); ok {
			out.Object = rest
		}
	}
	return out
}

// removed returns the value at hand without what is at the path; nil when nothing is left.
func removed(at any, path fieldpath.Path) any {
	if len(path) == 0 {
		return nil
	}
	switch v := at.(type) {
	case map[string]any:
		return removedField(v, path)
	case []any:
		return removedItem(v, path)
	default:
		return at
	}
}

func removedField(fields map[string]any, path fieldpath.Path) any {
	if path[0].FieldName == nil {
		return fields
	}
	name := *path[0].FieldName
	child, ok := fields[name]
	if !ok {
		return fields
	}
	if rest := removed(child, path[1:]); rest != nil {
		fields[name] = rest
		return fields
	}
	delete(fields, name)
	if len(fields) == 0 {
		return nil
	}
	return fields
}

func removedItem(items []any, path fieldpath.Path) any {
	i := indexOf(items, path[0])
	if i < 0 {
		return items
	}
	if rest := removed(items[i], path[1:]); rest != nil {
		items[i] = rest
		return items
	}
	if items = slices.Delete(items, i, i+1); len(items) == 0 {
		return nil
	}
	return items
}
