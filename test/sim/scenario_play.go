// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// How long nothing may be written until the world is at rest: when the operators have started; before the measured deed, when the results of
// status checks are the last thing that comes, 150 seconds after a start and a poll later; and after it, and after a crash, when a launch may
// be looked for, for five minutes.
const (
	startTime   = time.Minute
	readyTime   = 4 * time.Minute
	quietTime   = 7 * time.Minute
	longestPlay = 3 * time.Hour
)

// maxRequests is the most that a play may ask for until it is at rest.
const maxRequests = 3000

// errRestless is a world that does not come to rest.
var errRestless = errors.New("the world does not come to rest")

// fate is what befalls a play of a scenario, in its measured deed. The zero fate is none: the reference.
type fate struct {
	// rule says what becomes of the n-th request that writes.
	rule func(n int) ruling
	// meanwhile is called whenever all goroutines wait, before the next request goes on.
	meanwhile func(p *play) error
}

// play is one run of a scenario.
type play struct {
	*scenario
	world *world
	fate  fate
	tape  *tape
	// measuring: the measured deed is done. struck: what fate has in store has come.
	measuring, struck bool
	// again: the object has been made anew.
	again bool
}

// outcome is what came of a play.
type outcome struct {
	state  []string
	writes []write
	// requests of any kind, and those that write, from the measured deed until the last write.
	requests, writing int
	// launched and terminated are instances: by the operator, and by all.
	launched, terminated, ended int
	// stops are how often the operator has stopped an instance anew, in the measured deed.
	stops      int
	toSubject  []string
	struck     bool
	violations []string
}

// play plays a scenario to its end.
func (w *world) play(s *scenario, f fate) (outcome, error) {
	p := &play{scenario: s, world: w, fate: f, tape: newTape(w)}
	if err := w.pollEach(60); err != nil {
		return p.outcome(nil), err
	}
	if err := p.rest(startTime); err != nil {
		return p.outcome(nil), fmt.Errorf("starting: %w", err)
	}
	for i, d := range s.before {
		w.trace("scenario %s: deed %d", s.name, i+1)
		if err := p.does(d, readyTime); err != nil {
			return p.outcome(nil), fmt.Errorf("making the world ready: %w", err)
		}
	}
	w.trace("scenario %s: the measured deed", s.name)
	p.tape.wind()
	p.measuring = true
	if err := p.does(s.measured, max(quietTime, s.quiet)); err != nil {
		return p.outcome(nil), err
	}
	state, err := w.endState()
	if err != nil || f.rule != nil || f.meanwhile != nil {
		return p.outcome(state), err
	}
	// The reference is watched for longer: until EC2 has forgotten what was terminated.
	out, written := p.outcome(state), p.tape.restless
	if err := w.calm(restTime, always); err != nil {
		return out, err
	}
	if p.tape.read(); p.tape.restless != written {
		out.violations = append(out.violations, fmt.Sprintf("invariant 5: %d writes at rest", p.tape.restless-written))
	}
	return out, nil
}

// pollEach has EC2 listed each so many seconds, so that what a play waits for does not depend on the seed.
func (w *world) pollEach(seconds int32) error {
	config := ec2v1ac.EC2Account(account).WithSpec(ec2v1ac.EC2AccountSpec().WithRegion("eu-central-1").WithPollIntervalSeconds(seconds).
		WithAllowedNamespaces(metav1ac.LabelSelector()))
	if err := w.user.Apply(context.Background(), config, client.FieldOwner(userName)); err != nil {
		return fmt.Errorf("setting the account's poll interval: %w", err)
	}
	return nil
}

// outcome tells what has come.
func (p *play) outcome(state []string) outcome {
	out := outcome{
		state: state, writes: p.tape.writes, requests: p.tape.requestsUntilLastWrite, writing: p.tape.writing, struck: p.struck,
		launched: len(p.tape.launched), terminated: len(p.tape.terminated), toSubject: p.tape.toSubject(), stops: p.tape.stops(),
		violations: p.world.judge.verdict(),
	}
	for _, i := range p.world.ec2.Instances() {
		if !i.Live() {
			out.ended++
		}
		if i.SpotRequestState == "open" {
			out.violations = append(out.violations, "leak: EC2 will launch another instance for the Spot request of "+i.ID)
		}
	}
	return out
}

// does carries a deed out and lets the world come to rest.
func (p *play) does(d deed, quiet time.Duration) error {
	if err := d(p.world); err != nil {
		return err
	}
	return p.rest(quiet)
}

// rest lets the world go on until nothing was written for a while.
func (p *play) rest(quiet time.Duration) error {
	began, last, writes, requests := time.Now(), time.Now(), p.tape.restless, p.tape.requests
	for time.Since(last) < quiet {
		if err := p.step(); err != nil {
			return err
		}
		if p.tape.restless != writes {
			writes, last = p.tape.restless, time.Now()
		}
		if time.Since(began) > longestPlay || p.tape.requests-requests > maxRequests {
			return fmt.Errorf("%w: %d requests in %s", errRestless, p.tape.requests-requests, time.Since(began))
		}
	}
	return nil
}

// step lets the world do one thing.
func (p *play) step() error {
	p.world.quiesce()
	p.tape.read()
	if p.measuring && p.fate.meanwhile != nil {
		if err := p.fate.meanwhile(p); err != nil {
			return err
		}
		p.world.quiesce()
	}
	for len(p.world.alive()) < p.operatorsAtOnce() {
		if err := p.world.start(); err != nil {
			return err
		}
		p.world.quiesce()
	}
	_, err := p.world.calmStep(p.decide)
	return err
}

// decide is what becomes of a request: it passes, unless fate has something else in store.
func (p *play) decide(r *parked) ruling {
	n := p.tape.rules(r)
	if !p.measuring || p.fate.rule == nil || n == 0 {
		return pass
	}
	ruled := p.fate.rule(n)
	p.struck = p.struck || ruled != pass
	return ruled
}

// crashAll crashes all operators.
func (p *play) crashAll() {
	for _, o := range p.world.alive() {
		o.crash()
	}
}

// wrote tells the n-th write, if it was made.
func (p *play) wrote(n int) (write, bool) {
	if n < 1 || n > len(p.tape.writes) {
		return write{}, false
	}
	return p.tape.writes[n-1], true
}

// whats are the writes' names.
func (o outcome) whats() []string {
	out := make([]string, len(o.writes))
	for i, w := range o.writes {
		out[i] = w.what
	}
	return slices.Clip(out)
}
