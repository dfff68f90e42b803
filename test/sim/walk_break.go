// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Values that no field takes.
const (
	novelField = "novel"
	novelValue = "No Such Value!"
)

// breach is a value that the schema of a field does not allow, and how.
type breach struct {
	how   string
	value any
	// field is the one in it that is wrong, where that is not the field itself.
	field string
	// onlyNew: it is not allowed where there is nothing yet. To apply a list without items takes one's own away, and the list with them.
	onlyNew bool
}

// breaking draws a value that breaks what the schema says of one field.
func (d *drawer) breaking(now spec) edit {
	path := d.names[d.random.IntN(len(d.names))]
	breaches := slices.DeleteFunc(d.breaches(path, d.paths[path]), func(b breach) bool { return b.onlyNew && now[rootOf(path)] != nil })
	b := breaches[d.random.IntN(len(breaches))]
	broken := []string{lastName(path)}
	if b.field != "" {
		broken = append(broken, b.field)
	}
	return edit{what: "set " + path + " to " + b.how + ": " + asJSON(b.value), next: d.put(now, path, b.value), broken: broken}
}

// lastName is the innermost field of a path.
func lastName(path string) string {
	path = strings.TrimSuffix(path, element)
	return path[strings.LastIndex(path, ".")+1:]
}

// breaches are the values of a field that its schema does not allow.
func (d *drawer) breaches(path string, of *apiextensionsv1.JSONSchemaProps) []breach {
	switch of.Type {
	case "boolean":
		return []breach{{how: "a text", value: "perhaps"}}
	case "integer":
		return []breach{
			{how: "a text", value: "seven"}, {how: "too little", value: int64(*of.Minimum) - 1}, {how: "too much", value: int64(*of.Maximum) + 1},
		}
	case "string":
		return textBreaches(of)
	case "array":
		return d.listBreaches(path, of)
	default:
		return d.objectBreaches(path, of)
	}
}

func textBreaches(of *apiextensionsv1.JSONSchemaProps) []breach {
	out := []breach{{how: "a number", value: int64(7)}}
	if len(of.Enum) > 0 {
		out = append(out, breach{how: "none of its values", value: novelValue})
	}
	if of.Format == "date-time" {
		out = append(out, breach{how: "no time", value: "yesterday"})
	}
	if of.MinLength != nil && *of.MinLength > 0 {
		out = append(out, breach{how: "too short a text", value: strings.Repeat("a", int(*of.MinLength)-1)})
	}
	if of.MaxLength != nil {
		out = append(out, breach{how: "too long a text", value: strings.Repeat("a", int(*of.MaxLength)+1)})
	}
	if mentions(of, "self.matches(") {
		out = append(out, breach{how: "what is not of its form", value: "?" + novelValue + strings.Repeat("?", minLength(of))})
	}
	return out
}

func minLength(of *apiextensionsv1.JSONSchemaProps) int {
	if of.MinLength == nil {
		return 0
	}
	return int(*of.MinLength)
}

func (d *drawer) listBreaches(path string, of *apiextensionsv1.JSONSchemaProps) []breach {
	item := d.value(path+element, of.Items.Schema)
	out := []breach{{how: "a text", value: novelValue}, {how: "the same item twice", value: []any{item, item}}}
	if of.MinItems != nil && *of.MinItems > 0 {
		out = append(out, breach{how: "no items", value: []any{}, onlyNew: true})
	}
	if of.MaxItems != nil {
		out = append(out, breach{how: "too many items", value: slices.Repeat([]any{item}, int(*of.MaxItems)+1)})
	}
	return out
}

func (d *drawer) objectBreaches(path string, of *apiextensionsv1.JSONSchemaProps) []breach {
	whole := func() spec {
		out, _ := d.object(path, of).(spec)
		return out
	}
	unknown := whole()
	unknown[novelField] = true
	out := []breach{{how: "a text", value: novelValue}, {how: "an object with an unknown field", value: unknown, field: novelField}}
	for _, name := range of.Required {
		without := maps.Clone(whole())
		delete(without, name)
		if child := of.Properties[name]; child.Default == nil {
			out = append(out, breach{how: "an object without " + name, value: without, field: name})
		}
	}
	return out
}
