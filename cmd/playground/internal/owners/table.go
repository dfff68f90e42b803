// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// fieldsWidth is how wide the column of fields gets, in characters, unless a single
// field is wider: with the other columns it fits a wide terminal.
const fieldsWidth = 80

// Table writes the owners as a table with a row for each.
func Table(w io.Writer, owners []Owner) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MANAGER\tOPERATION\tSUBRESOURCE\tFIELDS")
	for _, o := range owners {
		lines := wrap(o.Summary(), fieldsWidth)
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", o.Manager, o.Operation, orDash(o.Subresource), lines[0])
		for _, line := range lines[1:] {
			fmt.Fprintf(table, "\t\t\t%s\n", line)
		}
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("writing the table of owners: %w", err)
	}
	return nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// wrap puts words, separated by commas, on lines of the width; there is at least one
// line, and a word that is longer has one of its own.
func wrap(words []string, width int) []string {
	var lines []string
	var line strings.Builder
	for i, word := range words {
		if i < len(words)-1 {
			word += ","
		}
		if line.Len() > 0 && line.Len()+1+len(word) > width {
			lines = append(lines, line.String())
			line.Reset()
		}
		if line.Len() > 0 {
			line.WriteByte(' ')
		}
		line.WriteString(word)
	}
	return append(lines, line.String())
}
