// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// errorsFlag chooses pairs.
var errorsFlag = flag.String("sim.errors", "",
	`errors to inject: "classes" for each class at every call and each code at three, "all", or pairs by a part of their names, such as "Unsupported@RunInstances"; `+
		`by default each code at RunInstances and at another call, which -sim.seed chooses`)

// eachClass is the flag's value that tries each class at every call.
const eachClass = "classes"

// TestErrors injects AWS's errors at the operator's calls, each for an hour.
func TestErrors(t *testing.T) {
	began := time.Now()
	var outcomes errorOutcomes
	t.Run("calls", func(t *testing.T) {
		for i := range callRows {
			row := &callRows[i]
			if pairs := pairsOf(i, *errorsFlag); len(pairs) > 0 {
				t.Run(row.String(), func(t *testing.T) {
					t.Parallel()
					tryAll(t, row, pairs, &outcomes)
				})
			}
		}
	})
	outcomes.sort()
	if *docsFlag && !t.Failed() {
		if *errorsFlag != allPoints && *errorsFlag != eachClass {
			t.Fatal("the page tells of each class at every call: set -sim.errors=classes or all")
		}
		writeDocs(t, errorsPage, "classes", errorClassTable())
		writeDocs(t, errorsPage, "codes", outcomes.codeTable())
		writeDocs(t, errorsPage, "calls", outcomes.callTable())
	}
	t.Logf("%d pairs of %d in %s\n%s",
		len(outcomes.all), len(callRows)*(len(errorCodes)+len(propagation)), time.Since(began).Round(time.Second/10), outcomes.callTable())
}

// pairsOf are the pairs of a row to be tried.
func pairsOf(row int, only string) []errorPair {
	var out []errorPair
	known := map[cloud.Class]bool{}
	others := len(callRows) - 1
	for i, code := range errorCodes {
		p := errorPair{code: code, row: &callRows[row]}
		first := !known[code.class]
		known[code.class] = true
		launch, another := row == 0, row == 1+(7*i+int(*seedFlag%uint64(others)))%others
		if chosen(p, only, launch || another, first || launch || another || row == 1+(11*i+5)%others) {
			out = append(out, p)
		}
	}
	for _, code := range propagation {
		if p := (errorPair{code: code, row: &callRows[row]}); chosen(p, only, row == 0, row == 0) {
			out = append(out, p)
		}
	}
	return out
}

func chosen(p errorPair, only string, byDefault, forClasses bool) bool {
	switch only {
	case "":
		return byDefault
	case eachClass:
		return forClasses
	case allPoints:
		return true
	default:
		return strings.Contains(p.String(), only)
	}
}

// tryAll tries a row's pairs.
func tryAll(t *testing.T, row *callRow, pairs []errorPair, outcomes *errorOutcomes) {
	t.Helper()
	reference, lines := try(t, row, nil)
	if len(reference.violations) > 0 {
		t.Fatalf("%s, without an error:\n%s\n%s", row, strings.Join(reference.violations, "\n"), tail(lines))
	}
	failures := 0
	for _, p := range pairs {
		r, lines := try(t, row, &p.code)
		outcomes.add(p, r)
		wrong := p.wrong(r, reference)
		if len(wrong) == 0 {
			continue
		}
		if failures++; failures > shown {
			t.Errorf("%s: it is wrong, too: %s", p, wrong[0])
			continue
		}
		t.Errorf("%s:\n%s\n%s\nRepeat it: go test ./test/sim -run TestErrors -sim.seed=%d -sim.errors=%q",
			p, strings.Join(wrong, "\n"), tail(lines), *seedFlag, p)
	}
}

// try makes a trial in a bubble.
func try(t *testing.T, row *callRow, code *errorCode) (out trialResult, lines []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, err := newWorld(*seedFlag)
		if err != nil {
			t.Fatal(err)
		}
		trial := &trial{world: w, row: row, code: code, tape: newTape(w)}
		if out, err = trial.run(); err != nil {
			out.violations = append(out.violations, err.Error())
		}
		if err := w.end(); err != nil {
			out.violations = append(out.violations, fmt.Sprintf("ending: %v", err))
		}
		lines = w.lines()
	})
	return out, lines
}

// TestErrorsHaveRows: the operator makes no call without a row.
func TestErrorsHaveRows(t *testing.T) {
	called := actionsOf(t, "../../controller/cloud")
	var rows []string
	for i := range callRows {
		rows = append(rows, callRows[i].action)
	}
	slices.Sort(rows)
	if diff := cmp.Diff(called, slices.Compact(slices.Sorted(slices.Values(rows)))); diff != "" {
		t.Errorf("actions (-called +rows):\n%s", diff)
	}
}

// actionsOf are the actions of AWS that a package's code calls.
func actionsOf(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if action := actionCalled(n); action != "" {
				out = append(out, action)
			}
			return true
		})
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// actionCalled is the action that a node calls: a method of a client of a session, as in s.ec2.RunInstances.
func actionCalled(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return ""
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	client, ok := method.X.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"ec2", "ssm", "sts"}, client.Sel.Name) {
		return ""
	}
	return method.Sel.Name
}

// TestErrorsDocs: the page tells of every class, code and call. The numbers in it are those of the run that wrote it.
func TestErrorsDocs(t *testing.T) {
	raw, err := os.ReadFile(errorsPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	if !strings.Contains(page, errorClassTable()) {
		t.Error("the table of classes is not that of the code: run make reliability")
	}
	for _, c := range errorCodes {
		if !strings.Contains(page, "| "+c.row()+" |") {
			t.Errorf("no row for the code %s: run make reliability", c.code)
		}
	}
	for i := range callRows {
		if !strings.Contains(page, "| "+callRows[i].String()+" |") {
			t.Errorf("no row for the call %q: run make reliability", callRows[i].String())
		}
	}
}
