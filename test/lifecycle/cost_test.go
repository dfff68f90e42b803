// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"testing"
	"time"

	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

const (
	// rest is how long the operator is watched at rest: six polls of the rig's account.
	rest = time.Minute
	// pollsAtRest is the most that jitter makes of the polls in half of that. In the first half, EC2 is still asked
	// for what was just launched.
	pollsAtRest = 4
)

// TestCost counts what one and fifty instances cost: writes on the way to Running, the one more that tells the
// results of EC2's status checks, calls to EC2, reads past the cache, requests at rest and writes on deletion. Each instance has a Service, an
// EndpointSlice and a ConfigMap, whose writes are not counted as its own; at rest nothing is asked about them either.
func TestCost(t *testing.T) {
	for _, n := range []int{1, 50} {
		t.Run(fmt.Sprintf("%d", n), func(t *testing.T) {
			// The checks have no results until the writes to Running are counted, as when EC2 takes minutes.
			r := newRig(t, func(s *ec2sim.Settings) { s.InitializingDelay = time.Hour })
			startOperator(r)
			for i := range n {
				r.apply(nameOf(i), r.exposed(nameOf(i)))
			}
			for i := range n {
				r.one(r.waitRunning(nameOf(i)))
			}
			atMost(t, "writes to Running", n, 3, r.requests().Writes())
			if calls := r.sim.Counts().Calls["RunInstances"]; calls != n || r.launched() != n {
				t.Errorf("RunInstances was called %d times and launched %d, not %d", calls, r.launched(), n)
			}
			// A launch that had to wait for its turn is confirmed once when it is sent; nothing else is read past the cache.
			if gets := r.requests().With("get"); len(gets) >= n {
				t.Errorf("the operator read EC2Instances past its cache: %v", gets)
			} else {
				onceEach(t, "live reads", gets)
			}
			t.Logf("%d instances: %d writes to Running, %v calls to EC2", n, len(r.requests().Writes()), r.sim.Counts().Calls)

			before := len(r.requests().Writes())
			r.must(r.sim.UpdateSettings(func(s *ec2sim.Settings) { s.InitializingDelay = 0 }))
			for i := range n {
				r.waitReachable(nameOf(i))
			}
			r.waitCounted(n)
			atMost(t, "writes for the status checks", n, 1, r.requests().Writes()[before:])

			asked := len(r.allRequests())
			idle(t, rest/2)
			r.sim.ResetCounts()
			idle(t, rest/2)
			atRest := r.askedSince(asked)
			if len(atRest) != 0 {
				t.Errorf("%d requests at rest: %v", len(atRest), atRest)
			}
			calls := r.sim.Counts().Calls
			for action, count := range calls {
				if (action != "DescribeInstances" && action != "DescribeInstanceStatus") || count > pollsAtRest {
					t.Errorf("%s was called %d times at rest", action, count)
				}
			}
			t.Logf("At rest for %s: %d requests; in half of it, %v calls to EC2", rest, len(atRest), calls)

			before = len(r.requests().Writes())
			for i := range n {
				r.delete(nameOf(i))
			}
			for i := range n {
				r.waitGone(nameOf(i))
			}
			atMost(t, "writes on deletion", n, 2, r.requests().Writes()[before:])
			t.Logf("%d instances: %d writes on deletion", n, len(r.requests().Writes())-before)
		})
	}
}

// idle lets time pass: that nothing happens cannot be waited for.
func idle(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-time.After(d):
	case <-t.Context().Done():
	}
}

func nameOf(i int) string { return fmt.Sprintf("instance-%02d", i) }

// onceEach fails when an object is among the requests more than once.
func onceEach(t *testing.T, what string, requests cluster.Requests) {
	t.Helper()
	each := map[string]int{}
	for _, r := range requests {
		if each[r.Name]++; each[r.Name] > 1 {
			t.Errorf("%s: %s more than once", what, r.Name)
		}
	}
}

// atMost fails when any of n objects got more writes than allowed.
func atMost(t *testing.T, what string, n, allowed int, writes cluster.Requests) {
	t.Helper()
	each := map[string]cluster.Requests{}
	for _, w := range writes {
		each[w.Name] = append(each[w.Name], w)
	}
	if len(each) != n {
		t.Errorf("%s: %d objects were written, not %d", what, len(each), n)
	}
	for name, w := range each {
		if len(w) > allowed {
			t.Errorf("%s: %s got %d, more than %d: %v", what, name, len(w), allowed, w)
		}
	}
}
