// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// errCrashed is what the requests of an operator that has crashed end with.
var errCrashed = errors.New("the operator has crashed")

// ruling is what becomes of a request.
type ruling string

// The rulings. A write of which the answer is lost has happened.
const (
	pass       ruling = "pass"
	refuse     ruling = "refuse"
	loseAnswer ruling = "lose the answer"
	// crashBefore and crashAfter end the operator when the request has not been served yet, or was.
	crashBefore ruling = "crash before it"
	crashAfter  ruling = "crash after it"
)

// system is what a request is for.
type system string

// The systems. Reads of the operator's own cache and workers that want a key stop at the gate, too, so that one goroutine of an operator
// runs at a time; they are no faults' business.
const (
	kubernetes system = "kubernetes"
	ec2        system = "ec2"
	cacheReads system = "cache"
	queues     system = "queue"
)

// parked is a request that waits at the gate.
type parked struct {
	process *process
	// what names the request, and system whose it is.
	what   string
	system system
	writes bool
	// ready tells whether it can be served; nil: it can.
	ready func() bool
	ruled chan ruling
}

func (p *parked) String() string {
	return fmt.Sprintf("%s %s %.140s", p.process.user(), p.system, p.what)
}

// gate stops requests until the scheduler lets them go on.
type gate struct {
	mu      sync.Mutex
	waiting []*parked
}

// stop waits for a ruling. A process that is gone gets no further.
func (g *gate) stop(ctx context.Context, p *parked) (ruling, error) {
	if p.process.gone() {
		return "", errCrashed
	}
	p.ruled = make(chan ruling, 1)
	g.mu.Lock()
	g.waiting = append(g.waiting, p)
	g.mu.Unlock()
	select {
	case r := <-p.ruled:
		return r, nil
	case <-p.process.dead:
		g.leave(p)
		return "", errCrashed
	case <-ctx.Done():
		g.leave(p)
		return "", ctx.Err()
	}
}

func (g *gate) leave(p *parked) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = slices.DeleteFunc(g.waiting, func(o *parked) bool { return o == p })
}

// idle lets time pass, second by second, until something can go on, and at most d. It is for a moment at which all goroutines wait.
func (g *gate) idle(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end) && !g.goesOn(); {
		time.Sleep(min(time.Second, time.Until(end))) //nolint:forbidigo // In a bubble, this is how time passes.
	}
}

// goesOn tells whether anything that waits can go on.
func (g *gate) goesOn() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.waiting, func(p *parked) bool { return !p.process.paused && (p.ready == nil || p.ready()) })
}

// all are the requests that wait, in an order that does not depend on which goroutine came first.
func (g *gate) all() []*parked {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := slices.Clone(g.waiting)
	slices.SortStableFunc(out, func(a, b *parked) int {
		return cmp.Or(cmp.Compare(a.process.number, b.process.number), cmp.Compare(a.system, b.system), strings.Compare(a.what, b.what))
	})
	return out
}

// requests are those that wait.
func (g *gate) requests() []*parked {
	return slices.DeleteFunc(g.all(), func(p *parked) bool { return p.inside() || p.process.paused })
}

// insides are what waits inside the operators, and can go on.
func (g *gate) insides() []*parked {
	return slices.DeleteFunc(g.all(), func(p *parked) bool { return !p.inside() || p.process.paused || (p.ready != nil && !p.ready()) })
}

// inside tells whether something never leaves the operator.
func (p *parked) inside() bool { return p.system == cacheReads || p.system == queues }

// rule lets one request go on.
func (g *gate) rule(p *parked, r ruling) {
	g.leave(p)
	p.ruled <- r
}
