// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// decideLaunch: the object has no live instance.
func decideLaunch(in Input, f facts) Plan {
	switch {
	case f.isToAdopt(in):
		return decideAdoption(in, f)
	case f.lost(in) != "":
		return findLost(in, f)
	case in.observes():
		return nothingToObserve(f)
	case f.endsYet():
		p := f.plan()
		p.Verdict = f.waiting(f.endReason(), fmt.Sprintf("Instance %s %s and is shutting down", f.last.ID, f.ended()))
		return p
	case f.leavesRequest(in):
		return cancelOfEnded(in, f)
	case f.noNextLaunch(&in.Object.Spec) != "":
		p := f.plan()
		p.Verdict = f.stalled(ec2v1.ReasonTerminated, fmt.Sprintf("The instance %s and %s", f.ended(), f.noNextLaunch(&in.Object.Spec)))
		return p
	case in.suspended():
		p := f.plan()
		p.Verdict = f.paused("spec.suspend is true: nothing is launched")
		return p
	case f.consumed:
		return recreate(in, f)
	default:
		return launch(in, f)
	}
}

// noNextLaunch tells why the latest instance has no successor, and what would help; "" where it has one.
func (f facts) noNextLaunch(spec *ec2v1.EC2InstanceSpec) string {
	switch {
	case f.consumed && spec.RecreatePolicy == ec2v1.RecreateNever && !f.replaced() && !launchFailed(f.last):
		return "recreatePolicy is Never: delete this object, or set recreatePolicy to Always"
	case !launchable(spec):
		return "spec has no image and instanceType to launch another one: set them, or delete this object"
	default:
		return ""
	}
}

// findLost looks for an instance that no list shows: it may be young, or terminated so long ago that its tags
// are gone. Nothing is launched before that is known.
func findLost(in Input, f facts) Plan {
	p := f.plan()
	id := f.lost(in)
	p.Step, p.Of, p.ID = StepFindByID, id, id
	p.Verdict = f.waiting(ec2v1.ReasonNotYetVisible, fmt.Sprintf("EC2 does not show instance %s at the moment", id))
	p.hold(in)
	return p
}

// hold puts off the plan's step while its latest call is to be given time.
func (p *Plan) hold(in Input) {
	wait := in.Memory.wait(memoryStep(p.Step), p.Of, in.Now)
	if wait == 0 {
		return
	}
	if failure := in.Memory.failure(memoryStep(p.Step), p.Of); failure != nil && failure != errUnseen {
		p.Verdict = p.Verdict.failed(failure)
	}
	p.Step, p.After = StepNone, wait
}

// recreate launches again after a pause that grows with the attempts, counted from the launch before.
func recreate(in Input, f facts) Plan {
	if f.launchStarved() {
		return fallBackFromEnd(in, f)
	}
	if wait := recreateWait(in, f); wait > 0 {
		p := f.plan()
		p.After = wait
		reason := ec2v1.ReasonRecreating
		if launchFailed(f.last) {
			reason = ec2v1.ReasonLaunchFailed
		}
		p.Verdict = f.waiting(reason,
			fmt.Sprintf("The instance %s; launch %d follows after a pause that grows with each one", f.ended(), f.attempt+1))
		return p
	}
	reason := launchTerminated
	if f.replaced() {
		reason = launchReplaced
	}
	return intend(in, f, f.attempt+1, reason, f.firstTrial())
}

// recreateWait counts the attempts that may have had an instance: those for which EC2 had no capacity cost nothing.
func recreateWait(in Input, f facts) time.Duration {
	launched := f.launchedAt()
	if launched.IsZero() {
		return 0
	}
	pause := doubled(recreatePause, recreatePauseMax, max(0, f.attempt-1-f.refused()))
	return max(0, launched.Add(pause).Sub(in.Now))
}

// launchedAt is when the latest launch was decided.
func (f facts) launchedAt() time.Time {
	if f.intent != nil {
		return f.intent.At.Time
	}
	if l := f.object.Status.Launch; l != nil && l.At != nil {
		return l.At.Time
	}
	return time.Time{}
}

// launch launches the first time, or repeats the intent that is written.
func launch(in Input, f facts) Plan {
	if f.intent == nil {
		return intend(in, f, max(1, f.attempt), launchCreated, f.firstTrial())
	}
	if in.Memory.Unmatched == f.intent.Token && !in.ruledOut(f.intent.Token) {
		return findUnmatched(in, f)
	}
	takesOver := in.mustTakeOver(f.intent)
	if refusal := f.shortage(in); refusal != nil && !takesOver {
		return fallBack(in, f, refusal)
	}
	c := f.candidate()
	p := preparation(in, f, c)
	if !in.preparedFor(c) {
		return p
	}
	if in.Prepared.Hash != f.intent.Hash {
		return void(in, f)
	}
	if takesOver {
		if wait := in.untilTakenBack(f.intent); wait > 0 {
			p.Quiet, p.After = true, wait // The holder tells of it.
			return p
		}
		return p.launchAgain(in, StepTakeOver, f.intent.heldBy(in.Identity, c))
	}
	return p.launchAgain(in, StepLaunch, f.intent)
}

// launchAgain asks EC2 for what the intent says, unless its latest call is to be given time.
func (p Plan) launchAgain(in Input, step Step, intent *LaunchIntent) Plan {
	p.Step, p.Of, p.Intent = step, intent.Token, intent
	p.hold(in)
	if failure := in.Memory.failure(StepLaunch, p.Of); p.Step == StepNone && failure != nil && failure.Class == cloud.ClassThrottled {
		p.Quiet = true // Waiting for a turn is no news.
	}
	return p
}

// intend writes the intent of an attempt.
func intend(in Input, f facts, attempt int64, reason string, next trial) Plan {
	if token := cloud.ClientToken(in.Cluster, in.Object.UID, attempt); in.intentLost() && !in.ruledOut(token) {
		return findLostIntent(in, f, attempt, token)
	}
	p := preparation(in, f, next.candidate)
	if !in.preparedFor(next.candidate) {
		return p
	}
	intent := &LaunchIntent{
		UID:             in.Object.UID,
		Attempt:         attempt,
		Token:           cloud.ClientToken(in.Cluster, in.Object.UID, attempt),
		Hash:            in.Prepared.Hash,
		Image:           in.Prepared.Parameters.ImageID,
		SSMParameter:    in.Object.Spec.Image.SSMParameter,
		Template:        templateRef(in.Object.Spec.LaunchTemplate),
		TemplateVersion: in.Prepared.Parameters.LaunchTemplateVersion,
		Subnet:          in.Prepared.Parameters.SubnetID,
		Region:          in.Region,
		TagKeys:         managedKeys(in.Prepared.Parameters.Tags, nil),
		Groups:          specGroups(&in.Object.Spec),
		Fields:          launchedFields(&in.Object.Spec),
		Generation:      in.Object.Generation,
		At:              metav1.NewTime(in.Now.UTC().Truncate(time.Second)),
		Reason:          reason,
		Round:           next.round,
		Refused:         f.refused(),
	}
	if reason == launchFallback {
		intent.Refused++
	}
	if next.candidate != (candidate{}) {
		intent.InstanceType, intent.Holder = next.Type, in.Identity
	}
	p.Step, p.Of, p.Intent = StepIntend, intent.Token, intent
	return p
}

// intentLost tells whether somebody has taken the launch intent away, as a replace without it does: the finalizer, which comes
// with it, is there. What it launched cannot be told from the object, and EC2 takes its token for new in another zone.
func (in Input) intentLost() bool {
	if in.named() != "" && in.Object.Status.InstanceID == in.named() {
		return false // There was none: no launch is recorded since the instance that was taken over. The next one bears the first token.
	}
	_, there := in.Object.Annotations[ec2v1.AnnotationLaunch]
	return !there && slices.Contains(in.Object.Finalizers, ec2v1.InstanceFinalizer)
}

// ruledOut tells whether a token is known to have launched nothing: it was looked for until a look that was answered after
// the consistency window found nothing.
func (in Input) ruledOut(token string) bool {
	return in.Memory.Voiding.Of == token && in.Memory.unseenAt(token, in.Memory.Voiding.First.Add(consistencyWindow))
}

// findLostIntent looks for what an attempt whose intent is lost may have launched.
func findLostIntent(in Input, f facts, attempt int64, token string) Plan {
	p := f.plan()
	p.Step, p.Of, p.Intent = StepFindByToken, token, &LaunchIntent{UID: in.Object.UID, Attempt: attempt, Token: token}
	p.Verdict = f.waiting(ec2v1.ReasonLaunching,
		"Annotation "+ec2v1.AnnotationLaunch+" was removed; looking whether EC2 has launched an instance before the next launch")
	p.hold(in)
	if p.Step == StepNone {
		p.Intent = nil // It is not written, and is not told.
	}
	return p
}

// launching is what there is to tell of a launch while nothing is in the way.
const launching = "Launching the instance"

// preparation is the plan of finding out the launch parameters, and of launching once they are known.
func preparation(in Input, f facts, c candidate) Plan {
	p := f.plan()
	p.Verdict = f.waiting(ec2v1.ReasonLaunching, launching)
	switch {
	case in.PrepareError != nil:
		p.Verdict = in.PrepareError.verdict(f)
		p.After = in.PrepareError.After
	case !in.preparedFor(c):
		p.Step, p.Candidate = StepPrepare, c
	}
	return p
}

// findUnmatched looks for the instance of a launch that EC2 knows with other parameters. What EC2 has said is told until it is found.
func findUnmatched(in Input, f facts) Plan {
	failure := in.Memory.failure(StepLaunch, f.intent.Token)
	if failure == nil {
		return findAttempt(in, f, "EC2 knows this launch with other parameters; looking for its instance")
	}
	p := findAttempt(in, f, launching)
	p.Verdict = p.Verdict.failed(failure)
	return p
}

// void ends an attempt whose parameters are no longer what spec asks for. EC2 may have accepted it, with the
// answer lost, so it is looked for until a look that was answered after the consistency window found nothing,
// unless EC2 is known to have refused.
func void(in Input, f facts) Plan {
	if in.Memory.Rejected == f.intent.Token {
		return intend(in, f, f.attempt+1, launchSpecChanged, trial{candidate: f.candidate()})
	}
	if in.ruledOut(f.intent.Token) {
		return intend(in, f, f.attempt+1, launchSpecChanged, trial{candidate: f.candidate()})
	}
	return findAttempt(in, f, "spec has changed since the launch was decided; looking whether EC2 had accepted it before the next one")
}

// findAttempt looks for what the intent's attempt may have launched.
func findAttempt(in Input, f facts, message string) Plan {
	p := f.plan()
	p.Step, p.Of, p.Intent = StepFindByToken, f.intent.Token, f.intent
	p.Verdict = f.waiting(ec2v1.ReasonLaunching, message)
	p.hold(in)
	return p
}
