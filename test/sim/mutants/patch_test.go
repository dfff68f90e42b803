// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the module's folder, seen from this one.
const root = "../../.."

// mutant is a bug that a patch file plants.
type mutant struct {
	// name is the file's, without its ending.
	name string
	// plants, breaks and shows are what the text of the file says: the bug, the invariant, and when that comes out.
	plants, breaks, shows string
	// patch is the file, and sources those that it changes, in the module.
	patch   string
	sources []string
}

// headlines of a patch file, and the lines of its diff that name a source.
var (
	planting = regexp.MustCompile(`(?m)^Plants: (.+)$`)
	breaking = regexp.MustCompile(`(?m)^Breaks: (.+)$`)
	showing  = regexp.MustCompile(`(?m)^Shows: (.+)$`)
	changing = regexp.MustCompile(`(?m)^--- a/(controller/\S+\.go)$`)
)

// mutants reads the patch files.
func mutants(t *testing.T) []mutant {
	t.Helper()
	files, err := filepath.Glob("*.patch")
	if err != nil {
		t.Fatal(err)
	}
	var all []mutant
	for _, file := range files {
		all = append(all, readMutant(t, file))
	}
	return all
}

func readMutant(t *testing.T, file string) mutant {
	t.Helper()
	text := string(read(t, file))
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	m := mutant{name: strings.TrimSuffix(file, ".patch"), patch: path}
	m.plants, m.breaks, m.shows = headline(planting, text), headline(breaking, text), headline(showing, text)
	for _, match := range changing.FindAllStringSubmatch(text, -1) {
		m.sources = append(m.sources, match[1])
	}
	if m.plants == "" || m.breaks == "" || m.shows == "" || len(m.sources) == 0 {
		t.Fatalf("%s must say what it plants, breaks and shows, and change a source of the operator: %+v", file, m)
	}
	return m
}

// packages are those that the patch changes, as the go command takes them.
func (m mutant) packages() []string {
	var out []string
	for _, source := range m.sources {
		out = append(out, "./"+filepath.Dir(source))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func headline(which *regexp.Regexp, text string) string {
	if match := which.FindStringSubmatch(text); match != nil {
		return match[1]
	}
	return ""
}

// overlay has git apply the patch to copies of the sources, and returns the file that tells the go command to read those instead.
func (m mutant) overlay(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, source := range m.sources {
		write(t, filepath.Join(dir, source), read(t, filepath.Join(root, source)))
	}
	apply := exec.CommandContext(t.Context(), "git", "apply", m.patch)
	// Inside a repository, git would apply to its files.
	apply.Dir, apply.Env = dir, append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("the sources have changed where %s plants its bug; plant it anew: %v\n%s", m.name, err, out)
	}
	replace := map[string]string{}
	for _, source := range m.sources {
		original, patched := absolute(t, filepath.Join(root, source)), filepath.Join(dir, source)
		if bytes.Equal(read(t, original), read(t, patched)) {
			t.Fatalf("%s changes nothing in %s", m.name, source)
		}
		replace[original] = patched
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	write(t, file, text)
	return file
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	out, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
