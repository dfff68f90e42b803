// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Summary names the fields for people, such as spec.instanceType or
// spec.tags{role, team}: an item of a list stands for all that is owned in it.
func (o Owner) Summary() []string { return summary(o.Fields) }

func summary(fields *fieldpath.Set) []string {
	var order []string
	items := map[string][]string{}
	fields.Iterate(func(path fieldpath.Path) {
		place, item := locate(path)
		if _, seen := items[place]; !seen {
			order = append(order, place)
			items[place] = nil
		}
		if item != "" && !slices.Contains(items[place], item) {
			items[place] = append(items[place], item)
		}
	})
	slices.Sort(order)
	for i, place := range order {
		if listed := items[place]; len(listed) > 0 {
			order[i] = place + "{" + strings.Join(listed, ", ") + "}"
		}
	}
	return order
}

// locate splits a path at the first list in it: the list's place, and which item.
// A path without a list has no item.
func locate(path fieldpath.Path) (place, item string) {
	var b strings.Builder
	for _, element := range path {
		if element.FieldName == nil {
			return b.String(), itemName(element)
		}
		writeName(&b, *element.FieldName)
	}
	return b.String(), ""
}

// writeName adds a field; a key of a map with dots in it, such as an annotation's, is
// put in brackets.
func writeName(b *strings.Builder, name string) {
	if strings.ContainsAny(name, "./") {
		b.WriteString("[" + name + "]")
		return
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	b.WriteString(name)
}

// itemName is the value of an item of a set, the key of an item of a map, or the
// index.
func itemName(element fieldpath.PathElement) string {
	switch {
	case element.Value != nil:
		return text(*element.Value)
	case element.Key != nil:
		parts := make([]string, len(*element.Key))
		for i, field := range *element.Key {
			parts[i] = text(field.Value)
		}
		return strings.Join(parts, "/")
	default:
		return strings.Trim(element.String(), "[]")
	}
}

func text(v value.Value) string {
	if v.IsString() {
		return v.AsString()
	}
	return value.ToString(v)
}
