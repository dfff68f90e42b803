// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

const (
	page = "../../docs/ec2instance.md"
	// The page's headings over the tables that are held to the code.
	conditionsHeading = "\n## Conditions\n"
	reasonsHeading    = "\n## Reasons\n"
)

// pageTable reads the table under a heading: its rows without the head, by the code in their first cells.
func pageTable(t *testing.T, heading string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), heading)
	if !found {
		t.Fatalf("%s has no heading %q", page, heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i, cell := range cells {
			cells[i] = strings.TrimSpace(cell)
		}
		name := strings.Trim(cells[0], "`")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		if rows[name] != nil {
			t.Errorf("%s has two rows for %s", page, name)
		}
		rows[name] = cells[1:]
	}
	return rows
}

// constantsOf are the values of the constants in conditions.go whose block's comment begins with some words.
func constantsOf(t *testing.T, comment string) []string {
	t.Helper()
	file, err := parser.ParseFile(gotoken.NewFileSet(), "../../api/v1/conditions.go", nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, d := range file.Decls {
		block, ok := d.(*ast.GenDecl)
		if !ok || !strings.HasPrefix(block.Doc.Text(), comment) {
			continue
		}
		for _, spec := range block.Specs {
			literal := spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit)
			value, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return values
}

// TestPageHasTheConditions holds the page's tables of conditions and reasons to the constants.
func TestPageHasTheConditions(t *testing.T) {
	conditions := slices.DeleteFunc(constantsOf(t, "Condition types."), func(c string) bool { return c == ec2v1.ConditionThrottled }) // An account's.
	for heading, want := range map[string][]string{
		conditionsHeading: conditions,
		reasonsHeading:    constantsOf(t, "Reasons of the conditions of an EC2Instance."),
	} {
		rows := pageTable(t, heading)
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(rows))); diff != "" {
			t.Errorf("%s does not have the rows under %q (-constants +page):\n%s", page, heading, diff)
		}
		for name, cells := range rows {
			if cells[0] == "" {
				t.Errorf("%s does not say what %s means", page, name)
			}
		}
	}
}

// pauses are the shortest and the longest pause before something is tried again, by reason: those of the classes of errors, and those
// that are not a class's.
func pauses() map[string][2]time.Duration {
	const many = 100
	all := map[string][2]time.Duration{
		ec2v1.ReasonAdopting:           {lookAgain, cloud.ClassNotYetVisible.Backoff(many)},
		ec2v1.ReasonAdoptionRefused:    {adoptAgain, adoptAgain},
		ec2v1.ReasonRecreating:         {recreatePause, recreatePauseMax},
		ec2v1.ReasonLaunchFailed:       {recreatePause, recreatePauseMax},
		ec2v1.ReasonAccountNotFound:    {accountAgain, accountAgain},
		ec2v1.ReasonAccountNotAllowed:  {accountAgain, accountAgain},
		ec2v1.ReasonOwnershipConflict:  {accountAgain, accountAgain},
		ec2v1.ReasonUserDataNotFound:   {userDataAgain, userDataAgain},
		ec2v1.ReasonChildNotControlled: {childAgain, childAgain},
		ec2v1.ReasonChildRefused:       {childAgain, childAgain},
	}
	all[ec2v1.ReasonImageNotFound] = [2]time.Duration{cloud.ClassDependency.Backoff(1), cloud.ClassDependency.Backoff(many)}
	for class, reason := range reasons {
		all[reason] = [2]time.Duration{class.Backoff(1), class.Backoff(many)}
	}
	return all
}

// TestPageTellsThePauses holds what the page says of trying again to the code.
func TestPageTellsThePauses(t *testing.T) {
	const column = 2
	wanted := pauses()
	for reason, cells := range pageTable(t, reasonsHeading) {
		want := ""
		if pause, ok := wanted[reason]; ok {
			want = inWords(pause[0])
			if pause[0] != pause[1] {
				want += " to " + inWords(pause[1])
			}
		}
		if cells[column] != want {
			t.Errorf("%s says of %s that it is tried again in %q, want %q", page, reason, cells[column], want)
		}
	}
}

func inWords(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return fmt.Sprintf("%d min", d/time.Minute)
}
