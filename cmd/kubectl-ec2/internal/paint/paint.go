// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package paint colours managers' names on terminals.
package paint

import (
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"slices"

	"golang.org/x/term"
)

// Mode says when to colour.
type Mode string

// The modes. Auto means: on a terminal, unless NO_COLOR is set.
const (
	Auto   Mode = "auto"
	Always Mode = "always"
	Never  Mode = "never"
)

// String is the mode, and auto for the zero value.
func (m *Mode) String() string {
	if *m == "" {
		return string(Auto)
	}
	return string(*m)
}

// Set reads a flag's value.
func (m *Mode) Set(value string) error {
	switch v := Mode(value); v {
	case Auto, Always, Never:
		*m = v
		return nil
	default:
		return fmt.Errorf("must be auto, always or never, not %q", value)
	}
}

// Type is what the help calls the value.
func (*Mode) Type() string { return "when" }

// palette are the SGR codes to choose from: readable on dark and on light backgrounds.
var palette = []string{"32", "36", "33", "35", "34", "31", "92", "96", "93", "95", "94", "91"}

// Painter colours names, each always the same; the zero value does not colour.
type Painter struct {
	on    bool
	codes map[string]string
}

// For makes a painter for what is written to w. See https://no-color.org.
func For(m Mode, w io.Writer, getenv func(string) string) Painter {
	file, ok := w.(*os.File)
	return Painter{on: wanted(m, ok && term.IsTerminal(int(file.Fd())), getenv)}
}

func wanted(m Mode, terminal bool, getenv func(string) string) bool {
	switch m {
	case Always:
		return true
	case Never:
		return false
	default:
		return terminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	}
}

// With gives each of the names a colour: by itself the one that it has everywhere, and another when that is taken.
func (p Painter) With(names []string) Painter {
	p.codes = map[string]string{}
	taken := map[string]bool{}
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	for _, name := range slices.Compact(sorted) {
		at := preferred(name)
		for i := range palette {
			if code := palette[(at+i)%len(palette)]; !taken[code] {
				at += i
				break
			}
		}
		code := palette[at%len(palette)]
		taken[code], p.codes[name] = true, code
	}
	return p
}

// Name colours a text in the colour of a name.
func (p Painter) Name(name, text string) string {
	if !p.on || text == "" {
		return text
	}
	code, known := p.codes[name]
	if !known {
		code = palette[preferred(name)]
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func preferred(name string) int {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name)) // a hash takes everything
	return int(hash.Sum32() % uint32(len(palette)))
}
