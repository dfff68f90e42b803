// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// isShortage tells whether EC2 has refused a launch for want of what another instance type or another subnet may have: capacity, or
// an offer of the type in the zone.
func isShortage(err *cloud.Error) bool {
	return err != nil && (err.Class == cloud.ClassCapacity || cloud.IsUnsupported(err))
}

// trial is a candidate to launch with.
type trial struct {
	candidate

	// round counts the rounds through all candidates in which EC2 had no capacity for any.
	round int64
	// pause is how long to wait for it after the one before it.
	pause time.Duration
}

// firstTrial is what a launch begins with.
func (f facts) firstTrial() trial {
	if all := candidatesOf(&f.object.Spec); len(all) > 0 {
		return trial{candidate: all[0]}
	}
	return trial{}
}

// place is where the intent's candidate is among all; -1 where it is none of them. An intent without an instance type is of before spec
// had fallbacks: then it is for spec's, or the hash tells.
func (f facts) place(all []candidate) int {
	return slices.Index(all, candidate{Type: cmp.Or(f.intent.InstanceType, f.object.Spec.InstanceType), Subnet: f.intent.Subnet})
}

// candidate is what the intent's attempt is for. One that spec does not have any more gives way to the first: the hash tells then that
// spec has changed.
func (f facts) candidate() candidate {
	all := candidatesOf(&f.object.Spec)
	if i := f.place(all); i >= 0 {
		return all[i]
	}
	return f.firstTrial().candidate
}

// nextTrial is what comes after the intent's candidate. After the last one the next round begins, after a pause that grows with the
// rounds. A spec that was edited begins with what it prefers.
func (f facts) nextTrial() trial {
	all := candidatesOf(&f.object.Spec)
	i := f.place(all)
	switch {
	case i < 0 || f.intent.Generation != f.object.Generation:
		return f.firstTrial()
	case i+1 < len(all):
		return trial{candidate: all[i+1], round: f.intent.Round}
	default:
		round := f.intent.Round + 1
		return trial{candidate: all[0], round: round, pause: cloud.ClassCapacity.Backoff(int(round))}
	}
}

// shortage is why EC2 has refused the intent's attempt, where spec says what to try then.
func (f facts) shortage(in Input) *cloud.Error {
	refusal := in.Memory.failure(StepLaunch, f.intent.Token)
	if !isShortage(refusal) || len(candidatesOf(&f.object.Spec)) == 0 {
		return nil
	}
	return refusal
}

// fallBack goes on to the next candidate after EC2 has refused one, with another attempt: at once where it is certain that the attempt
// has launched nothing, and else after looking for what it may have launched until the consistency window is over.
func fallBack(in Input, f facts, refusal *cloud.Error) Plan {
	next := f.nextTrial()
	told := &cloud.Error{Class: cloud.ClassCapacity, Message: f.tellRefused(refusal)}
	if !in.onlyRefused(f.intent) && !in.ruledOut(f.intent.Token) {
		p := findAttempt(in, f, launching)
		p.Verdict = p.Verdict.failed(told)
		return p
	}
	refused := in.Memory.Calls[StepLaunch].At
	if wait := refused.Add(max(next.pause, refusal.RetryAfter)).Sub(in.Now); wait > 0 {
		p := f.plan()
		p.Verdict = f.waiting(ec2v1.ReasonLaunching, launching).failed(told)
		p.After = wait
		return p
	}
	return intend(in, f, f.attempt+1, launchFallback, next)
}

// tellRefused tells EC2's refusal of the intent's candidate, and what comes next.
func (f facts) tellRefused(refusal *cloud.Error) string {
	return fmt.Sprintf("%s; that was %s, and %s", refusal.Error(), f.candidate(), f.nextTrial().announced())
}

// announced tells of the trial before it comes. It names no time, which would be another one at each look.
func (t trial) announced() string {
	if t.pause > 0 {
		return fmt.Sprintf("there was capacity for no other one; trying %s again after a pause", t.candidate)
	}
	return fmt.Sprintf("trying %s next", t.candidate)
}

// launchStarved tells whether EC2 has accepted the intent's attempt and then had no capacity for its instance, where spec says what to
// try then.
func (f facts) launchStarved() bool {
	return f.last != nil && f.intent != nil && f.last.ClientToken == f.intent.Token && endedFor(f.last, reasonNoCapacity) &&
		len(candidatesOf(&f.object.Spec)) > 0
}

// fallBackFromEnd goes on to the next candidate after an instance for which EC2 had no capacity has ended.
func fallBackFromEnd(in Input, f facts) Plan {
	next := f.nextTrial()
	if wait := f.launchedAt().Add(next.pause).Sub(in.Now); next.pause > 0 && wait > 0 {
		p := f.plan()
		p.Verdict = f.waiting(ec2v1.ReasonLaunchFailed, fmt.Sprintf("The instance %s; that was %s, and %s", f.ended(), f.candidate(), next.announced()))
		p.After = wait
		return p
	}
	return intend(in, f, f.attempt+1, launchFallback, next)
}

// refused is how many attempts before the intent's EC2 had no capacity for, so that another candidate has followed.
func (f facts) refused() int64 {
	if f.intent == nil {
		return 0
	}
	return f.intent.Refused
}
