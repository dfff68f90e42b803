// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// counts are what the whole suite counts. They are printed when it ends.
type counts struct {
	mu sync.Mutex
	// rows and steps that were carried out.
	rows, steps int
	// predictions that were compared with the API server, by kind, and those of them that were wrong.
	cases, wrong map[string]int
	// refused are those of them that the API server refused for what no prediction is about, such as validation.
	refused map[string]int
	// unsafe are predictions that were not to be relied on, by reason, and apart the writes without any.
	unsafe, apart map[string]int
	// plays are the writes of the property test, by what came of them.
	plays map[string]int
	// notes are further lines.
	notes []string
}

// tally is the suite's.
var tally = &counts{}

func (c *counts) count(m *map[string]int, key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *m == nil {
		*m = map[string]int{}
	}
	(*m)[key]++
}

func (c *counts) compared(k *kind) { c.count(&c.cases, k.Kind) }

func (c *counts) disagreed() { c.count(&c.wrong, "") }

// snapshot is a copy of what is counted by key.
func (c *counts) snapshot() *counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &counts{cases: maps.Clone(c.cases), wrong: maps.Clone(c.wrong), plays: maps.Clone(c.plays)}
}

func (c *counts) row(steps int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows++
	c.steps += steps
}

func (c *counts) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// String is the report.
func (c *counts) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := append([]string{
		fmt.Sprintf("Rows: %d, with %d operations.", c.rows, c.steps),
		fmt.Sprintf("Predictions of their applies and updates that were compared with the API server: %d (%s); disagreements: %d.",
			total(c.cases), listed(c.cases), total(c.wrong)),
		fmt.Sprintf("Refused for other reasons than ownership, and not taken for no-ops: %d.", total(c.refused)),
		fmt.Sprintf("Not to be relied on, and excused by their rows: %s. Not predicted: %s.", listed(c.unsafe), listed(c.apart)),
	}, c.notes...)
	return strings.Join(lines, "\n")
}

func total(m map[string]int) int {
	sum := 0
	for _, n := range m {
		sum += n
	}
	return sum
}

func listed(m map[string]int) string {
	if len(m) == 0 {
		return "none"
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s %d", key, m[key]))
	}
	return strings.Join(out, ", ")
}
