// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAColumnIsAsWideAsItsWidestCell(t *testing.T) {
	long := strings.Repeat("x", columnWidth+1)
	for _, test := range []struct {
		name string
		rows [][]cell
		want string
	}{
		{"short rows", [][]cell{{{text: "A"}, {text: "B"}}, {{text: "aaa"}}}, "A    B\naaa\n"},
		{"an empty last cell", [][]cell{{{text: "A"}, {}}}, "A\n"},
		{"colours have no width", [][]cell{{{text: "aa", painted: "\x1b[31maa\x1b[0m"}, {text: "b"}}, {{text: "aaa"}, {text: "b"}}},
			"\x1b[31maa\x1b[0m   b\naaa  b\n"},
		{"characters, not bytes", [][]cell{{{text: "ü"}, {text: "b"}}, {{text: "u"}, {text: "b"}}}, "ü  b\nu  b\n"},
		{"a wide cell moves its own line only", [][]cell{{{text: long}, {text: "b"}}, {{text: "a"}, {text: "b"}}},
			long + "  b\na" + strings.Repeat(" ", columnWidth-1+gap) + "b\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got strings.Builder
			writeTable(&got, test.rows)
			if diff := cmp.Diff(test.want, got.String()); diff != "" {
				t.Errorf("The table differs (-want +got):\n%s", diff)
			}
		})
	}
}
