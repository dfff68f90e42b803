// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"testing/synctest"
	"time"
)

// Options of a run.
type options struct {
	// Steps of chaos before the faults end.
	steps int
	// Operators that run at a time, without leader election.
	operators int
	// Faults: requests are refused, answers are lost, operators crash.
	faults bool
}

// How long the world gets to come to rest once the faults have ended: the longest pause of the operator is 15 minutes, between launches of
// an instance that somebody keeps terminating and between tries to take a contested field back, and a few may follow one another.
const settleTime = 90 * time.Minute

// maxRulings is how many requests a calm may take at most: polls of EC2 are some hundred an hour and operator.
const maxRulings = 1000

// restTime is how long nothing may happen after that.
const restTime = time.Hour

// run is one whole run: chaos, calm, rest. It returns what was violated.
func (w *world) run(o options) ([]string, error) {
	for range o.steps {
		if err := w.step(o); err != nil {
			return w.judge.verdict(), err
		}
	}
	w.trace("the faults end")
	if err := w.calm(settleTime); err != nil {
		return w.judge.verdict(), err
	}
	w.settled(o)
	writes, mutations := w.judge.totals()
	if err := w.calm(restTime); err != nil {
		return w.judge.verdict(), err
	}
	if after, mutated := w.judge.totals(); after != writes || mutated != mutations {
		w.judge.violated("invariant 5: at rest the operators wrote %d times, and changed EC2 %d times", after-writes, mutated-mutations)
	}
	return w.judge.verdict(), nil
}

// step does one thing.
func (w *world) step(o options) error {
	synctest.Wait()
	for len(w.alive()) < o.operators {
		if err := w.start(); err != nil {
			return err
		}
		synctest.Wait()
	}
	waiting, behind := w.gate.all(), w.behind()
	switch dice := w.random.IntN(100); {
	case dice < 4:
		return w.act()
	case dice < 55 && len(waiting) > 0:
		w.decide(waiting[w.random.IntN(len(waiting))], o.faults)
		return nil
	case dice < 90 && len(behind) > 0:
		return w.advance(behind[w.random.IntN(len(behind))])
	case dice < 92:
		return w.collectGarbage()
	default:
		w.pass(len(waiting)+len(behind) > 0)
		return nil
	}
}

// behind are the processes whose caches lag.
func (w *world) behind() []*process {
	var out []*process
	for _, p := range w.alive() {
		if p.cache.Behind() > 0 {
			out = append(out, p)
		}
	}
	return out
}

// advance shows a cache the next change, or, seldom, has it lose its watch and list anew.
func (w *world) advance(p *process) error {
	if w.random.IntN(50) == 0 {
		w.trace("%s lists anew", p.user())
		if err := p.cache.Relist(w.api.ResourceVersion()); err != nil {
			return fmt.Errorf("listing anew: %w", err)
		}
		return nil
	}
	if _, err := p.cache.Step(); err != nil {
		return fmt.Errorf("advancing a cache: %w", err)
	}
	return nil
}

// decide rules over a request.
func (w *world) decide(p *parked, faults bool) {
	r := pass
	if faults {
		switch dice := w.random.IntN(100); {
		case dice < 3:
			r = refuse
		case dice < 6 && p.writes:
			r = loseAnswer
		case dice < 7:
			r = crashBefore
		case dice < 9 && p.writes:
			r = crashAfter
		}
	}
	if r != pass || p.writes {
		w.trace("%s %s %.60s: %s", p.process.user(), p.system, p.what, r)
	}
	w.gate.rule(p, r)
}

// pass lets time pass: a little while requests wait, more when nothing does.
func (w *world) pass(waiting bool) {
	pauses := []time.Duration{time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute, 7 * time.Minute}
	if waiting {
		pauses = pauses[:3]
	}
	time.Sleep(pauses[w.random.IntN(len(pauses))]) //nolint:forbidigo // In a bubble, this is how time passes.
}

// calm lets everything pass, in time, for a while. One operator is there.
func (w *world) calm(d time.Duration) error {
	rulings := 0
	for end := time.Now().Add(d); time.Now().Before(end); {
		synctest.Wait()
		if rulings > maxRulings {
			w.judge.violated("a hot loop: %d requests in a calm that had lasted %s", rulings, d-time.Until(end))
			return nil
		}
		if len(w.alive()) == 0 {
			if err := w.start(); err != nil {
				return err
			}
			continue
		}
		waiting, behind := w.gate.all(), w.behind()
		switch {
		case len(waiting) > 0:
			rulings++
			w.decide(waiting[0], false)
		case len(behind) > 0:
			if _, err := behind[0].cache.Step(); err != nil {
				return fmt.Errorf("advancing a cache: %w", err)
			}
		default:
			if err := w.collectGarbage(); err != nil {
				return err
			}
			time.Sleep(time.Second) //nolint:forbidigo // The same.
		}
	}
	return nil
}
