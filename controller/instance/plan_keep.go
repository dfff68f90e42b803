// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"slices"
	"strings"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// keep: the object has a live instance, which is kept as spec says, as soon as it is known how it differs.
func keep(in Input, f facts) Plan {
	due := f.nextReading(in)
	p := upkeep(in, f, due)
	if due.now {
		p.only(reading(due.field.Name), f.current.ID, f.current.ID)
		p.Field, p.After = due.field.Name, 0
	}
	return p
}

// only makes a step the only thing that the plan does.
func (p *Plan) only(step Step, id, of string) {
	p.Step, p.ID, p.Of = step, id, of
	p.Intent, p.SetTags, p.RemoveTags, p.Modification, p.Field = nil, nil, nil, nil, ""
}

// upkeep decides on all that is known of the instance.
func upkeep(in Input, f facts, due dueReading) Plan {
	p := f.plan()
	tags := diffTags(in, f.current, f.ourTags(f.current))
	p.ManagedTagKeys = tags.managed
	p.ManagedGroups = f.managedGroups(in)
	p.Rebooted = in.rebooted(f)
	p.Changes = changesOf(in, f, tags)
	p.Verdict = f.running(in, p.Changes)
	p.comeBack(tags.settling)
	p.comeBack(f.untilVanished(in))
	p.comeBack(due.in)
	if due.failure != nil {
		p.Verdict = p.Verdict.failed(due.failure)
		p.Verdict.unknown(due.unknown, due.failure)
	}
	if in.handsOff() {
		// Nothing is put on the instance, so nothing more becomes ours.
		p.ManagedTagKeys, p.ManagedGroups = f.ourTags(f.current), f.recordedGroups()
		if !in.observes() {
			p.keepAfterAll(in, f) // Nobody ends the instance for us, and who does so later is somebody else.
		}
		return p
	}
	p.choose(in, f, tags)
	return p
}

// changesOf lists all differences, sorted by field.
func changesOf(in Input, f facts, tags tagDiff) []Change {
	changes := diff(f.sight(in))
	if why := f.noReplacement(); why != "" {
		cannotReplace(changes, why)
	}
	markFailed(in, f, changes)
	if power := diffPower(in.wantedPower(f.current), f.current); power != nil {
		changes = append(changes, *power)
	}
	if change, ok := tags.change(); ok {
		changes = append(changes, change)
	}
	switch {
	case in.observes():
		onlyObserved(changes)
	case !in.suspended():
		f.stepsRefused(in, tags, changes)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Field, b.Field) })
	return changes
}

// choose chooses the next step. What replaces the instance comes first, since it does away with all other differences; then what
// needs the instance stopped, and its start; then what can be done at any time. A step that is put off holds up no other.
func (p *Plan) choose(in Input, f facts, tags tagDiff) {
	steps := []func() bool{
		func() bool { return p.claim(in, f, tags) },
		func() bool { return p.unprotect(in, f) },
		func() bool { return p.replace(in, f) },
		func() bool { return p.stopToChange(in, f) },
		func() bool { return p.changeStopped(in, f) },
		func() bool { return p.power(in, f.current) },
		func() bool { return p.reboot(in, f) },
		func() bool { return p.changeInPlace(in, f) },
		func() bool { return p.tag(in, f.current, tags) },
	}
	for _, take := range steps {
		if take() {
			return
		}
	}
}

// take chooses a step unless its latest call is to be given time: then it returns false. How that call failed is told until another
// one has succeeded, so that a repetition is no news.
func (p *Plan) take(in Input, step Step, id, of string) bool {
	p.ID, p.Of = id, of
	failure := in.Memory.failure(memoryStep(step), of)
	if failure != nil && (!step.modifies() || !needsHelp(failure.Class)) {
		p.Verdict = p.Verdict.failed(failure)
	}
	wait := in.Memory.wait(memoryStep(step), of, in.Now)
	if wait == 0 {
		p.Step = step
		return true
	}
	p.comeBack(wait)
	return false
}

// takeAlone is take for what changes the instance's state: while such a call is under way, nothing else is begun.
func (p *Plan) takeAlone(in Input, step Step, id, of string) bool {
	return p.take(in, step, id, of) || in.Memory.failure(memoryStep(step), of) == nil
}

// comeBack has the object come back after a while, or sooner where something else says so.
func (p *Plan) comeBack(after time.Duration) {
	if after > 0 && (p.After == 0 || after < p.After) {
		p.After = after
	}
}

// power chooses the step towards the wanted power state: none while the instance is on its way.
func (p *Plan) power(in Input, current *observer.Entry) bool {
	step := in.powerStep(current)
	return step != StepNone && p.takeAlone(in, step, current.ID, current.ID)
}

// powerStep is the step towards the wanted power state.
func (in Input) powerStep(current *observer.Entry) Step {
	switch want := in.wantedPower(current); {
	case want == ec2v1.PowerStateHibernated && current.State == cloud.StateRunning:
		return StepHibernate
	case wantsStopped(want) && current.State == cloud.StateRunning:
		return StepStop
	case !wantsStopped(want) && current.State == cloud.StateStopped && !interrupted(current):
		return StepStart
	default:
		return StepNone
	}
}

// tag chooses to set and to remove tags.
func (p *Plan) tag(in Input, current *observer.Entry, tags tagDiff) bool {
	if !tags.differ() || !p.take(in, StepTag, current.ID, tags.fingerprint(current.ID)) {
		return false
	}
	p.SetTags, p.RemoveTags = tags.set, tags.remove
	return true
}

// wantedPower is the power state to keep the instance in: the one that it is in where spec leaves that to others.
func (in Input) wantedPower(current *observer.Entry) ec2v1.PowerState {
	switch {
	case !leavesPower(&in.Object.Spec):
		return in.Object.Spec.PowerState
	case current.State == cloud.StateStopped || current.State == cloud.StateStopping:
		return ec2v1.PowerStateStopped
	default:
		return ec2v1.PowerStateRunning
	}
}

// wantsStopped tells whether the instance is to be stopped, or hibernated, which EC2 tells as stopped.
func wantsStopped(s ec2v1.PowerState) bool {
	return s == ec2v1.PowerStateStopped || s == ec2v1.PowerStateHibernated
}

// diffPower compares the power state. An instance that is on its way to where it shall be does not differ.
func diffPower(want ec2v1.PowerState, current *observer.Entry) *Change {
	wanted := current.State == cloud.StateRunning || current.State == cloud.StatePending
	if wantsStopped(want) {
		wanted = current.State == cloud.StateStopped || current.State == cloud.StateStopping
	}
	if wanted {
		return nil
	}
	if want == "" {
		want = ec2v1.PowerStateRunning
	}
	return &Change{Field: fieldPower, Current: string(current.State), Desired: string(want), Action: ec2v1.PlanActionInPlace, State: ec2v1.PlanStatePending}
}
