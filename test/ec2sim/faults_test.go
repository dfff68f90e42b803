// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

func TestFaultErrors(t *testing.T) {
	for code, status := range map[string]int{
		"RequestLimitExceeded": 503, "InternalError": 500, "Unavailable": 503, "InsufficientInstanceCapacity": 500,
		"InsufficientCapacityOnHost": 400, "PendingVerification": 400, "OptInRequired": 401, "UnauthorizedOperation": 403,
		"AuthFailure": 401, "RequestExpired": 400, "VcpuLimitExceeded": 400, "InvalidInstanceID.NotFound": 400,
		"OperationNotPermitted": 400, "ConcurrentTagAccess": 400,
	} {
		r := newRig(t)
		r.inject(ec2sim.Fault{Error: &ec2sim.FaultError{Code: code, Message: "told so"}})
		_, err := r.run()
		wantError(t, err, code, status, "told so")
	}
	r := newRig(t)
	r.inject(ec2sim.Fault{Error: &ec2sim.FaultError{Code: "Odd", Status: 418}})
	_, err := r.run()
	wantError(t, err, "Odd", 418, "")
}

func TestFaultMessagesThatDifferEachTime(t *testing.T) {
	r := newRig(t)
	r.inject(ec2sim.Fault{Error: &ec2sim.FaultError{Code: "UnauthorizedOperation", Message: "no: " + ec2sim.PerRequest}})
	for range 2 {
		if _, err := r.run(); err == nil {
			t.Fatal("accepted")
		}
	}
	requests := r.sim.Requests()
	_, err := r.run()
	wantError(t, err, "UnauthorizedOperation", 403, "no: "+r.sim.Requests()[len(requests)].ID)
}

func TestFaultCriteria(t *testing.T) {
	fails := &ec2sim.FaultError{Code: "InternalError"}
	r := newRig(t)
	a, b := r.mustRun(), r.mustRun()
	one := func(id string) func() error {
		return func() error { _, err := r.describe(&ec2.DescribeInstancesInput{InstanceIds: []string{id}}); return err }
	}
	launch := func(token string) func() error {
		return func() error { _, err := r.run(withToken(token)); return err }
	}
	tag := func() error { return r.createTags([]string{a}, "k", "v") }
	for name, tc := range map[string]struct {
		fault ec2sim.Fault
		calls []func() error
		want  []bool // which of them fail
	}{
		"action":      {ec2sim.Fault{Action: "CreateTags"}, []func() error{one(a), tag, one(a)}, []bool{false, true, false}},
		"nth":         {ec2sim.Fault{Action: "DescribeInstances", Nth: 2}, []func() error{one(a), tag, one(a), one(a)}, []bool{false, false, true, false}},
		"times":       {ec2sim.Fault{Times: 2}, []func() error{one(a), tag, one(a)}, []bool{true, true, false}},
		"instance":    {ec2sim.Fault{InstanceID: a}, []func() error{one(a), one(b), tag}, []bool{true, false, true}},
		"token":       {ec2sim.Fault{ClientToken: "bad-*"}, []func() error{launch("bad-1"), launch("good-1"), one(a)}, []bool{true, false, false}},
		"account":     {ec2sim.Fault{Account: "000000000000"}, []func() error{one(a)}, []bool{false}},
		"this region": {ec2sim.Fault{Region: "us-east-1"}, []func() error{one(a)}, []bool{true}},
		"region":      {ec2sim.Fault{Region: "eu-west-1"}, []func() error{one(a)}, []bool{false}},
	} {
		t.Run(name, func(t *testing.T) {
			defer r.sim.ClearFaults()
			tc.fault.Error = fails
			r.inject(tc.fault)
			for i, call := range tc.calls {
				if failed := call() != nil; failed != tc.want[i] {
					t.Errorf("call %d failed: %v, want %v", i+1, failed, tc.want[i])
				}
			}
		})
	}
}

func TestFaultByChanceRepeatsForASeed(t *testing.T) {
	pattern := func() (out []bool) {
		r := newRig(t)
		r.inject(ec2sim.Fault{Probability: 0.5, Error: &ec2sim.FaultError{Code: "InternalError"}})
		for range 40 {
			_, err := r.describe(&ec2.DescribeInstancesInput{})
			out = append(out, err != nil)
		}
		return out
	}
	first, second := pattern(), pattern()
	failed := 0
	for i := range first {
		if first[i] != second[i] {
			t.Fatalf("call %d differs between two runs with one seed", i)
		}
		if first[i] {
			failed++
		}
	}
	if failed < 8 || failed > 32 {
		t.Errorf("%d of 40 failed with probability 0.5", failed)
	}
}

func TestDropBeforeDoesNothing(t *testing.T) {
	r := newRig(t)
	r.inject(ec2sim.Fault{Action: "RunInstances", Drop: ec2sim.DropBefore, Times: 1})
	if _, err := r.run(); err == nil {
		t.Fatal("the response arrived")
	}
	if all := r.sim.Instances(); len(all) != 0 {
		t.Errorf("%d instances", len(all))
	}
	if c := r.sim.Counts(); c.Outcome("RunInstances", ec2sim.OutcomeDropped) != 1 || c.LostResponses != 0 {
		t.Errorf("counts: %+v", c)
	}
}

func TestHidingAndCuttingShort(t *testing.T) {
	r := newRig(t)
	a := r.mustRun(tagged(ec2types.ResourceTypeInstance, "team", "x", "Name", "a"))
	b := r.mustRun()
	hide := r.inject(ec2sim.Fault{Action: "DescribeInstances", Hide: []string{a}})
	if got := ids(r.list()); len(got) != 1 || got[0] != b {
		t.Errorf("listed %v", got)
	}
	_, err := r.describe(&ec2.DescribeInstancesInput{InstanceIds: []string{a}})
	wantError(t, err, "InvalidInstanceID.NotFound", badRequest, a)
	r.sim.RemoveFault(hide)

	tags := r.inject(ec2sim.Fault{HideTags: []string{"te*"}})
	if got := tagMap(r.get(a).Tags); len(got) != 1 || got["Name"] != "a" {
		t.Errorf("tags shown: %v", got)
	}
	if found := r.list(filter("tag-key", "team")); len(found) != 0 {
		t.Error("found by a hidden tag")
	}
	r.sim.RemoveFault(tags)

	r.inject(ec2sim.Fault{ListLimit: new(1)})
	if got := r.list(); len(got) != 1 {
		t.Errorf("cut short to %d", len(got))
	}
	r.sim.ClearFaults()
	if got := r.list(); len(got) != 2 {
		t.Errorf("after the faults: %d instances", len(got))
	}
}

func TestFaultsThatMakeNoSense(t *testing.T) {
	r := newRig(t)
	ok := &ec2sim.FaultError{Code: "InternalError"}
	for name, f := range map[string]ec2sim.Fault{
		"no effect":      {Action: "RunInstances"},
		"unknown action": {Action: "RunInstance", Error: ok},
		"no code":        {Error: &ec2sim.FaultError{Message: "x"}},
		"probability":    {Probability: 1.5, Error: ok},
		"drop":           {Drop: "sometimes"},
		"nth":            {Nth: -1, Error: ok},
		"list limit":     {ListLimit: new(-1)},
		"launch failure": {LaunchFailure: &ec2sim.StateReason{}},
	} {
		if _, err := r.sim.Inject(f); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if got := r.sim.Faults(); len(got) != 0 {
		t.Errorf("in force: %+v", got)
	}
}
