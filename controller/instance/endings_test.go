// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// because is EC2's reason for the state.
func because(code, message string) func(*observer.Entry) {
	return func(e *observer.Entry) { e.StateReasonCode, e.StateReasonMessage = code, message }
}

func TestDecideTellsWhoEndedTheInstance(t *testing.T) {
	never := spec(func(s *ec2v1.EC2InstanceSpec) { s.RecreatePolicy = ec2v1.RecreateNever })
	says := func(words string) func(*testing.T, Plan) {
		return func(t *testing.T, p Plan) {
			t.Helper()
			if !strings.Contains(p.Verdict.Ready.Message, words) {
				t.Errorf("it says %q, want %q", p.Verdict.Ready.Message, words)
			}
		}
	}
	ended := func(code, message string) given {
		return allOf(intent(1), recordedInStatus(1), ec2Shows(1, cloud.StateTerminated, because(code, message)), after(long))
	}
	soon := func(code, message string) given {
		return allOf(intent(1), recordedInStatus(1), ec2Shows(1, cloud.StateTerminated, because(code, message)), after(time.Second))
	}
	decideAll(t, []decision{
		{
			name: "a person did", given: []given{ended("Client.UserInitiatedShutdown", "Client.UserInitiatedShutdown: User initiated shutdown"), never},
			ready: "False Terminated", flow: "Stalled", also: says("terminated by somebody else and recreatePolicy is Never"),
		},
		{
			name: "its operating system did", given: []given{ended("Client.InstanceInitiatedShutdown", ""), never},
			ready: "False Terminated", flow: "Stalled", also: says("by its own operating system"),
		},
		{
			name: "EC2 took the Spot capacity back", given: []given{ended("Server.SpotInstanceTermination", ""), never},
			ready: "False Terminated", flow: "Stalled", also: says("took the Spot capacity back"),
		},
		{
			name: "EC2 has another reason", given: []given{ended("Server.Novel", "it is so"), never},
			ready: "False Terminated", flow: "Stalled", also: says("terminated by EC2 (Server.Novel: it is so)"),
		},
		{
			name:  "EC2 could not start it: that is no end, and is tried again whatever recreatePolicy says",
			given: []given{ended("Client.VolumeLimitExceeded", "Client.VolumeLimitExceeded: Volume limit exceeded"), never, prepared(otherHash)},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling",
		},
		{
			name:  "the reason is in the message, and the pause is not over",
			given: []given{soon("Server.Novel", "Client.VolumeLimitExceeded: Volume limit exceeded"), never, prepared(otherHash)},
			ready: "False LaunchFailed", flow: "Reconciling", after: recreatePause - time.Second,
			also: says("could not be started by EC2 (Server.Novel: Client.VolumeLimitExceeded: Volume limit exceeded)"),
		},
	})
}

func TestDecideLeavesAnInterruptedSpotInstanceToEC2(t *testing.T) {
	byEC2, byPerson := because("Server.SpotInstanceShutdown", ""), because("Client.UserInitiatedShutdown", "")
	decideAll(t, []decision{
		{name: "EC2 has stopped it", given: []given{kept(1, cloud.StateStopped, byEC2)}, ready: "False Interrupted", flow: "Reconciling"},
		{
			name: "somebody has stopped it", given: []given{kept(1, cloud.StateStopped, byPerson)},
			step: StepStart, id: instanceID(1), ready: "False Starting", flow: "Reconciling",
		},
		{name: "EC2 has stopped it, and it shall be stopped", given: []given{kept(1, cloud.StateStopped, byEC2), wants(ec2v1.PowerStateStopped)}, ready: "True Stopped"},
	})
}

const retired = "Server.ScheduledStop: Stopped due to a scheduled retirement of 100% of the host"

// After the start nothing would tell that EC2 had retired what it ran on.
func TestDecideTellsWhoStoppedTheInstance(t *testing.T) {
	row := func(name string, state cloud.State, reason func(*observer.Entry), words string) decision {
		d := decision{
			name: name, given: []given{kept(1, state, reason)}, ready: "False Starting", flow: "Reconciling",
			also: func(t *testing.T, p Plan) {
				t.Helper()
				if want := "The instance is " + string(state) + words + " and is to run"; p.Verdict.Ready.Message != want {
					t.Errorf("it says %q, want %q", p.Verdict.Ready.Message, want)
				}
			},
		}
		if state == cloud.StateStopped {
			d.step, d.id = StepStart, instanceID(1)
		}
		return d
	}
	scheduled := because(reasonScheduledStop, retired)
	byEC2 := ", by EC2 as it had scheduled, such as for retirement (" + retired + "),"
	decideAll(t, []decision{
		row("EC2 did, as scheduled", cloud.StateStopped, scheduled, byEC2),
		row("EC2 is at it", cloud.StateStopping, scheduled, byEC2),
		row("it is on its way again", cloud.StatePending, scheduled, ""),
		row("EC2 did, for another reason", cloud.StateStopped, because("Server.InternalError", ""), ", by EC2 (Server.InternalError),"),
		row("it did so itself", cloud.StateStopped, because(reasonOwnShutdown, ""), ", by its own operating system,"),
		row("a person did", cloud.StateStopped, because(reasonUserShutdown, ""), ""),
		row("EC2 does not tell", cloud.StateStopped, because("", ""), ""),
	})
}

func TestTheEventOfAStartTellsWhoStoppedTheInstance(t *testing.T) {
	for _, reason := range []string{reasonScheduledStop, reasonUserShutdown} {
		inBubble(t, func(r *rig) {
			r.run()
			r.ec2.set(func() {
				i := r.ec2.instances[instanceID(1)]
				i.State, i.StateReasonCode, i.StateReasonMessage = cloud.StateStopped, reason, retired
				r.ec2.instances[i.ID] = i
			})
			r.until("it is started", func(*ec2v1.EC2Instance) bool { return slices.Contains(r.ec2.taken(), "Start "+instanceID(1)) })
			want := "Started: Started instance " + instanceID(1)
			if reason == reasonScheduledStop {
				want += ", which was stopped by EC2 as it had scheduled, such as for retirement (" + retired + ")"
			}
			if !slices.Contains(r.events, want) {
				r.Errorf("told %q, want %q", r.events, want)
			}
		})
	}
}

func TestDecideReboots(t *testing.T) {
	at := func(d time.Duration) given {
		return spec(func(s *ec2v1.EC2InstanceSpec) { s.RebootRequestedAt = timeAt(long + d) })
	}
	rebooted := func(d time.Duration) given {
		return func(in *Input) { in.Object.Status.LastRebootTime = timeAt(long + d) }
	}
	running := kept(1, cloud.StateRunning)
	of := rebootOf(instanceID(1), timeAt(long-time.Minute))
	decideAll(t, []decision{
		{name: "asked for", given: []given{running, at(-time.Minute)}, step: StepReboot, id: instanceID(1), ready: "True Running"},
		{name: "asked for, and done", given: []given{running, at(-time.Minute), rebooted(0)}, ready: "True Running"},
		{name: "asked for again", given: []given{running, at(-time.Minute), rebooted(-time.Hour / 2)}, step: StepReboot, id: instanceID(1), ready: "True Running"},
		{name: "asked for before the launch", given: []given{running, at(-2 * long)}, ready: "True Running"},
		{name: "asked for later", given: []given{running, at(time.Minute)}, ready: "True Running", after: time.Minute},
		{name: "it does not run: a start will do", given: []given{kept(1, cloud.StateStopped), at(-time.Minute)}, step: StepStart, id: instanceID(1), ready: "False Starting", flow: "Reconciling"},
		{
			name: "done, and the status is not written yet", given: []given{running, at(-time.Minute), called(StepReboot, of, time.Hour/2, nil)}, ready: "True Running",
			also: func(t *testing.T, p Plan) {
				t.Helper()
				if p.Rebooted == nil || !p.Rebooted.Equal(timeAt(long/2)) {
					t.Errorf("it was rebooted at %v", p.Rebooted)
				}
			},
		},
		{
			name: "refused", given: []given{running, at(-time.Minute), called(StepReboot, of, time.Second, failureOf(cloud.ClassUnauthorized))},
			id: instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second,
		},
		{name: "suspended", given: []given{running, at(-time.Minute), suspended}, ready: "True Running"},
	})
}

func TestDecideLiftsProtection(t *testing.T) {
	lift := spec(func(s *ec2v1.EC2InstanceSpec) { s.ProtectionPolicy = ec2v1.ProtectionLift })
	refused := called(StepTerminate, instanceID(1), time.Minute/2, failureOf(cloud.ClassProtected))
	gone := allOf(kept(1, cloud.StateRunning), deleting(time.Minute))
	termination, stop := modifying("disableAPITermination"), modifying("disableAPIStop")
	lifted := called(termination, changeOf(cloud.DisableAPITermination{}), time.Second, nil)
	leave := spec(func(s *ec2v1.EC2InstanceSpec) { s.DeletionPolicy = ec2v1.DeletionStop })
	notStopped := called(StepStop, instanceID(1), time.Minute/2, failureOf(cloud.ClassProtected))
	decideAll(t, []decision{
		{
			name: "it keeps the instance from being stopped", given: []given{gone, leave, notStopped},
			id: instanceID(1), ready: "False Protected", flow: "Stalled", after: time.Minute / 2,
		},
		{
			name: "it is lifted to stop the instance", given: []given{gone, leave, notStopped, lift},
			step: stop, id: instanceID(1), ready: "False Deleting", flow: "Reconciling",
		},
		{
			name: "it is: stop the instance", given: []given{gone, leave, notStopped, lift, called(stop, changeOf(cloud.DisableAPIStop{}), time.Second, nil)},
			step: StepStop, id: instanceID(1), ready: "False Deleting", flow: "Reconciling",
		},
		{name: "nothing is known of a protection", given: []given{gone, lift}, step: StepTerminate, id: instanceID(1), ready: "False Deleting", flow: "Reconciling"},
		{
			name: "it is respected: say so, and what would help", given: []given{gone, refused}, id: instanceID(1), ready: "False Protected", flow: "Stalled", after: time.Minute / 2,
			also: func(t *testing.T, p Plan) {
				t.Helper()
				if !strings.Contains(p.Verdict.Stalled.Message, "set protectionPolicy to Lift") {
					t.Errorf("it says %q", p.Verdict.Stalled.Message)
				}
			},
		},
		{name: "it is lifted", given: []given{gone, refused, lift}, step: termination, id: instanceID(1), ready: "False Deleting", flow: "Reconciling"},
		{name: "and the other one", given: []given{gone, refused, lift, lifted}, step: stop, id: instanceID(1), ready: "False Deleting", flow: "Reconciling"},
		{
			name: "both are: terminate it", given: []given{gone, refused, lift, lifted, called(stop, changeOf(cloud.DisableAPIStop{}), time.Second, nil)},
			step: StepTerminate, id: instanceID(1), ready: "False Deleting", flow: "Reconciling",
		},
	})
}

// The pass that meets the protection says at once what would help, or goes on to lift it.
func TestProtectionIsMetInOnePass(t *testing.T) {
	for policy, want := range map[ec2v1.ProtectionPolicy]struct {
		again   time.Duration
		stalled string
	}{
		ec2v1.ProtectionRespect: {cloud.ClassProtected.Backoff(1), "set protectionPolicy to Lift, or take the protection off in EC2"},
		ec2v1.ProtectionLift:    {again, ""},
	} {
		t.Run(string(policy), func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.run()
				r.edit(func(s *ec2v1.EC2InstanceSpec) { s.ProtectionPolicy = policy })
				r.delete()
				r.ec2.refuse = failureOf(cloud.ClassProtected)
				if after, err := r.reconcile(); after != want.again || err != nil {
					r.Errorf("again after %s, %v", after, err)
				}
				stalled := meta.FindStatusCondition(r.get().Status.Conditions, ec2v1.ConditionStalled)
				if told := stalled != nil; told != (want.stalled != "") || told && !strings.Contains(stalled.Message, want.stalled) {
					r.Errorf("Stalled says %v", stalled)
				}
			})
		})
	}
}
