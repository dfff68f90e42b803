// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// update has TestDocs write what it would compare.
var update = flag.Bool("update", false, "write the rows into docs/ownership.md")

const (
	docs      = "../../docs/ownership.md"
	rowsBegin = "<!-- rows:begin -->\n"
	rowsEnd   = "<!-- rows:end -->"
)

// TestDocs holds the tables of docs/ownership.md to the rows.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), rowsBegin)
	told, after, ended := strings.Cut(rest, rowsEnd)
	if !found || !ended {
		t.Fatalf("%s has no place for the rows, between %q and %q", docs, strings.TrimSpace(rowsBegin), rowsEnd)
	}
	want := rendered()
	if *update {
		if err := os.WriteFile(docs, []byte(before+rowsBegin+want+rowsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(told, want); diff != "" {
		t.Errorf("%s does not tell the rows as they are; `make docs` writes them (-docs +rows):\n%s", docs, diff)
	}
}

// rendered are all rows as Markdown.
func rendered() string {
	var b strings.Builder
	b.WriteString(legend())
	for _, theme := range slices.Concat(themes, []theme{operatorTheme}) {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", theme.title, theme.about)
		b.WriteString("| | State | Operation | Value | Owners | Conflict |\n|---|---|---|---|---|---|\n")
		for _, row := range theme.rows {
			row.render(&b)
		}
	}
	b.WriteString("\n")
	return b.String()
}

// legend tells what stands for what in the tables.
func legend() string {
	var b strings.Builder
	b.WriteString("\nEach row is carried out by `go test ./test/ownership` on a real API server, and the tables are written by it (`make docs`). The columns are: " +
		"what the row shows, what has been done before, the operation, what becomes of the object, who owns what then, and why the operation was " +
		"refused, if it was. An owner is a field manager by Apply, through the object's own endpoint, unless brackets say otherwise. In the tables\n\n")
	names := slices.SortedFunc(maps.Keys(named), func(a, b string) int { return strings.Compare(named[a], named[b]) })
	for _, body := range names {
		fmt.Fprintf(&b, "- *%s* stands for `%s`\n", named[body], cut(strings.Join(strings.Fields(body), " "), 400))
	}
	fmt.Fprintf(&b, "- *%s* stands for %s\n", oursInShort, strings.Join(ownersTold(ours), ", "))
	return b.String()
}

// oursInShort is what stands for the operator's own fields.
const oursInShort = "the operator has its own"

func (r row) render(b *strings.Builder) {
	state := r.state()
	says := r.says
	for _, st := range r.then {
		operation, value := st.do.text(false), st.valueCell()
		if x, is := st.do.(observing); is {
			operation, value = "", strings.TrimPrefix(strings.Join([]string{value, x.says}, "; "), "; ")
		}
		cells := []string{says, state, operation, value, ownersCell(st.owners), conflictCell(st.conflict)}
		for i, cell := range cells {
			cells[i] = strings.ReplaceAll(cell, "|", "\\|")
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
		says, state = "", "then"
	}
}

// state is what was done before, as a sentence.
func (r row) state() string {
	out := "no object"
	if len(r.given) > 0 {
		var all []string
		for _, done := range r.given {
			all = append(all, done.text(true))
		}
		out = strings.Join(all, "; ")
	}
	if r.of != nil {
		out = fmt.Sprintf("%s: %s", r.of.shown(), out)
	}
	return out
}

func (st step) valueCell() string {
	effect, fields := effectOf(st.value)
	if effect == "" && st.conflict != ok {
		effect = "unchanged"
	}
	var out []string
	if effect != "" {
		out = append(out, effect)
	}
	if fields != "" {
		out = append(out, "`"+strings.Join(strings.Fields(fields), " ")+"`")
	}
	return strings.Join(out, ", ")
}

// ownersCell tells owners, and the operator's own in short.
func ownersCell(says string) string {
	rest, found := strings.CutSuffix(says, ours)
	out := ownersTold(rest)
	if found {
		out = append(out, "*"+oursInShort+"*")
	}
	return strings.Join(out, "<br>")
}

func ownersTold(says string) []string {
	var out []string
	for part := range parts(says, ";") {
		if owner, paths, found := strings.Cut(part, " has "); found && !strings.HasPrefix(part, ".") {
			out = append(out, fmt.Sprintf("%#q has %s", shortened(owner), codes(strings.Fields(paths), "nothing")))
			continue
		}
		path, names, _ := strings.Cut(part, ": ")
		out = append(out, fmt.Sprintf("%#q: %s", path, codes(sortedParts(names, "nobody"), "nobody")))
	}
	return out
}

func conflictCell(says string) string {
	if says == ok {
		return "–"
	}
	if _, _, isStatus := statusOf(says); isStatus {
		return says
	}
	return ownersCell(says)
}

// codes are words in Markdown; the word for none stands for itself.
func codes(words []string, none string) string {
	if len(words) == 0 || len(words) == 1 && words[0] == none {
		return none
	}
	return "`" + strings.Join(words, "`, `") + "`"
}

// shown is a kind in a sentence.
func (k *kind) shown() string {
	if k.crd == nil {
		return k.Kind
	}
	return "a kind with `" + shortened(strings.Join(strings.Fields(k.crd.schemas[0].spec), " ")) + "`"
}
