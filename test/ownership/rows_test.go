// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// themes are all rows, in the order of docs/ownership.md.
var themes = []theme{basics, lists, atomics, defaults, schemas, statuses, metadata, tools, errorRows}

// TestRows carries out every row.
func TestRows(t *testing.T) {
	for i, theme := range themes {
		t.Run(theme.title, func(t *testing.T) {
			for j, row := range theme.rows {
				t.Run(row.says, func(t *testing.T) {
					t.Parallel()
					row.play(t, fmt.Sprintf("row-%d-%d", i+1, j+1))
				})
			}
		})
	}
}

// play carries a row out on an object of its own.
func (r row) play(t *testing.T, name string) {
	t.Helper()
	k := r.kindOf()
	k.install(t)
	s := newScene(t, k, name)
	s.look()
	for _, done := range r.given {
		none := s.now == nil
		if err := done.run(s); err != nil {
			t.Fatalf("given that %s: %v", done.text(true), err)
		}
		if none {
			s.settle()
		}
	}
	s.predicted = true
	for _, st := range r.then {
		s.take(st)
	}
	tally.row(len(r.then))
}

// TestRowsAreTold holds the rows to being told apart and written in full.
func TestRowsAreTold(t *testing.T) {
	seen := map[string]bool{}
	for _, theme := range slices.Concat(themes, []theme{operatorTheme}) {
		for _, row := range theme.rows {
			if seen[row.says] || row.says == "" || strings.HasSuffix(row.says, ".") {
				t.Errorf("%q: there are two of them, or it is not a name", row.says)
			}
			seen[row.says] = true
			for _, st := range row.then {
				switch st.do.(type) {
				case observing, settling, resting:
					continue // They say it themselves.
				}
				if st.conflict == ok && st.value == none && st.owners == none {
					t.Errorf("%q: a step that says nothing: %s", row.says, st.do.text(false))
				}
			}
		}
	}
}
