// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"slices"
	"testing"
)

// TestOperator carries out the rows that only an operator has.
func TestOperator(t *testing.T) {
	var namespaces []string
	for i := range operatorTheme.rows {
		namespaces = append(namespaces, fmt.Sprintf("operator-%d", i+1))
	}
	st := newStage(t, namespaces)
	enact := func(t *testing.T, i int) {
		t.Helper()
		st.enact(t, operatorTheme.rows[i], namespaces[i])
	}
	t.Run("rows", func(t *testing.T) {
		for _, i := range inOrder(func(r row) bool { return !r.alone && r.rests() }, func(r row) bool { return !r.alone && !r.rests() }) {
			t.Run(operatorTheme.rows[i].says, func(t *testing.T) {
				t.Parallel()
				enact(t, i)
			})
		}
	})
	for _, i := range inOrder(func(r row) bool { return r.alone }) {
		t.Run(operatorTheme.rows[i].says, func(t *testing.T) { enact(t, i) })
	}
}

// inOrder are the rows that are of the first kind, and then those of the next: those that take longest begin first.
func inOrder(kinds ...func(row) bool) []int {
	var out []int
	for _, is := range kinds {
		for i, r := range operatorTheme.rows {
			if is(r) {
				out = append(out, i)
			}
		}
	}
	return out
}

// rests tells whether the operator is watched at rest.
func (r row) rests() bool {
	return slices.ContainsFunc(r.then, func(st step) bool {
		_, is := st.do.(resting)
		return is
	})
}
