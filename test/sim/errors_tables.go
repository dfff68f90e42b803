// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// errorOutcome is what came of a pair.
type errorOutcome struct {
	errorPair

	calls int
}

// errorOutcomes are those of all pairs.
type errorOutcomes struct {
	mu  sync.Mutex
	all []errorOutcome
}

func (o *errorOutcomes) add(p errorPair, r trialResult) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, errorOutcome{p, r.calls})
}

// sort puts them in an order that does not depend on which came first.
func (o *errorOutcomes) sort() {
	slices.SortFunc(o.all, func(a, b errorOutcome) int { return cmp.Compare(a.String(), b.String()) })
}

// errorClassTable tells the classes as a table in Markdown.
func errorClassTable() string {
	var b strings.Builder
	b.WriteString("| class | what the operator does | `Ready=False` for | Stalled | next try |\n|---|---|---|---|---|\n")
	for _, r := range classRules {
		stalled := "no"
		if r.stalled {
			stalled = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.class, r.does, r.toldFor(), stalled, r.next)
	}
	return b.String()
}

// toldFor is the reason that users see.
func (r classRule) toldFor() string {
	if r.class == cloud.ClassThrottled {
		return "as before"
	}
	return "`" + r.reason + "`"
}

// codeTable tells the codes, and how often a call that fails with each was made in the first hour: the launch, and the most of any other
// call that was tried, where the SDK's own repetitions of what reads count.
func (o *errorOutcomes) codeTable() string {
	var b strings.Builder
	b.WriteString("| code | HTTP | class | reason | next try | launches asked for in the first hour | other calls tried |\n|---|--:|---|---|---|--:|--:|\n")
	for _, c := range errorCodes {
		launches, others := 0, 0
		for _, outcome := range o.all {
			switch {
			case outcome.code != c:
			case outcome.row == &callRows[0]:
				launches = outcome.calls
			default:
				others++
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d |\n", c.row(), launches, others)
	}
	return b.String()
}

// row is what is told of a code, whatever a run has measured.
func (c errorCode) row() string {
	rule := ruleOf(c.class)
	return fmt.Sprintf("%#q | %d | %s | %s | %s", c.code, c.status, c.class, rule.toldFor(), rule.next)
}

// callTable tells how often each call was made in the first hour, by class: the most of all codes that were tried.
func (o *errorOutcomes) callTable() string {
	var b strings.Builder
	b.WriteString("| call |")
	for _, r := range classRules {
		fmt.Fprintf(&b, " %s |", r.class)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", len(classRules)) + "\n")
	for i := range callRows {
		fmt.Fprintf(&b, "| %s |", callRows[i].String())
		for _, r := range classRules {
			most := 0
			for _, outcome := range o.all {
				if outcome.row == &callRows[i] && outcome.code.class == r.class {
					most = max(most, outcome.calls)
				}
			}
			fmt.Fprintf(&b, " %d |", most)
		}
		b.WriteString("\n")
	}
	return b.String()
}
