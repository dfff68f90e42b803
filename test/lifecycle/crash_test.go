// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// crashes is how often the operator is killed while it launches.
const crashes = 20

// TestKilledBetweenLaunchAndStatus kills the operator at random moments after EC2 has launched something, each
// time another object's launch, and counts how often that left an instance which no status knew of.
func TestKilledBetweenLaunchAndStatus(t *testing.T) {
	r := newRig(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	unrecorded := 0
	for i := range crashes {
		p := startOperator(r)
		launched := r.launched()
		r.apply(nameOf(i), r.spec())
		r.eventually("waiting for the launch", func() error {
			if err := p.running(); err != nil {
				return err
			}
			// No pause between looks: the moment is to be met within a fraction of a millisecond.
			for range 100_000 {
				if r.launched() > launched {
					return nil
				}
			}
			return errNotYet
		})
		busyWait(time.Duration(random.IntN(4000)) * time.Microsecond)
		p.kill()
		if r.get(nameOf(i)).Status.InstanceID == "" {
			unrecorded++
		}
	}
	t.Logf("%d of %d kills came before the status was written", unrecorded, crashes)
	if unrecorded == 0 {
		t.Error("no kill met the moment between the launch and its status")
	}
	startOperator(r)
	for i := range crashes {
		r.one(r.waitRunning(nameOf(i)))
	}
	if r.launched() != crashes {
		t.Errorf("%d instances were launched for %d objects", r.launched(), crashes)
	}
}

// busyWait waits more exactly than a timer.
func busyWait(d time.Duration) {
	end := time.Now().Add(d)
	for time.Now().Before(end) {
		runtime.Gosched()
	}
}

// TestLostAnswer: EC2 launches and the answer never comes.
func TestLostAnswer(t *testing.T) {
	r := newRig(t)
	_, err := r.sim.Inject(ec2sim.Fault{Action: "RunInstances", Times: 1, Drop: ec2sim.DropAfter})
	r.must(err)
	startOperator(r)
	r.apply("web", r.spec())
	r.one(r.waitRunning("web"))
	if counts := r.sim.Counts(); counts.Launched != 1 || counts.LostResponses != 1 {
		t.Errorf("launched %d with %d answers lost, not 1 and 1", counts.Launched, counts.LostResponses)
	}
}

// TestTwoOperators runs two operators without leader election.
func TestTwoOperators(t *testing.T) {
	const n = 50
	r := newRig(t)
	startOperator(r)
	startOperator(r)
	for i := range n {
		r.apply(nameOf(i), r.spec())
	}
	for i := range n {
		r.one(r.waitRunning(nameOf(i)))
	}
	counts := r.sim.Counts()
	t.Logf("two operators, %d objects: %d launched, %d launches repeated", n, counts.Launched, counts.Replays)
	if counts.Launched != n {
		t.Errorf("%d instances were launched for %d objects", counts.Launched, n)
	}
	for i := range n {
		r.delete(nameOf(i))
	}
	for i := range n {
		r.waitGone(nameOf(i))
	}
	if live := r.sim.Live(); len(live) != 0 {
		t.Errorf("%d instances are left: %s", len(live), fmt.Sprint(live))
	}
}
