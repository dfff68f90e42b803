// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing/synctest"
	"time"
)

// options of a run.
type options struct {
	// steps of chaos before the faults end, and those of them that are left out.
	steps int
	skip  map[int]bool
	// operators that run at a time, without leader election.
	operators int
	// faults: requests are refused, answers are lost, operators crash.
	faults bool
}

// How long the world gets to come to rest once the faults have ended: the longest pause of the operator is 15 minutes, between launches of
// an instance that somebody keeps terminating and between tries to take a contested field back, and a few may follow one another.
const settleTime = 90 * time.Minute

// stillTime is how long nothing was changed when the world counts as settled: longer than the longest pause.
const stillTime = 20 * time.Minute

// maxRulings is how many requests a calm may take at most: polls of EC2 are some hundred an hour and operator, and user data that is missing
// is looked for every 15 seconds for each object.
const maxRulings = 3000

// restTime is how long nothing may happen after that.
const restTime = time.Hour

// stepRandom is what a step draws from: what it draws does not depend on the steps before it, so that one of them can be left out.
func stepRandom(seed uint64, step int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(step)+1)) // It is to be foreseen.
}

// run is one whole run: chaos, calm, rest. It returns what was violated.
func (w *world) run(o options) ([]string, error) {
	for i := range o.steps {
		if o.skip[i] {
			continue
		}
		w.random = stepRandom(w.seed, i)
		if err := w.step(o); err != nil {
			return w.judge.verdict(), err
		}
	}
	w.random = stepRandom(w.seed, o.steps)
	if err := w.endFaults(o); err != nil {
		return w.judge.verdict(), err
	}
	if err := w.settle(); err != nil {
		return w.judge.verdict(), err
	}
	w.settled(options{operators: w.crowd})
	writes, mutations := w.judge.totals()
	if err := w.calm(restTime, always); err != nil {
		return w.judge.verdict(), err
	}
	if after, mutated := w.judge.totals(); after != writes || mutated != mutations {
		w.judge.violated("invariant 5: at rest the operators wrote %d times, and changed EC2 %d times", after-writes, mutated-mutations)
	}
	return w.judge.verdict(), nil
}

// quiesce waits until all goroutines wait, and lets them take keys and read their caches, one after another: then only requests and
// time are waited for.
func (w *world) quiesce() {
	for {
		synctest.Wait()
		insides := w.gate.insides()
		if len(insides) == 0 {
			return
		}
		w.rule(insides[w.draw(len(insides))], pass)
	}
}

// draw draws one of n. It draws nothing where there is no choice.
func (w *world) draw(n int) int {
	if n == 1 {
		return 0
	}
	return w.random.IntN(n)
}

// rule rules over a request.
func (w *world) rule(p *parked, r ruling) {
	w.trace("%s: %s", p, r)
	if r != pass {
		w.met[string(p.system)+": "+string(r)]++
	}
	w.gate.rule(p, r)
}

// endFaults ends all that is wrong. Operators that were too many at once are gone: they would have seen that they lead no more.
func (w *world) endFaults(o options) error {
	w.trace("the faults end")
	if err := w.mend(true); err != nil {
		return err
	}
	for alive := w.alive(); len(alive) > o.operators; alive = w.alive() {
		alive[0].crash()
	}
	return nil
}

// isInside tells the lines of the trace that say what went on inside of an operator.
func isInside(line string) bool {
	return strings.Contains(line, " "+string(cacheReads)+" ") || strings.Contains(line, " "+string(queues)+" ")
}

// readTime is how long a change of user data behind a reference may go unseen: it is read each hour, and up to an eighth more.
const readTime = 70 * time.Minute

// settle lets the world come to rest.
func (w *world) settle() error {
	if w.rewritten {
		if err := w.calm(readTime, always); err != nil {
			return err
		}
	}
	for began := time.Now(); time.Since(began) < settleTime; {
		writes, mutations := w.judge.totals()
		if err := w.calm(stillTime, always); err != nil {
			return err
		}
		if after, mutated := w.judge.totals(); after == writes && mutated == mutations {
			break
		}
	}
	return nil
}

// step does one thing.
func (w *world) step(o options) error {
	if err := w.mend(false); err != nil {
		return err
	}
	w.quiesce()
	for len(w.active()) < o.operators {
		if err := w.start(); err != nil {
			return err
		}
		w.quiesce()
	}
	w.crowd = max(w.crowd, len(w.active()))
	waiting, behind := w.gate.requests(), w.behind()
	switch dice := w.random.IntN(100); {
	case dice < 4:
		return w.act()
	case dice < 6 && o.faults:
		return w.goWrong()
	case dice < 56 && len(waiting) > 0:
		p := waiting[w.draw(len(waiting))]
		w.rule(p, w.decide(p, o.faults))
		return nil
	case dice < 90 && len(behind) > 0:
		return w.advance(behind[w.draw(len(behind))])
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
	for _, p := range w.active() {
		if !p.deaf && p.cache.Behind() > 0 {
			out = append(out, p)
		}
	}
	return out
}

// advance shows a cache the next change.
func (w *world) advance(p *process) error {
	if _, err := p.cache.Step(); err != nil {
		return fmt.Errorf("advancing a cache: %w", err)
	}
	return nil
}

// decide draws what becomes of a request.
func (w *world) decide(p *parked, faults bool) ruling {
	if !faults {
		return pass
	}
	switch dice := w.random.IntN(100); {
	case dice < 3:
		return refuse
	case dice < 6 && p.writes:
		return loseAnswer
	case dice < 7:
		return crashBefore
	case dice < 9 && p.writes:
		return crashAfter
	}
	return pass
}

// pass lets time pass: a little while requests wait, more when nothing does.
func (w *world) pass(waiting bool) {
	pauses := []time.Duration{time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute, 7 * time.Minute}
	if waiting {
		pauses = pauses[:3]
	}
	w.sleep(pauses[w.random.IntN(len(pauses))])
}

// always lets every request pass.
func always(*parked) ruling { return pass }

// calm lets everything happen in time, for a while, with at least one operator. decide says what becomes of the requests.
func (w *world) calm(d time.Duration, decide func(*parked) ruling) error {
	rulings := 0
	for end := time.Now().Add(d); time.Now().Before(end); {
		if rulings > maxRulings {
			w.judge.violated("a hot loop: %d requests in a calm that had lasted %s", rulings, d-time.Until(end))
			return nil
		}
		ruled, err := w.calmStep(decide)
		if err != nil {
			return err
		}
		if ruled {
			rulings++
		}
	}
	return nil
}

// calmStep does the next thing of a calm: what has waited longest first, and when nothing waits, a second passes.
func (w *world) calmStep(decide func(*parked) ruling) (ruled bool, err error) {
	w.quiesce()
	if len(w.alive()) == 0 {
		return false, w.start()
	}
	if waiting := w.gate.requests(); len(waiting) > 0 {
		w.rule(waiting[0], decide(waiting[0]))
		return true, nil
	}
	if behind := w.behind(); len(behind) > 0 {
		_, err := behind[0].cache.Step()
		return false, err
	}
	if err := w.collectGarbage(); err != nil {
		return false, err
	}
	w.sleep(time.Second)
	return false, nil
}

// sleep lets time pass. Nothing takes just as long as something else: what happens at the same instant has no order of its own.
func (w *world) sleep(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // In a bubble, this is how time passes.
	w.unevenly()
}

// unevenly lets less than 100 microseconds pass, as the seed says.
func (w *world) unevenly() {
	time.Sleep(time.Duration(w.uneven.next() * float64(100*time.Microsecond))) //nolint:forbidigo // The same.
}
