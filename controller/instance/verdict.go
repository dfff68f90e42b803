// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// State is what one condition says.
type State struct {
	Status          metav1.ConditionStatus
	Reason, Message string
}

// Verdict is what all conditions of an EC2Instance say. Reconciling and Stalled are there only while True, and
// never both (kstatus).
type Verdict struct {
	Ready, Launched, Synced, Reachable State
	Reconciling, Stalled               *State
	// Contested is there only while True.
	Contested *State
}

// reasons tells each class of error as the reason of a condition.
var reasons = map[cloud.Class]string{
	cloud.ClassInvalid:       ec2v1.ReasonInvalidRequest,
	cloud.ClassCapacity:      ec2v1.ReasonInsufficientCapacity,
	cloud.ClassQuota:         ec2v1.ReasonQuotaExceeded,
	cloud.ClassThrottled:     ec2v1.ReasonThrottled,
	cloud.ClassUnauthorized:  ec2v1.ReasonUnauthorized,
	cloud.ClassCredentials:   ec2v1.ReasonCredentialsInvalid,
	cloud.ClassNotYetVisible: ec2v1.ReasonNotYetVisible,
	cloud.ClassWrongState:    ec2v1.ReasonWrongState,
	cloud.ClassProtected:     ec2v1.ReasonProtected,
	cloud.ClassDependency:    ec2v1.ReasonDependencyNotReady,
	cloud.ClassTransient:     ec2v1.ReasonEC2Unavailable,
}

func reasonOf(c cloud.Class) string {
	if reason, ok := reasons[c]; ok {
		return reason
	}
	return ec2v1.ReasonEC2Unavailable
}

// needsHelp tells the classes that time does not heal.
func needsHelp(c cloud.Class) bool {
	switch c {
	case cloud.ClassInvalid, cloud.ClassUnauthorized, cloud.ClassProtected:
		return true
	default:
		return false
	}
}

func condition(status metav1.ConditionStatus, reason, message string) State {
	return State{Status: status, Reason: reason, Message: message}
}

// launched is what Launched says while nothing new is known of it.
func (f facts) launched(reason, message string) State {
	switch {
	case f.current != nil:
		return condition(metav1.ConditionTrue, ec2v1.ReasonLaunched, fmt.Sprintf("EC2 has instance %s", f.current.ID))
	case recordedFor(f.object, f.intent) && f.last == nil && !f.consumed:
		return condition(metav1.ConditionTrue, ec2v1.ReasonLaunched, fmt.Sprintf("EC2 has instance %s", f.recordedID()))
	default:
		return condition(metav1.ConditionFalse, reason, message)
	}
}

// waiting: the operator is at work, or will be again without help.
func (f facts) waiting(reason, message string) Verdict {
	unready := condition(metav1.ConditionFalse, reason, message)
	reconciling := condition(metav1.ConditionTrue, reason, message)
	return Verdict{
		Ready: unready, Launched: f.launched(reason, message),
		Synced:      condition(metav1.ConditionUnknown, reason, message),
		Reachable:   f.reachable,
		Reconciling: &reconciling,
	}
}

// stalled: nothing more happens without help.
func (f facts) stalled(reason, message string) Verdict {
	v := f.waiting(reason, message)
	v.Stalled, v.Reconciling = v.Reconciling, nil
	return v
}

// paused: the user has asked to leave things as they are.
func (f facts) paused(message string) Verdict {
	v := f.waiting(ec2v1.ReasonSuspended, message)
	v.Reconciling = nil
	return v
}

// blocked: what the object depends on is in the way.
func (f facts) blocked(reason, message string) Verdict { return f.stalled(reason, message) }

// deleting: the object is on its way out.
func (f facts) deleting(message string) Verdict {
	v := f.waiting(ec2v1.ReasonDeleting, message)
	v.Synced = condition(metav1.ConditionUnknown, ec2v1.ReasonDeleting, "The object is being deleted")
	return v
}

// asDeletion tells the same of an object that is being deleted.
func (v Verdict) asDeletion(f facts) Verdict {
	d := f.deleting(v.Ready.Message)
	if v.Stalled != nil {
		stalled := condition(metav1.ConditionTrue, v.Stalled.Reason, v.Stalled.Message)
		d.Reconciling, d.Stalled = nil, &stalled
	}
	return d
}

// failed tells that a call failed. Being throttled is no news: the call is made again, and what was being
// done is still being done.
func (v Verdict) failed(err *cloud.Error) Verdict {
	if err.Class == cloud.ClassThrottled {
		return v
	}
	reason, message := reasonOf(err.Class), err.Error()
	v.Ready = condition(metav1.ConditionFalse, reason, message)
	if v.Launched.Status != metav1.ConditionTrue {
		v.Launched = v.Ready
	}
	trouble := condition(metav1.ConditionTrue, reason, message)
	v.Reconciling, v.Stalled = &trouble, nil
	if needsHelp(err.Class) {
		v.Reconciling, v.Stalled = nil, &trouble
	}
	return v
}

// unknown tells that something of what spec says could not be compared. Without that, the next pass would take the spec for one that EC2
// matches.
func (v *Verdict) unknown(nothingKnown bool, why *cloud.Error) {
	if nothingKnown && v.Synced.Status == metav1.ConditionTrue {
		v.Synced = condition(metav1.ConditionUnknown, reasonOf(why.Class), why.Error())
		if why.Class == cloud.ClassThrottled { // That is no news, see failed.
			v.Synced = condition(metav1.ConditionUnknown, ec2v1.ReasonUpdatePending, "EC2 has not told yet what it has for all fields of spec")
		}
	}
}

// running is the verdict on a live instance.
func (f facts) running(in Input, changes []Change) Verdict {
	v := Verdict{Launched: f.launched("", ""), Synced: synced(in.suspended(), changes), Reachable: f.reachable}
	reason, message, there := f.power(in.wantedPower(f.current))
	if namesOf(changes, ec2v1.PlanActionStopStart) != "" || namesOf(changes, ec2v1.PlanActionReplace) != "" {
		there = true // It is on its way for a change, which tells more.
	}
	switch {
	case in.suspended() && pending(changes):
		v.Ready = condition(metav1.ConditionFalse, ec2v1.ReasonSuspended, "spec.suspend is true: EC2 is not brought to spec")
	case in.observes() && !there:
		v.Ready = condition(metav1.ConditionFalse, ec2v1.ReasonObserved, fmt.Sprintf("The instance is %s, and managementPolicy is Observe", f.current.State))
	case there && !pending(changes):
		return v.settled(reason, message, in.suspended(), changes)
	default:
		if there {
			reason, message = ec2v1.ReasonUpdatePending, v.Synced.Message
		}
		v.Ready = condition(metav1.ConditionFalse, reason, message)
		v.Reconciling = &State{Status: metav1.ConditionTrue, Reason: reason, Message: message}
	}
	return v
}

// settled: the instance is in the wanted power state, and nothing is under way. What EC2 has refused wants help.
func (v Verdict) settled(reason, message string, suspended bool, changes []Change) Verdict {
	refused := failed(changes)
	if refused == "" || suspended {
		v.Ready = condition(metav1.ConditionTrue, reason, message)
		return v
	}
	v.Ready = condition(metav1.ConditionFalse, ec2v1.ReasonBlocked, "The change of "+refused+" failed: see status.plan")
	v.Stalled = &State{Status: metav1.ConditionTrue, Reason: v.Ready.Reason, Message: v.Ready.Message}
	return v
}

// power tells where the instance is on its way to the wanted power state, and whether it is there.
func (f facts) power(want ec2v1.PowerState) (reason, message string, there bool) {
	state := f.current.State
	if wantsStopped(want) {
		if state == cloud.StateStopped {
			return ec2v1.ReasonStopped, "The instance is stopped, as spec asks", true
		}
		return ec2v1.ReasonStopping, fmt.Sprintf("The instance is %s and is to be stopped", state), false
	}
	if state == cloud.StateRunning {
		return ec2v1.ReasonRunning, "The instance runs, as spec asks", true
	}
	if interrupted(f.current) {
		return ec2v1.ReasonInterrupted, "EC2 has stopped the Spot Instance and starts it again when it has the capacity", false
	}
	if by := stoppedBy(f.current); by != "" {
		return ec2v1.ReasonStarting, fmt.Sprintf("The instance is %s, %s, and is to run", state, by), false
	}
	return ec2v1.ReasonStarting, fmt.Sprintf("The instance is %s and is to run", state), false
}

// failed lists the fields whose changes have failed.
func failed(changes []Change) string {
	var names []string
	for _, c := range changes {
		if c.State == ec2v1.PlanStateFailed {
			names = append(names, c.Field)
		}
	}
	return strings.Join(names, ", ")
}

func pending(changes []Change) bool {
	for _, c := range changes {
		if c.State == ec2v1.PlanStatePending {
			return true
		}
	}
	return false
}

// synced tells how EC2 differs from spec: first what is under way, then the most disruptive of what is not.
func synced(suspended bool, changes []Change) State {
	if len(changes) == 0 {
		return condition(metav1.ConditionTrue, ec2v1.ReasonInSync, "EC2 matches spec")
	}
	reason, blocked := ec2v1.ReasonNotAllowed, false
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.Field
		switch {
		case c.State == ec2v1.PlanStatePending:
		case c.State == ec2v1.PlanStateFailed, c.Action == ec2v1.PlanActionNone:
			blocked = true
		case c.Action == ec2v1.PlanActionReplace:
			reason = ec2v1.ReasonReplacementRequired
		case c.Action == ec2v1.PlanActionStopStart && reason != ec2v1.ReasonReplacementRequired:
			reason = ec2v1.ReasonStopRequired
		}
	}
	if blocked {
		reason = ec2v1.ReasonBlocked
	}
	if pending(changes) {
		reason = ec2v1.ReasonUpdatePending
		if suspended {
			reason = ec2v1.ReasonSuspended
		}
	}
	return condition(metav1.ConditionFalse, reason, "EC2 differs from spec in "+strings.Join(names, ", ")+": see status.plan")
}
