// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/clock"

	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// actor carries out the steps that speak to EC2, and remembers them.
type actor struct {
	session cloud.Session
	view    *observer.View
	memory  *Memory
	clock   clock.PassiveClock
}

// look takes a step that only finds something out. An error is remembered, so that the step is put off.
func (a *actor) look(ctx context.Context, in Input, p Plan) {
	var err error
	switch p.Step {
	case StepFindByID:
		err = a.findByID(ctx, in, p.ID)
	case StepFindByToken:
		err = a.findByToken(ctx, p.Intent.Token)
	default:
		err = fmt.Errorf("step %q is not a look", p.Step)
	}
	a.remember(p.Step, p.Of, err)
}

// errUnseen is how a lookup that found nothing is remembered: it is made again, at its own pace.
var errUnseen = &cloud.Error{Class: cloud.ClassNotYetVisible, Message: "EC2 does not show it", Definite: true, RetryAfter: lookAgain}

// findByID looks the recorded instance up alone. What neither its id nor the attempt's token finds is gone when that
// has been so for the whole consistency window: one answer alone proves nothing, and an instance taken for gone is
// launched again, or left behind.
func (a *actor) findByID(ctx context.Context, in Input, id string) error {
	i, found, err := a.session.FindByID(ctx, id)
	if err != nil {
		return err
	}
	if found {
		a.memory.found(id)
		a.view.Put(i)
		return nil
	}
	f := learn(in)
	if min(a.clock.Since(f.launchedAt()), a.memory.Vanished.missed(id, a.clock.Now())) < consistencyWindow {
		return errUnseen
	}
	if f.intent != nil && f.intent.For == "" {
		if err := a.findByToken(ctx, f.intent.Token); !errors.Is(err, errUnseen) {
			return err
		}
	}
	a.view.MarkGone(id)
	a.memory.Gone = id
	return nil
}

// findByToken looks for what a token launched.
func (a *actor) findByToken(ctx context.Context, token string) error {
	found, err := a.session.FindByToken(ctx, token)
	if err != nil {
		return err
	}
	for _, i := range found {
		a.view.Put(i)
	}
	if len(found) == 0 {
		a.memory.Voiding.missed(token, a.clock.Now())
		return errUnseen
	}
	a.memory.Voiding, a.memory.Unmatched = search{}, ""
	return nil
}

// act takes a step that changes something in EC2, and returns what there is to tell of it.
func (a *actor) act(ctx context.Context, p Plan, prepared *Prepared) ([]Event, error) {
	switch p.Step {
	case StepLaunch, StepIntend, StepTakeOver:
		return a.launch(ctx, p.Intent, prepared)
	case StepStart:
		return a.move(ctx, p, a.session.Start, "Started", "Started instance %s"+p.wasStopped())
	case StepStop:
		return a.move(ctx, p, a.session.Stop, "Stopped", "Stopped instance %s"+p.why())
	case StepHibernate:
		return a.move(ctx, p, a.session.Hibernate, "Hibernating", "Hibernated instance %s")
	case StepReboot:
		return a.reboot(ctx, p)
	case StepCancelRequest:
		return a.cancelRequest(ctx, p)
	case StepTerminate:
		return a.move(ctx, p, a.session.Terminate, "Terminating", "Terminated instance %s")
	case StepTerminateSurplus:
		return a.move(ctx, p, a.session.Terminate, "SurplusTerminated", "Terminated instance %s: EC2 showed two instances for this object")
	case StepReplace:
		return a.move(ctx, p, a.session.Terminate, "Replacing", "Terminated instance %s, for another one to take its place: a change of "+p.Field+" needs that")
	case StepTag:
		return a.tag(ctx, p)
	default:
		if p.Step.modifies() {
			return a.modify(ctx, p)
		}
		return nil, nil
	}
}

// reboot reboots the instance: EC2 queues that and tells no more of it.
func (a *actor) reboot(ctx context.Context, p Plan) ([]Event, error) {
	err := a.session.Reboot(ctx, p.ID)
	a.remember(p.Step, p.Of, err)
	if err != nil {
		return nil, err
	}
	return []Event{normal("Rebooted", "Rebooted instance %s, as spec.rebootRequestedAt asks", p.ID)}, nil
}

// cancelRequest cancels the instance's Spot request.
func (a *actor) cancelRequest(ctx context.Context, p Plan) ([]Event, error) {
	err := a.session.CancelSpotRequest(ctx, p.Of)
	a.remember(p.Step, p.Of, err)
	if err != nil {
		return nil, err
	}
	return []Event{normal("SpotRequestCancelled", "Cancelled Spot request %s of instance %s, so that EC2 launches no other instance for it", p.Of, p.ID)}, nil
}

// modify changes one field of the instance.
func (a *actor) modify(ctx context.Context, p Plan) ([]Event, error) {
	err := a.session.Modify(ctx, p.ID, p.Modification)
	a.remember(p.Step, p.Of, err)
	if err != nil {
		return nil, err
	}
	if _, groups := p.Modification.(cloud.SecurityGroups); groups {
		a.memory.grouped(p.ID, p.ManagedGroups, a.clock.Now())
	}
	a.view.Look(p.ID)
	return []Event{normal("Updated", "Updated %s of instance %s", p.Field, p.ID)}, nil
}

// launch asks for the intent's instance. The answer is put into the observer's store at once, so that the next
// pass finds it whether or not its status was written.
func (a *actor) launch(ctx context.Context, intent *LaunchIntent, prepared *Prepared) ([]Event, error) {
	a.memory.Voiding = search{} // What was not found before this call says nothing of what the call makes.
	i, err := a.session.Launch(ctx, intent.Token, prepared.Parameters)
	if cloud.Unconfirmed(err) != nil {
		return nil, err // EC2 was not asked: there is nothing to remember.
	}
	switch {
	case err == nil:
		a.memory.Rejected = ""
		a.memory.Launched, a.memory.LaunchedKeys = i.ID, managedKeys(prepared.Parameters.Tags, nil)
		a.view.Put(i)
		a.remember(StepLaunch, launchedTags(i.ID, prepared.Parameters.Tags), nil)
		return []Event{normal("Launched", "Launched instance %s (attempt %d, %s)%s", i.ID, intent.Attempt, intent.Reason, prepared.asWhat())}, nil
	case cloud.IsIdempotentInstanceTerminated(err):
		a.memory.Terminated = intent.Token
	case cloud.IsIdempotentParameterMismatch(err):
		a.memory.Unmatched = intent.Token
	default:
		a.rejected(intent.Token, cloud.ErrorOf(err))
	}
	a.remember(StepLaunch, intent.Token, err)
	return nil, err
}

// asWhat tells what was launched, where spec left a choice: the end of a sentence.
func (p *Prepared) asWhat() string {
	if p.Candidate == (candidate{}) {
		return ""
	}
	return ": " + p.Candidate.String()
}

// rejected remembers whether EC2 has refused the attempt for certain: this process decided it, and every call
// has been answered with a refusal of the parameters. What an earlier process asked for is not known, and neither is
// what another one was answered, where that depends on the moment: capacity, quotas, throttling.
func (a *actor) rejected(token string, err *cloud.Error) {
	switch {
	case !err.Definite:
		a.memory.Unanswered, a.memory.Rejected = token, ""
	case err.Class == cloud.ClassInvalid && a.memory.Wrote == token && a.memory.Unanswered != token:
		a.memory.Rejected = token
	}
}

// move changes the instance's state.
func (a *actor) move(ctx context.Context, p Plan, call func(context.Context, string) (cloud.State, error), reason, note string) ([]Event, error) {
	state, err := call(ctx, p.ID)
	a.remember(p.Step, p.Of, err)
	if err != nil {
		return nil, err
	}
	a.view.PutState(p.ID, state)
	return []Event{normal(reason, note, p.ID)}, nil
}

// tag sets and removes tags: both are one change of spec.tags.
func (a *actor) tag(ctx context.Context, p Plan) ([]Event, error) {
	err := a.session.SetTags(ctx, p.ID, p.SetTags)
	if err == nil {
		err = a.session.RemoveTags(ctx, p.ID, p.RemoveTags)
	}
	a.remember(p.Step, p.Of, err)
	if err != nil {
		return nil, err
	}
	a.memory.tagged(p.ID, p.SetTags, p.RemoveTags, a.clock.Now())
	a.view.Look(p.ID)
	return []Event{normal("TagsUpdated", "Updated tags of instance %s: %s", p.ID, changedKeys(p))}, nil
}

// why tells what a stop is for, unless it is spec.powerState.
func (p Plan) why() string {
	if p.Field == "" {
		return ""
	}
	return " to change " + p.Field
}

// wasStopped tells who had stopped the instance that is started, as part of a format.
func (p Plan) wasStopped() string {
	if p.Instance == nil || stoppedBy(p.Instance) == "" {
		return ""
	}
	return ", which was stopped " + strings.ReplaceAll(stoppedBy(p.Instance), "%", "%%")
}

func changedKeys(p Plan) string {
	keys := slices.Clone(p.RemoveTags)
	for key := range p.SetTags {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return strings.Join(keys, ", ")
}

func (a *actor) remember(step Step, of string, err error) {
	if err == nil {
		a.memory.record(step, of, a.clock.Now(), nil)
		return
	}
	a.memory.record(step, of, a.clock.Now(), cloud.ErrorOf(err))
}
