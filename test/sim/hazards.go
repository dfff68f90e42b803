// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// hazard is something that goes wrong by itself, and not with one request.
type hazard struct {
	name string
	// begin has it go wrong, and returns what ends it: nil where it is over at once. It returns false where there is nothing that could go
	// wrong.
	begin func(w *world) (end func() error, begun bool, err error)
	// longest is how long it lasts at most.
	longest time.Duration
	// weight is how often it is taken, among the others.
	weight int
}

// How long EC2 may show less than there is: less than the window after which the operator believes it, of five minutes. For as long after
// it EC2 shows everything, so that the operator can see that.
const (
	longestBlindness = 3 * time.Minute
	sight            = 5 * time.Minute
)

// hazards are all of them.
var hazards = []hazard{
	{"cache: watch lost, lists anew", (*world).listAnew, 0, 4},
	{"cache: another API server, an older revision", (*world).listOlder, 0, 3},
	{"cache: events skipped, then listed", (*world).skipEvents, 0, 3},
	{"cache: watch dead for a while", (*world).deafen, 10 * time.Minute, 3},
	{"operator: stopped for a while, another takes over", (*world).pause, 20 * time.Minute, 2},
	{"operator: killed while it waits", (*world).kill, 0, 2},
	{"EC2: an instance is not shown", blinds((*world).hideInstance), longestBlindness, 3},
	{"EC2: tags are not shown", blinds(injects(ec2sim.Fault{Action: actionDescribe, HideTags: []string{"*"}})), longestBlindness, 2},
	{"EC2: lists are cut short", blinds(injects(ec2sim.Fault{Action: actionDescribe, ListLimit: new(0)})), longestBlindness, 2},
	{"EC2: answers take long", injects(ec2sim.Fault{Delay: 40 * time.Second, Probability: 0.3}), longestBlindness, 1},
	{"EC2: throttles", injects(ec2sim.Fault{Probability: 0.5, Error: &ec2sim.FaultError{Code: "RequestLimitExceeded"}}), 5 * time.Minute, 2},
	{"EC2: internal errors", injects(ec2sim.Fault{Probability: 0.5, Error: &ec2sim.FaultError{Code: "InternalError"}}), 5 * time.Minute, 2},
	{"EC2: unavailable", injects(ec2sim.Fault{Error: &ec2sim.FaultError{Code: "Unavailable"}}), 10 * time.Minute, 1},
	noCapacity,
	{"EC2: a launch is accepted and fails", injects(ec2sim.Fault{
		Action: "RunInstances", Times: 1, LaunchFailure: &ec2sim.StateReason{Code: "Server.InternalError", Message: "Server.InternalError: Internal error on launch"},
	}), 30 * time.Minute, 2},
}

const actionDescribe = "DescribeInstances"

// trouble is a hazard that goes on.
type trouble struct {
	until time.Time
	name  string
	end   func() error
}

// goWrong draws a hazard.
func (w *world) goWrong() error {
	h := hazards[drawWeighted(w, len(hazards), func(i int) int { return hazards[i].weight })]
	if w.short() && w.random.IntN(2) == 0 {
		h = noCapacity
	}
	end, begun, err := h.begin(w)
	if err != nil {
		return fmt.Errorf("%s: %w", h.name, err)
	}
	if !begun {
		return nil
	}
	w.met[h.name]++
	w.trace("hazard: %s", h.name)
	if end != nil {
		lasts := time.Duration(w.random.Int64N(int64(h.longest)))
		w.troubles = append(w.troubles, trouble{until: time.Now().Add(lasts), name: h.name, end: end})
	}
	return nil
}

// mend ends the troubles that are over, or all of them.
func (w *world) mend(all bool) error {
	var left []trouble
	for _, t := range w.troubles {
		if !all && time.Now().Before(t.until) {
			left = append(left, t)
			continue
		}
		w.trace("over: %s", t.name)
		if err := t.end(); err != nil {
			return fmt.Errorf("ending %s: %w", t.name, err)
		}
	}
	w.troubles = left
	return nil
}

// drawWeighted draws one of n by weight.
func drawWeighted(w *world, n int, weight func(int) int) int {
	total := 0
	for i := range n {
		total += weight(i)
	}
	dice := w.random.IntN(total)
	for i := range n {
		if dice -= weight(i); dice < 0 {
			return i
		}
	}
	panic("the weights do not add up")
}

// injects is a fault of EC2's that lasts.
func injects(f ec2sim.Fault) func(*world) (func() error, bool, error) {
	return func(w *world) (func() error, bool, error) { return w.inject(f) }
}

func (w *world) inject(f ec2sim.Fault) (end func() error, begun bool, err error) {
	id, err := w.ec2.Inject(f)
	if err != nil {
		return nil, false, err
	}
	return func() error { w.ec2.RemoveFault(id); return nil }, true, nil
}

// blinds is a hazard that has EC2 show less than there is.
func blinds(begin func(*world) (func() error, bool, error)) func(*world) (func() error, bool, error) {
	return func(w *world) (func() error, bool, error) {
		if time.Now().Before(w.blindUntil.Add(sight)) {
			return nil, false, nil
		}
		end, begun, err := begin(w)
		if !begun || err != nil {
			return nil, begun, err
		}
		w.blindUntil = time.Now().Add(longestBlindness)
		return func() error { w.blindUntil = time.Now(); return end() }, true, nil
	}
}

func (w *world) hideInstance() (end func() error, begun bool, err error) {
	all := w.ec2.Instances()
	if len(all) == 0 {
		return nil, false, nil
	}
	slices.SortFunc(all, func(a, b ec2sim.Instance) int { return cmp.Compare(a.ID, b.ID) })
	return w.inject(ec2sim.Fault{Action: actionDescribe, Hide: []string{all[w.draw(len(all))].ID}})
}

// someone is an operator that runs.
func (w *world) someone() *process {
	if active := w.active(); len(active) > 0 {
		return active[w.draw(len(active))]
	}
	return nil
}

func (w *world) listAnew() (end func() error, begun bool, err error) {
	p := w.someone()
	if p == nil {
		return nil, false, nil
	}
	return nil, true, p.cache.Relist(w.api.ResourceVersion())
}

// reach is how many changes an API server is behind another one at most.
const reach = 20

func (w *world) listOlder() (end func() error, begun bool, err error) {
	p := w.someone()
	if p == nil {
		return nil, false, nil
	}
	return nil, true, p.cache.Relist(max(w.oldest, p.cache.Revision()-1-w.random.Int64N(reach)))
}

func (w *world) skipEvents() (end func() error, begun bool, err error) {
	p := w.someone()
	if p == nil || p.cache.Behind() < 2 {
		return nil, false, nil
	}
	missed := w.api.Changes(p.cache.Revision())
	return nil, true, p.cache.Relist(missed[1+w.draw(len(missed)-1)].ResourceVersion)
}

func (w *world) deafen() (end func() error, begun bool, err error) {
	p := w.someone()
	if p == nil || p.deaf {
		return nil, false, nil
	}
	p.deaf = true
	return func() error {
		p.deaf = false
		return p.cache.Relist(w.api.ResourceVersion())
	}, true, nil
}

// most operators at a time: more start only while others are stopped.
const most = 4

func (w *world) pause() (end func() error, begun bool, err error) {
	p := w.someone()
	if p == nil || len(w.alive()) >= most {
		return nil, false, nil
	}
	p.paused = true
	return func() error { p.paused = false; return nil }, true, nil
}

func (w *world) kill() (end func() error, begun bool, err error) {
	p := w.someone()
	if p == nil {
		return nil, false, nil
	}
	p.crash()
	return nil, true, nil
}
