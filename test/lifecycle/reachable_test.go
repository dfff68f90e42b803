// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// TestReachable: what EC2's status checks say, and what EC2 has scheduled, is told within a poll; Ready does not
// depend on it, and a stopped instance has neither.
func TestReachable(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.spec())
	obj := r.waitReachable("web")
	if want := (&ec2v1.StatusChecks{System: "ok", Instance: "ok", AttachedEBS: "ok"}); !cmp.Equal(want, obj.Status.StatusChecks) {
		t.Errorf("status.statusChecks is %+v", obj.Status.StatusChecks)
	}
	id := r.one(obj).ID

	before := len(r.requests().Writes())
	retirement := time.Now().Add(24 * time.Hour).Truncate(time.Second)
	_, err := r.sim.ScheduleEvent(id, ec2sim.ScheduledEvent{Code: "instance-retirement", Description: "degraded hardware", NotBefore: retirement})
	r.must(err)
	r.must(r.sim.Impair(id, ec2sim.CheckSystem))
	lists := r.sim.Counts().Calls["DescribeInstanceStatus"]
	obj = r.waitFor("web", ec2v1.ConditionReachable, metav1.ConditionFalse, ec2v1.ReasonChecksFailed)
	// One list may have been under way.
	if lists = r.sim.Counts().Calls["DescribeInstanceStatus"] - lists; lists > 2 {
		t.Errorf("it took %d lists of statuses to see that a check fails", lists)
	}
	message := meta.FindStatusCondition(obj.Status.Conditions, ec2v1.ConditionReachable).Message
	if !strings.HasPrefix(message, "EC2's system status check is impaired since ") || !strings.HasSuffix(message, ": reachability failed") {
		t.Errorf("Reachable says %q", message)
	}
	if c := obj.Status.StatusChecks; c == nil || c.System != "impaired" || c.Instance != "ok" {
		t.Errorf("status.statusChecks is %+v", c)
	}
	if e := obj.Status.ScheduledEvents; len(e) != 1 || e[0].Code != "instance-retirement" || e[0].Description != "degraded hardware" ||
		e[0].NotBefore == nil || !e[0].NotBefore.Time.Equal(retirement) {
		t.Errorf("status.scheduledEvents is %+v", e)
	}
	if !meta.IsStatusConditionTrue(obj.Status.Conditions, ec2v1.ConditionReady) {
		t.Errorf("not ready: %+v", obj.Status.Conditions)
	}

	r.must(r.sim.Recover(id))
	r.waitReachable("web")
	// The event may have been seen before the failure.
	if writes := r.requests().Writes()[before:]; len(writes) > 3 {
		t.Errorf("a check that fails and passes again cost %d writes: %v", len(writes), writes)
	}

	r.apply("web", r.spec().WithPowerState(ec2v1.PowerStateStopped))
	r.waitFor("web", ec2v1.ConditionReady, metav1.ConditionTrue, ec2v1.ReasonStopped)
	obj = r.waitFor("web", ec2v1.ConditionReachable, metav1.ConditionUnknown, ec2v1.ReasonNotRunning)
	if obj.Status.StatusChecks != nil || obj.Status.ScheduledEvents != nil {
		t.Errorf("a stopped instance has checks %+v and events %+v", obj.Status.StatusChecks, obj.Status.ScheduledEvents)
	}
}
