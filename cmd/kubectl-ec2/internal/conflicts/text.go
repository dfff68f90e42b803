// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/paint"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

const (
	// textWidth is where sentences are broken, in characters. Commands are not broken: they are there to be copied.
	textWidth = 110
	// valueWidth is how much of a value is shown, in characters.
	valueWidth = 200
)

// writeText tells people: what was found to Out, and what went wrong to ErrOut.
func writeText(env *cli.Env, o *options, found []finding, err error) {
	for i := range found {
		f := &found[i]
		switch f.outcome {
		case inConflict:
			writeConflicts(env.Out, f, env.Painter())
			writeWays(env.Out, f.ways(o.manager, o.toCluster))
		case wouldBeCreated:
			fmt.Fprintf(env.Out, "%s: would be created\n", f.name)
		case failed:
			fmt.Fprintf(env.ErrOut, "error: %s: %s\n", f.name, line(f.err))
		default:
			fmt.Fprintf(env.Out, "%s: no conflicts\n", f.name)
		}
	}
	for _, text := range texts(err) {
		fmt.Fprintf(env.ErrOut, "error: %s\n", text)
	}
	if len(found) > 1 {
		fmt.Fprintln(env.Out, summary(found))
	}
}

func summary(found []finding) string {
	count := map[outcome]int{}
	for _, f := range found {
		count[f.outcome]++
	}
	var parts []string
	for _, part := range []struct {
		outcome outcome
		text    string
	}{
		{inConflict, "in conflict"}, {wouldBeCreated, "would be created"}, {noConflicts, "without conflicts"}, {failed, "failed"},
	} {
		if n := count[part.outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, part.text))
		}
	}
	return fmt.Sprintf("%d objects: %s", len(found), strings.Join(parts, ", "))
}

func writeConflicts(w io.Writer, f *finding, p paint.Painter) {
	counted := "1 conflict"
	if n := len(f.conflicts); n != 1 {
		counted = fmt.Sprintf("%d conflicts", n)
	}
	fmt.Fprintf(w, "%s: %s\n", f.name, counted)
	p = p.With(managers(f.owners()))
	for _, c := range f.conflicts {
		owned := make([]string, len(c.Owners))
		for i, o := range c.Owners {
			owned[i] = p.Name(o.Manager, o.String())
		}
		fmt.Fprintf(w, "\n  %s\n    owned by  %s\n    theirs    %s\n    yours     %s\n",
			c.Field, strings.Join(owned, ", "), shown(c.Live, f.live != nil), shown(c.Wanted, c.Path != nil))
	}
}

func managers(owners []apply.Owner) []string {
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = o.Manager
	}
	return names
}

// shown is a value as far as it is known.
func shown(value any, known bool) string {
	switch {
	case value != nil:
		return cli.Inline(value, valueWidth)
	case known:
		return "(none)"
	default:
		return "(not known)"
	}
}

func writeWays(w io.Writer, ways []way) {
	fmt.Fprintln(w, "\n  Ways out:")
	for i, way := range ways {
		fmt.Fprintf(w, "  %d. %s\n", i+1, way.title)
		for _, s := range way.steps {
			if s.command != "" {
				fmt.Fprintf(w, "         %s\n", s.command)
				continue
			}
			for _, line := range wrap(s.text, textWidth) {
				fmt.Fprintf(w, "     %s\n", line)
			}
		}
	}
	fmt.Fprintln(w)
}

// wrap breaks a text between words into lines of at most the width, unless a word is longer.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
