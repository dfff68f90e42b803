// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// owners are who owns what of an object, read from managedFields without any code of controller/apply's.
type owners struct {
	// byPath are the owners of every path that is owned, items of lists by themselves among them.
	byPath map[string][]string
	// leaves are the leaves of each owner.
	leaves map[string][]string
	// entries are what managedFields say, without their times and order.
	entries []string
}

// ownersOf reads managedFields. What cannot be read is shown as it is.
func ownersOf(obj *unstructured.Unstructured) owners {
	out := owners{byPath: map[string][]string{}, leaves: map[string][]string{}}
	if obj == nil {
		return out
	}
	for _, e := range obj.GetManagedFields() {
		owner := ownerName(e)
		text := "nothing"
		set := &fieldpath.Set{}
		if e.FieldsV1 != nil {
			text = e.FieldsV1.GetRawString()
			if err := set.FromJSON(e.FieldsV1.GetRawReader()); err != nil {
				text += " " + err.Error()
			}
		}
		out.entries = append(out.entries, fmt.Sprintf("%s in %s: %s", owner, e.APIVersion, text))
		for path := range set.All() {
			out.byPath[path.String()] = append(out.byPath[path.String()], owner)
		}
		for path := range set.Leaves().All() {
			out.leaves[owner] = append(out.leaves[owner], path.String())
		}
	}
	for _, all := range out.byPath {
		slices.Sort(all)
	}
	for _, all := range out.leaves {
		slices.Sort(all)
	}
	slices.Sort(out.entries)
	return out
}

// ownerName is an owner as rows write it.
func ownerName(e metav1.ManagedFieldsEntry) string {
	switch {
	case e.Operation == metav1.ManagedFieldsOperationApply && e.Subresource == "":
		return e.Manager
	case e.Subresource == "":
		return fmt.Sprintf("%s (%s)", e.Manager, e.Operation)
	}
	return fmt.Sprintf("%s (%s, %s)", e.Manager, e.Operation, e.Subresource)
}

// text is all of it, the same for the same owners.
func (o owners) text() string { return strings.Join(o.entries, "\n") }

// complaints are what is wrong with what a row says of owners.
func (o owners) complaints(says string) []string {
	var out []string
	for part := range parts(says, ";") {
		if owner, paths, found := strings.Cut(part, " has "); found && !strings.HasPrefix(part, ".") {
			if want := sortedWords(paths, "nothing"); !slices.Equal(want, o.leaves[owner]) {
				out = append(out, fmt.Sprintf("%s has %v, not %v", owner, o.leaves[owner], want))
			}
			continue
		}
		path, names, found := strings.Cut(part, ": ")
		if !found {
			out = append(out, fmt.Sprintf("the row's owners %q cannot be read", part))
			continue
		}
		if want := sortedParts(names, "nobody"); !slices.Equal(want, o.byPath[path]) {
			out = append(out, fmt.Sprintf("%s is owned by %v, not %v", path, o.byPath[path], want))
		}
	}
	return out
}

// parts are the non-empty parts of a text.
func parts(text, separator string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for part := range strings.SplitSeq(text, separator) {
			if part = strings.TrimSpace(part); part != "" && !yield(part) {
				return
			}
		}
	}
}

// sortedParts are the names in a list with commas; an owner's brackets may hold one, too. The word for none stands for none.
func sortedParts(text, none string) []string {
	if text == none {
		return nil
	}
	var out []string
	for name := range parts(text, ",") {
		if last := len(out) - 1; last >= 0 && strings.Count(out[last], "(") > strings.Count(out[last], ")") {
			out[last] += ", " + name
			continue
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func sortedWords(text, none string) []string {
	if text == none {
		return nil
	}
	out := strings.Fields(text)
	slices.Sort(out)
	return out
}
