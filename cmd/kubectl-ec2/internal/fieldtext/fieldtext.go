// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package fieldtext writes the paths of fields for people to read in a tree.
package fieldtext

import (
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Step is a line of the tree: a field, a key of a map, or an item of a list.
type Step struct {
	// ID tells steps at one place apart.
	ID string
	// Text is such as instanceType, tags[cost-center], ports[80/TCP], [ec2.fieldowner.dev/launch] or, in a set, sg-1.
	Text string
}

// Steps splits a path into the lines of a tree. An item of a list that is known by a key or by its index goes on the line of
// its list, for that says what it is; an item of a set is a line of its own.
func Steps(path fieldpath.Path) []Step {
	var steps []Step
	for _, element := range path {
		item := element.Key != nil || element.Index != nil
		if item && len(steps) > 0 {
			last := &steps[len(steps)-1]
			last.ID += element.String()
			last.Text += text(element)
			continue
		}
		steps = append(steps, Step{ID: element.String(), Text: text(element)})
	}
	return steps
}

func text(e fieldpath.PathElement) string {
	switch {
	case e.FieldName != nil:
		return name(*e.FieldName)
	case e.Key != nil:
		parts := make([]string, len(*e.Key))
		for i, field := range *e.Key {
			parts[i] = scalar(field.Value)
		}
		return "[" + strings.Join(parts, "/") + "]"
	case e.Value != nil:
		return scalar(*e.Value)
	default:
		return e.String()
	}
}

// plain are the names that fields have. Others are keys of maps, which could be taken for a path.
var plain = regexp.MustCompile(`^[A-Za-z0-9_$-]+$`)

func name(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return "[" + printable(s) + "]"
}

func scalar(v value.Value) string {
	if v.IsString() {
		return printable(v.AsString())
	}
	return value.ToString(v)
}

// printable quotes what is empty, and what could move a terminal's cursor.
func printable(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return s
	}
	return strconv.Quote(s)
}
