// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// row is one sentence of the contract: what is said of an object, the object with that in it, and why it is refused.
type row struct {
	says string
	// section is the part of the object that patch changes: spec or status.
	section section
	// patch is YAML that is merged into the section of a valid object; null takes away.
	patch string
	// create has the object created instead of applied. The API server words a few refusals differently then.
	create bool
	// refused are the reasons, "field: message", in the order of the fields. None: accepted.
	refused []string
}

// name is what the row is called in a test's output.
func (r row) name() string {
	switch {
	case len(r.refused) == 0:
		return "accepts " + r.says
	case r.create:
		return "refuses to create " + r.says
	}
	return "refuses " + r.says
}

// move is a row about a change of a stored object.
type move struct {
	says string
	// before and after are merged into the spec of a valid object.
	before, after string
	refused       []string
}

func (m move) name() string { return row{says: m.says, refused: m.refused}.name() }

// section is spec or status.
type section string

const (
	spec   section = "spec"
	status section = "status"
)

func (s section) accepts(says, patch string) row {
	return row{says: says, section: s, patch: patch}
}

func (s section) refuses(says, patch string, reasons ...string) row {
	return row{says: says, section: s, patch: patch, refused: reasons}
}

// refusesToCreate is refuses for what server-side apply finds out before validation, and in other words.
func (s section) refusesToCreate(says, patch string, reasons ...string) row {
	return row{says: says, section: s, patch: patch, create: true, refused: reasons}
}

// text are the rows of a field that takes any text whose length is in the range. A low of 0 allows the empty text. rules are what else
// the API server says of a text that is too short, because that breaks them, too.
func (s section) text(field string, low, high int, rules ...string) []row {
	rows := []row{
		s.accepts(fmt.Sprintf("%s of %d characters", field, low), put(field, letters(low))),
		s.accepts(fmt.Sprintf("%s of %d characters", field, high), put(field, letters(high))),
		s.refuses(fmt.Sprintf("%s of %d characters", field, high+1), put(field, letters(high+1)), s.tooLong(field, high)),
	}
	if low > 0 {
		refused := append(slices.Clone(rules), s.tooShort(field, low))
		rows = append(rows, s.refuses(fmt.Sprintf("%s of %d characters", field, low-1), put(field, letters(low-1)), refused...))
	}
	return rows
}

// words are the rows of a field that takes one of some words.
func (s section) words(field string, allowed ...string) []row {
	return s.wordsIn(field, putting(field), allowed...)
}

// number are the rows of a field that takes the numbers of a range.
func (s section) number(field string, low, high int) []row {
	return s.numberIn(field, putting(field), low, high)
}

func (s section) path(field string) string { return string(s) + "." + field }

// The API server's own words.

func (s section) required(field string) string { return s.path(field) + ": Required value" }

func (s section) tooLong(field string, high int) string {
	return fmt.Sprintf("%s: Too long: may not be more than %d bytes", s.path(field), high)
}

func (s section) tooShort(field string, low int) string {
	return s.inBody(field, "should be at least %d chars long", low)
}

func (s section) tooMany(field string, count, high int) string {
	return fmt.Sprintf("%s: Too many: %d: must have at most %d items", s.path(field), count, high)
}

func (s section) tooFew(field string, low int) string {
	return s.inBody(field, "should have at least %d items", low)
}

func (s section) unsupported(field, got string, allowed ...string) string {
	return fmt.Sprintf("%s: Unsupported value: %q: supported values: %s", s.path(field), got, quoted(allowed))
}

// inBody is said of a value that breaks the schema. A status is validated by itself, so its own name is not in the path then.
func (s section) inBody(field, format string, limit int) string {
	body := s.path(field)
	if s == status {
		body = field
	}
	return fmt.Sprintf("%s: %s in body "+format, s.path(field), body, limit)
}

// keyless and duplicate are said by server-side apply before validation begins.

func (s section) keyless(list, key string) string {
	return fmt.Sprintf("%s: element 0: associative list with keys has an element that omits all key fields [%q] "+
		"(and doesn't have default values for any key fields)", s.path(list), key)
}

func (s section) duplicate(list, key, value string) string {
	return fmt.Sprintf("%s: duplicate entries for key [%s=%q]", s.path(list), key, value)
}

func quoted(words []string) string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = fmt.Sprintf("%q", word)
	}
	return strings.Join(list, ", ")
}

// put is the patch that sets one field, such as image.id.
func put(field string, value any) string {
	for _, name := range slices.Backward(strings.Split(field, ".")) {
		value = map[string]any{name: value}
	}
	patch, err := json.Marshal(value)
	if err != nil {
		panic(err) // a mistake in a table
	}
	return string(patch)
}

// putting is put for one field.
func putting(field string) with { return func(value any) string { return put(field, value) } }

// letters is a text of that many characters.
func letters(count int) string { return strings.Repeat("a", count) }

// list is a YAML list of count elements; each is the format with its number in the place of %[1]d.
func list(count int, format string) string {
	elements := make([]string, count)
	for i := range elements {
		elements[i] = fmt.Sprintf(format, i)
	}
	return "[" + strings.Join(elements, ", ") + "]"
}
