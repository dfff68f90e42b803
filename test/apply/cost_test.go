// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/test/cluster"
)

// TestSkippedIntentsCostNothing: an intent that would change nothing is not sent, and any other is exactly one request.
func TestSkippedIntentsCostNothing(t *testing.T) {
	const agent = "one-door"
	cfg := shared.RESTConfig()
	cfg.UserAgent = agent
	door, eye := newRigAs(t, nameFor(t), cfg), newRig(t, nameFor(t))
	requests := func() cluster.Requests {
		t.Helper()
		all, err := shared.Requests()
		door.must(err)
		return all.Where(func(r cluster.Request) bool { return r.UserAgent == agent && r.Group == ec2v1.GroupName })
	}
	expect := func(live *ec2v1.EC2Instance, in apply.Intent, outcome apply.Outcome, count int) {
		t.Helper()
		before := len(requests())
		var result apply.Result
		var err error
		if live == nil {
			result, err = door.applier.Apply(t.Context(), nil, in)
		} else {
			result, err = door.applier.Apply(t.Context(), live, in)
		}
		door.must(err)
		now := eye.live()
		door.same(apply.Result{Outcome: outcome, UID: now.UID, ResourceVersion: now.ResourceVersion}, result)
		if sent := requests()[before:]; len(sent) != count {
			t.Errorf("%d requests were sent, want %d: %v", len(sent), count, sent)
		}
	}

	expect(nil, door.main(a, door.base()), apply.Changed, 1)
	live := eye.live()
	for range 10 {
		expect(live, door.main(a, door.base()), apply.Skipped, 0)
	}
	ready := func() apply.Intent {
		return apply.Intent{
			Config:  conditions(door.config(), condition("Ready", metav1.ConditionTrue)).WithResourceVersion(eye.live().ResourceVersion),
			Manager: b, Subresource: apply.SubresourceStatus, Force: true,
		}
	}
	expect(live, ready(), apply.Changed, 1)
	for range 10 {
		expect(eye.live(), ready(), apply.Skipped, 0)
	}
	// The cache is old: it is sent, and told apart by the guard's version.
	expect(live, ready(), apply.Unchanged, 1)

	for _, r := range requests() {
		if r.Verb != "patch" {
			t.Errorf("the door sent more than applies: %s", r)
		}
	}
	last := requests()[len(requests())-1]
	if last.FieldManager != "b" || !last.Force || last.Subresource != "status" {
		t.Errorf("the last request is %+v", last)
	}
}
