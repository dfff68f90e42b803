// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"slices"
	"testing"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// falls gives the object fallbacks, and has EC2 no capacity for some candidates.
func (r *rig) falls(starved ...candidate) {
	r.Helper()
	r.edit(func(s *ec2v1.EC2InstanceSpec) {
		s.SubnetID, s.InstanceTypeFallbacks, s.SubnetFallbacks = microA.Subnet, []string{smallA.Type}, []string{microB.Subnet}
	})
	r.ec2.set(func() {
		r.ec2.starved = map[candidate]bool{}
		for _, c := range starved {
			r.ec2.starved[c] = true
		}
	})
}

// launched are the candidates that EC2 has instances of.
func (r *rig) launched() []candidate {
	var out []candidate
	for _, i := range r.ec2.shown(func(cloud.Instance) bool { return true }) {
		out = append(out, candidate{Type: i.Type, Subnet: i.SubnetID})
	}
	return out
}

// Each candidate that is refused costs one write and no time.
func TestFallbackAtOnce(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.falls(microA, microB)
		began := time.Now()
		obj := r.run()
		r.expectCalls("Launch "+token(1), "Launch "+token(2), "Launch "+token(3))
		r.expectWrites("lifecycle", "lifecycle", "lifecycle", "status", "status")
		if took := time.Since(began); took > 3*time.Second {
			r.Errorf("it took %s", took)
		}
		if got := r.launched(); !slices.Equal(got, []candidate{smallA}) || len(obj.Status.Plan) > 0 {
			r.Errorf("launched %v, plans %+v", got, obj.Status.Plan)
		}
		if l := obj.Status.Launch; l.Attempt != 3 || l.Reason != launchFallback {
			r.Errorf("status.launch is %+v", l)
		}
		want := []string{
			"InsufficientCapacity: RunInstances: InsufficientInstanceCapacity; that was t3.micro in subnet-a, and trying t3.micro in subnet-b next",
			"InsufficientCapacity: RunInstances: InsufficientInstanceCapacity; that was t3.micro in subnet-b, and trying t3.small in subnet-a next",
			"Launched: Launched instance " + instanceID(1) + " (attempt 3, CapacityFallback): t3.small in subnet-a",
		}
		if !slices.Equal(r.events, want) {
			r.Errorf("told %q", r.events)
		}
		r.expectRest()
	})
}

// While there is no capacity at all, each round costs a write for each candidate and one that tells of it, and comes later than the one before.
func TestFallbackRounds(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.falls(microA, microB, smallA, smallB)
		r.until("the first round is over", readyIs(ec2v1.ReasonInsufficientCapacity))
		r.expectWrites("lifecycle", "lifecycle", "lifecycle", "lifecycle", "status")
		r.passes(20 * time.Second)
		r.expectWrites()
		began := time.Now()
		r.until("the third round is over", func(o *ec2v1.EC2Instance) bool { return o.Status.Launch.Attempt == 12 })
		if took := time.Since(began); took < 70*time.Second || took > 80*time.Second {
			r.Errorf("two rounds later after %s, want 10 and 60 seconds", took)
		}
		r.ec2.taken()
		r.ec2.set(func() { delete(r.ec2.starved, microB) })
		r.run()
		r.expectCalls("Launch "+token(13), "Launch "+token(14))
		if got := r.launched(); !slices.Equal(got, []candidate{microB}) {
			r.Errorf("launched %v", got)
		}
	})
}

// A process that goes on with what another one has begun does not know what that one was answered: it looks first.
func TestFallbackAfterARestart(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.falls(microA)
		r.failStatus = true
		r.ec2.reaches = map[string]func(){token(1): func() { r.operator.memories.drop(keyOf(testObject())) }}
		r.until("the first is refused", func(*ec2v1.EC2Instance) bool { return len(r.ec2.taken()) > 0 })
		r.failStatus = false
		r.restart()
		r.writes = nil
		began := time.Now()
		r.run()
		if took := time.Since(began); took < consistencyWindow || took > consistencyWindow+time.Minute {
			r.Errorf("it took %s", took)
		}
		r.expectCalls("Launch "+token(1), "Launch "+token(2))
		r.expectWrites("lifecycle", "status", "lifecycle", "status", "status")
	})
}

// Two processes act at once: a leader, and one that was the leader before, was stopped in the middle of a launch, and has woken up. Whatever
// the moment, and though capacity comes back for what the old one is about to launch, there is one instance.
func TestFallbackBesideAnOldLeader(t *testing.T) {
	// The old leader has read the object with the leader's intent, and its request to launch is on its way when the leader's is refused.
	t.Run("that is about to repeat the leader's launch", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.falls(microA)
			old := r.standby()
			leads := r.operator
			r.until("the leader's launch is refused", func(*ec2v1.EC2Instance) bool { return len(r.ec2.calls) > 0 })
			r.operator = old
			moved := false
			r.ec2.reaches = map[string]func(){token(1): func() {
				moved, r.operator = true, leads
				for range 5 {
					if _, err := r.reconcile(); err != nil {
						r.Error(err)
					}
				}
				r.operator = old
				r.ec2.set(func() { clear(r.ec2.starved) })
			}}
			for !moved {
				if _, err := r.reconcile(); err != nil {
					r.Fatal(err)
				}
				time.Sleep(time.Second)
			}
			if got := r.launched(); !slices.Equal(got, []candidate{microA}) {
				r.Errorf("launched %v", got)
			}
		})
	})
	// The old leader holds the intent, as far as it knows, and the leader has taken it over and given it up.
	t.Run("that holds an intent which was taken over from it", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.falls(microA)
			r.ec2.refuse = &cloud.Error{Op: "RunInstances", Class: cloud.ClassTransient, Message: "no answer"}
			obj := r.until("the old leader's launch has no answer", readyIs(ec2v1.ReasonEC2Unavailable))
			r.ec2.set(func() { r.ec2.refuse = nil })
			old := r.operator
			old.Reader = behind{old.Reader, obj}
			leads := r.standby()
			r.operator = leads
			taken := func(o *ec2v1.EC2Instance) bool { return intentOf(o, testCluster).Holder == leads.Identity }
			r.until("the leader takes over", taken)
			r.ec2.taken()
			r.operator = old
			r.passes(time.Minute)
			r.expectCalls()
			r.operator = leads
			r.until("the leader goes on", readyIs(ec2v1.ReasonStarting))
			r.ec2.set(func() { clear(r.ec2.starved) })
			r.operator = old
			r.passes(time.Minute)
			if got := r.launched(); !slices.Equal(got, []candidate{microB}) {
				r.Errorf("launched %v", got)
			}
		})
	})
}

// standby is another process of the operator, which sees what the first one sees.
func (r *rig) standby() *Reconciler {
	r.Helper()
	first, stop := r.operator, r.stop
	r.stop = nil
	r.restart()
	other, stopOther := r.operator, r.stop
	r.operator, r.stop = first, func() { stop(); stopOther() }
	return other
}

// A process from which an intent was taken over leaves it to the other one for a while, and says nothing meanwhile.
func TestAnIntentIsNotTakenToAndFro(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.falls(microA, microB, smallA, smallB)
		r.until("the first round is over", readyIs(ec2v1.ReasonInsufficientCapacity))
		first := r.operator
		r.operator = r.standby()
		r.until("the other takes over", func(o *ec2v1.EC2Instance) bool { return intentOf(o, testCluster).Holder == r.operator.Identity })
		r.until("the other has told of it", readyIs(ec2v1.ReasonInsufficientCapacity))
		r.writes, r.operator = nil, first
		r.passes(takeBackAfter - time.Minute)
		r.expectWrites()
		r.until("it takes the intent back", func(o *ec2v1.EC2Instance) bool { return intentOf(o, testCluster).Holder == first.Identity })
	})
}
