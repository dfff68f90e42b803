// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// How long a trial takes: the error lasts an hour, in which something more is done a little after the beginning; and then nothing may be
// written for longer than the longest pause of a backoff.
const (
	errorLasts = time.Hour
	laterAfter = 10 * time.Second
	healedTime = 12 * time.Minute
	// referenceLasts is how long it takes where nothing fails: an hour of that would tell no more.
	referenceLasts = time.Minute
	// pollSeconds is the account's poll interval in trials: long, so that an hour is cheap to play.
	pollSeconds = 300
	pollTime    = pollSeconds * time.Second
)

// trial is one call that fails with one code for an hour.
type trial struct {
	world *world
	row   *callRow
	// code is nil in the reference, in which nothing fails.
	code  *errorCode
	tape  *tape
	fault string
}

// trialResult is what came of a trial.
type trialResult struct {
	// calls are how often the call was made in the hour, and writes the writes to the EC2Instance; in the reference, all until rest.
	calls  int
	writes []string
	// object and account are as they were at the end of the hour; object is nil where it is gone.
	object  *ec2v1.EC2Instance
	account *ec2v1.EC2Account
	// launched are instances of all time.
	launched int
	// healed is how long it took from the end of the error until the last write.
	healed time.Duration
	state  []string
	// requests are the ids of all requests to AWS.
	requests []string
	// texts are all that was told: the EC2Instance in each of its versions, and events.
	texts      []string
	violations []string
}

// run makes the trial.
func (t *trial) run() (trialResult, error) {
	var out trialResult
	for _, stage := range []struct {
		name string
		do   func(*trialResult) error
	}{{"making the world ready", t.prepare}, {"while it fails", t.fails}, {"once it works again", t.heals}} {
		if err := stage.do(&out); err != nil {
			out.violations = t.world.judge.verdict()
			return out, fmt.Errorf("%s: %w", stage.name, err)
		}
	}
	out.launched = len(t.tape.launched)
	if t.code == nil {
		out.writes = t.tape.toSubject() // Until rest: the change may take longer than the reference's time.
	}
	out.texts = t.told()
	for _, r := range t.world.ec2.Requests() {
		out.requests = append(out.requests, r.ID)
	}
	t.world.settled(options{operators: 1})
	out.violations = t.world.judge.verdict()
	state, err := t.world.endState()
	out.state = state
	return out, err
}

// prepare brings the world to where the operator is about to make the call.
func (t *trial) prepare(*trialResult) error {
	if err := t.world.pollEach(pollSeconds); err != nil {
		return err
	}
	if err := t.rest(startTime); err != nil {
		return err
	}
	for _, d := range t.row.before {
		if err := d(t.world); err != nil {
			return err
		}
		if err := t.rest(readyTime); err != nil {
			return err
		}
	}
	return nil
}

// fails lets the call fail for its time.
func (t *trial) fails(out *trialResult) error {
	t.tape.wind()
	if t.code != nil {
		id, err := t.world.ec2.Inject(t.row.fault(*t.code))
		if err != nil {
			return err
		}
		t.fault = id
	}
	t.world.trace("trial: it begins")
	if err := t.row.measured(t.world); err != nil {
		return err
	}
	if err := t.pass(laterAfter); err != nil {
		return err
	}
	if t.row.later != nil {
		if err := t.row.later(t.world); err != nil {
			return err
		}
	}
	if err := t.pass(t.lasts() - laterAfter); err != nil {
		return err
	}
	out.writes = t.tape.toSubject()
	out.calls = t.made()
	var err error
	if out.object, err = t.world.get(subject); err != nil {
		return err
	}
	out.account = &ec2v1.EC2Account{}
	return t.world.user.Get(context.Background(), client.ObjectKey{Name: account}, out.account)
}

// lasts is for how long the call fails.
func (t *trial) lasts() time.Duration {
	if t.code == nil {
		return referenceLasts
	}
	return errorLasts
}

// made is how often the call was made.
func (t *trial) made() int {
	for _, f := range t.world.ec2.Faults() {
		if f.ID == t.fault {
			return f.Fired
		}
	}
	return 0
}

// heals lets the call work again.
func (t *trial) heals(out *trialResult) error {
	t.world.trace("trial: it is over")
	t.world.ec2.ClearFaults()
	if t.code != nil && t.row.untilEdited && t.row.ruleOf(t.code.class).stalled {
		if err := t.edit(); err != nil {
			return err
		}
	}
	began := time.Now()
	last, err := t.untilRest(healedTime)
	out.healed = max(0, last.Sub(began))
	return err
}

// edit edits spec, and takes the edit back: it is another generation, and asks for the same.
func (t *trial) edit() error {
	spec := ec2v1ac.EC2InstanceSpec().WithSuspend(false)
	if err := t.world.applyAs(subject, secondManager, spec); err != nil {
		return err
	}
	return t.world.applyAs(subject, secondManager, nil)
}

// fault is what has the row's call fail.
func (r *callRow) fault(c errorCode) ec2sim.Fault {
	f := ec2sim.Fault{Action: r.action, Error: &ec2sim.FaultError{Code: c.code, Message: c.words + c.blob, Status: c.status}}
	if r.byID {
		f.InstanceID = "i-*"
	}
	return f
}

// pass lets the world go on for a while.
func (t *trial) pass(d time.Duration) error {
	for end := time.Now().Add(d); time.Now().Before(end); {
		if err := t.step(time.Until(end)); err != nil {
			return err
		}
	}
	return nil
}

func (t *trial) rest(quiet time.Duration) error {
	_, err := t.untilRest(quiet)
	return err
}

// untilRest lets the world go on until nothing was written for a while, and returns when the last write was.
func (t *trial) untilRest(quiet time.Duration) (time.Time, error) {
	began, last, writes := time.Now(), time.Now(), t.tape.restless
	for time.Since(last) < quiet {
		if err := t.step(quiet - time.Since(last)); err != nil {
			return last, err
		}
		if t.tape.restless != writes {
			writes, last = t.tape.restless, time.Now()
		}
		if time.Since(began) > longestPlay {
			return last, errRestless
		}
	}
	return last, nil
}

// step lets the world do one thing. When there is nothing to do, time passes until there is, and at most d.
func (t *trial) step(d time.Duration) error {
	w := t.world
	w.quiesce()
	t.tape.read()
	if len(w.alive()) == 0 {
		return w.start()
	}
	if waiting := w.gate.requests(); len(waiting) > 0 {
		t.tape.rules(waiting[0])
		w.rule(waiting[0], pass)
		return nil
	}
	if behind := w.behind(); len(behind) > 0 {
		return w.advance(behind[0])
	}
	if err := w.collectGarbage(); err != nil {
		return err
	}
	w.gate.idle(d)
	w.unevenly()
	return nil
}
