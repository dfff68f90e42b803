// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"testing"
	"time"

	"github.com/fieldowner/ec2-operator/test/cluster"
)

// rest is how long the operator is watched at rest: six polls of the rig's account.
const rest = time.Minute

// TestCost counts what one and fifty instances cost: writes on the way to Running, calls to EC2, writes at
// rest and on deletion.
func TestCost(t *testing.T) {
	for _, n := range []int{1, 50} {
		t.Run(fmt.Sprintf("%d", n), func(t *testing.T) {
			r := newRig(t)
			startOperator(r)
			for i := range n {
				r.apply(nameOf(i), r.spec())
			}
			for i := range n {
				r.one(r.waitRunning(nameOf(i)))
			}
			atMost(t, "writes to Running", n, 3, r.requests().Writes())
			if calls := r.sim.Counts().Calls["RunInstances"]; calls != n || r.launched() != n {
				t.Errorf("RunInstances was called %d times and launched %d, not %d", calls, r.launched(), n)
			}
			if gets := r.requests().With("get"); len(gets) != 0 {
				t.Errorf("the operator read EC2Instances past its cache: %v", gets)
			}
			t.Logf("%d instances: %d writes to Running, %v calls to EC2", n, len(r.requests().Writes()), r.sim.Counts().Calls)

			r.sim.ClearRequests()
			before, polls := len(r.requests().Writes()), r.sim.Counts().Calls["DescribeInstances"]
			idle(t, rest)
			if now := r.requests().Writes(); len(now) != before {
				t.Errorf("%d writes at rest: %v", len(now)-before, now[before:])
			}
			t.Logf("At rest for %s: %d writes, %d DescribeInstances", rest, len(r.requests().Writes())-before, r.sim.Counts().Calls["DescribeInstances"]-polls)

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
