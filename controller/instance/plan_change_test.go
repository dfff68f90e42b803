// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

func allow(most ec2v1.UpdateAllowance) given {
	return spec(func(s *ec2v1.EC2InstanceSpec) { s.UpdatePolicy.Allow = most })
}

func override(field string, to ec2v1.UpdateAllowance) given {
	return spec(func(s *ec2v1.EC2InstanceSpec) {
		s.UpdatePolicy.Overrides = append(s.UpdatePolicy.Overrides, ec2v1.UpdateOverride{Field: field, Allow: to})
	})
}

func largerType(s *ec2v1.EC2InstanceSpec) { s.InstanceType = "t3.large" }

func otherImage(s *ec2v1.EC2InstanceSpec) { s.Image.ID = "ami-0000000b" }

// withGroups: EC2 shows these groups, and they are ours.
func withGroups(groups ...string) func(*observer.Entry) {
	return func(e *observer.Entry) { interfaceWith(groups...)(&e.Instance) }
}

func oursAre(groups ...string) given {
	return func(in *Input) { in.Object.Status.ManagedSecurityGroupIDs = groups }
}

func wantsGroups(groups ...string) given {
	return spec(func(s *ec2v1.EC2InstanceSpec) { s.SecurityGroupIDs = groups })
}

// changeOf is how a change of instanceType to t3.large is remembered.
func changeOf(m cloud.Modification) string { return Change{modification: m}.of(instanceID(1)) }

// planned looks at a change in the plan.
func planned(field string, state ec2v1.PlanState, synced string) func(*testing.T, Plan) {
	return func(t *testing.T, p Plan) {
		t.Helper()
		for _, c := range p.Changes {
			if c.Field == field {
				if c.State != state {
					t.Errorf("%s is %s: %q", field, c.State, c.Message)
				}
				if (c.Message == "") != (state == ec2v1.PlanStatePending) {
					t.Errorf("the message of what is %s is %q", state, c.Message)
				}
				if p.Verdict.Synced.Reason != synced {
					t.Errorf("Synced is %+v, want %s", p.Verdict.Synced, synced)
				}
				return
			}
		}
		t.Errorf("no change of %s: %+v", field, p.Changes)
	}
}

func TestDecideInPlace(t *testing.T) {
	running := kept(1, cloud.StateRunning, withGroups(groupA))
	step := modifying(fieldGroups)
	asked := cloud.NewSecurityGroups("eni-0000000a", []string{groupB})
	does := func(m cloud.Modification) func(*testing.T, Plan) {
		return func(t *testing.T, p Plan) {
			t.Helper()
			if p.Modification != m {
				t.Errorf("does %+v, want %+v", p.Modification, m)
			}
		}
	}
	decideAll(t, []decision{
		{
			name: "it runs", given: []given{running, oursAre(groupA), wantsGroups(groupB)},
			step: step, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", also: does(asked),
		},
		{
			name: "it is stopped, and shall be", given: []given{kept(1, cloud.StateStopped, withGroups(groupA)), wants(ec2v1.PowerStateStopped), oursAre(groupA), wantsGroups(groupB)},
			step: step, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
		},
		{
			name: "it is on its way: wait", given: []given{kept(1, cloud.StatePending, withGroups(groupA)), oursAre(groupA), wantsGroups(groupB)},
			ready: "False Starting", flow: "Reconciling",
		},
		{
			name:  "EC2 has accepted it and does not show it yet: wait",
			given: []given{running, oursAre(groupA), wantsGroups(groupB), called(step, changeOf(asked), time.Second, nil)},
			id:    instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: settle - time.Second,
		},
		{
			name:  "EC2 has refused it: say so, and come back late",
			given: []given{running, oursAre(groupA), wantsGroups(groupB), called(step, changeOf(asked), time.Minute, failureOf(cloud.ClassInvalid))},
			id:    instanceID(1), ready: "False Blocked", flow: "Stalled", after: 9 * time.Minute,
			also: planned(fieldGroups, ec2v1.PlanStateFailed, ec2v1.ReasonBlocked),
		},
		{
			name:  "EC2 has refused it long ago: try again, and say the same until it works",
			given: []given{running, oursAre(groupA), wantsGroups(groupB), called(step, changeOf(asked), 10*time.Minute, failureOf(cloud.ClassInvalid))},
			step:  step, id: instanceID(1), ready: "False Blocked", flow: "Stalled",
			also: planned(fieldGroups, ec2v1.PlanStateFailed, ec2v1.ReasonBlocked),
		},
		{
			name:  "a group is not there yet: that heals by itself",
			given: []given{running, oursAre(groupA), wantsGroups(groupB), called(step, changeOf(asked), time.Second, failureOf(cloud.ClassDependency))},
			id:    instanceID(1), ready: "False DependencyNotReady", flow: "Reconciling", after: 4 * time.Second,
			also: planned(fieldGroups, ec2v1.PlanStatePending, ec2v1.ReasonUpdatePending),
		},
		{
			name:  "a group is not there yet, and it is time to ask again: say the same until it works",
			given: []given{running, oursAre(groupA), wantsGroups(groupB), called(step, changeOf(asked), time.Minute, failureOf(cloud.ClassDependency))},
			step:  step, id: instanceID(1), ready: "False DependencyNotReady", flow: "Reconciling",
		},
		{
			name: "one is refused: the next is not held up",
			given: []given{
				running, oursAre(groupA), wantsGroups(groupB), called(step, changeOf(asked), time.Minute, failureOf(cloud.ClassInvalid)),
				spec(func(s *ec2v1.EC2InstanceSpec) { s.MetadataOptions.HTTPTokens = "optional" }),
			},
			step: modifying("metadataOptions"), id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: 9 * time.Minute,
			also: does(cloud.InstanceMetadata{MetadataOptions: cloud.MetadataOptions{HTTPTokens: "optional"}}),
		},
		{
			name: "all are refused: tags are not held up",
			given: []given{
				kept(1, cloud.StateRunning, withGroups(groupA), untagged("team")), oursAre(groupA), wantsGroups(groupB),
				called(step, changeOf(asked), time.Minute, failureOf(cloud.ClassInvalid)),
			},
			step: StepTag, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: 9 * time.Minute,
		},
		{
			name: "an override says to leave it alone", given: []given{running, oursAre(groupA), wantsGroups(groupB), override(fieldGroups, ec2v1.UpdateIgnore)},
			ready: "True Running",
		},
		{
			name:  "EC2 accepts it over and over and never shows it",
			given: []given{running, oursAre(groupA), wantsGroups(groupB), accepted(step, changeOf(asked), unshownTries)},
			id:    instanceID(1), ready: "False Blocked", flow: "Stalled", after: unshownAgain,
			also: planned(fieldGroups, ec2v1.PlanStateFailed, ec2v1.ReasonBlocked),
		},
		{
			name:  "EC2 accepts it over and over: it is asked for seldom, and the same is said",
			given: []given{running, oursAre(groupA), wantsGroups(groupB), accepted(step, changeOf(asked), unshownTries), func(in *Input) { in.Now = in.Now.Add(unshownAgain) }},
			step:  step, id: instanceID(1), ready: "False Blocked", flow: "Stalled",
			also: planned(fieldGroups, ec2v1.PlanStateFailed, ec2v1.ReasonBlocked),
		},
		{
			name:  "it was repaired in five nights, and has drifted again: that is no failure",
			given: []given{running, oursAre(groupA), wantsGroups(groupB), nightly(step, changeOf(asked), unshownTries)},
			step:  step, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
			also: planned(fieldGroups, ec2v1.PlanStatePending, ec2v1.ReasonUpdatePending),
		},
		{
			name: "it was repaired five times in a row, and has drifted again the night after",
			given: []given{
				running, oursAre(groupA), wantsGroups(groupB), accepted(step, changeOf(asked), unshownTries),
				func(in *Input) { in.Now = in.Now.Add(24 * time.Hour) },
			},
			step: step, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
			also: planned(fieldGroups, ec2v1.PlanStatePending, ec2v1.ReasonUpdatePending),
		},
	})
}

// accepted: EC2 has accepted a call some times in a row, the last time now.
func accepted(step Step, of string, times int) given {
	return func(in *Input) {
		for range times {
			in.Memory.record(step, of, in.Now, nil)
		}
	}
}

// nightly: EC2 has accepted a call in each of some nights, the last time in the night before.
func nightly(step Step, of string, nights int) given {
	return func(in *Input) {
		for night := nights; night > 0; night-- {
			in.Memory.record(step, of, in.Now.Add(-time.Duration(night)*24*time.Hour), nil)
		}
	}
}

func TestDecideStopStart(t *testing.T) {
	typ, mayStop := spec(largerType), allow(ec2v1.UpdateStopStart)
	step := modifying("instanceType")
	of := changeOf(cloud.InstanceType{Type: "t3.large"})
	failedBefore := func(in *Input) {
		in.Object.Status.ObservedGeneration = in.Object.Generation
		in.Object.Status.Plan = []ec2v1.PlannedChange{{Field: "instanceType", Desired: "t3.large", State: ec2v1.PlanStateFailed, Message: "no"}}
	}
	decideAll(t, []decision{
		{
			name: "it runs, and may be stopped", given: []given{kept(1, cloud.StateRunning), typ, mayStop},
			step: StepStop, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
			also: planned("instanceType", ec2v1.PlanStatePending, ec2v1.ReasonUpdatePending),
		},
		{
			name: "an override allows it", given: []given{kept(1, cloud.StateRunning), typ, override("instanceType", ec2v1.UpdateStopStart)},
			step: StepStop, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
		},
		{
			name: "an override forbids it", given: []given{kept(1, cloud.StateRunning), typ, mayStop, override("instanceType", ec2v1.UpdateInPlace)},
			ready: "True Running", also: planned("instanceType", ec2v1.PlanStateBlocked, ec2v1.ReasonStopRequired),
		},
		{
			name: "it is stopping: wait", given: []given{kept(1, cloud.StateStopping), typ, mayStop},
			ready: "False UpdatePending", flow: "Reconciling",
		},
		{
			name: "it is stopped: change it", given: []given{kept(1, cloud.StateStopped), typ, mayStop},
			step: step, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
		},
		{
			name: "it was changed, and EC2 does not show it yet: it is not started", given: []given{kept(1, cloud.StateStopped), typ, mayStop, called(step, of, time.Second, nil)},
			id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: settle - time.Second,
		},
		{
			name: "it is as spec says: start it", given: []given{kept(1, cloud.StateStopped), mayStop},
			step: StepStart, id: instanceID(1), ready: "False Starting", flow: "Reconciling",
		},
		{
			name:  "it was changed a moment ago and runs, and EC2 shows the old one: it is not stopped again",
			given: []given{kept(1, cloud.StateRunning), typ, mayStop, called(step, of, time.Minute, nil)},
			ready: "False UpdatePending", flow: "Reconciling", after: consistencyWindow - time.Minute,
		},
		{
			name: "it was changed in five nights, and has drifted again: stop it", given: []given{kept(1, cloud.StateRunning), typ, mayStop, nightly(step, of, unshownTries)},
			step: StepStop, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
			also: planned("instanceType", ec2v1.PlanStatePending, ec2v1.ReasonUpdatePending),
		},
		{
			name: "something changes it back within minutes, again and again: it is not stopped again", given: []given{kept(1, cloud.StateRunning), typ, mayStop, accepted(step, of, unshownTries)},
			ready: "False Blocked", flow: "Stalled", also: planned("instanceType", ec2v1.PlanStateFailed, ec2v1.ReasonBlocked),
		},
		{
			name: "EC2 refuses the change: start it again", given: []given{kept(1, cloud.StateStopped), typ, mayStop, called(step, of, time.Second, failureOf(cloud.ClassInvalid))},
			step: StepStart, id: instanceID(1), ready: "False Starting", flow: "Reconciling",
			also: planned("instanceType", ec2v1.PlanStateFailed, ec2v1.ReasonUpdatePending),
		},
		{
			name: "EC2 has refused the change, and it runs: it is not stopped again", given: []given{kept(1, cloud.StateRunning), typ, mayStop, called(step, of, time.Hour, failureOf(cloud.ClassInvalid))},
			ready: "False Blocked", flow: "Stalled", also: planned("instanceType", ec2v1.PlanStateFailed, ec2v1.ReasonBlocked),
		},
		{
			name: "EC2 has refused the change to an earlier process: it is not stopped again", given: []given{kept(1, cloud.StateRunning), typ, mayStop, failedBefore},
			ready: "False Blocked", flow: "Stalled", also: planned("instanceType", ec2v1.PlanStateFailed, ec2v1.ReasonBlocked),
		},
		{
			name: "EC2 has refused the change, and spec was edited since: try again", given: []given{kept(1, cloud.StateRunning), typ, mayStop, failedBefore, func(in *Input) { in.Object.Generation++ }},
			step: StepStop, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
		},
		{
			name: "EC2 has refused the change, and it is stopped as spec asks: try again", given: []given{kept(1, cloud.StateStopped), wants(ec2v1.PowerStateStopped), typ, mayStop, failedBefore},
			step: step, id: instanceID(1), ready: "False Blocked", flow: "Stalled",
		},
		{
			name: "the change fails in passing: it is not started before", given: []given{kept(1, cloud.StateStopped), typ, mayStop, called(step, of, time.Second, failureOf(cloud.ClassCapacity))},
			id: instanceID(1), ready: "False InsufficientCapacity", flow: "Reconciling", after: 29 * time.Second,
		},
		{
			name:  "stopping is refused: what can be changed without is not held up",
			given: []given{kept(1, cloud.StateRunning, untagged("team")), typ, mayStop, called(StepStop, instanceID(1)+" to change instanceType", time.Minute, failureOf(cloud.ClassInvalid))},
			step:  StepTag, id: instanceID(1), ready: "False InvalidRequest", flow: "Stalled", after: 9 * time.Minute,
		},
		{
			name: "it shall be stopped: the change comes with that", given: []given{kept(1, cloud.StateRunning), wants(ec2v1.PowerStateStopped), typ},
			step: StepStop, id: instanceID(1), ready: "False Stopping", flow: "Reconciling",
		},
		{
			name: "suspended: nothing", given: []given{kept(1, cloud.StateRunning), typ, mayStop, suspended},
			ready: "False Suspended",
		},
	})
}

func replacing(ago time.Duration) func(*LaunchIntent) {
	return func(i *LaunchIntent) { i.Replacing = new(metav1.NewTime(begin.Add(long - ago))) }
}

func TestDecideReplace(t *testing.T) {
	image, mayReplace := spec(otherImage), allow(ec2v1.UpdateReplace)
	marked := func(set bool) func(*testing.T, Plan) {
		return func(t *testing.T, p Plan) {
			t.Helper()
			if p.Intent == nil || (p.Intent.Replacing != nil) != set || p.Intent.Token != token(1) || p.Intent.Attempt != 1 {
				t.Errorf("intent %+v", p.Intent)
			}
		}
	}
	reason := func(want string) func(*testing.T, Plan) {
		return func(t *testing.T, p Plan) {
			t.Helper()
			if p.Intent == nil || p.Intent.Attempt != 2 || p.Intent.Reason != want || p.Intent.Replacing != nil {
				t.Errorf("intent %+v", p.Intent)
			}
		}
	}
	never := spec(func(s *ec2v1.EC2InstanceSpec) { s.RecreatePolicy = ec2v1.RecreateNever })
	dead := func(state cloud.State) given {
		return allOf(intent(1, replacing(time.Minute)), recordedInStatus(1), ec2Shows(1, state), after(long), image, mayReplace, never)
	}
	decideAll(t, []decision{
		{
			name: "it may be replaced", given: []given{kept(1, cloud.StateRunning), image, mayReplace},
			step: StepReplace, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", also: marked(true),
		},
		{
			name: "its launch intent was taken away: it is written anew", given: []given{recordedInStatus(1), ec2Shows(1, cloud.StateRunning), after(long), image, mayReplace},
			step: StepReplace, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", also: marked(true),
		},
		{
			name: "it is stopped, and what needs that differs, too: replaced at once", given: []given{kept(1, cloud.StateStopped), spec(largerType), image, mayReplace},
			step: StepReplace, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
		},
		{
			name:  "it was just terminated: nothing else is begun",
			given: []given{kept(1, cloud.StateRunning, untagged("team")), image, mayReplace, called(StepReplace, instanceID(1), time.Second, nil)},
			id:    instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: settle - time.Second,
		},
		{
			name:  "it is protected: say so, and hold nothing else up",
			given: []given{kept(1, cloud.StateRunning, untagged("team")), image, mayReplace, called(StepReplace, instanceID(1), time.Second, failureOf(cloud.ClassProtected))},
			step:  StepTag, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: 0,
			also: planned("image", ec2v1.PlanStateFailed, ec2v1.ReasonUpdatePending),
		},
		{
			name:  "somebody else's value stands for the launch intent: say so, and hold nothing else up",
			given: []given{recordedInStatus(1), ec2Shows(1, cloud.StateRunning, untagged("team")), after(long), image, mayReplace, annotated("{")},
			step:  StepTag, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
			also: planned("image", ec2v1.PlanStateBlocked, ec2v1.ReasonUpdatePending),
		},
		{
			name: "it is shutting down", given: []given{dead(cloud.StateShuttingDown)},
			ready: "False Replacing", flow: "Reconciling",
		},
		{
			name: "it is terminated: the next one is launched, whatever recreatePolicy says", given: []given{dead(cloud.StateTerminated), prepared(otherHash)},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: reason(launchReplaced),
		},
		{
			name: "the edit was taken back a moment ago: somebody may be carrying it out",
			given: []given{
				intent(1, replacing(time.Minute)), recordedInStatus(1), ec2Shows(1, cloud.StateRunning), after(long), mayReplace,
			},
			ready: "True Running", after: consistencyWindow - time.Minute,
		},
		{
			name: "the edit was taken back: so is the intent to replace",
			given: []given{
				intent(1, replacing(consistencyWindow)), recordedInStatus(1), ec2Shows(1, cloud.StateRunning), after(long), mayReplace,
			},
			step: StepKeep, id: instanceID(1), ready: "True Running", also: marked(false),
		},
	})
}

// What policy allows is what the table, and the field's own row, say.
func TestAllows(t *testing.T) {
	all := []ec2v1.UpdateAllowance{ec2v1.UpdateIgnore, ec2v1.UpdateInPlace, ec2v1.UpdateStopStart, ec2v1.UpdateReplace}
	actions := []ec2v1.PlanAction{ec2v1.PlanActionInPlace, ec2v1.PlanActionStopStart, ec2v1.PlanActionReplace}
	var got [][]bool
	for _, a := range all {
		var row []bool
		for _, action := range actions {
			row = append(row, allows(a, action))
		}
		got = append(got, row)
	}
	want := [][]bool{{false, false, false}, {true, false, false}, {true, true, false}, {true, true, true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
