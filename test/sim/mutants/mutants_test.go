// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

var (
	huntFlag  = flag.Bool("mutants", false, "hunt the mutants; it takes minutes")
	seedFlag  = flag.Int("mutants.seed", 1, "the first seed of the hunt")
	seedsFlag = flag.Int("mutants.seeds", 300, "how many seeds a mutant may survive")
)

// TestPatches has every patch fit the sources as they are, change them, and compile.
func TestPatches(t *testing.T) {
	if found := len(mutants(t)); found != 10 {
		t.Errorf("%d mutants, and there are to be 10", found)
	}
	dependOnSources(t)
	t.Run("patches", func(t *testing.T) {
		for _, m := range mutants(t) {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				if out, err := goCommand(t, append([]string{"build", "-overlay", m.overlay(t)}, m.packages()...)...); err != nil {
					t.Errorf("it does not build: %v\n%s", err, out)
				}
			})
		}
	})
}

// dependOnSources looks at what the go command will read, so that go test knows when its cached result is out of date.
func dependOnSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, "controller"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		_, err = os.Stat(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestMutants has the mutants hunted, and prints what came of it. The operator as it is must not be caught by the same hunters.
func TestMutants(t *testing.T) {
	if !*huntFlag {
		t.Skip("the mutants are hunted when it is asked for: make mutants")
	}
	began := time.Now()
	if caught := build(t, "").hunt(t); caught != nil {
		t.Fatalf("the operator as it is was caught by %s after %s: %s", caught.by, caught.after, caught.violation)
	}
	rows := []row{{name: "none: the operator as it is", caught: &catch{after: "never"}, took: time.Since(began)}}
	for _, m := range mutants(t) {
		t.Run(m.name, func(t *testing.T) {
			began := time.Now()
			r := row{name: m.name, breaks: m.breaks, caught: build(t, m.overlay(t)).hunt(t), took: time.Since(began)}
			rows = append(rows, r)
			if r.caught == nil {
				t.Errorf("it survives: %s It would show %s", m.plants, m.shows)
			}
		})
	}
	t.Logf("the mutants, each until it was caught, in at most %d seeds from %d:\n%s", *seedsFlag, *seedFlag, table(rows))
}

// row of the table.
type row struct {
	name, breaks string
	caught       *catch
	took         time.Duration
}

func table(rows []row) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MUTANT\tBREAKS\tCAUGHT BY\tAFTER\tSECONDS\tVIOLATION")
	for _, r := range rows {
		caught := r.caught
		if caught == nil {
			caught = &catch{by: "NOBODY"}
		}
		breaks, _, _ := strings.Cut(r.breaks, ",")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.0f\t%s\n", r.name, breaks, caught.by, caught.after, r.took.Seconds(), caught.violation)
	}
	_ = w.Flush() // It writes to memory.
	return out.String()
}
