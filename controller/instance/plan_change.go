// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// unshownTries is how often EC2 may accept the same change without showing it before that counts as a failure: the pauses between
// them add up to the consistency window.
const unshownTries = 5

// unkept says how a change has failed that EC2 has accepted so often.
const unkept = "EC2 accepts the change and does not keep it, or something changes it back: find out what does (CloudTrail tells of the calls) " +
	"and end that, or take the edit back; any edit of spec has it tried anew"

// sight is what the fields are compared in.
func (f facts) sight(in Input) sight {
	return sight{spec: &in.Object.Spec, intent: f.intent, current: f.current, groups: f.ourGroups(in), readings: in.Memory.readingsOf(f.current.ID)}
}

// of identifies the change of a field on an instance: the same one again is a repetition.
func (c Change) of(id string) string {
	if c.modification == nil {
		return id + " " + cmp.Or(c.identity, c.Desired)
	}
	return fmt.Sprintf("%s %T%+v", id, c.modification, c.modification)
}

// markFailed marks the changes that EC2 has refused for good, or accepts and never shows. What took a stop or a replacement is not
// tried again by the next process either, which reads it from status.plan: to stop an instance over and over for a change that EC2
// refuses would be worse than to wait for an edit.
func markFailed(in Input, f facts, changes []Change) {
	for i := range changes {
		c := &changes[i]
		if c.State != ec2v1.PlanStatePending {
			continue
		}
		message := failureOfChange(in, f.current, *c)
		if message == "" && (c.Action != ec2v1.PlanActionReplace || !in.unprotectedSince(f.current.ID, time.Time{})) {
			message = recordedFailure(in.Object, *c)
		}
		if message == "" {
			continue
		}
		c.State, c.Message = ec2v1.PlanStateFailed, message
		if lesser := c.lesser; lesser != nil && lesser.State == ec2v1.PlanStatePending && failureOfChange(in, f.current, *lesser) == "" {
			*c = *lesser
			c.Message = "the rest failed: " + message
		}
	}
}

// failureOfChange tells how this process has failed to carry a change out, or "".
func failureOfChange(in Input, current *observer.Entry, c Change) string {
	step, of := c.step(), c.of(current.ID)
	if c.Action == ec2v1.PlanActionReplace {
		step, of = StepReplace, current.ID
	}
	call, ok := in.Memory.Calls[step]
	switch {
	case !ok || call.Of != of, step == StepReplace && in.unprotectedSince(current.ID, call.At):
		return ""
	case call.Err != nil && (needsHelp(call.Err.Class) || c.keepsStopped(call)):
		return call.Err.Error()
	case call.unshown(in.Now) && step != StepReplace:
		return unkept
	default:
		return ""
	}
}

// keepsStopped tells whether EC2 has refused a change that the instance is stopped for so often that it is to be started again without it.
func (c Change) keepsStopped(call Call) bool {
	if c.Action != ec2v1.PlanActionStopStart || call.Tries < unshownTries || !call.Err.Definite {
		return false
	}
	switch call.Err.Class {
	case cloud.ClassDependency, cloud.ClassQuota, cloud.ClassCapacity:
		return true
	default:
		return false
	}
}

// recordedFailure tells how an earlier process has failed to carry out a change that disrupts, for the spec that there is now. One that
// was refused before it disrupted anything is tried again.
func recordedFailure(obj *ec2v1.EC2Instance, c Change) string {
	if c.Action == ec2v1.PlanActionInPlace || obj.Status.ObservedGeneration != obj.Generation {
		return ""
	}
	for _, planned := range obj.Status.Plan {
		failed := planned.State == ec2v1.PlanStateFailed && !strings.HasPrefix(planned.Message, beforehand)
		if failed && planned.Field == c.Field && planned.Desired == shortened(c.Desired) {
			return planned.Message
		}
	}
	return ""
}

// intentTaken tells whether somebody else's value stands where the launch intent belongs.
func (f facts) intentTaken() bool {
	_, there := f.object.Annotations[ec2v1.AnnotationLaunch]
	return there && f.intent == nil
}

// noReplacement tells what keeps a new instance from taking this one's place: its launch could not be written down, or there is nothing
// to launch.
func (f facts) noReplacement() string {
	switch {
	case f.intentTaken():
		return "annotation " + ec2v1.AnnotationLaunch + " is somebody else's: remove it (see metadata.managedFields)"
	case !launchable(&f.object.Spec):
		return "spec does not say what to launch: set image and instanceType"
	default:
		return ""
	}
}

// cannotReplace holds up what needs a new instance.
func cannotReplace(changes []Change, why string) {
	for i := range changes {
		if c := &changes[i]; c.needs(ec2v1.PlanActionReplace) {
			c.State, c.Message, c.modification = ec2v1.PlanStateBlocked, "needs a new instance, and "+why, nil
			*c = c.lesserFirst()
		}
	}
}

// replace terminates the instance, so that another one takes its place: what is to be changed is told first, and the intent to
// replace is written with it, so that whoever finds the instance terminated knows why.
func (p *Plan) replace(in Input, f facts) bool {
	names := namesOf(p.Changes, ec2v1.PlanActionReplace)
	if names == "" {
		return p.keepAfterAll(in, f)
	}
	if wait := recreateWait(in, f); wait > 0 && (f.intent == nil || f.intent.Replacing == nil) {
		p.comeBack(wait) // The next one would not be launched before.
		return false
	}
	step, of := StepReplace, f.current.ID
	if request := f.openRequest(in, f.current); request != "" {
		step, of = StepCancelRequest, request
		p.waitsFor(in.Memory.failure(step, of), func(c Change) bool { return c.Action == ec2v1.PlanActionReplace })
	}
	if refused := in.Memory.Calls[step]; refused.Err != nil && in.unprotectedSince(f.current.ID, refused.At) {
		p.Step, p.ID, p.Of = step, f.current.ID, of // What EC2 has refused it for is gone.
	} else if !p.takeAlone(in, step, f.current.ID, of) {
		return false
	}
	if p.Step == step {
		intent := f.intentKept(in)
		if intent.Replacing == nil {
			at := metav1.NewTime(in.Now.UTC().Truncate(second))
			intent.Replacing = &at
		}
		p.Intent, p.Field = &intent, names
	}
	return true
}

// unprotect turns off what spec no longer protects the instance from, before EC2 refuses a stop or an end for it.
func (p *Plan) unprotect(in Input, f facts) bool {
	if f.current.State.InMotion() {
		return false
	}
	for _, c := range p.inOrder(ec2v1.PlanActionInPlace) {
		protection := c.modification == cloud.DisableAPITermination{On: false} || c.modification == cloud.DisableAPIStop{On: false}
		if protection && c.State == ec2v1.PlanStatePending && (p.modify(in, f, c) || in.Memory.failure(c.step(), c.of(f.current.ID)) == nil) {
			return true
		}
	}
	return false
}

// unprotectedSince tells whether this process has taken a protection off the instance after a moment.
func (in Input) unprotectedSince(id string, at time.Time) bool {
	return slices.ContainsFunc(protectionsAgainst(StepTerminate), func(p protection) bool {
		call := in.Memory.Calls[modifying(p.field)]
		return call.Err == nil && call.Of == (Change{modification: p.off}).of(id) && call.At.After(at)
	})
}

// keepAfterAll takes the intent to replace back, once it is certain that nobody is carrying it out.
func (p *Plan) keepAfterAll(in Input, f facts) bool {
	if f.intent == nil || f.intent.Replacing == nil || in.Now.Sub(f.intent.Replacing.Time) < consistencyWindow {
		if f.intent != nil && f.intent.Replacing != nil {
			p.comeBack(f.intent.Replacing.Add(consistencyWindow).Sub(in.Now))
		}
		return false
	}
	intent := f.intentKept(in)
	intent.Replacing = nil
	p.Step, p.ID, p.Intent = StepKeep, f.current.ID, &intent
	return true
}

// intentKept is the launch intent of the live instance; one is made up where somebody has taken it away, or there never was one. Made
// up, it has no hash, so that it is never launched.
func (f facts) intentKept(in Input) LaunchIntent {
	if f.intent != nil && (f.intent.For == "" || f.intent.For == f.current.ID) {
		return *f.intent
	}
	made := LaunchIntent{
		UID: in.Object.UID, Attempt: f.attempt, Image: f.current.ImageID, Region: in.Region,
		At: metav1.NewTime(f.current.LaunchTime), Reason: launchCreated,
	}
	if _, ours := f.tokens[f.current.ClientToken]; !ours {
		made.For, made.Reason = f.current.ID, launchAdopted
	}
	made.Token = cloud.ClientToken(in.Cluster, in.Object.UID, made.Attempt)
	return made
}

// stopToChange stops a running instance for changes that need it stopped. One that was made lately may only not show yet, and is no
// reason to stop it again.
func (p *Plan) stopToChange(in Input, f facts) bool {
	if wantsStopped(in.wantedPower(f.current)) || f.current.State != cloud.StateRunning {
		return false
	}
	var names []string
	for _, c := range p.Changes {
		if !c.needs(ec2v1.PlanActionStopStart) {
			continue
		}
		if made := in.Memory.Calls[c.step()]; made.Of == c.of(f.current.ID) && made.Err == nil {
			if left := made.At.Add(consistencyWindow).Sub(in.Now); left > 0 {
				p.comeBack(left)
				continue
			}
		}
		names = append(names, c.Field)
	}
	if len(names) == 0 {
		return false
	}
	p.Field = strings.Join(names, ", ")
	of := f.current.ID + " to change " + p.Field
	p.waitsFor(in.Memory.failure(StepStop, of), func(c Change) bool { return slices.Contains(names, c.Field) })
	return p.takeAlone(in, StepStop, f.current.ID, of)
}

// changeStopped changes what needs the instance stopped, one attribute after the other. It is not started before all is done, and
// what EC2 refuses does not keep it stopped.
func (p *Plan) changeStopped(in Input, f facts) bool {
	if f.current.State != cloud.StateStopped {
		return false
	}
	waits := false
	for _, c := range p.inOrder(ec2v1.PlanActionStopStart) {
		if c.State == ec2v1.PlanStateFailed && !wantsStopped(in.wantedPower(f.current)) {
			continue
		}
		if p.modify(in, f, c) {
			return true
		}
		waits = waits || c.State == ec2v1.PlanStatePending
	}
	return waits
}

// changeInPlace changes what can be changed at any time, while the instance is not on its way from one state to another.
func (p *Plan) changeInPlace(in Input, f facts) bool {
	if f.current.State.InMotion() || !f.current.Missing.IsZero() {
		return false
	}
	return slices.ContainsFunc(p.inOrder(ec2v1.PlanActionInPlace), func(c Change) bool { return p.modify(in, f, c) })
}

func (p *Plan) modify(in Input, f facts, c Change) bool {
	if !p.take(in, c.step(), f.current.ID, c.of(f.current.ID)) {
		return false
	}
	p.Field, p.Modification = c.Field, c.modification
	return true
}

// inOrder are the changes by one kind of step that EC2 may be asked for, in the order of the table.
func (p *Plan) inOrder(action ec2v1.PlanAction) []Change {
	var changes []Change
	for _, f := range fields {
		for _, c := range p.Changes {
			if f.compare != nil && c.Field == f.Name && c.Action == action && c.State != ec2v1.PlanStateBlocked {
				changes = append(changes, c)
			}
		}
	}
	return changes
}
