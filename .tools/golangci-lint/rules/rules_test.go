// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package rules tests the repository's .golangci.yml: that its rules refuse what they are there to refuse, and nothing else.
//
// testdata/tree is a small copy of the repository's layout whose files break the rules on purpose. A comment `// want "linter: text"`
// at the end of a line says what the linter must say about it, with a regular expression; every other line must pass.
package rules

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	// linterVariable names the linter to test: an absolute path, set by `make verify-rules`.
	linterVariable = "GOLANGCI_LINT"
	repository     = "../../.."
	tree           = "testdata/tree"
)

// want finds the expectation in a line, wantEach the quoted parts of it.
var (
	want     = regexp.MustCompile(`// want (".*")$`)
	wantEach = regexp.MustCompile(`"[^"]*"`)
)

// place is a line of a file of the tree.
type place struct {
	file string
	line int
}

func (p place) String() string { return p.file + ":" + strconv.Itoa(p.line) }

func TestConfigurationRefusesPlantedViolations(t *testing.T) {
	module := layOut(t)
	wanted := expectations(t, module)

	for _, got := range lint(t, module) {
		at := place{got.Pos.Filename, got.Pos.Line}
		said := got.FromLinter + ": " + got.Text

		index := slices.IndexFunc(wanted[at], func(text *regexp.Regexp) bool { return text.MatchString(said) })
		if index < 0 {
			t.Errorf("%v: refused, and should not be: %s", at, said)
			continue
		}

		wanted[at] = slices.Delete(wanted[at], index, index+1)
	}

	for _, at := range slices.SortedFunc(maps.Keys(wanted), byPlace) {
		for _, text := range wanted[at] {
			t.Errorf("%v: not refused: want %q", at, text)
		}
	}
}

// layOut makes a module of the planted tree, the repository's configuration and its dependencies.
func layOut(t *testing.T) string {
	t.Helper()

	module := t.TempDir()
	if err := os.CopyFS(module, os.DirFS(tree)); err != nil {
		t.Fatalf("copying the planted tree: %v", err)
	}

	for _, name := range []string{".golangci.yml", "go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			t.Fatalf("reading the repository's %s: %v", name, err)
		}

		if err := os.WriteFile(filepath.Join(module, name), content, 0o600); err != nil {
			t.Fatalf("copying %s: %v", name, err)
		}
	}

	return module
}

// expectations collects the want comments of all Go files below root.
func expectations(t *testing.T, root string) map[place][]*regexp.Regexp {
	t.Helper()

	found := map[place][]*regexp.Regexp{}

	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}

		content, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading a planted file: %w", err)
		}

		file, err := filepath.Rel(root, path)
		if err != nil {
			return fmt.Errorf("naming a planted file: %w", err)
		}

		for index, line := range strings.Split(string(content), "\n") {
			for _, text := range wants(line) {
				at := place{file, index + 1}

				pattern, err := regexp.Compile(text)
				if err != nil {
					return fmt.Errorf("reading the expectation at %v: %w", at, err)
				}

				found[at] = append(found[at], pattern)
			}
		}

		return nil
	})
	if err != nil {
		t.Fatalf("collecting the expectations: %v", err)
	}

	if len(found) == 0 {
		t.Fatal("no expectation found in the planted tree: nothing would be tested")
	}

	return found
}

// wants returns the texts that a line's want comment expects.
func wants(line string) []string {
	match := want.FindStringSubmatch(line)
	if match == nil {
		return nil
	}

	var texts []string
	for _, quoted := range wantEach.FindAllString(match[1], -1) {
		texts = append(texts, strings.Trim(quoted, `"`))
	}

	return texts
}

// issue is what golangci-lint reports, as far as it is needed here.
type issue struct {
	FromLinter string
	Text       string
	Pos        struct {
		Filename string
		Line     int
	}
}

// lint runs the linter with its own configuration over the module.
func lint(t *testing.T, module string) []issue {
	t.Helper()

	linter := os.Getenv(linterVariable)
	if linter == "" {
		t.Fatalf("%s is not set: run `make verify-rules`, which builds the linter and names it", linterVariable)
	}

	command := exec.CommandContext(t.Context(), linter, "run", "--output.json.path=stdout", "--show-stats=false", "./...")
	command.Dir = module

	var complaints strings.Builder
	command.Stderr = &complaints

	output, err := command.Output()

	// Exit code 1 says that there are issues, as there must be.
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("running %s: %v\n%s%s", linter, err, output, &complaints)
	}

	var report struct{ Issues []issue }
	if err := json.Unmarshal(output, &report); err != nil {
		t.Fatalf("reading the linter's report: %v\n%s%s", err, output, &complaints)
	}

	return report.Issues
}

func byPlace(a, b place) int {
	return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
}
