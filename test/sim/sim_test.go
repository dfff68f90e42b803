// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

var (
	seedFlag   = flag.Uint64("sim.seed", 1, "the first seed to run; 0 draws one")
	stepsFlag  = flag.Int("sim.steps", 300, "steps of chaos in a run")
	tracesFlag = flag.String("sim.traces", "", "a folder for the traces of runs that differ")
	seedsFlag  = flag.Int("sim.seeds", 0, "how many seeds to run")
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	m.Run()
}

// result is what came of a run.
type result struct {
	violations []string
	lines      []string
	err        error
}

// inBubble makes one run.
func inBubble(t *testing.T, seed uint64, o options) (out result) {
	t.Helper()
	for key, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_CONFIG_FILE": "/dev/null", "AWS_CA_BUNDLE": "",
	} {
		t.Setenv(key, value)
	}
	synctest.Test(t, func(t *testing.T) {
		w, err := newWorld(seed)
		if err != nil {
			t.Fatal(err)
		}
		out.violations, out.err = w.run(o)
		if err := w.end(); err != nil && out.err == nil {
			out.err = err
		}
		out.lines = w.lines()
	})
	return out
}

func (r result) failed() bool { return r.err != nil || len(r.violations) > 0 }

// optionsOf are drawn from the seed, too: one operator, or, for a third of the seeds, two at once.
func optionsOf(seed uint64, steps int) options {
	return options{steps: steps, operators: 1 + int(seed%3)/2, faults: true}
}

// TestSeeds runs many worlds.
func TestSeeds(t *testing.T) {
	first, count := *seedFlag, *seedsFlag
	if count == 0 {
		t.Skip("the simulation runs when it is asked to: make sim")
	}
	if first == 0 {
		first = rand.Uint64() >> 16
	}
	began := time.Now()
	for seed := first; seed < first+uint64(count); seed++ {
		o := optionsOf(seed, *stepsFlag)
		r := inBubble(t, seed, o)
		if !r.failed() {
			continue
		}
		t.Logf("seed %d, %d steps: %v\n%s", seed, *stepsFlag, r.err, strings.Join(r.violations, "\n"))
		steps := shrink(t, seed, *stepsFlag)
		r = inBubble(t, seed, optionsOf(seed, steps))
		t.Errorf("seed %d: %v %v\n%s\nRepeat it: go test ./test/sim -run TestSeeds -sim.seed=%d -sim.seeds=1 -sim.steps=%d",
			seed, r.err, strings.Join(r.violations, "\n"), strings.Join(r.lines[max(0, len(r.lines)-120):], "\n"), seed, steps)
		break
	}
	t.Logf("%d seeds from %d, %.0f a minute", count, first, float64(count)/time.Since(began).Minutes())
}

// shrink finds how few steps of chaos make a seed fail.
func shrink(t *testing.T, seed uint64, steps int) int {
	t.Helper()
	low := 0
	for low < steps {
		middle := (low + steps) / 2
		if inBubble(t, seed, optionsOf(seed, middle)).failed() {
			steps = middle
		} else {
			low = middle + 1
		}
	}
	return steps
}

// TestReplay runs seeds twice: a seed is a run, to the last request.
func TestReplay(t *testing.T) {
	for seed := *seedFlag; seed < *seedFlag+uint64(*seedsFlag); seed++ {
		o := optionsOf(seed, *stepsFlag)
		first, second := inBubble(t, seed, o), inBubble(t, seed, o)
		for i := range max(len(first.lines), len(second.lines)) {
			if i >= len(first.lines) || i >= len(second.lines) || first.lines[i] != second.lines[i] {
				t.Errorf("seed %d: the runs differ from line %d of %d and %d on:\n%s\n---\n%s", seed, i, len(first.lines), len(second.lines),
					strings.Join(first.lines[max(0, i-12):min(i+4, len(first.lines))], "\n"), strings.Join(second.lines[max(0, i-3):min(i+4, len(second.lines))], "\n"))
				if *tracesFlag != "" {
					_ = os.WriteFile(*tracesFlag+"/first", []byte(strings.Join(first.lines, "\n")), 0o600)
					_ = os.WriteFile(*tracesFlag+"/second", []byte(strings.Join(second.lines, "\n")), 0o600)
				}
				break
			}
		}
	}
}
