// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// tried: a call has failed so often, a moment ago.
func tried(step Step, of string, times int64, err *cloud.Error) given {
	return func(in *Input) {
		in.Memory.Calls = map[Step]Call{step: {Of: of, At: in.Now.Add(-time.Second), Tries: times, Err: err}}
	}
}

func TestDecideStartsWhatARefusalWouldKeepStopped(t *testing.T) {
	typ, mayStop := spec(largerType), allow(ec2v1.UpdateStopStart)
	step, of := modifying("instanceType"), changeOf(cloud.InstanceType{Type: "t3.large"})
	stopped := kept(1, cloud.StateStopped)
	starts := func(name string, class cloud.Class) decision {
		return decision{
			name: name, given: []given{stopped, typ, mayStop, tried(step, of, unshownTries, failureOf(class))},
			step: StepStart, id: instanceID(1), ready: "False Starting", flow: "Reconciling",
			also: planned("instanceType", ec2v1.PlanStateFailed, ec2v1.ReasonUpdatePending),
		}
	}
	unanswered := *failureOf(cloud.ClassDependency)
	unanswered.Definite = false
	decideAll(t, []decision{
		starts("what it needs does not exist", cloud.ClassDependency),
		starts("a quota is in the way", cloud.ClassQuota),
		starts("there is no room", cloud.ClassCapacity),
		{
			name: "not yet", given: []given{stopped, typ, mayStop, tried(step, of, unshownTries-1, failureOf(cloud.ClassQuota))},
			id: instanceID(1), ready: "False QuotaExceeded", flow: "Reconciling", after: failureOf(cloud.ClassQuota).Class.Backoff(unshownTries-1) - time.Second,
		},
		{
			name: "time heals it", given: []given{stopped, typ, mayStop, tried(step, of, unshownTries, failureOf(cloud.ClassWrongState))},
			id: instanceID(1), ready: "False WrongState", flow: "Reconciling", after: failureOf(cloud.ClassWrongState).Class.Backoff(unshownTries) - time.Second,
		},
		{
			name: "it may have been accepted", given: []given{stopped, typ, mayStop, tried(step, of, unshownTries, &unanswered)},
			id: instanceID(1), ready: "False DependencyNotReady", flow: "Reconciling", after: cloud.ClassDependency.Backoff(unshownTries) - time.Second,
		},
	})
}

func TestDecideReplacesOnlyWhatCanBeLaunchedAgain(t *testing.T) {
	mayReplace, key := allow(ec2v1.UpdateReplace), spec(func(s *ec2v1.EC2InstanceSpec) { s.KeyName = "ops" })
	nothing := spec(func(s *ec2v1.EC2InstanceSpec) { s.Image, s.InstanceType = ec2v1.Image{}, "" })
	template := spec(func(s *ec2v1.EC2InstanceSpec) { s.LaunchTemplate = &ec2v1.LaunchTemplate{Name: "web"} })
	running := kept(1, cloud.StateRunning)
	decideAll(t, []decision{
		{
			name: "spec does not say what to launch", given: []given{running, key, nothing, mayReplace}, ready: "True Running",
			also: planned("keyName", ec2v1.PlanStateBlocked, ec2v1.ReasonReplacementRequired),
		},
		{
			name: "a launch template does", given: []given{running, key, nothing, template, mayReplace},
			step: StepReplace, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
		},
		{
			name: "the next one would have to wait: the old one runs on",
			given: []given{
				intent(8), recordedInStatus(8), ec2Shows(8, cloud.StateRunning, untagged("team")), key, mayReplace, after(time.Minute),
			},
			step: StepTag, id: instanceID(8), ready: "False UpdatePending", flow: "Reconciling", after: recreatePauseMax - time.Minute,
		},
		{
			name: "it is being replaced already: on with it",
			given: []given{
				intent(8, func(i *LaunchIntent) { i.Replacing = timeAt(time.Second) }), recordedInStatus(8), ec2Shows(8, cloud.StateRunning), key, mayReplace, after(time.Minute),
			},
			step: StepReplace, id: instanceID(8), ready: "False UpdatePending", flow: "Reconciling",
		},
	})
}

func TestDecideTakesProtectionOffBeforeItDisrupts(t *testing.T) {
	off := spec(func(s *ec2v1.EC2InstanceSpec) { s.DisableAPITermination, s.DisableAPIStop = new(false), new(false) })
	protectedIn := func(field, value string) given {
		return remembers(func(m *Memory) {
			if m.Readings == nil {
				m.Readings = map[string]Reading{}
			}
			m.Readings[field] = Reading{ID: instanceID(1), At: begin.Add(long), Generation: testObject().Generation, Value: value}
		})
	}
	read := allOf(protectedIn("disableAPITermination", "true"), protectedIn("disableAPIStop", "false"))
	termination := cloud.DisableAPITermination{On: false}
	failedToReplace := func(in *Input) {
		in.Object.Status.ObservedGeneration = in.Object.Generation
		in.Object.Status.Plan = []ec2v1.PlannedChange{{Field: "image", Desired: "ami-0000000b", State: ec2v1.PlanStateFailed, Message: "no"}}
	}
	step, of := modifying("disableAPITermination"), changeOf(termination)
	again := readAgain + min(spread(testUID, "disableAPITermination", readAgain/readSpread), spread(testUID, "disableAPIStop", readAgain/readSpread))
	replaces := allOf(kept(1, cloud.StateRunning), off, spec(otherImage), allow(ec2v1.UpdateReplace))
	decideAll(t, []decision{
		{name: "first the protection", given: []given{replaces, read}, step: step, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: again},
		{
			name: "it is off, and does not show yet", given: []given{replaces, read, called(step, of, time.Second, nil)},
			id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: settle - time.Second,
		},
		{
			name: "it cannot be taken off: EC2 will say so", given: []given{replaces, read, called(step, of, time.Second, failureOf(cloud.ClassUnauthorized))},
			step: StepReplace, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: again,
		},
		{
			name: "it is off", given: []given{replaces, protectedIn("disableAPITermination", "false"), protectedIn("disableAPIStop", "false")},
			step: StepReplace, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: again,
		},
		{
			name: "EC2 has refused the end before the protection was off: again, at once",
			given: []given{
				replaces, protectedIn("disableAPITermination", "false"), protectedIn("disableAPIStop", "false"), failedToReplace,
				called(StepReplace, instanceID(1), time.Minute, failureOf(cloud.ClassProtected)), called(step, of, time.Second, nil),
			},
			step: StepReplace, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: again,
		},
		{
			name: "EC2 has refused it since",
			given: []given{
				replaces, protectedIn("disableAPITermination", "false"), protectedIn("disableAPIStop", "false"),
				called(step, of, time.Minute, nil), called(StepReplace, instanceID(1), time.Second, failureOf(cloud.ClassProtected)),
			},
			ready: "False Blocked", flow: "Stalled", after: again,
		},
		{
			name: "that from being stopped, before a stop",
			given: []given{
				kept(1, cloud.StateRunning), off, spec(largerType), allow(ec2v1.UpdateStopStart),
				protectedIn("disableAPITermination", "false"), protectedIn("disableAPIStop", "true"),
			},
			step: modifying("disableAPIStop"), id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: again,
		},
	})
}
