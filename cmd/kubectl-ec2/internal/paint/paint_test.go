// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func environment(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

func TestWhenToColour(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	for _, test := range []struct {
		name        string
		mode        Mode
		environment map[string]string
		want        bool
	}{
		{"the default, into a buffer", "", nil, false},
		{"auto, into a buffer", Auto, nil, false},
		{"always, into a buffer", Always, nil, true},
		{"always, though NO_COLOR is set", Always, map[string]string{"NO_COLOR": "1"}, true},
		{"never", Never, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := For(test.mode, &bytes.Buffer{}, environment(test.environment)).Name("kubectl", "kubectl")
			if coloured := got != "kubectl"; coloured != test.want {
				t.Errorf("got %q", got)
			}
		})
	}
	if got := For(Auto, file, environment(nil)).Name("kubectl", "kubectl"); got != "kubectl" {
		t.Errorf("A file that is no terminal gets %q", got)
	}
}

func TestAutoOnATerminal(t *testing.T) {
	for _, test := range []struct {
		name        string
		environment map[string]string
		want        bool
	}{
		{"a terminal", map[string]string{"TERM": "xterm"}, true},
		{"NO_COLOR", map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, false},
		{"NO_COLOR is empty", map[string]string{"TERM": "xterm", "NO_COLOR": ""}, true},
		{"a dumb terminal", map[string]string{"TERM": "dumb"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := wanted(Auto, true, environment(test.environment)); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestNamesHaveColoursOfTheirOwn(t *testing.T) {
	var names []string
	for i := range len(palette) {
		names = append(names, "manager-"+strings.Repeat("x", i))
	}
	p := Painter{on: true}.With(names)
	seen := map[string]string{}
	for _, name := range names {
		code := strings.TrimSuffix(p.Name(name, "N"), "N\x1b[0m")
		if other, taken := seen[code]; taken {
			t.Errorf("%s and %s have the same colour", name, other)
		}
		seen[code] = name
	}
	// More names than colours: some share one.
	if got := (Painter{on: true}).With(append(names, "one more")).Name("one more", "N"); !strings.HasPrefix(got, "\x1b[") {
		t.Errorf("The name after the last colour is %q", got)
	}
}

func TestANameKeepsItsColour(t *testing.T) {
	alone := Painter{on: true}.With([]string{"kubectl"}).Name("kubectl", "N")
	if unlisted := (Painter{on: true}).Name("kubectl", "N"); unlisted != alone {
		t.Errorf("got %q and %q", alone, unlisted)
	}
	if empty := (Painter{on: true}).Name("kubectl", ""); empty != "" {
		t.Errorf("Nothing is painted as %q", empty)
	}
}

func TestModeAsAFlag(t *testing.T) {
	var m Mode
	if m.String() != "auto" {
		t.Errorf("The default is %q", m.String())
	}
	for _, value := range []string{"auto", "always", "never"} {
		if err := m.Set(value); err != nil || m.String() != value {
			t.Errorf("%s: %q, %v", value, m.String(), err)
		}
	}
	if err := m.Set("sometimes"); err == nil || m != Never {
		t.Errorf("got %v and %v", m, err)
	}
}
