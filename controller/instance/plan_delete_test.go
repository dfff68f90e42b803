// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

const (
	isDeleting = "False Deleting"
	goesOn     = "Reconciling"
)

func says(text string) func(*testing.T, Plan) {
	return func(t *testing.T, p Plan) {
		t.Helper()
		if !strings.Contains(p.Verdict.Ready.Message, text) {
			t.Errorf("says %q, which lacks %q", p.Verdict.Ready.Message, text)
		}
	}
}

func TestDecideDeletionOfAnInstanceThatEC2Shows(t *testing.T) {
	row := func(state cloud.State, p ec2v1.DeletionPolicy, step Step) decision {
		d := decision{
			name:  fmt.Sprintf("deletionPolicy %s of an instance that is %s", p, state),
			given: []given{kept(1, state), deleting(time.Second), policy(p)},
			step:  step, ready: isDeleting, flow: goesOn,
		}
		if state.Live() && step != StepRelease {
			d.id = instanceID(1)
		}
		return d
	}
	const terminate, stop, retain = ec2v1.DeletionTerminate, ec2v1.DeletionStop, ec2v1.DeletionRetain
	decideAll(t, []decision{
		row(cloud.StatePending, terminate, StepTerminate),
		row(cloud.StateRunning, terminate, StepTerminate),
		row(cloud.StateStopping, terminate, StepTerminate),
		row(cloud.StateStopped, terminate, StepTerminate),
		row(cloud.StateShuttingDown, terminate, StepNone),
		row(cloud.StateTerminated, terminate, StepRelease),

		row(cloud.StatePending, stop, StepNone),
		row(cloud.StateRunning, stop, StepStop),
		row(cloud.StateStopping, stop, StepRelease),
		row(cloud.StateStopped, stop, StepRelease),
		row(cloud.StateShuttingDown, stop, StepNone),
		row(cloud.StateTerminated, stop, StepRelease),

		row(cloud.StatePending, retain, StepRelease),
		row(cloud.StateRunning, retain, StepRelease),
		row(cloud.StateStopping, retain, StepRelease),
		row(cloud.StateStopped, retain, StepRelease),
		row(cloud.StateShuttingDown, retain, StepRelease),
		row(cloud.StateTerminated, retain, StepRelease),

		// Objects of before the field had a default.
		row(cloud.StateRunning, "", StepTerminate),
	})
}

func TestDecideDeletion(t *testing.T) {
	running := kept(1, cloud.StateRunning)
	decideAll(t, []decision{
		{
			name:  "nothing was ever launched: let it go",
			given: []given{deleting(time.Second)},
			step:  StepRelease, ready: isDeleting, flow: goesOn,
		},
		{
			name:  "nothing was ever launched and the account is missing: let it go",
			given: []given{deleting(time.Second), accountMissing},
			step:  StepRelease, ready: isDeleting, flow: goesOn,
		},
		{
			name:  "nothing was ever launched and EC2 was not listed: let it go",
			given: []given{deleting(time.Second), unsynced},
			step:  StepRelease, ready: isDeleting, flow: goesOn,
		},
		{
			name:  "status knows nothing, and EC2 shows an instance of ours: terminate it",
			given: []given{ec2Shows(1, cloud.StateRunning), after(long), deleting(time.Second)},
			step:  StepTerminate, id: instanceID(1), ready: isDeleting, flow: goesOn,
		},
		{
			name:  "our finalizer is gone: the rest is up to others",
			given: []given{running, deleting(time.Second), func(in *Input) { in.Object.Finalizers = []string{"example.com/other"} }},
			ready: isDeleting, flow: goesOn, also: says("finalizers of others"),
		},
		{
			name:  "suspended: deletion works all the same",
			given: []given{running, deleting(time.Second), suspended},
			step:  StepTerminate, id: instanceID(1), ready: isDeleting, flow: goesOn,
		},
		{
			name:  "the account does not allow the namespace any more: deletion works all the same",
			given: []given{running, deleting(time.Second), accountNotAllowed},
			step:  StepTerminate, id: instanceID(1), ready: isDeleting, flow: goesOn,
		},
		{
			name:  "the account is missing: say so, and the way out",
			given: []given{running, deleting(time.Second), accountMissing},
			ready: "False AccountNotFound", flow: "Stalled", after: accountAgain, also: says("set deletionPolicy to Retain"),
		},
		{
			name:  "the account is missing and the instance is to be left: let it go",
			given: []given{running, deleting(time.Second), accountMissing, policy(ec2v1.DeletionRetain)},
			step:  StepRelease, ready: isDeleting, flow: goesOn,
		},
		{
			name:  "EC2 was not listed yet: wait for that",
			given: []given{running, deleting(time.Second), unsynced},
			ready: isDeleting, flow: goesOn, after: firstList, also: says("first list"),
		},
		{
			name: "EC2 cannot be listed: say why",
			given: []given{running, deleting(time.Second), func(in *Input) {
				in.Synced, in.ListError = false, failureOf(cloud.ClassUnauthorized)
			}},
			ready: "False Unauthorized", flow: "Stalled", after: firstList,
		},
		{
			name:  "it was asked to terminate a moment ago and is not seen to: wait until that shows",
			given: []given{running, deleting(time.Second), called(StepTerminate, instanceID(1), time.Second, nil)},
			id:    instanceID(1), ready: isDeleting, flow: goesOn, after: settle - time.Second,
		},
		{
			name:  "termination protection refuses: say so, and try again",
			given: []given{running, deleting(time.Second), called(StepTerminate, instanceID(1), time.Second, failureOf(cloud.ClassProtected))},
			id:    instanceID(1), ready: "False Protected", flow: "Stalled", after: 59 * time.Second,
		},
		{
			name:  "two live instances: one after the other",
			given: []given{intent(2), recordedInStatus(2), ec2Shows(1, cloud.StateRunning), ec2Shows(2, cloud.StateRunning), after(long), deleting(time.Second)},
			step:  StepTerminate, id: instanceID(2), ready: isDeleting, flow: goesOn,
		},
		{
			name:  "the recorded one is terminated, another one lives: terminate that, too",
			given: []given{intent(2), recordedInStatus(2), ec2Shows(1, cloud.StateRunning), ec2Shows(2, cloud.StateTerminated), after(long), deleting(time.Second)},
			step:  StepTerminate, id: instanceID(1), ready: isDeleting, flow: goesOn,
		},
	})
}

// EC2 shows no instance, and there may be one.
func TestDecideDeletionOfAnInstanceThatEC2DoesNotShow(t *testing.T) {
	written := allOf(intent(1), after(long))
	recorded := allOf(intent(1), recordedInStatus(1), after(long))
	releases := func(name string, all ...given) decision {
		return decision{name: name, given: all, step: StepRelease, ready: isDeleting, flow: goesOn}
	}
	looks := func(name string, all ...given) decision {
		return decision{name: name, given: all, step: StepFindByToken, ready: isDeleting, flow: goesOn}
	}
	finds := func(name string, all ...given) decision {
		return decision{name: name, given: all, step: StepFindByID, id: instanceID(1), ready: isDeleting, flow: goesOn}
	}
	end := cloud.LaunchTimeout + consistencyWindow
	decideAll(t, []decision{
		looks("a launch may be on its way: look for it", written, deleting(time.Second)),
		{
			name:  "it was not found a moment ago: look again in a while",
			given: []given{written, deleting(time.Minute), called(StepFindByToken, token(1), time.Second, errUnseen)},
			ready: isDeleting, flow: goesOn, after: lookAgain - time.Second,
		},
		{
			name:  "it cannot be looked for: say why",
			given: []given{written, deleting(time.Minute), called(StepFindByToken, token(1), time.Second, failureOf(cloud.ClassUnauthorized))},
			ready: isDeleting, flow: "Stalled", after: 59 * time.Second, also: says("Something: Code: words"),
		},
		looks("the window is over and nobody has looked: look", written, deleting(24*time.Hour)),
		looks("the window is over and the last look was before its end: look once more",
			written, deleting(end+time.Minute), called(StepFindByToken, token(1), 2*time.Minute, errUnseen)),
		releases("a look after the window found nothing: let it go",
			written, deleting(end+time.Second), called(StepFindByToken, token(1), time.Second, errUnseen), searched(consistencyWindow+time.Second)),
		{
			name: "the same, and it was looked for shorter than the window: go on",
			given: []given{
				written, deleting(end + time.Second), called(StepFindByToken, token(1), time.Second, errUnseen), searched(consistencyWindow),
			},
			ready: isDeleting, flow: goesOn, after: lookAgain - time.Second,
		},
		releases("EC2 has refused the launch for certain: let it go", written, deleting(time.Second), remembers(func(m *Memory) { m.Rejected = token(1) })),
		releases("EC2 says the launch's instance is terminated: let it go",
			written, deleting(time.Second), remembers(func(m *Memory) { m.Terminated = token(1) })),
		{
			name:  "the launch was on its way and has arrived: terminate it",
			given: []given{written, deleting(time.Minute), ec2Shows(1, cloud.StatePending)},
			step:  StepTerminate, id: instanceID(1), ready: isDeleting, flow: goesOn,
		},
		looks("attempt 1 is terminated, attempt 2 is written and may be on its way: look for it",
			intent(2), recordedInStatus(1), ec2Shows(1, cloud.StateTerminated), after(long), deleting(time.Second)),
		finds("the recorded instance is not shown: look for it alone", recorded, deleting(time.Second)),
		finds("it is looked for however long ago the deletion was", recorded, deleting(24*time.Hour)),
		{
			name:  "it was not found a moment ago: look again in a while",
			given: []given{recorded, deleting(time.Minute), called(StepFindByID, instanceID(1), time.Second, errUnseen)},
			id:    instanceID(1), ready: isDeleting, flow: goesOn, after: lookAgain - time.Second,
		},
		releases("it is gone: let it go", recorded, deleting(time.Second), remembers(func(m *Memory) { m.Gone = instanceID(1) })),
		releases("status recorded that it was terminated: let it go",
			recorded, deleting(time.Second), func(in *Input) { in.Object.Status.State = string(cloud.StateTerminated) }),
		finds("the intent is lost, the instance is recorded: look for it alone", recordedInStatus(1), after(long), deleting(time.Second)),
		releases("the intent is lost, the instance is gone: let it go",
			recordedInStatus(1), after(long), deleting(time.Second), remembers(func(m *Memory) { m.Gone = instanceID(1) })),
		finds("EC2 has ceased to show the live instance: it cannot be terminated, look for it alone",
			recorded, ec2Shows(1, cloud.StateRunning, missing), deleting(time.Second)),
		releases("EC2 has ceased to show the live instance and it is gone: let it go",
			recorded, ec2Shows(1, cloud.StateRunning, missing, gone), deleting(time.Second)),
		finds("it was shutting down and is not shown any more: look for it alone",
			recorded, ec2Shows(1, cloud.StateShuttingDown, missing), deleting(time.Second)),
		finds("the same, and status was never written: look for it alone",
			intent(1), ec2Shows(1, cloud.StateShuttingDown, missing), deleting(time.Second)),
		releases("the intent is of another object: there is nothing of ours", intent(1, func(i *LaunchIntent) { i.UID = otherUID }), deleting(time.Second)),
	})
}
