// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// decideDeletion: the object is being deleted. The finalizer leaves only when EC2 says that the instance is
// terminated, when it is certain that there is none, or when deletionPolicy leaves the instance.
func decideDeletion(in Input, f facts) Plan {
	p := f.plan()
	switch {
	case !slices.Contains(in.Object.Finalizers, ec2v1.InstanceFinalizer):
		p.Verdict = f.deleting("Waiting for the finalizers of others")
	case in.Object.Spec.DeletionPolicy == ec2v1.DeletionRetain, in.observes(), !f.everLaunched():
		return f.release()
	case in.Account.Missing:
		p.Verdict = f.stalled(in.Account.Reason, in.Account.Message+"; to delete this object without its instance, set deletionPolicy to Retain")
		p.After = accountAgain
	case !in.Synced:
		return deleteWithoutList(in, f)
	case f.current != nil && f.lost(in) == "":
		return deleteLive(in, f)
	case f.shuttingDown() && f.lost(in) == "":
		p.Verdict = f.deleting(fmt.Sprintf("Instance %s is shutting down", f.last.ID))
	default:
		return deleteUnseen(in, f)
	}
	return p
}

// release lets the object go.
func (f facts) release() Plan {
	p := f.plan()
	p.Step = StepRelease
	p.Verdict = f.deleting("Nothing is left to do in EC2")
	return p
}

// everLaunched tells whether there can be an instance at all.
func (f facts) everLaunched() bool {
	return f.intent != nil || f.object.Status.InstanceID != "" || f.current != nil || f.last != nil
}

func deleteWithoutList(in Input, f facts) Plan {
	p := f.plan()
	p.After = firstList
	p.Verdict = f.deleting("Waiting for the first list of the account's instances")
	if in.ListError != nil {
		p.Verdict = p.Verdict.failed(in.ListError)
		return p
	}
	ready := meta.FindStatusCondition(in.Object.Status.Conditions, ec2v1.ConditionReady)
	// An operator that has just started knows less than the one before it told.
	p.Quiet = ready != nil && ready.Reason == ec2v1.ReasonDeleting
	return p
}

// deleteLive ends, or stops, an instance that lives.
func deleteLive(in Input, f facts) Plan {
	if in.Object.Spec.DeletionPolicy != ec2v1.DeletionStop {
		return endBy(in, f, StepTerminate, fmt.Sprintf("Terminating instance %s", f.current.ID))
	}
	switch f.current.State {
	case cloud.StateStopping, cloud.StateStopped:
		return f.release()
	case cloud.StateRunning:
		return endBy(in, f, StepStop, fmt.Sprintf("Stopping instance %s, as deletionPolicy says", f.current.ID))
	default:
		p := f.plan()
		p.ID, p.Of = f.current.ID, f.current.ID
		p.Verdict = f.deleting(fmt.Sprintf("Waiting for instance %s to run, so that it can be stopped", f.current.ID))
		p.After = f.untilVanished(in)
		return p
	}
}

// endBy ends the instance's life with the object by a step. Where protection refuses that, protectionPolicy says whether it is lifted.
func endBy(in Input, f facts, step Step, message string) Plan {
	p := f.plan()
	p.ID, p.Of = f.current.ID, f.current.ID
	p.Verdict = f.deleting(message)
	if step == StepTerminate && p.cancelFirst(in, f, f.current) {
		return p
	}
	refusal := in.Memory.failure(step, p.Of)
	if refusal == nil || refusal.Class != cloud.ClassProtected {
		p.Step = step
		p.hold(in)
		return p
	}
	against := protectionsAgainst(step)
	if in.Object.Spec.ProtectionPolicy == ec2v1.ProtectionLift && p.lift(in, f, against) {
		return p
	}
	p.Step = step
	if lifted := in.Memory.Calls[modifying(against[len(against)-1].field)]; lifted.At.After(in.Memory.Calls[step].At) {
		return p
	}
	p.hold(in)
	if p.Verdict.Stalled != nil && in.Object.Spec.ProtectionPolicy != ec2v1.ProtectionLift {
		p.Verdict.Stalled.Message = strings.TrimSuffix(p.Verdict.Stalled.Message, ".") + ": set protectionPolicy to Lift, or take the protection off in EC2"
		p.Verdict.Ready.Message = p.Verdict.Stalled.Message
	}
	return p
}

// protection is one that EC2 gives an instance, and how it is taken off.
type protection struct {
	field string
	off   cloud.Modification
}

// protectionsAgainst are those that keep an instance from a step; that from being stopped keeps it from being terminated, too (EC2 User
// Guide, "Enable stop protection").
func protectionsAgainst(step Step) []protection {
	stop := protection{"disableAPIStop", cloud.DisableAPIStop{On: false}}
	if step == StepStop {
		return []protection{stop}
	}
	return []protection{{"disableAPITermination", cloud.DisableAPITermination{On: false}}, stop}
}

// lift takes one protection off after the other; then the step is tried again.
func (p *Plan) lift(in Input, f facts, against []protection) bool {
	for _, protection := range against {
		of := Change{modification: protection.off}.of(f.current.ID)
		call := in.Memory.Calls[modifying(protection.field)]
		if call.Of == of && call.Err == nil {
			continue
		}
		p.Step, p.Of, p.Field, p.Modification = modifying(protection.field), of, protection.field, protection.off
		p.hold(in)
		return true
	}
	return false
}

// deleteUnseen: EC2 shows no instance. One that was recorded may be out of sight for a while, and a launch
// whose answer was lost may have made one.
func deleteUnseen(in Input, f facts) Plan {
	if f.lost(in) != "" {
		p := findLost(in, f)
		p.Verdict = p.Verdict.asDeletion(f)
		return p
	}
	if f.consumed || f.intent == nil || in.Memory.Rejected == f.intent.Token ||
		in.ruledOut(f.intent.Token) && in.Memory.unseenAt(f.intent.Token, f.lastLaunchPossible().Add(consistencyWindow)) {
		return f.release()
	}
	p := findAttempt(in, f, "A launch may be on its way; looking for its instance until EC2's consistency window is over")
	p.Verdict = p.Verdict.asDeletion(f)
	return p
}
