// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

func TestLifecycle(t *testing.T) {
	inBubble(t, func(r *rig) {
		obj := r.run()
		r.expectCalls("Launch " + token(1))
		r.expectWrites("lifecycle", "status", "status")
		if obj.Status.InstanceID != instanceID(1) || obj.Status.Launch.Attempt != 1 || !slices.Contains(obj.Finalizers, ec2v1.InstanceFinalizer) {
			r.Errorf("got %+v", obj)
		}
		r.expectRest()

		r.edit(func(s *ec2v1.EC2InstanceSpec) {
			s.Tags = []ec2v1.Tag{{Key: "cost-center", Value: new("42")}}
		})
		obj = r.until("tags are set", readyIs(ec2v1.ReasonRunning))
		r.expectCalls("SetTags "+instanceID(1)+" cost-center=42", "RemoveTags "+instanceID(1)+" [team]")
		r.expectWrites("status", "status")
		if !slices.Equal(obj.Status.ManagedTagKeys, []string{"Name", "cost-center"}) {
			r.Errorf("manages %v", obj.Status.ManagedTagKeys)
		}
		r.expectRest()

		r.edit(func(s *ec2v1.EC2InstanceSpec) { s.PowerState = ec2v1.PowerStateStopped })
		r.until("the instance is stopping", readyIs(ec2v1.ReasonStopping))
		r.ec2.becomes(instanceID(1), cloud.StateStopped)
		r.until("the instance is stopped", readyIs(ec2v1.ReasonStopped))
		r.expectCalls("Stop " + instanceID(1))
		r.expectWrites("status", "status")
		r.expectRest()

		r.delete()
		r.until("the instance is terminating", readyIs(ec2v1.ReasonDeleting))
		r.ec2.becomes(instanceID(1), cloud.StateTerminated)
		r.until("the object is gone", isGone)
		r.expectCalls("Terminate " + instanceID(1))
		r.expectWrites("status", "lifecycle")
		if again, err := r.reconcile(); again != 0 || err != nil || len(r.operator.memories.all) != 0 {
			r.Errorf("an object that is gone: again after %s, %v, remembered %v", again, err, r.operator.memories.all)
		}
	})
}

// Whatever is lost after EC2 was asked, there is one instance.
func TestOneLaunchAcrossACrash(t *testing.T) {
	tests := map[string]struct {
		// crash makes passes until the operator is to be replaced.
		crash func(*rig)
		calls int
	}{
		"before EC2 is asked": {
			crash: func(r *rig) {
				r.ec2.refuse = &cloud.Error{Op: "RunInstances", Class: cloud.ClassTransient, Message: "cut off", Definite: true}
				r.until("the intent is written", func(o *ec2v1.EC2Instance) bool { return o.Annotations[ec2v1.AnnotationLaunch] != "" })
				r.ec2.set(func() { r.ec2.refuse, r.ec2.calls = nil, nil })
			},
			calls: 1,
		},
		"after the launch and before the status": {
			crash: func(r *rig) {
				r.failStatus = true
				for len(r.ec2.shown(func(cloud.Instance) bool { return true })) == 0 {
					if _, err := r.reconcile(); err != nil && !errors.Is(err, errBroken) {
						r.Fatal(err)
					}
					time.Sleep(time.Second)
				}
				r.failStatus = false
			},
			calls: 1,
		},
		"after the launch, whose answer is lost": {
			crash: func(r *rig) {
				r.ec2.loseAnswers = true
				r.until("the launch has no answer", readyIs(ec2v1.ReasonEC2Unavailable))
				r.ec2.set(func() { r.ec2.loseAnswers = false })
			},
			calls: 1,
		},
		"after the launch, whose instance is not visible yet": {
			crash: func(r *rig) {
				r.ec2.loseAnswers, r.ec2.hidden = true, true
				r.until("the launch has no answer", readyIs(ec2v1.ReasonEC2Unavailable))
				r.ec2.set(func() { r.ec2.loseAnswers = false })
			},
			calls: 2, // Asked again with the same token.
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				test.crash(r)
				r.restart()
				r.until("the instance is launched", readyIs(ec2v1.ReasonStarting))
				r.ec2.set(func() { r.ec2.hidden = false })
				r.run()
				calls := r.ec2.taken()
				if len(calls) != test.calls || len(slices.Compact(calls)) != 1 || len(r.ec2.instances) != 1 {
					r.Errorf("called %q, and there are %d instances", calls, len(r.ec2.instances))
				}
			})
		})
	}
}

// A spec that is edited while a launch has no answer begins the next attempt only when the first cannot have
// made an instance that is not visible yet.
func TestEditDuringALaunchWithoutAnAnswer(t *testing.T) {
	larger := func(s *ec2v1.EC2InstanceSpec) { s.InstanceType = "t3.large" }
	t.Run("it arrives", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.ec2.loseAnswers, r.ec2.hidden = true, true
			r.until("the launch has no answer", readyIs(ec2v1.ReasonEC2Unavailable))
			r.edit(larger)
			r.passes(4 * time.Minute)
			r.ec2.set(func() { r.ec2.hidden, r.ec2.loseAnswers = false, false })
			obj := r.run()
			if len(r.ec2.instances) != 1 || obj.Status.Launch.Attempt != 1 || len(obj.Status.Plan) != 1 {
				r.Errorf("%d instances, %+v", len(r.ec2.instances), obj.Status)
			}
			r.expectCalls("Launch " + token(1))
		})
	})
	t.Run("it arrives, asked for again by an edit that is taken back and made again", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.ec2.refuse, r.ec2.hidden, r.ec2.loseAnswers = &cloud.Error{Op: "RunInstances", Class: cloud.ClassTransient, Message: "no answer"}, true, true
			r.until("the launch has no answer", readyIs(ec2v1.ReasonEC2Unavailable))
			r.edit(larger)
			r.passes(4 * time.Minute)
			r.ec2.set(func() { r.ec2.refuse = nil })
			r.edit(func(s *ec2v1.EC2InstanceSpec) { s.InstanceType = "t3.micro" })
			r.until("the launch has no answer again", readyIs(ec2v1.ReasonEC2Unavailable))
			r.edit(larger)
			r.passes(4 * time.Minute)
			r.ec2.set(func() { r.ec2.hidden, r.ec2.loseAnswers = false, false })
			r.run()
			r.expectCalls("Launch "+token(1), "Launch "+token(1))
		})
	})
	t.Run("it never was", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.ec2.refuse = &cloud.Error{Op: "RunInstances", Class: cloud.ClassTransient, Message: "no answer"}
			r.until("the launch has no answer", readyIs(ec2v1.ReasonEC2Unavailable))
			r.ec2.set(func() { r.ec2.refuse = nil })
			r.edit(larger)
			edited := time.Now()
			obj := r.run()
			if waited := time.Since(edited); waited < consistencyWindow || obj.Status.Launch.Attempt != 2 || obj.Status.Launch.Reason != launchSpecChanged {
				r.Errorf("after %s: %+v", waited, obj.Status.Launch)
			}
			r.expectCalls("Launch "+token(1), "Launch "+token(2))
		})
	})
	t.Run("it was refused", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.ec2.refuse = failureOf(cloud.ClassInvalid)
			r.until("the launch is refused", readyIs(ec2v1.ReasonInvalidRequest))
			r.ec2.set(func() { r.ec2.refuse = nil })
			r.edit(larger)
			edited := time.Now()
			obj := r.until("the instance is launched", readyIs(ec2v1.ReasonStarting))
			if waited := time.Since(edited); waited > 10*time.Second || obj.Status.Launch.Attempt != 2 {
				r.Errorf("after %s: %+v", waited, obj.Status.Launch)
			}
		})
	})
}

// An intent holds only for the object that it was decided on: an edit, or another operator, that comes between
// the decision and its write has the decision made again.
func TestAnIntentIsNotWrittenOnAnotherVersion(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.meanwhile = func() { r.edit(func(s *ec2v1.EC2InstanceSpec) { s.InstanceType = "t3.large" }) }
		synced := func(*ec2v1.EC2Instance) bool { return r.meanwhile == nil }
		obj := r.until("the intent is to be written", synced)
		r.expectCalls()
		r.expectWrites()
		if obj.Annotations[ec2v1.AnnotationLaunch] != "" {
			r.Errorf("intended %s", obj.Annotations[ec2v1.AnnotationLaunch])
		}
		r.run()
		r.expectCalls("Launch " + token(1))
		if got := r.ec2.instances[instanceID(1)].Type; got != "t3.large" {
			r.Errorf("launched a %s", got)
		}
	})
}

// A new operator whose first call fails comes back without being woken.
func TestTheFirstFailureIsRepeated(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.run()
		r.restart()
		r.until("EC2 is listed", func(*ec2v1.EC2Instance) bool {
			return r.operator.Observer.Track(testScope, r.ec2, time.Minute).Synced()
		})
		r.ec2.taken()
		r.ec2.refuse = failureOf(cloud.ClassTransient)
		r.edit(func(s *ec2v1.EC2InstanceSpec) { s.PowerState = ec2v1.PowerStateStopped })
		again, err := r.reconcile()
		if again != cloud.ClassTransient.Backoff(1) || err != nil {
			r.Errorf("again after %s, %v", again, err)
		}
		r.expectCalls("Stop " + instanceID(1))
	})
}

// A step that follows a refusal is not put off until something is due that comes later: the instance was stopped for the change, and is
// started again at once.
func TestTheNextStepDoesNotWaitForAReading(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.run()
		r.edit(func(s *ec2v1.EC2InstanceSpec) {
			s.UpdatePolicy.Allow, s.InstanceType, s.ShutdownBehavior = ec2v1.UpdateStopStart, "t3.large", "stop"
		})
		r.until("it is stopping", func(o *ec2v1.EC2Instance) bool { return o.Status.State == string(cloud.StateStopping) })
		r.ec2.set(func() { r.ec2.refuse = failureOf(cloud.ClassInvalid) })
		r.ec2.becomes(instanceID(1), cloud.StateStopped)
		for range 60 {
			next, err := r.reconcile()
			if err != nil {
				r.Fatal(err)
			}
			if slices.ContainsFunc(r.get().Status.Plan, func(c ec2v1.PlannedChange) bool { return c.State == ec2v1.PlanStateFailed }) {
				if next != again {
					r.Errorf("it is to be started, and the next pass is in %s", next)
				}
				return
			}
			time.Sleep(time.Second)
		}
		r.Error("the change was not refused")
	})
}

// An instance that cannot be started holds no change up that can be made meanwhile.
func TestAFailedStartHoldsNothingElseUp(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.run()
		r.ec2.becomes(instanceID(1), cloud.StateStopped)
		r.until("EC2 shows it stopped", func(o *ec2v1.EC2Instance) bool {
			r.ec2.set(func() { r.ec2.refuse = failureOf(cloud.ClassCapacity) })
			return o.Status.State == string(cloud.StateStopped)
		})
		r.edit(func(s *ec2v1.EC2InstanceSpec) { s.Monitoring = new(true) })
		r.ec2.taken()
		next, err := r.reconcile()
		if next != again || err != nil {
			r.Errorf("the next pass is in %s, %v", next, err)
		}
		r.ec2.set(func() { r.ec2.refuse = nil })
		if _, err := r.reconcile(); err != nil {
			r.Error(err)
		}
		r.expectCalls("Start "+instanceID(1), "Modify "+instanceID(1)+" Monitoring{On:true}")
	})
}

// The operator was cut off from EC2 for longer than EC2 shows what is terminated.
func TestAnInstanceThatVanishedIsReplaced(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.run()
		time.Sleep(long)
		r.ec2.set(func() { clear(r.ec2.instances) })
		r.ec2.taken()
		obj := r.until("another one is launched", func(o *ec2v1.EC2Instance) bool { return o.Status.Launch.Attempt == 2 })
		if obj.Status.Launch.Reason != launchTerminated {
			r.Errorf("got %+v", obj.Status.Launch)
		}
		r.expectCalls("Launch " + token(2))
	})
}

// A new operator, whose first lists do not show the instance, does not take it for gone.
func TestAnInstanceOutOfSightForAWhileIsKept(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.run()
		time.Sleep(long)
		r.ec2.taken()
		r.ec2.set(func() { r.ec2.hidden = true })
		r.restart()
		r.passes(4 * time.Minute)
		r.ec2.set(func() { r.ec2.hidden = false })
		obj := r.until("the instance is seen again", readyIs(ec2v1.ReasonRunning))
		if obj.Status.InstanceID != instanceID(1) {
			r.Errorf("got %+v", obj.Status)
		}
		r.expectCalls()
	})
}

func TestAnInstanceThatVanishedDoesNotHoldDeletionUp(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.run()
		time.Sleep(long)
		r.ec2.set(func() { clear(r.ec2.instances) })
		time.Sleep(5 * time.Minute) // The observer finds out.
		synctest.Wait()
		r.delete()
		r.until("the object is gone", isGone)
	})
}

// Another manager holds the intent's annotation: nothing is launched, and it is said who.
func TestAnIntentThatAnotherManagerHolds(t *testing.T) {
	inBubble(t, func(r *rig) {
		obj := r.get()
		obj.Annotations = map[string]string{ec2v1.AnnotationLaunch: "mine"}
		if err := r.client.Update(r.Context(), obj); err != nil {
			r.Fatal(err)
		}
		obj = r.until("the conflict is told", readyIs(ec2v1.ReasonOwnershipConflict))
		r.expectCalls()
		if obj.Annotations[ec2v1.AnnotationLaunch] != "mine" {
			r.Errorf("annotations are %v", obj.Annotations)
		}
		// Each pass would intend something else, and tells the same.
		r.expectWrites("status")
		r.expectRest()
	})
}

func TestEventsFollowTheWrites(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.run()
		if want := "Launched: Launched instance " + instanceID(1) + " (attempt 1, Created)"; !slices.Equal(r.events, []string{want}) {
			r.Errorf("told %q, want %q", r.events, want)
		}
	})
}
