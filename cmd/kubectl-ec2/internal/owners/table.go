// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"io"
	"strings"
	"unicode/utf8"
)

// cell is a text, and how it is written on a terminal when that differs: colours have no width.
type cell struct{ text, painted string }

func (c cell) String() string {
	if c.painted != "" {
		return c.painted
	}
	return c.text
}

func (c cell) width() int { return utf8.RuneCountInString(c.text) }

// gap is the space between columns.
const gap = 2

// columnWidth is the most that a column takes from the others, in characters: what is wider moves its own line only.
const columnWidth = 64

// writeTable writes rows in columns. Rows may be short.
func writeTable(w io.Writer, rows [][]cell) {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], min(c.width(), columnWidth))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, c := range row {
			b.WriteString(c.String())
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", max(widths[i]-c.width(), 0)+gap))
			}
		}
		_, _ = io.WriteString(w, strings.TrimRight(b.String(), " ")+"\n") // to a terminal: there is nobody left to tell
	}
}
