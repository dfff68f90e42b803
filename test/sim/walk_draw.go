// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// drawer draws values for fields, as the schema and the pools have them.
type drawer struct {
	*specSchema
	random *rand.Rand
	// name and number of the object that the values are for.
	name   string
	number int
}

// drawTries is how often a value is drawn until the schema allows it.
const drawTries = 40

// mostItems is how many items a list is drawn with at most.
const mostItems = 2

// oneIn is true once in n times.
func (d *drawer) oneIn(n int) bool { return d.random.IntN(n) == 0 }

// value draws a value of a field.
func (d *drawer) value(path string, of *apiextensionsv1.JSONSchemaProps) any {
	if pool := pools[path]; len(pool) > 0 {
		return filled(pool[d.random.IntN(len(pool))], d.name, d.number)
	}
	if len(of.Enum) > 0 {
		return decoded(of.Enum[d.random.IntN(len(of.Enum))])
	}
	switch of.Type {
	case "boolean":
		return d.oneIn(2)
	case "integer":
		return d.integer(of)
	case "array":
		return d.list(path, of)
	case "object":
		return d.object(path, of)
	case "string":
		if of.Format == "date-time" {
			return time.Now().UTC().Truncate(time.Second).Format(time.RFC3339)
		}
	}
	panic(fmt.Sprintf("%s has no pool of values (walk_pool.go), and its schema alone cannot make one: %s", path, of.Type))
}

func decoded(raw apiextensionsv1.JSON) any {
	var out any
	if err := json.Unmarshal(raw.Raw, &out); err != nil {
		panic(err) // The CRD was read as JSON.
	}
	return out
}

// integer draws the least, the greatest, or something near the least.
func (d *drawer) integer(of *apiextensionsv1.JSONSchemaProps) any {
	const near = 8
	least, most := int64(*of.Minimum), int64(*of.Maximum)
	switch d.random.IntN(4) {
	case 0:
		return least
	case 1:
		return most
	default:
		return min(most, least+d.random.Int64N(near))
	}
}

// list draws a list that has no item twice.
func (d *drawer) list(path string, of *apiextensionsv1.JSONSchemaProps) any {
	var out []any
	for range 1 + d.random.IntN(mostItems) {
		out = d.withItem(path, of, out)
	}
	return out
}

// withItem adds an item to a list, unless it is there.
func (d *drawer) withItem(path string, of *apiextensionsv1.JSONSchemaProps, list []any) []any {
	item := d.value(path+element, of.Items.Schema)
	if slices.ContainsFunc(list, func(o any) bool { return sameItem(of, o, item) }) {
		return list
	}
	return append(list, item)
}

// sameItem tells whether two items of a list are one to the API server.
func sameItem(of *apiextensionsv1.JSONSchemaProps, a, b any) bool {
	if len(of.XListMapKeys) == 0 {
		return reflect.DeepEqual(a, b)
	}
	return keyOf(of, a) == keyOf(of, b)
}

// keyOf is what an item of a list is known by.
func keyOf(of *apiextensionsv1.JSONSchemaProps, item any) string {
	m, ok := item.(spec)
	if !ok {
		return fmt.Sprint(item)
	}
	var keys []string
	for _, key := range of.XListMapKeys {
		keys = append(keys, fmt.Sprint(m[key]))
	}
	return strings.Join(keys, ",")
}

// object draws an object with all that is required and some of the rest, and one thing at least.
func (d *drawer) object(path string, of *apiextensionsv1.JSONSchemaProps) any {
	out := spec{}
	names := slices.Sorted(maps.Keys(of.Properties))
	for _, name := range names {
		if slices.Contains(of.Required, name) || d.oneIn(3) {
			d.setIn(out, path, of, name)
		}
	}
	if len(out) == 0 {
		d.setIn(out, path, of, names[d.random.IntN(len(names))])
	}
	return out
}

func (d *drawer) setIn(out spec, path string, of *apiextensionsv1.JSONSchemaProps, name string) {
	child := of.Properties[name]
	out[name] = d.value(below(path, name), &child)
}

// edited draws an edit of a value: another one in its place, or one within it.
func (d *drawer) edited(path string, of *apiextensionsv1.JSONSchemaProps, value any) any {
	if value == nil || d.oneIn(3) {
		return d.value(path, of)
	}
	switch now := value.(type) {
	case spec:
		return d.editedObject(path, of, now)
	case []any:
		return d.editedList(path, of, now)
	default:
		return d.value(path, of)
	}
}

// editedObject edits, adds or removes one field. The last one stays: where a user has set something in an object and applies it empty,
// server-side apply leaves null of it, which the schema refuses.
func (d *drawer) editedObject(path string, of *apiextensionsv1.JSONSchemaProps, now spec) any {
	names := slices.Sorted(maps.Keys(of.Properties))
	name := names[d.random.IntN(len(names))]
	child := of.Properties[name]
	if _, there := now[name]; there && len(now) > 1 && d.oneIn(4) {
		delete(now, name)
		return now
	}
	now[name] = d.edited(below(path, name), &child, now[name])
	return now
}

// editedList edits, adds or removes one item.
func (d *drawer) editedList(path string, of *apiextensionsv1.JSONSchemaProps, now []any) any {
	at := d.random.IntN(len(now))
	switch {
	case d.oneIn(3):
		return d.withItem(path, of, now)
	case len(now) > 1 && d.oneIn(2):
		return slices.Delete(now, at, at+1)
	}
	now[at] = d.edited(path+element, of.Items.Schema, now[at])
	return now
}

// edit is what a user does to an object.
type edit struct {
	// what tells it, and next is the spec that it leads to.
	what string
	next spec
	// broken is the field that the schema cannot allow, as it was drawn, and the one around it; none where it may.
	broken []string
}

// draw draws an edit of a spec.
func (d *drawer) draw(now spec) edit {
	switch dice := d.random.IntN(10); {
	case dice < 2:
		return d.breaking(now)
	case dice < 3:
		return d.combining(now)
	case dice < 4:
		return d.passing(now)
	default:
		return d.allowed(now)
	}
}

// allowed draws an edit of a field that the schema allows, if there is one.
func (d *drawer) allowed(now spec) edit {
	fields := slices.Sorted(maps.Keys(d.root.Properties))
	var e edit
	for range drawTries {
		name := fields[d.random.IntN(len(fields))]
		property := d.root.Properties[name]
		e = edit{next: runtime.DeepCopyJSON(now)}
		if _, there := now[name]; there && d.oneIn(4) {
			delete(e.next, name)
			e.what = "remove " + name
		} else {
			e.next[name] = d.edited(name, &property, e.next[name])
			e.what = "set " + name + " to " + asJSON(e.next[name])
		}
		if !reflect.DeepEqual(e.next, now) && len(d.against(e.next, now)) == 0 {
			return e
		}
	}
	return e
}

// combining draws an object with all that it can have: most rules on what goes together are broken by it.
func (d *drawer) combining(now spec) edit {
	paths := slices.DeleteFunc(slices.Clone(d.names), func(path string) bool {
		return d.paths[path].Type != "object" || len(d.paths[path].XValidations) == 0
	})
	path := paths[d.random.IntN(len(paths))]
	whole := spec{}
	for name := range d.paths[path].Properties {
		d.setIn(whole, path, d.paths[path], name)
	}
	return edit{what: "set all of " + path + ": " + asJSON(whole), next: d.put(now, path, whole)}
}

// passing draws another value for a field whose changes have a rule.
func (d *drawer) passing(now spec) edit {
	paths := d.transitional()
	path := paths[d.random.IntN(len(paths))]
	of := d.paths[path]
	if of.Type == "object" {
		path, of = d.leafOf(path, of)
	}
	value := d.value(path, of)
	return edit{what: "change " + path + " to " + asJSON(value), next: d.put(now, path, value)}
}

// leafOf is a field in an object.
func (d *drawer) leafOf(path string, of *apiextensionsv1.JSONSchemaProps) (string, *apiextensionsv1.JSONSchemaProps) {
	names := slices.Sorted(maps.Keys(of.Properties))
	at := below(path, names[d.random.IntN(len(names))])
	return at, d.paths[at]
}

// put sets a field at a path in a copy of a spec, with what has to be around it.
func (d *drawer) put(now spec, path string, value any) spec {
	out, _ := d.putIn(runtime.DeepCopyJSON(now), "", d.root, path, value).(spec)
	return out
}

// putIn sets what is at the rest of the path in a value that is at a path.
func (d *drawer) putIn(now any, at string, of *apiextensionsv1.JSONSchemaProps, rest string, value any) any {
	if rest == "" {
		return value
	}
	if inner, isItem := strings.CutPrefix(rest, element); isItem {
		list, _ := now.([]any)
		inner = strings.TrimPrefix(inner, ".")
		if len(list) > 0 {
			n := d.random.IntN(len(list))
			list[n] = d.putIn(list[n], at+element, of.Items.Schema, inner, value)
			return list
		}
		return []any{d.putIn(d.value(at+element, of.Items.Schema), at+element, of.Items.Schema, inner, value)}
	}
	end := strings.IndexAny(rest, ".[")
	name, inner := rest, ""
	if end >= 0 {
		name, inner = rest[:end], strings.TrimPrefix(rest[end:], ".")
	}
	object, ok := now.(spec)
	if !ok {
		object = spec{}
		for _, required := range of.Required {
			d.setIn(object, at, of, required)
		}
	}
	child := of.Properties[name]
	object[name] = d.putIn(object[name], below(at, name), &child, inner, value)
	return object
}

func asJSON(value any) string {
	const longest = 200
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if len(text) > longest {
		return string(text[:longest]) + "…"
	}
	return string(text)
}
