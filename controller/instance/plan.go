// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// Step is what a pass does next: nothing, a look, or one mutation.
type Step string

// The steps.
const (
	// StepNone: nothing to do.
	StepNone Step = ""

	// StepPrepare finds out the launch parameters: it resolves the image and reads the user data.
	StepPrepare Step = "Prepare"
	// StepFindByID looks the recorded instance up alone.
	StepFindByID Step = "FindByID"
	// StepFindByToken looks for what an attempt may have launched.
	StepFindByToken Step = "FindByToken"

	// StepIntend writes a launch intent, and launches.
	StepIntend Step = "Intend"
	// StepTakeOver writes the intent anew with this process as its holder, and launches.
	StepTakeOver Step = "TakeOver"
	// StepLaunch repeats the intent that is written.
	StepLaunch Step = "Launch"
	// StepStart starts the instance.
	StepStart Step = "Start"
	// StepStop stops the instance, StepHibernate does so with its memory kept.
	StepStop      Step = "Stop"
	StepHibernate Step = "Hibernate"
	// StepReboot reboots the instance on request.
	StepReboot Step = "Reboot"
	// StepTag sets and removes tags.
	StepTag Step = "Tag"
	// StepReplace terminates the instance, so that another one takes its place.
	StepReplace Step = "Replace"
	// StepKeep takes the intent to replace the instance back.
	StepKeep Step = "Keep"
	// StepCancelRequest cancels the Spot request of an instance that is to end, or has ended.
	StepCancelRequest Step = "CancelSpotRequest"
	// StepTerminate terminates the instance of an object that is being deleted.
	StepTerminate Step = "Terminate"
	// StepTerminateSurplus terminates a second instance of the object.
	StepTerminateSurplus Step = "TerminateSurplus"
	// StepRelease gives up the finalizer.
	StepRelease Step = "Release"
)

// The steps that are one for each field.
const (
	stepModify  = "Modify "
	stepApart   = ", in place"
	stepRead    = "Read "
	stepResolve = "Resolve "
)

// modifying is the step of a call that changes a field of the instance.
func modifying(field string) Step { return Step(stepModify + field) }

// reading is the step of reading a field that EC2's lists do not tell.
func reading(field string) Step { return Step(stepRead + field) }

// resolving is the part of StepPrepare that asks what a name in a field stands for: only failures of it are remembered.
func resolving(field string) Step { return Step(stepResolve + field) }

func (s Step) modifies() bool { return strings.HasPrefix(string(s), stepModify) }

func (s Step) reads() bool { return strings.HasPrefix(string(s), stepRead) }

// looks tells whether the step only finds something out, so that the pass decides again afterwards.
func (s Step) looks() bool {
	return s == StepPrepare || s == StepFindByID || s == StepFindByToken || s.reads()
}

// tellsFirst tells whether status has to tell of the step before it is taken: what is put on an instance is ours to remove only if that
// is recorded, and what disrupts it is announced.
func (p Plan) tellsFirst() bool {
	switch p.Step {
	case StepTag, StepReplace:
		return true
	case StepStop, StepCancelRequest:
		return p.Field != ""
	default:
		return p.Step.modifies()
	}
}

// writesIntent tells whether the step comes with another launch intent.
func (p Plan) writesIntent() bool {
	switch p.Step {
	case StepIntend, StepTakeOver, StepReplace, StepKeep:
		return true
	case StepCancelRequest: // EC2 terminates a stopped instance with its request: that it is to be replaced is written before.
		return p.Intent != nil
	default:
		return false
	}
}

// launches tells whether the step asks EC2 to launch.
func (s Step) launches() bool { return s == StepIntend || s == StepTakeOver || s == StepLaunch }

// Input is all that a decision depends on.
type Input struct {
	Now     time.Time
	Cluster string
	// Identity of this process among those of the operator.
	Identity string
	// Object from the cache; not to be changed.
	Object *ec2v1.EC2Instance
	// Account tells whether the object's account can be used.
	Account AccountVerdict
	// Region is the Region to launch in.
	Region string
	// Synced: EC2 has been listed, so what is not in Entries was not there. ListError is why not.
	Synced    bool
	ListError *cloud.Error
	// StatusError is why the status checks could not be listed; nil when they could.
	StatusError *cloud.Error
	// Entries are the instances that the observer knows for this object.
	Entries []observer.Entry
	// Claims of other objects on the instance that spec names.
	Claims Claims
	// Memory of this process.
	Memory Memory
	// Prepared launch parameters, once StepPrepare was taken; PrepareError is why it failed.
	Prepared     *Prepared
	PrepareError *PrepareError
}

// suspended tells whether the user wants EC2 left alone.
func (in Input) suspended() bool { return in.Object.Spec.Suspend != nil && *in.Object.Spec.Suspend }

// Prepared are launch parameters and their hash.
type Prepared struct {
	// Candidate that they are for.
	Candidate  candidate
	Parameters cloud.LaunchParameters
	Hash       string
}

// preparedFor tells whether the launch parameters of a candidate are known.
func (in Input) preparedFor(c candidate) bool {
	return in.Prepared != nil && in.Prepared.Candidate == c
}

// Plan is a decision.
type Plan struct {
	// Step to take.
	Step Step
	// Of tells what the step is for, so that a repetition is known as one.
	Of string
	// Candidate to find out the launch parameters for (StepPrepare).
	Candidate candidate
	// Intent to write (StepIntend, StepTakeOver) or to repeat (StepLaunch).
	Intent *LaunchIntent
	// ID of the instance that the step is about.
	ID string
	// SetTags and RemoveTags are what StepTag does.
	SetTags    map[string]string
	RemoveTags []string
	// Field, or fields, of spec that the step is for, and the Modification that it makes.
	Field        string
	Modification cloud.Modification

	// Instance is what the object's status tells of EC2; nil leaves what it told before.
	Instance *observer.Entry
	// Attempt that launched Instance; 0 when it is none of those that we derive.
	Attempt int64
	// Changes are the differences between spec and EC2.
	Changes []Change
	// Rebooted is when the instance was last rebooted on request, if it was by this process.
	Rebooted *metav1.Time
	// ManagedTagKeys are the keys of tags that are ours to remove, ManagedGroups the security groups that are.
	ManagedTagKeys []string
	ManagedGroups  []string
	// Verdict is what the conditions say.
	Verdict Verdict
	// Quiet leaves the status as it is.
	Quiet bool
	// Events to record once the status that goes with them is written.
	Events []Event
	// After is when to come back without being woken; zero: not at all.
	After time.Duration
}

// Decide says what to do next for an object. It is pure: the same input gives the same plan.
func Decide(in Input) Plan {
	f := learn(in)
	switch {
	case in.Object.DeletionTimestamp != nil:
		return decideDeletion(in, f)
	case in.Account.Reason != "":
		return accountInTheWay(in, f)
	case !in.Synced:
		return awaitFirstList(in, f)
	case f.current != nil && f.lost(in) != "":
		return findLost(in, f)
	case len(f.surplus) > 0 && !in.handsOff():
		return terminateSurplus(in, f)
	case f.current != nil:
		return keep(in, f)
	default:
		return decideLaunch(in, f)
	}
}

// accountInTheWay: nothing is asked of an account that is missing or not allowed.
func accountInTheWay(in Input, f facts) Plan {
	p := f.plan()
	p.Verdict = f.blocked(in.Account.Reason, in.Account.Message)
	p.After = accountAgain
	return p
}

// awaitFirstList: without a list nobody knows what is there, and nothing is launched on an empty view. What is
// known of an instance stays as it is: that the operator has just started is no news of it, and that the
// account cannot be listed is told by the account.
func awaitFirstList(in Input, f facts) Plan {
	p := f.plan()
	p.After = firstList
	p.Quiet = in.ListError == nil || f.everLaunched()
	if in.ListError != nil {
		p.Verdict = f.waiting(ec2v1.ReasonLaunching, "Waiting for the first list of the account's instances").failed(in.ListError)
	}
	return p
}

// terminateSurplus: EC2 shows a second live instance of the object with a token of ours. While one of them is young, the
// other may be dead without EC2 showing it yet, and the young one all that the object has.
func terminateSurplus(in Input, f facts) Plan {
	surplus := f.surplus[0]
	p := upkeep(in, f, dueReading{})
	if wait := f.untilSettled(in); wait > 0 {
		p.only(StepNone, "", "")
		p.After = wait
		return p
	}
	if p.cancelFirst(in, f, &surplus) {
		return p
	}
	p.only(StepTerminateSurplus, surplus.ID, surplus.ID)
	p.hold(in)
	return p
}
