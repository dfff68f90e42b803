// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

var (
	passed     = condition(metav1.ConditionTrue, ec2v1.ReasonChecksPassed, "EC2's system and instance status checks pass")
	failing    = condition(metav1.ConditionFalse, ec2v1.ReasonChecksFailed, "as recorded")
	notRunning = condition(metav1.ConditionUnknown, ec2v1.ReasonNotRunning, "The instance does not run")
)

func failedSince(system, instance time.Time) func(*observer.Entry) {
	return func(e *observer.Entry) {
		showsChecks(cloud.CheckOK, cloud.CheckOK)(e)
		if !system.IsZero() {
			e.Status.System = cloud.Check{Result: cloud.CheckImpaired, Since: system, Detail: "reachability failed"}
		}
		if !instance.IsZero() {
			e.Status.Instance = cloud.Check{Result: cloud.CheckImpaired, Since: instance}
		}
	}
}

func TestReachable(t *testing.T) {
	failed := func(message string) State { return condition(metav1.ConditionFalse, ec2v1.ReasonChecksFailed, message) }
	refused := func(class cloud.Class) given { return func(in *Input) { in.StatusError = failureOf(class) } }
	const at = "2026-03-01T12:00:00Z"
	tests := map[string]struct {
		given []given
		want  State
		// checks are those that status tells, system and instance; none otherwise.
		checks string
	}{
		"nothing is launched":           {nil, notRunning, ""},
		"starting":                      {[]given{kept(1, cloud.StatePending)}, notRunning, ""},
		"stopped":                       {[]given{kept(1, cloud.StateStopped)}, notRunning, ""},
		"stopped, with checks recorded": {[]given{kept(1, cloud.StateStopped), recordedChecks(1, "ok", passed)}, notRunning, ""},
		"shutting down":                 {[]given{kept(1, cloud.StateShuttingDown), recordedChecks(1, "ok", passed)}, notRunning, ""},
		"running, and nothing is known": {[]given{kept(1, cloud.StateRunning)}, noResult, ""},
		"initializing":                  {[]given{kept(1, cloud.StateRunning, showsChecks(cloud.CheckInitializing, cloud.CheckInitializing))}, noResult, ""},
		"one has a result":              {[]given{kept(1, cloud.StateRunning, showsChecks(cloud.CheckOK, cloud.CheckInitializing))}, noResult, ""},
		"EC2 does not say":              {[]given{kept(1, cloud.StateRunning, showsChecks("", ""))}, noResult, ""},
		"EC2 does not say any more: what is recorded does not count": {
			[]given{kept(1, cloud.StateRunning, showsChecks("", "")), recordedChecks(1, "ok", passed)}, noResult, "",
		},
		"both pass": {[]given{kept(1, cloud.StateRunning, showsChecks(cloud.CheckOK, cloud.CheckOK))}, passed, "ok/ok"},
		"the system fails": {
			[]given{kept(1, cloud.StateRunning, failedSince(begin, time.Time{}))},
			failed("EC2's system status check is impaired since " + at + ": reachability failed"), "impaired/ok",
		},
		"the instance fails": {
			[]given{kept(1, cloud.StateRunning, failedSince(time.Time{}, begin))},
			failed("EC2's instance status check is impaired since " + at), "ok/impaired",
		},
		"both fail": {
			[]given{kept(1, cloud.StateRunning, failedSince(begin, begin))},
			failed("EC2's system status check is impaired since " + at + ": reachability failed; EC2's instance status check is impaired since " + at),
			"impaired/impaired",
		},
		"one fails while the other has no result": {
			[]given{kept(1, cloud.StateRunning, showsChecks(cloud.CheckImpaired, cloud.CheckInitializing))},
			failed("EC2's system status check is impaired"), "impaired/initializing",
		},
		"too little to go by": {
			[]given{kept(1, cloud.StateRunning, showsChecks(cloud.CheckOK, cloud.CheckInsufficientData))},
			condition(metav1.ConditionUnknown, ec2v1.ReasonInitializing,
				"EC2's status checks have no result: the system check is ok, the instance check is insufficient-data"),
			"ok/insufficient-data",
		},
		"that a volume fails says nothing": {
			[]given{kept(1, cloud.StateRunning, showsChecks(cloud.CheckOK, cloud.CheckOK), func(e *observer.Entry) {
				e.Status.AttachedEBS.Result = cloud.CheckImpaired
			})}, passed, "ok/ok",
		},
		"a new operator keeps what is recorded until it knows better": {
			[]given{kept(1, cloud.StateRunning), recordedChecks(1, "impaired", failing)}, failing, "impaired/impaired",
		},
		"but not of an earlier start": {
			[]given{kept(1, cloud.StateRunning, func(e *observer.Entry) { e.LaunchTime = e.LaunchTime.Add(time.Hour) }), recordedChecks(1, "ok", passed)},
			noResult, "",
		},
		"nor of another instance": {
			[]given{kept(2, cloud.StateRunning), recordedInStatus(1), recordedChecks(2, "ok", passed)}, noResult, "",
		},
		"statuses may not be listed": {
			[]given{kept(1, cloud.StateRunning), refused(cloud.ClassUnauthorized)},
			condition(metav1.ConditionUnknown, ec2v1.ReasonUnauthorized, "Something: Code: words"), "",
		},
		"statuses cannot be listed for now": {[]given{kept(1, cloud.StateRunning), refused(cloud.ClassTransient)}, noResult, ""},
		"statuses may not be listed any more": {
			[]given{kept(1, cloud.StateRunning, showsChecks(cloud.CheckOK, cloud.CheckOK)), refused(cloud.ClassUnauthorized)}, passed, "ok/ok",
		},
		"the account is gone: what is recorded stays": {
			[]given{intent(1), recordedInStatus(1), recordedChecks(1, "ok", passed), accountMissing}, passed, "ok/ok",
		},
		"the account is gone, and nothing is recorded": {[]given{intent(1), recordedInStatus(1), accountMissing}, noResult, ""},
		"the instance is gone": {
			[]given{intent(1), recordedInStatus(1), recordedChecks(1, "ok", passed), remembers(func(m *Memory) { m.Gone = instanceID(1) }), after(long)},
			notRunning, "ok/ok", // Status tells nothing new of an instance that is not shown.
		},
		"EC2 has ceased to show it": {
			[]given{kept(1, cloud.StateRunning, gone, showsChecks(cloud.CheckOK, cloud.CheckOK))}, notRunning, "",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := inputOf(test.given...)
			p := Decide(in)
			if p.Quiet {
				t.Fatal("tells nothing")
			}
			if diff := cmp.Diff(test.want, p.Verdict.Reachable); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			status := statusOf(t, in.Object, p, in.Now)
			told := ""
			if c := status.StatusChecks; c != nil {
				told = c.System + "/" + c.Instance
			}
			if told != test.checks {
				t.Errorf("status tells %q, want %q", told, test.checks)
			}
			if c := meta.FindStatusCondition(status.Conditions, ec2v1.ConditionReachable); c == nil || c.Status != test.want.Status {
				t.Errorf("Reachable is %+v", c)
			}
		})
	}
}

// While an operator waits for its first list it decides nothing, and what conflicts are told of says the same of the checks.
func TestEveryVerdictTellsReachable(t *testing.T) {
	in := inputOf(kept(1, cloud.StateRunning, showsChecks(cloud.CheckOK, cloud.CheckOK)))
	f := learn(in)
	for name, v := range map[string]Verdict{
		"waiting": f.waiting("R", "m"), "stalled": f.stalled("R", "m"), "paused": f.paused("m"), "blocked": f.blocked("R", "m"),
		"deleting": f.deleting("m"), "as deletion": f.stalled("R", "m").asDeletion(f), "failed": f.waiting("R", "m").failed(failureOf(cloud.ClassInvalid)),
		"running": f.running(in, nil),
	} {
		if v.Reachable != passed {
			t.Errorf("%s: %+v", name, v.Reachable)
		}
	}
}

func TestScheduledEventsInStatus(t *testing.T) {
	events := []cloud.ScheduledEvent{
		{Code: "instance-retirement", Description: "degraded", NotBefore: begin, NotAfter: begin.Add(time.Hour)}, {Code: "system-reboot"},
	}
	scheduled := func(e *observer.Entry) { e.Status.Events = events }
	in := inputOf(kept(1, cloud.StateRunning, showsChecks(cloud.CheckInitializing, cloud.CheckInitializing), scheduled))
	want := []ec2v1.ScheduledEvent{{
		Code: "instance-retirement", Description: "degraded", NotBefore: new(metav1.NewTime(begin)), NotAfter: new(metav1.NewTime(begin.Add(time.Hour))),
	}, {Code: "system-reboot"}}
	if diff := cmp.Diff(want, statusOf(t, in.Object, Decide(in), in.Now).ScheduledEvents); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	in = inputOf(kept(1, cloud.StateStopped), recordedChecks(1, "ok", passed))
	if got := statusOf(t, in.Object, Decide(in), in.Now).ScheduledEvents; got != nil {
		t.Errorf("a stopped instance has %+v", got)
	}
}

// Until both checks have results nothing is told of any, so that results cost one write; that of the volumes comes when
// it comes.
func TestAttachedEBSInStatus(t *testing.T) {
	for result, want := range map[cloud.CheckResult]string{
		cloud.CheckInitializing: "", cloud.CheckNotApplicable: "not-applicable", cloud.CheckImpaired: "impaired", "": "",
	} {
		in := inputOf(kept(1, cloud.StateRunning, showsChecks(cloud.CheckOK, cloud.CheckOK), func(e *observer.Entry) { e.Status.AttachedEBS.Result = result }))
		got := statusOf(t, in.Object, Decide(in), in.Now).StatusChecks
		if diff := cmp.Diff(&ec2v1.StatusChecks{System: "ok", Instance: "ok", AttachedEBS: want}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", result, diff)
		}
	}
}

// Nothing but Reachable depends on the checks.
func TestDecideDoesTheSameWhateverTheChecksSay(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		in.StatusError = nil
		in.Entries = slices.Clone(in.Entries)
		for n := range in.Entries {
			in.Entries[n].Status = nil
		}
		other := Decide(in)
		p.Verdict.Reachable, other.Verdict.Reachable = State{}, State{}
		if p.Instance != nil {
			unchecked := *p.Instance
			unchecked.Status = nil
			p.Instance = &unchecked
		}
		if diff := cmp.Diff(other, p, comparablePlans); diff != "" {
			t.Fatalf("without and with checks:\n%s", diff)
		}
	})
}

// True is said only of a live instance that runs, or was recorded to.
func TestDecideSaysReachableOnlyOfWhatRuns(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		if p.Verdict.Reachable.Status != metav1.ConditionTrue {
			return
		}
		recorded := cloud.State(in.Object.Status.State) == cloud.StateRunning && in.Object.Status.StatusChecks != nil
		shown := p.Instance != nil && p.Instance.State == cloud.StateRunning && !p.Instance.Gone
		switch {
		case p.Instance == nil && recorded:
		case shown && p.Instance.Status == nil && recorded && in.Object.Status.InstanceID == p.Instance.ID:
		case shown && p.Instance.Status != nil && p.Instance.Status.System.Result == cloud.CheckOK && p.Instance.Status.Instance.Result == cloud.CheckOK:
		default:
			t.Fatalf("reachable is %+v of %+v", p.Verdict.Reachable, p.Instance)
		}
	})
}

func reachableIs(status metav1.ConditionStatus) func(*ec2v1.EC2Instance) bool {
	return func(obj *ec2v1.EC2Instance) bool {
		return meta.IsStatusConditionPresentAndEqual(obj.Status.Conditions, ec2v1.ConditionReachable, status)
	}
}

// The result of the checks is one write more than the three until the instance runs, and so is each change of it.
func TestReachableCostsOneWrite(t *testing.T) {
	inBubble(t, func(r *rig) {
		all := func(result cloud.CheckResult) {
			c := cloud.Check{Result: result}
			r.ec2.set(func() { r.ec2.statuses[instanceID(1)] = cloud.InstanceStatus{System: c, Instance: c, AttachedEBS: c} })
		}
		all(cloud.CheckInitializing)
		r.run()
		r.expectWrites("lifecycle", "status", "status")
		r.expectCalls("Launch " + token(1))
		r.expectRest()
		all(cloud.CheckOK)
		obj := r.until("the checks pass", reachableIs(metav1.ConditionTrue))
		if c := obj.Status.StatusChecks; c == nil || *c != (ec2v1.StatusChecks{System: "ok", Instance: "ok", AttachedEBS: "ok"}) {
			r.Errorf("checks are %+v", c)
		}
		r.expectWrites("status")
		r.expectRest()
		all(cloud.CheckImpaired)
		r.until("the checks fail", reachableIs(metav1.ConditionFalse))
		r.expectWrites("status")
		if !readyIs(ec2v1.ReasonRunning)(r.get()) {
			r.Errorf("Ready depends on the checks: %+v", r.get().Status.Conditions)
		}
		r.expectRest()
		r.restart()
		r.expectRest()
		// A new operator that may not list statuses says nothing new either.
		r.ec2.set(func() { r.ec2.refuseStatuses = failureOf(cloud.ClassUnauthorized) })
		r.restart()
		r.expectRest()
		r.edit(func(s *ec2v1.EC2InstanceSpec) { s.PowerState = ec2v1.PowerStateStopped })
		obj = r.until("the instance is stopping", readyIs(ec2v1.ReasonStopping))
		if !reachableIs(metav1.ConditionUnknown)(obj) || obj.Status.StatusChecks != nil {
			r.Errorf("stopping, and %+v", obj.Status)
		}
		r.ec2.becomes(instanceID(1), cloud.StateStopped)
		r.until("the instance is stopped", readyIs(ec2v1.ReasonStopped))
		r.expectWrites("status", "status")
	})
}

// Missing rights are told, and so is that they are there.
func TestStatusesMayNotBeListed(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.ec2.refuseStatuses = failureOf(cloud.ClassUnauthorized)
		r.run()
		r.until("the refusal is told", func(obj *ec2v1.EC2Instance) bool {
			c := meta.FindStatusCondition(obj.Status.Conditions, ec2v1.ConditionReachable)
			return c.Status == metav1.ConditionUnknown && c.Reason == ec2v1.ReasonUnauthorized
		})
		r.ec2.set(func() { r.ec2.refuseStatuses = nil })
		r.until("the refusal is over", func(obj *ec2v1.EC2Instance) bool {
			return meta.FindStatusCondition(obj.Status.Conditions, ec2v1.ConditionReachable).Reason == ec2v1.ReasonInitializing
		})
	})
}
