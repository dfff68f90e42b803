// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package crashplan

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fieldowner/ec2-operator/test/faultproxy"
)

// write is one successful change that an operator made: the nth of its kind in a scenario. Two things that the operator does side by side,
// such as its object's status and its account's, come in either order; a write of one of them is the same write in each run.
type write struct {
	what string
	nth  int
}

// String is how the write is named to people and in tests' names.
func (w write) String() string { return fmt.Sprintf("%s #%d", w.what, w.nth) }

// point is where an operator is killed: after a write, whose answer has reached it or has not.
type point struct {
	write
	lost bool
}

// String tells the point.
func (p point) String() string {
	if p.lost {
		return p.write.String() + ", answer lost"
	}
	return p.write.String() + ", answer delivered"
}

// crash numbers what an operator changes and holds everything from the point of its crash on: nothing that the operator asks then has an
// effect any more, as if it had been killed at that instant.
type crash struct {
	// struck is closed when the operator is to be killed.
	struck chan struct{}
	// stage is the name that differs from run to run.
	stage string

	mu sync.Mutex
	// at is where; without it the operator is left alone.
	at *point
	// armed: the scenario has begun.
	armed  bool
	writes []write
	// last is when something was changed last, and before that, when EC2 was first listed: an operator that has not looked yet is not at
	// rest.
	last time.Time
	// met: the write was made and its answer is on its way. over: everything is held.
	met, over bool
}

func newCrash(s *stage, at *point) *crash {
	return &crash{struck: make(chan struct{}), stage: s.name, at: at}
}

// arm begins the scenario.
func (c *crash) arm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = true
}

// asked implements rules. When an answer was to be delivered, the operator has had it when it wants to change the next thing.
func (c *crash) asked(r faultproxy.Request) faultproxy.Verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.met && r.Change != "" {
		c.strike()
	}
	if c.last.IsZero() && strings.HasPrefix(string(r.Content), "Action=DescribeInstances&") {
		c.last = time.Now()
	}
	if c.over {
		return faultproxy.Hold()
	}
	return faultproxy.Pass()
}

// changed implements rules.
func (c *crash) changed(r faultproxy.Request) faultproxy.Verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = time.Now()
	if !c.armed {
		return faultproxy.Pass()
	}
	if c.over {
		return faultproxy.Hold() // It was under way at the crash.
	}
	w := write{what: strings.ReplaceAll(r.Change, c.stage, "<stage>"), nth: 1}
	for _, before := range c.writes {
		if before.what == w.what {
			w.nth++
		}
	}
	c.writes = append(c.writes, w)
	if c.at == nil || c.at.write != w {
		return faultproxy.Pass()
	}
	if c.at.lost {
		c.strike()
		return faultproxy.Hold()
	}
	c.met = true
	return faultproxy.Pass()
}

// strike holds everything from now on. The caller must hold c.mu.
func (c *crash) strike() {
	if !c.over {
		c.over = true
		close(c.struck)
	}
}

// end is strike for the one who waits for it, after the write was made.
func (c *crash) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.strike()
}

// reached tells whether the write at the point was made.
func (c *crash) reached() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.met || c.over
}

// numbered are the writes so far.
func (c *crash) numbered() []write {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.writes)
}

// rested tells whether nothing was changed for a while.
func (c *crash) rested(d time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.last.IsZero() && time.Since(c.last) >= d
}
