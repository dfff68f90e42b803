// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	ctrl "sigs.k8s.io/controller-runtime"
)

// How many worlds TestSeeds and TestReplay run by default: what fits into a minute of a machine that has other tests to run.
const (
	defaultSeeds = 100
	replayed     = 8
)

// lazyGC lets the heap grow fivefold between collections: worlds are short-lived, and a sixth of the time would go into collecting them.
const lazyGC = 400

var (
	seedFlag     = flag.Uint64("sim.seed", 1, "the first seed to run; 0 draws one")
	seedsFlag    = flag.Int("sim.seeds", defaultSeeds, "how many seeds to run")
	longestFlag  = flag.Duration("sim.longest", 0, "how long to begin further seeds; 0 is without end")
	stepsFlag    = flag.Int("sim.steps", 300, "steps of chaos in a run")
	skipFlag     = flag.String("sim.skip", "", "steps that are left out, such as 0-17,20")
	failuresFlag = flag.Int("sim.failures", 1, "how many seeds may fail before no more are run")
	shrinkFlag   = flag.Bool("sim.shrink", true, "look for the fewest steps with which a seed fails")
	traceFlag    = flag.String("sim.trace", "", "a file for the whole trace of a seed that fails")
	docsFlag     = flag.Bool("sim.docs", false, "write what was run into docs/reliability.md, docs/ec2instance.md and docs/errors.md")
)

func TestMain(m *testing.M) {
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	debug.SetGCPercent(lazyGC)
	for key, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_CONFIG_FILE": "/dev/null", "AWS_CA_BUNDLE": "",
	} {
		if err := os.Setenv(key, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if *seedFlag == 0 {
		*seedFlag = rand.Uint64() >> 16
	}
	os.Exit(m.Run())
}

// result is what came of a run.
type result struct {
	violations []string
	lines      []string
	err        error
	met        map[string]int
	asked      tally
	broken     tally
	attempts   int
	lenient    lenient
}

func (r result) failed() bool { return r.err != nil || len(r.violations) > 0 }

// evidence is what went before the first violation, or before the end, without what operators do inside.
func (r result) evidence() string {
	const shown = 80
	lines := slices.DeleteFunc(slices.Clone(r.lines), isInside)
	end := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, violatedMark) }) + 1
	if end == 0 {
		end = len(lines)
	}
	return strings.Join(lines[max(0, end-shown):min(len(lines), end+3)], "\n")
}

// inBubble makes one run.
func inBubble(t *testing.T, seed uint64, o options) (out result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, err := newWorld(seed)
		if err != nil {
			t.Fatal(err)
		}
		out.violations, out.err = w.run(o)
		if err := w.end(); err != nil && out.err == nil {
			out.err = err
		}
		out.lines, out.met, out.asked, out.broken = w.lines(), w.met, w.judge.asking(), w.judge.broken
		out.attempts, out.lenient = len(w.judge.launches.byToken), w.judge.launches.lenience()
	})
	return out
}

// optionsOf are drawn from the seed, too: of ten worlds six have one operator, three have two at once, and one has three.
func optionsOf(seed uint64, steps int, skip map[int]bool) options {
	operators := []int{1, 1, 2, 1, 1, 2, 1, 3, 1, 2}[seed%10]
	return options{steps: steps, skip: skip, operators: operators, faults: true}
}

// TestSeeds runs many worlds.
func TestSeeds(t *testing.T) {
	skip, err := parseSteps(*skipFlag)
	if err != nil {
		t.Fatal(err)
	}
	sum := &summary{met: map[string]int{}, began: time.Now()}
	var next, failures atomic.Int64
	t.Run("worlds", func(t *testing.T) {
		for i := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; n < int64(*seedsFlag) && failures.Load() < int64(*failuresFlag) && sum.mayGoOn(); n = next.Add(1) - 1 {
					if !checkSeed(t, *seedFlag+uint64(n), skip, sum) {
						failures.Add(1)
					}
				}
			})
		}
	})
	t.Log(sum.line(*seedFlag, failures.Load()))
	if *docsFlag && !t.Failed() {
		writeDocs(t, reliabilityPage, "seeds", sum.line(*seedFlag, failures.Load())+"\n\n"+sum.tables())
	}
}

// checkSeed runs a seed. One that fails is run again with as few steps as it fails with, and tells how to repeat it.
func checkSeed(t *testing.T, seed uint64, skip map[int]bool, sum *summary) bool {
	t.Helper()
	steps := *stepsFlag
	r := inBubble(t, seed, optionsOf(seed, steps, skip))
	sum.add(r)
	if !r.failed() {
		return true
	}
	if *shrinkFlag {
		steps, skip = shrink(func(steps int, skip map[int]bool) bool {
			return inBubble(t, seed, optionsOf(seed, steps, skip)).failed()
		}, steps, skip)
		r = inBubble(t, seed, optionsOf(seed, steps, skip))
	}
	if *traceFlag != "" {
		if err := os.WriteFile(*traceFlag, []byte(strings.Join(r.lines, "\n")), 0o600); err != nil {
			t.Error(err)
		}
	}
	t.Errorf("seed %d: %v %v\n%s\nRepeat it: go test ./test/sim -run TestSeeds -sim.seed=%d -sim.seeds=1 -sim.steps=%d -sim.skip=%s",
		seed, r.err, strings.Join(r.violations, "\n"), r.evidence(), seed, steps, formatSteps(skip))
	return false
}

// TestReplay runs seeds twice: a seed is a run, to the last request.
func TestReplay(t *testing.T) {
	for seed := *seedFlag; seed < *seedFlag+replayed; seed++ {
		o := optionsOf(seed, *stepsFlag, nil)
		first, second := inBubble(t, seed, o), inBubble(t, seed, o)
		for i := range max(len(first.lines), len(second.lines)) {
			if i >= len(first.lines) || i >= len(second.lines) || first.lines[i] != second.lines[i] {
				from, to := max(0, i-10), i+5
				t.Errorf("seed %d: the runs differ from line %d on:\n%s", seed, i, cmp.Diff(
					first.lines[from:min(to, len(first.lines))], second.lines[from:min(to, len(second.lines))]))
				break
			}
		}
	}
}

// summary sums runs up.
type summary struct {
	began time.Time

	mu            sync.Mutex
	worlds        int
	attempts      int
	lenient       lenient
	met           map[string]int
	asked, broken tally
}

func (s *summary) add(r result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.worlds++
	s.attempts += r.attempts
	s.lenient.add(r.lenient)
	for name, n := range r.met {
		s.met[name] += n
	}
	s.asked.add(r.asked)
	s.broken.add(r.broken)
}

// mayGoOn tells whether there is time for another world.
func (s *summary) mayGoOn() bool { return *longestFlag == 0 || time.Since(s.began) < *longestFlag }

func (s *summary) line(first uint64, failed int64) string {
	return fmt.Sprintf("%d worlds, seeds from %d on, %d launches attempted in them; %d failed; %.0f worlds a minute on %d processors. "+
		"Of %d objects somebody else changed or took away the intent or the finalizer: some promises about them are off. For %d of these "+
		"that was before a status told of the launch, and for %d nothing at all was left.",
		s.worlds, first, s.attempts, failed, float64(s.worlds)/time.Since(s.began).Minutes(), runtime.GOMAXPROCS(0),
		s.lenient.tampered, s.lenient.keyless, s.lenient.erased)
}

// tables tell how often each fault happened, and how often each question was asked.
func (s *summary) tables() string {
	var b strings.Builder
	b.WriteString("| fault | times |\n|---|--:|\n")
	for _, name := range slices.Sorted(maps.Keys(s.met)) {
		fmt.Fprintf(&b, "| %s | %d |\n", name, s.met[name])
	}
	b.WriteString("\n| invariant | what is judged | times | violated |\n|--:|---|--:|--:|\n")
	for i := range oracles {
		o := &oracles[i]
		fmt.Fprintf(&b, "| %d | %s | %d | %d |\n", o.invariant, o.text, s.asked[i], s.broken[i])
	}
	return b.String()
}
