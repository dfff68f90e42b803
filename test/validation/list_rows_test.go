// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"
	"fmt"
	"maps"
)

// listField is a list under test.
type listField struct {
	section section
	// field is the list's own path in its section. It may lie in an element of another list.
	field string
	// in is the format of the patch around the list; %s is the list itself.
	in string
}

// plainList is a list that lies in no other list.
func plainList(s section, field string) listField {
	return listField{section: s, field: field, in: "{" + field + ": %s}"}
}

func (l listField) patch(list string) string { return fmt.Sprintf(l.in, list) }

// upTo are the rows of a list of at most high elements; element is the format of one, with its number in the place of %[1]d.
func (l listField) upTo(high int, element string) []row {
	return []row{
		l.section.accepts(fmt.Sprintf("%s of %d elements", l.field, high), l.patch(list(high, element))),
		l.section.refuses(fmt.Sprintf("%s of %d elements", l.field, high+1), l.patch(list(high+1, element)), l.section.tooMany(l.field, high+1, high)),
	}
}

// ofTexts are the rows of a list whose elements are texts of at most high characters, each different from the others.
func (l listField) ofTexts(high int) []row {
	return []row{
		l.section.accepts(fmt.Sprintf("%s with %d characters", l.field, high), l.patch("["+letters(high)+"]")),
		l.section.refuses(fmt.Sprintf("%s with %d characters", l.field, high+1), l.patch("["+letters(high+1)+"]"), l.section.tooLong(l.field+"[0]", high)),
	}
}

// member are the rows of a text in the list's elements. others are the element's other members, such as its key.
func (l listField) member(others map[string]any, name string, low, high int) []row {
	element := func(count int) string {
		members := map[string]any{name: letters(count)}
		maps.Copy(members, others)
		text, err := json.Marshal([]any{members})
		if err != nil {
			panic(err) // a mistake in a table
		}
		return l.patch(string(text))
	}
	path := l.field + "[0]." + name
	rows := []row{
		l.section.accepts(fmt.Sprintf("%s of %d characters", path, low), element(low)),
		l.section.accepts(fmt.Sprintf("%s of %d characters", path, high), element(high)),
		l.section.refuses(fmt.Sprintf("%s of %d characters", path, high+1), element(high+1), l.section.tooLong(path, high)),
	}
	if low > 0 {
		rows = append(rows, l.section.refuses(fmt.Sprintf("%s of %d characters", path, low-1), element(low-1), l.section.tooShort(path, low)))
	}
	return rows
}

// keyed are the rows of a list whose elements are known by a key; keyless is an element without it.
func (l listField) keyed(key, keyless string) []row {
	return []row{
		l.section.refuses(l.field+" with an element without "+key, l.patch("["+keyless+"]"), l.section.keyless(l.field, key)),
		l.section.refuses(l.field+" with an element twice", l.patch(fmt.Sprintf("[{%s: a}, {%s: a}]", key, key)), l.section.duplicate(l.field, key, "a")),
	}
}

// unique are the rows of a list of texts in which none may be twice.
func (l listField) unique() []row {
	return []row{l.section.refuses(l.field+" with an element twice", l.patch("[a, a]"), l.section.duplicate(l.field, "", "a"))}
}
