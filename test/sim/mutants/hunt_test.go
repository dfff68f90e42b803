// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// hunter is a test of package sim that may catch a mutant.
type hunter struct {
	test string
	// rounds are the arguments of its runs, each reaching further than the one before.
	rounds [][]string
	// failed finds the cases that failed in the output of a run.
	failed *regexp.Regexp
	// first picks, of what they are called, the one that counts, and after tells from it how far the search went.
	first func(found []string) int
	after func(found string) string
}

// Worlds come in batches: each is a run of the program, which tells on its own which worlds failed.
const (
	smallestBatch = 8
	// early is how many worlds are tried before the crash plans are.
	early = 40
)

// hunters, in the order in which they are tried.
func hunters(first, most int) []hunter {
	return []hunter{
		seeds(first, 0, min(early, most)), plans(), seeds(first, min(early, most), most), plans("-sim.crashplans=all"),
	}
}

// seeds are worlds under random faults, in growing numbers, so that what is caught soon costs little.
func seeds(first, from, to int) hunter {
	h := hunter{
		test: "TestSeeds", failed: regexp.MustCompile(`(?m)_test\.go:\d+: seed (\d+): `),
		first: lowest, after: func(found string) string { return fmt.Sprintf("%d seeds", number(found)-first+1) },
	}
	for count := smallestBatch; from < to; from, count = from+count, 2*count {
		count = min(count, to-from)
		h.rounds = append(h.rounds, []string{
			fmt.Sprintf("-sim.seed=%d", first+from), fmt.Sprintf("-sim.seeds=%d", count), "-sim.shrink=false",
		})
	}
	return h
}

// lowest is where the lowest number is: worlds run at once, and every one before the first that failed has run to its end.
func lowest(found []string) int {
	least := 0
	for i := range found {
		if number(found[i]) < number(found[least]) {
			least = i
		}
	}
	return least
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err) // The expression takes digits only.
	}
	return n
}

// plans are crashes at each write of fixed stories.
func plans(args ...string) hunter {
	return hunter{
		test: "TestCrashPlans", rounds: [][]string{args},
		failed: regexp.MustCompile(`(?m)_test\.go:\d+: (.+?)(?:, of the writes .*|, without a fault:)$`),
		first:  func([]string) int { return 0 },
		after:  func(found string) string { return found },
	}
}

// program is a test program of package sim, built of an operator.
type program struct {
	path string
	// tests that it has.
	tests string
}

// catch is how a mutant was caught.
type catch struct{ by, after, violation string }

// huntTime is the longest that one run of a hunter may take. One that takes longer has no verdict.
const huntTime = 20 * time.Minute

// build builds the test program, of patched sources if there is an overlay.
func build(t *testing.T, overlay string) program {
	t.Helper()
	p := program{path: filepath.Join(t.TempDir(), "sim.test")}
	args := []string{"test", "-c", "-ldflags", "-s -w", "-vet=off", "-o", p.path} // Nobody debugs it, and linking takes longest.
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	if out, err := goCommand(t, append(args, "./test/sim")...); err != nil {
		t.Fatalf("a mutant that does not build is not caught: %v\n%s", err, out)
	}
	tests, err := p.run(t, "-test.list", ".")
	if err != nil {
		t.Fatalf("listing the tests: %v\n%s", err, tests)
	}
	p.tests = tests
	return p
}

// goCommand runs the go command in the module's folder.
func goCommand(t *testing.T, args ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", args...)
	command.Dir = root
	out, err := command.CombinedOutput()
	return string(out), err
}

// run runs the program where go test would.
func (p program) run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), huntTime)
	defer cancel()
	command := exec.CommandContext(ctx, p.path, args...)
	command.Dir = filepath.Join(root, "test", "sim")
	out, err := command.CombinedOutput()
	return string(out), errors.Join(err, ctx.Err())
}

// hunt has the hunters that the program has search, one after the other, until one catches. nil is a mutant that survives.
func (p program) hunt(t *testing.T) *catch {
	t.Helper()
	for _, h := range hunters(*seedFlag, *seedsFlag) {
		if !strings.Contains(p.tests, h.test+"\n") {
			t.Fatalf("package sim has no %s, which is to hunt", h.test)
		}
		for _, round := range h.rounds {
			out, err := p.run(t, append([]string{"-test.run", "^" + h.test + "$", "-test.timeout", "0"}, round...)...)
			if err == nil {
				continue
			}
			caught := h.read(out)
			if _, exited := errors.AsType[*exec.ExitError](err); !exited || caught == nil {
				t.Fatalf("%s ended without a verdict: %v\n%s", h.test, err, out[max(0, len(out)-shownOutput):])
			}
			return caught
		}
	}
	return nil
}

// shownOutput is how much of a run's output is shown when nobody understands it.
const shownOutput = 4000

// read reads what was caught from the output of a failing run: nil when that tells of no case that failed.
func (h hunter) read(out string) *catch {
	at := h.failed.FindAllStringSubmatchIndex(out, -1)
	if len(at) == 0 {
		return nil
	}
	var found []string
	for _, m := range at {
		found = append(found, out[m[2]:m[3]])
	}
	i := h.first(found)
	text := out[at[i][1]:]
	if i+1 < len(at) {
		text = out[at[i][1]:at[i+1][0]]
	}
	return &catch{by: h.test, after: h.after(found[i]), violation: violation(text)}
}

var invariant = regexp.MustCompile(`invariant \d+: .+`)

// violation is the first that a case tells, of an invariant if there is one.
func violation(out string) string {
	if text := invariant.FindString(out); text != "" {
		return text
	}
	for line := range strings.Lines(out) {
		if text := strings.TrimSpace(strings.TrimPrefix(line, "<nil>")); text != "" {
			return text
		}
	}
	return "?"
}

// TestRead: of worlds that run at once the lowest seed counts, with what it violates itself.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name string
		hunter
		out  string
		want catch
	}{
		{"seeds", seeds(5, 0, 8), `
        sim_test.go:1: seed 9: <nil> invariant 7: late
            VIOLATED: invariant 7: late
        sim_test.go:1: seed 7: <nil> a has 2 live instances
            00:00:01.000 what went before
            invariant 1: early
`, catch{"TestSeeds", "3 seeds", "invariant 1: early"}},
		{"seeds, no invariant", seeds(5, 0, 8), "        sim_test.go:1: seed 9: <nil> a hot loop\n", catch{"TestSeeds", "5 seeds", "a hot loop"}},
		{"plans", plans(), `
        crashplan_test.go:1: create, two operators:lost:2, of the writes ["apply" "apply"]
            invariant 1: twice
`, catch{"TestCrashPlans", "create, two operators:lost:2", "invariant 1: twice"}},
		{"plans, reference", plans(), `
        crashplan_test.go:1: delete, without a fault:
            2 instances
`, catch{"TestCrashPlans", "delete", "2 instances"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.read(c.out); got == nil || *got != c.want {
				t.Errorf("read %+v, not %+v", got, c.want)
			}
		})
	}
}
