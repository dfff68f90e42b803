// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// regional lets EC2 choose the zone.
func regional(in *ec2.RunInstancesInput) { in.SubnetId = nil }

// inZone fixes the zone without a subnet.
func inZone(zone string) func(*ec2.RunInstancesInput) {
	return func(in *ec2.RunInstancesInput) {
		in.SubnetId, in.Placement = nil, &ec2types.Placement{AvailabilityZone: &zone}
	}
}

func TestTokenRepeatsOneLaunch(t *testing.T) {
	for name, scope := range map[string]func(*ec2.RunInstancesInput){
		"subnet": inSubnet(ec2sim.SubnetA), "zone": inZone("us-east-1a"), "regional": regional,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			first, err := r.run(withToken("t"), scope)
			r.must(err)
			r.clock.Step(pendingDelay)
			again, err := r.run(withToken("t"), scope)
			r.must(err)
			if *first.Instances[0].InstanceId != *again.Instances[0].InstanceId || *first.ReservationId != *again.ReservationId {
				t.Errorf("a second launch: %s and %s", *first.Instances[0].InstanceId, *again.Instances[0].InstanceId)
			}
			if got := again.Instances[0].State.Name; got != ec2types.InstanceStateNameRunning {
				t.Errorf("the repetition shows %s, want the fresher state", got)
			}
			if live := r.sim.Live(); len(live) != 1 {
				t.Errorf("%d instances", len(live))
			}
			if c := r.sim.Counts(); c.Launches != 1 || c.Replays != 1 || c.Calls["RunInstances"] != 2 {
				t.Errorf("counts: %+v", c)
			}
			if found := r.list(filter("client-token", "t")); len(found) != 1 || *found[0].ClientToken != "t" {
				t.Errorf("filter client-token found %v", ids(found))
			}
		})
	}
}

func TestTokenScope(t *testing.T) {
	for name, tc := range map[string]struct {
		first, second func(*ec2.RunInstancesInput)
		want          string // error code, or nothing for a second launch
	}{
		"another zone by subnet":       {inSubnet(ec2sim.SubnetA), inSubnet(ec2sim.SubnetB), ""},
		"another zone by name":         {inZone("us-east-1a"), inZone("us-east-1b"), ""},
		"regional after zonal":         {inSubnet(ec2sim.SubnetA), regional, ""},
		"another subnet of the zone":   {inSubnet(ec2sim.SubnetA), inSubnet(ec2sim.SubnetPrivateA), "IdempotentParameterMismatch"},
		"subnet instead of its zone":   {inZone("us-east-1a"), inSubnet(ec2sim.SubnetA), "IdempotentParameterMismatch"},
		"another type":                 {ofType("t3.micro"), ofType("t3.small"), "IdempotentParameterMismatch"},
		"another count":                {counted(1, 1), counted(1, 2), "IdempotentParameterMismatch"},
		"other tags":                   {tagged(ec2types.ResourceTypeInstance, "a", "1"), tagged(ec2types.ResourceTypeInstance, "a", "2"), "IdempotentParameterMismatch"},
		"another type, in another way": {regional, func(in *ec2.RunInstancesInput) { regional(in); ofType("t3.small")(in) }, "IdempotentParameterMismatch"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.mustRun(withToken("t"), tc.first)
			_, err := r.run(withToken("t"), tc.second)
			live := len(r.sim.Live())
			if tc.want == "" {
				r.must(err)
				if live != 2 {
					t.Errorf("%d instances, want one in each scope", live)
				}
				return
			}
			wantError(t, err, tc.want, badRequest, "Arguments on this idempotent request are inconsistent")
			if live != 1 {
				t.Errorf("%d instances", live)
			}
		})
	}
}

func TestTokensOfAccountsRegionsAndCaseAreDifferent(t *testing.T) {
	r := newRig(t)
	r.mustRun(withToken("t"))
	r.mustRun(withToken("T"))
	r.ec2 = r.client("AKIDEXAMPLE", "eu-west-1")
	r.mustRun(withToken("t"))
	if live := r.sim.Live(); len(live) != 3 {
		t.Errorf("%d instances, want 3", len(live))
	}
}

func TestTokenOfATerminatedInstance(t *testing.T) {
	r := newRig(t)
	id := r.mustRun(withToken("t"))
	r.must(r.terminate(id))
	out, err := r.run(withToken("t"))
	r.must(err)
	if got := out.Instances[0].State.Name; got != ec2types.InstanceStateNameShuttingDown {
		t.Errorf("while it shuts down the repetition shows %s", got)
	}
	r.clock.Step(shuttingDelay)
	_, err = r.run(withToken("t"))
	wantError(t, err, "IdempotentInstanceTerminated", badRequest, "associated with a terminated instance")
	_, err = r.run(withToken("t"), ofType("t3.small"))
	wantError(t, err, "IdempotentParameterMismatch", badRequest, "")
	r.clock.Step(24*time.Hour - 1)
	_, err = r.run(withToken("t"))
	wantError(t, err, "IdempotentInstanceTerminated", badRequest, "")
	r.clock.Step(1)
	if again := r.mustRun(withToken("t")); again == id {
		t.Error("after its retention the token gave the old instance")
	}
}

func TestTokenOfSeveralInstances(t *testing.T) {
	r := newRig(t)
	out, err := r.run(withToken("t"), counted(2, 2))
	r.must(err)
	r.must(r.terminate(*out.Instances[0].InstanceId))
	r.clock.Step(shuttingDelay)
	again, err := r.run(withToken("t"), counted(2, 2))
	r.must(err)
	if len(again.Instances) != 2 {
		t.Errorf("the repetition shows %d instances", len(again.Instances))
	}
}

func TestFailedLaunchLeavesTokenUnused(t *testing.T) {
	r := newRig(t, func(s *ec2sim.Settings) { s.Capacity = map[string]int{"*/us-east-1a": 0} })
	_, err := r.run(withToken("t"))
	wantError(t, err, "InsufficientInstanceCapacity", serverErr, "")
	r.set(func(s *ec2sim.Settings) { s.Capacity = nil })
	r.mustRun(withToken("t"), ofType("t3.small"))

	r.inject(ec2sim.Fault{Action: "RunInstances", Times: 1, Error: &ec2sim.FaultError{Code: "InternalError"}})
	_, err = r.run(withToken("u"))
	wantError(t, err, "InternalError", serverErr, "Injected fault")
	r.mustRun(withToken("u"))
}

func TestDryRunLeavesTokenUnused(t *testing.T) {
	r := newRig(t)
	dry := func(in *ec2.RunInstancesInput) { in.DryRun = aws.Bool(true) }
	_, err := r.run(withToken("t"), dry, ofType("t3.small"))
	wantError(t, err, "DryRunOperation", 412, "Request would have succeeded, but DryRun flag is set.")
	r.mustRun(withToken("t"))
	_, err = r.run(withToken("t"), dry)
	wantError(t, err, "DryRunOperation", 412, "")
	r.mustRun(withToken("t"), func(in *ec2.RunInstancesInput) { in.DryRun = aws.Bool(false) }) // the same request
	if live := r.sim.Live(); len(live) != 1 {
		t.Errorf("%d instances", len(live))
	}
}

func TestLostResponseThenRetry(t *testing.T) {
	r := newRig(t)
	r.inject(ec2sim.Fault{Action: "RunInstances", Times: 1, Drop: ec2sim.DropAfter})
	if _, err := r.run(withToken("t")); err == nil {
		t.Fatal("the response arrived")
	}
	live := r.sim.Live()
	if len(live) != 1 {
		t.Fatalf("%d instances after the lost response", len(live))
	}
	if id := r.mustRun(withToken("t")); id != live[0].ID {
		t.Errorf("the retry gave %s, want %s", id, live[0].ID)
	}
	if c := r.sim.Counts(); c.Launches != 1 || c.Replays != 1 || c.LostResponses != 1 {
		t.Errorf("counts: %+v", c)
	}
}

func TestReplayOutlivesTheWorldItWasLaunchedIn(t *testing.T) {
	r := newRig(t)
	id := r.mustRun(withToken("t"))
	r.sim.EditWorld(ec2sim.DefaultAccount, "us-east-1", func(w *ec2sim.World) { w.Images = nil })
	if again := r.mustRun(withToken("t")); again != id {
		t.Errorf("got %s, want %s", again, id)
	}
}

func TestMalformedToken(t *testing.T) {
	r := newRig(t)
	for _, token := range []string{strings.Repeat("x", 65), "tökän"} {
		_, err := r.run(withToken(token))
		wantError(t, err, "InvalidClientToken", badRequest, "Client token")
	}
	r.mustRun(withToken(strings.Repeat("x", 64)))
}
