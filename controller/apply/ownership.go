// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Field is a field of an object and who owns it.
type Field struct {
	Path   fieldpath.Path
	Owners []Owner
}

// Table tells who owns what of an object: its owned leaves in the order of their paths, each with its owners in
// the order of their names. A list item or map of which something is owned is no leaf.
type Table []Field

// Ownership reads the table from the managedFields of any object. An object without managedFields has an empty
// one: it was read through a cache or a command that takes them away, or somebody has cleared them.
func Ownership(obj metav1.Object) (Table, error) {
	var table Table
	index := map[string]int{}
	for _, entry := range obj.GetManagedFields() {
		set, err := FieldsOf(entry)
		if err != nil {
			return nil, err
		}
		set.Leaves().Iterate(func(path fieldpath.Path) {
			key := path.String()
			i, known := index[key]
			if !known {
				i = len(table)
				index[key] = i
				table = append(table, Field{Path: path.Copy()})
			}
			table[i].Owners = append(table[i].Owners, ownerOf(entry))
		})
	}
	for _, f := range table {
		slices.SortFunc(f.Owners, compareOwners)
	}
	slices.SortFunc(table, func(a, b Field) int { return a.Path.Compare(b.Path) })
	return table, nil
}

// Of returns the fields that a manager owns, by whatever operation and through whatever subresource.
func (t Table) Of(manager string) Table {
	return t.where(func(f Field) bool {
		return slices.ContainsFunc(f.Owners, func(o Owner) bool { return o.Manager == manager })
	})
}

// Shared returns the fields that have more than one owner: none of them can change the value without force.
func (t Table) Shared() Table {
	return t.where(func(f Field) bool { return len(f.Owners) > 1 })
}

// Below returns the fields at and below a path.
func (t Table) Below(path fieldpath.Path) Table {
	return t.where(func(f Field) bool { return hasPrefix(f.Path, path) })
}

// At returns the owners of a field; none where nobody owns it.
func (t Table) At(path fieldpath.Path) []Owner {
	for _, f := range t {
		if f.Path.Equals(path) {
			return f.Owners
		}
	}
	return nil
}

// Paths returns the fields' paths as the API server writes them.
func (t Table) Paths() []string {
	out := make([]string, len(t))
	for i, f := range t {
		out[i] = f.Path.String()
	}
	return out
}

func (t Table) where(match func(Field) bool) Table {
	var out Table
	for _, f := range t {
		if match(f) {
			out = append(out, f)
		}
	}
	return out
}

func hasPrefix(path, prefix fieldpath.Path) bool {
	return len(path) >= len(prefix) && path[:len(prefix)].Equals(prefix)
}
