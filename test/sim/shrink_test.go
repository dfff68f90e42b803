// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
)

// shrinkTries is how many runs looking for fewer steps may cost.
const shrinkTries = 80

// shrink finds few steps with which a run fails: first how many are needed from the beginning, then which of those can be left out, in ever
// smaller pieces.
func shrink(fails func(steps int, skip map[int]bool) bool, steps int, skip map[int]bool) (fewest int, without map[int]bool) {
	low := 0
	for low < steps {
		middle := (low + steps) / 2
		if fails(middle, skip) {
			steps = middle
		} else {
			low = middle + 1
		}
	}
	without = maps.Clone(skip)
	if without == nil {
		without = map[int]bool{}
	}
	tries := 0
	for size := steps / 2; size > 0; size /= 2 {
		for from := 0; from < steps && tries < shrinkTries; from += size {
			less := maps.Clone(without)
			for i := from; i < min(from+size, steps); i++ {
				less[i] = true
			}
			if len(less) == len(without) {
				continue
			}
			if tries++; fails(steps, less) {
				without = less
			}
		}
	}
	return steps, without
}

// formatSteps writes steps as -sim.skip reads them.
func formatSteps(steps map[int]bool) string {
	var out []string
	last := -1
	for i := range steps {
		last = max(last, i)
	}
	for i := 0; i <= last; i++ {
		if !steps[i] {
			continue
		}
		from := i
		for steps[i+1] {
			i++
		}
		if from == i {
			out = append(out, strconv.Itoa(i))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", from, i))
		}
	}
	return strings.Join(out, ",")
}

func parseSteps(text string) (map[int]bool, error) {
	out := map[int]bool{}
	if text == "" {
		return out, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("steps %q: %w", part, err)
		}
		for i := from; i <= to; i++ {
			out[i] = true
		}
	}
	return out, nil
}

// TestShrink: what is not needed to fail is left out, and the steps left out are written and read.
func TestShrink(t *testing.T) {
	needed := []int{7, 60, 61}
	steps, skip := shrink(func(steps int, skip map[int]bool) bool {
		for _, n := range needed {
			if n >= steps || skip[n] {
				return false
			}
		}
		return true
	}, 300, nil)
	if steps != 62 || len(skip) != steps-len(needed) {
		t.Errorf("%d steps without %s", steps, formatSteps(skip))
	}
	read, err := parseSteps(formatSteps(skip))
	if err != nil || !maps.Equal(read, skip) {
		t.Errorf("%s is read as %v, %v", formatSteps(skip), read, err)
	}
}
