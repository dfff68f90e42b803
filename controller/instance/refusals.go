// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// beforehand begins the message of a change that waits for a call which EC2 refuses: a stop, or the cancellation of a Spot request.
// Nothing was disrupted for it, so that the call is made again at its own pace, whatever status.plan says.
const beforehand = "EC2 refuses what comes first: "

// refused marks the changes that wait for a call which EC2 has refused for good.
func refused(changes []Change, failure *cloud.Error, before string, waits func(Change) bool) {
	if failure == nil || !needsHelp(failure.Class) {
		return
	}
	for i := range changes {
		c := &changes[i]
		if c.State != ec2v1.PlanStatePending || !waits(*c) {
			continue
		}
		rest := ""
		if c.Message != "" {
			rest = fmt.Sprintf(" (%s)", c.Message)
		}
		c.State, c.Message = ec2v1.PlanStateFailed, before+failure.Error()+rest
	}
}

// stepsRefused marks the changes by steps of their own, power and tags, that EC2 has refused, and what waits for the wanted stop.
func (f facts) stepsRefused(in Input, tags tagDiff, changes []Change) {
	id := f.current.ID
	step := in.powerStep(f.current)
	power := in.Memory.failure(step, id)
	refused(changes, power, "", func(c Change) bool { return c.Field == fieldPower })
	if step != StepStart {
		refused(changes, power, beforehand, func(c Change) bool { return c.Action == ec2v1.PlanActionStopStart })
	}
	refused(changes, in.Memory.failure(StepTag, tags.fingerprint(id)), "", func(c Change) bool { return c.Field == fieldTags })
}

// waitsFor tells of the changes that wait for a call how it was refused for good, if it was.
func (p *Plan) waitsFor(failure *cloud.Error, waits func(Change) bool) {
	refused(p.Changes, failure, beforehand, waits)
	p.Verdict.Synced = synced(false, p.Changes)
}

// awaited tells whether changes in status.plan wait for the step, so that a refusal of it is told there.
func (s Step) awaited() bool {
	switch s {
	case StepTag, StepStop, StepHibernate, StepStart, StepCancelRequest:
		return true
	default:
		return false
	}
}
