// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// elements are steps of paths; few, so that paths meet.
func elements() *rapid.Generator[any] {
	return rapid.SampledFrom([]any{
		"a", "b", "c.d/e", fieldpath.KeyByFields("name", "a"), fieldpath.KeyByFields("name", "b", "port", 1),
		value.NewValueInterface("a"), value.NewValueInterface(1), 0, 1,
	})
}

// TestEveryFieldHasItsLine: whatever the paths, each is on one line of its own, at the depth of its steps.
func TestEveryFieldHasItsLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := fieldpath.NewSet()
		for range rapid.IntRange(1, 12).Draw(t, "paths") {
			path := fieldpath.MakePathOrDie(append([]any{"root"}, rapid.SliceOfN(elements(), 1, 4).Draw(t, "path")...)...)
			set.Insert(path)
		}
		var table apply.Table
		set.Iterate(func(path fieldpath.Path) { table = append(table, apply.Field{Path: path.Copy()}) })
		var got []string
		for _, l := range grow(table).lines(0) {
			if l.field != nil {
				got = append(got, l.field.Path.String())
			}
		}
		want := table.Paths()
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Fatalf("want lines for %q, have them for %q", want, got)
		}
	})
}
