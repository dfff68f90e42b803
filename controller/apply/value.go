// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// ValueAt finds what an unstructured object holds at a path; ok is false where it holds nothing.
func ValueAt(object map[string]any, path fieldpath.Path) (found any, ok bool) {
	var at any = object
	for _, element := range path {
		if at, ok = step(at, element); !ok {
			return nil, false
		}
	}
	return at, true
}

// step goes one element further.
func step(at any, element fieldpath.PathElement) (any, bool) {
	switch {
	case element.FieldName != nil:
		fields, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		found, ok := fields[*element.FieldName]
		return found, ok
	default:
		items, ok := at.([]any)
		if !ok {
			return nil, false
		}
		i := indexOf(items, element)
		if i < 0 {
			return nil, false
		}
		return items[i], true
	}
}

// indexOf finds an item of a list, or returns -1.
func indexOf(items []any, element fieldpath.PathElement) int {
	switch {
	case element.Index != nil:
		if *element.Index >= 0 && *element.Index < len(items) {
			return *element.Index
		}
		return -1
	case element.Value != nil:
		return slices.IndexFunc(items, func(item any) bool { return value.Equals(*element.Value, value.NewValueInterface(item)) })
	case element.Key != nil:
		return indexOfKey(items, *element.Key)
	}
	return -1
}

// indexOfKey finds the item with a key. A key's field that an item leaves out has its default, which only the API
// server knows, so that it does not count against the item; one with the whole key goes first.
func indexOfKey(items []any, key value.FieldList) int {
	best, most := -1, 0
	for i, item := range items {
		if has := keyFields(item, key); has > most {
			best, most = i, has
		}
	}
	return best
}

// keyFields counts the fields of a key that an item has; none when it has another value in one of them.
func keyFields(item any, key value.FieldList) int {
	fields, ok := item.(map[string]any)
	if !ok {
		return 0
	}
	count := 0
	for _, k := range key {
		v, has := fields[k.Name]
		if !has {
			continue
		}
		if !value.Equals(k.Value, value.NewValueInterface(v)) {
			return 0
		}
		count++
	}
	return count
}
