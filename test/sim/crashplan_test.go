// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// allPoints is the flag's value that runs every point.
const allPoints = "all"

// crashPlansFlag chooses points.
var crashPlansFlag = flag.String("sim.crashplans", "",
	`crash plans to run: "all", or one point by its name, such as "create:lost:2"; by default all crashes and a share of the moments`)

const (
	// share is how many of the moments run by default: one in so many, another one with each seed.
	share = 8
	// tailLines is how much of a failing point's trace is shown, and shown how many failing points of a scenario are told in full.
	tailLines = 60
	shown     = 3
)

// inWorld plays in a bubble.
func inWorld(t *testing.T, s *scenario, f fate) (out outcome, lines []string, failure error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, err := newWorld(*seedFlag)
		if err != nil {
			t.Fatal(err)
		}
		out, failure = w.play(s, f)
		if err := w.end(); err != nil && failure == nil {
			failure = err
		}
		lines = w.lines()
	})
	return out, lines, failure
}

// TestCrashPlans crashes an operator before and after each of its writes, and deletes and recreates the object at each moment, in each
// scenario, and compares with a run in which nothing happens.
func TestCrashPlans(t *testing.T) {
	only, err := onlyPoint(*crashPlansFlag)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	created := sync.OnceValue(func() outcome { return reference(t, scenarioNamed("create")) })
	results := make([]planResult, len(scenarios))
	t.Run("scenarios", func(t *testing.T) {
		for i := range scenarios {
			if s := &scenarios[i]; only == nil || s.name == only.name {
				t.Run(s.name, func(t *testing.T) {
					t.Parallel()
					results[i] = runPlan(t, s, only, created())
				})
			}
		}
	})
	if only != nil {
		return
	}
	points, left, differing := 0, 0, 0
	for _, r := range results {
		tried, failed := r.total(allModes()...)
		points, left, differing = points+tried, left+r.left, differing+failed
	}
	t.Logf("%d scenarios, %d points, %d differences, %d points left to -sim.crashplans=all; %s\n%s",
		len(scenarios), points, differing, left, time.Since(began).Round(time.Second/10), crashPlanTable(results))
	if *docsFlag {
		writeDocs(t, reliabilityPage, "crash plans", crashPlanTable(results))
	}
}

// onlyPoint reads the flag: nil is all of them.
func onlyPoint(text string) (*point, error) {
	parts := strings.Split(text, ":")
	if text == "" || text == allPoints {
		return nil, nil //nolint:nilnil // There is no only one.
	}
	out := &point{scenario: scenarioNamed(parts[0])}
	if len(parts) != 3 || out.scenario == nil {
		return nil, fmt.Errorf("no crash plan is named %q", text)
	}
	out.mode = mode(parts[1])
	if _, err := fmt.Sscan(parts[2], &out.k); err != nil {
		return nil, fmt.Errorf("reading the crash plan %q: %w", text, err)
	}
	return out, nil
}

// reference plays a scenario without a fault.
func reference(t *testing.T, s *scenario) outcome {
	t.Helper()
	out, lines, err := inWorld(t, s, fate{})
	wrong := out.violations
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	if len(out.toSubject) > s.writes {
		wrong = append(wrong, fmt.Sprintf("invariant 6: %d writes to the EC2Instance, and at most %d are allowed: %q", len(out.toSubject), s.writes, out.toSubject))
	}
	if out.launched != s.launched || out.terminated != s.terminated {
		wrong = append(wrong, fmt.Sprintf("%d instances were launched and %d terminated, not %d and %d", out.launched, out.terminated, s.launched, s.terminated))
	}
	if len(wrong) > 0 {
		t.Errorf("%s, without a fault:\n%s\n%s", s.name, strings.Join(wrong, "\n"), tail(lines))
	}
	return out
}

// runPlan runs a scenario's points.
func runPlan(t *testing.T, s *scenario, only *point, created outcome) planResult {
	t.Helper()
	r := references{own: reference(t, s), created: created}
	result := planResult{scenario: s.name, writes: len(r.own.writes), toSubject: len(r.own.toSubject), tried: map[mode]int{}, differing: map[mode]int{}}
	failures := 0
	for i, p := range s.points(r.own) {
		switch {
		case only != nil && (p.mode != only.mode || p.k != only.k):
			continue
		case only == nil && *crashPlansFlag != allPoints && !p.always() && (uint64(i)+*seedFlag)%share != 0:
			result.left++
			continue
		}
		result.tried[p.mode]++
		wrong, lines := runPoint(t, p, r)
		if len(wrong) == 0 {
			continue
		}
		result.differing[p.mode]++
		if failures++; failures > shown {
			t.Errorf("%s: it differs, too", p)
			continue
		}
		t.Errorf("%s, of the writes %q\n%s\n%s\nRepeat it: go test ./test/sim -run TestCrashPlans -sim.seed=%d -sim.crashplans=%q",
			p, r.own.whats(), strings.Join(wrong, "\n"), tail(lines), *seedFlag, p)
	}
	tried, differing := result.total(allModes()...)
	t.Logf("%s: %d writes, %d of them to the EC2Instance; %d points, %d differences", s.name, result.writes, result.toSubject, tried, differing)
	return result
}

func runPoint(t *testing.T, p point, r references) (wrong, lines []string) {
	t.Helper()
	out, lines, err := inWorld(t, p.scenario, p.fate(r.own))
	if err != nil {
		return append(out.violations, err.Error()), lines
	}
	return p.differences(r, out), lines
}

func tail(lines []string) string { return strings.Join(lines[max(0, len(lines)-tailLines):], "\n") }
