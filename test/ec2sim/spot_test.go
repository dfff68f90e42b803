// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

func spot(o ec2types.SpotMarketOptions) launchChange {
	return func(in *ec2.RunInstancesInput) {
		in.InstanceMarketOptions = &ec2types.InstanceMarketOptionsRequest{MarketType: "spot", SpotOptions: &o}
	}
}

func oneTime() launchChange { return spot(ec2types.SpotMarketOptions{}) }

func persistent() launchChange {
	return spot(ec2types.SpotMarketOptions{SpotInstanceType: "persistent", InstanceInterruptionBehavior: "stop"})
}

// request is the Spot request of an instance.
func (r *rig) request(instance string) ec2types.SpotInstanceRequest {
	r.Helper()
	out, err := r.ec2.DescribeSpotInstanceRequests(r.Context(), &ec2.DescribeSpotInstanceRequestsInput{
		Filters: []ec2types.Filter{filter("instance-id", instance)},
	})
	r.must(err)
	if len(out.SpotInstanceRequests) != 1 {
		r.Fatalf("%d requests of %s", len(out.SpotInstanceRequests), instance)
	}
	return out.SpotInstanceRequests[0]
}

func (r *rig) wantRequest(instance, state, code string) {
	r.Helper()
	if q := r.request(instance); string(q.State) != state || *q.Status.Code != code {
		r.Errorf("the request is %s, %s, want %s, %s", q.State, *q.Status.Code, state, code)
	}
}

func TestSpotInstancesShowTheirRequest(t *testing.T) {
	r := newRig(t)
	until := epoch.Add(24 * time.Hour)
	id := r.mustRun(spot(ec2types.SpotMarketOptions{
		SpotInstanceType: "persistent", InstanceInterruptionBehavior: "stop", MaxPrice: aws.String("0.05"), ValidUntil: &until,
	}), tagged("spot-instances-request", "k", "v"))
	other := r.mustRun()
	i := r.get(id)
	q := r.request(id)
	if i.InstanceLifecycle != "spot" || *i.SpotInstanceRequestId != *q.SpotInstanceRequestId {
		t.Errorf("lifecycle %q, request %v", i.InstanceLifecycle, i.SpotInstanceRequestId)
	}
	if q.Type != "persistent" || q.InstanceInterruptionBehavior != "stop" || *q.SpotPrice != "0.05" || !q.ValidUntil.Equal(until) || tagMap(q.Tags)["k"] != "v" {
		t.Errorf("the request is %+v", q)
	}
	r.wantRequest(id, "active", "fulfilled")
	if o := r.get(other); o.InstanceLifecycle != "" || o.SpotInstanceRequestId != nil {
		t.Errorf("an On-Demand Instance has lifecycle %q, request %v", o.InstanceLifecycle, o.SpotInstanceRequestId)
	}
	if found := ids(r.list(filter("instance-lifecycle", "spot"))); len(found) != 1 || found[0] != id {
		t.Errorf("found by lifecycle: %v", found)
	}
	if found := ids(r.list(filter("spot-instance-request-id", *q.SpotInstanceRequestId))); len(found) != 1 || found[0] != id {
		t.Errorf("found by request: %v", found)
	}
	_, err := r.ec2.DescribeSpotInstanceRequests(t.Context(), &ec2.DescribeSpotInstanceRequestsInput{SpotInstanceRequestIds: []string{"sir-0bad0bad"}})
	wantError(t, err, "InvalidSpotInstanceRequestID.NotFound", badRequest, "sir-0bad0bad")
}

func TestSpotRequestsAreFiltered(t *testing.T) {
	r := newRig(t)
	first := r.mustRun(oneTime(), tagged("spot-instances-request", "k", "v"))
	second := r.mustRun(persistent(), inSubnet(ec2sim.SubnetB))
	r.clock.Step(pendingDelay)
	r.must(r.terminate(second))
	for name, test := range map[string]struct{ value, want string }{
		"tag:k":                      {"v", first},
		"tag-key":                    {"k", first},
		"state":                      {"open", second},
		"status-code":                {"fulfilled", first},
		"type":                       {"persistent", second},
		"launched-availability-zone": {"us-east-1b", second},
		"spot-instance-request-id":   {*r.request(first).SpotInstanceRequestId, first},
	} {
		out, err := r.ec2.DescribeSpotInstanceRequests(t.Context(), &ec2.DescribeSpotInstanceRequestsInput{
			Filters: []ec2types.Filter{filter(name, test.value)},
		})
		r.must(err)
		if found := out.SpotInstanceRequests; len(found) != 1 || *found[0].InstanceId != test.want {
			t.Errorf("%s=%s finds %d requests", name, test.value, len(found))
		}
	}
}

func TestWrongSpotLaunchesAreRefused(t *testing.T) {
	until := epoch
	for name, test := range map[string]struct {
		launch        launchChange
		code, message string
	}{
		"termination protection": {all(oneTime(), func(in *ec2.RunInstancesInput) { in.DisableApiTermination = aws.Bool(true) }), "UnsupportedOperation", "disableApiTermination"},
		"stop protection":        {all(oneTime(), func(in *ec2.RunInstancesInput) { in.DisableApiStop = aws.Bool(true) }), "UnsupportedOperation", "disableApiStop"},
		"persistent terminate":   {spot(ec2types.SpotMarketOptions{SpotInstanceType: "persistent"}), "InvalidParameterCombination", "persistent"},
		"one-time stop":          {spot(ec2types.SpotMarketOptions{InstanceInterruptionBehavior: "stop"}), "InvalidParameterCombination", "one-time"},
		"one-time until":         {spot(ec2types.SpotMarketOptions{ValidUntil: &until}), "InvalidParameterCombination", "validUntil"},
		"price":                  {spot(ec2types.SpotMarketOptions{MaxPrice: aws.String("0.0001")}), "InvalidParameterValue", "0.0001"},
		"block":                  {spot(ec2types.SpotMarketOptions{BlockDurationMinutes: aws.Int32(60)}), "UnsupportedOperation", "BlockDurationMinutes"},
		"another market": {func(in *ec2.RunInstancesInput) {
			in.InstanceMarketOptions = &ec2types.InstanceMarketOptionsRequest{MarketType: "capacity-block"}
		}, "UnsupportedOperation", "capacity-block"},
		"hibernation that stops": {all(persistent(), hibernating), "InvalidParameterCombination", "hibernation"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			_, err := r.run(test.launch)
			wantError(t, err, test.code, badRequest, test.message)
		})
	}
}

func TestSpotInstancesRefuseChanges(t *testing.T) {
	r := newRig(t)
	id := r.stopped(persistent())
	for name, change := range map[string]func(*ec2.ModifyInstanceAttributeInput){
		"disableApiTermination": func(in *ec2.ModifyInstanceAttributeInput) { in.DisableApiTermination = flag(true) },
		"disableApiStop":        func(in *ec2.ModifyInstanceAttributeInput) { in.DisableApiStop = flag(true) },
		"instanceType":          func(in *ec2.ModifyInstanceAttributeInput) { in.InstanceType = text("m5.large") },
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, r.modify(id, change), "UnsupportedOperation", badRequest, "Modifying '"+name+"' is not supported for spot instances")
		})
	}
}

// TestSpotInstancesStopAndStart, the latter once the request has noticed.
func TestSpotInstancesStopAndStart(t *testing.T) {
	const lag = time.Minute
	r := newRig(t, func(s *ec2sim.Settings) { s.SpotStopLag = lag })
	once := r.mustRun(oneTime())
	id := r.mustRun(persistent())
	r.clock.Step(pendingDelay)
	wantError(t, r.stop(once), "UnsupportedOperation", badRequest, "one-time")
	r.must(r.stop(id))
	r.wantRequest(id, "active", "marked-for-stop")
	r.clock.Step(stoppingDelay + lag - 1)
	r.wantRequest(id, "active", "marked-for-stop")
	wantError(t, r.start(id), "IncorrectSpotRequestState", badRequest, id)
	r.clock.Step(1)
	r.wantRequest(id, "disabled", "instance-stopped-by-user")
	r.must(r.start(id))
	r.wantRequest(id, "active", "fulfilled")
	r.must(r.terminate(once))
	r.wantRequest(once, "closed", "instance-terminated-by-user")
	r.must(r.terminate(id))
	r.wantRequest(id, "open", "pending-evaluation")
}

func TestInterruptions(t *testing.T) {
	for name, test := range map[string]struct {
		launch               launchChange
		wait                 time.Duration
		state                ec2types.InstanceStateName
		reason               string
		requestState, status string
	}{
		"terminate": {oneTime(), shuttingDelay, "terminated", "Server.SpotInstanceTermination", "closed", "instance-terminated-no-capacity"},
		"stop":      {persistent(), stoppingDelay, "stopped", "Server.SpotInstanceShutdown", "disabled", "instance-stopped-no-capacity"},
		"hibernate": {
			all(spot(ec2types.SpotMarketOptions{SpotInstanceType: "persistent"}), hibernating), stoppingDelay,
			"stopped", "Server.SpotInstanceShutdown", "disabled", "instance-stopped-no-capacity",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			id := r.mustRun(test.launch)
			if r.sim.Interrupt(id) == nil {
				t.Error("a pending instance was interrupted")
			}
			r.clock.Step(pendingDelay)
			r.must(r.sim.Interrupt(id))
			r.clock.Step(test.wait)
			i := r.get(id)
			if i.State.Name != test.state || *i.StateReason.Code != test.reason {
				t.Errorf("%s: %s", i.State.Name, *i.StateReason.Code)
			}
			r.wantRequest(id, test.requestState, test.status)
			if test.state == "terminated" {
				if r.sim.Resume(id) == nil {
					t.Error("a terminated instance was resumed")
				}
				return
			}
			wantError(t, r.start(id), "IncorrectSpotRequestState", badRequest, id)
			if r.sim.Start(id) == nil {
				t.Error("a person started what EC2 interrupted")
			}
			r.must(r.sim.Resume(id))
			r.clock.Step(pendingDelay)
			r.wantRequest(id, "active", "fulfilled")
		})
	}
	r := newRig(t)
	if r.sim.Interrupt(r.runningInstance()) == nil {
		t.Error("an On-Demand Instance was interrupted")
	}
}

// TestOneTimeInstancesTerminateThemselves when the guest shuts down, whatever the behaviour is.
func TestOneTimeInstancesTerminateThemselves(t *testing.T) {
	r := newRig(t)
	id := r.mustRun(oneTime())
	r.clock.Step(pendingDelay)
	r.must(r.sim.Shutdown(id))
	if state := r.state(id); state != ec2types.InstanceStateNameShuttingDown {
		t.Errorf("the instance is %s", state)
	}
}

func TestCancelledRequests(t *testing.T) {
	r := newRig(t)
	stopped := r.stopped(persistent())
	running := r.mustRun(persistent())
	r.clock.Step(pendingDelay)
	var requests []string
	for _, id := range []string{running, stopped} {
		requests = append(requests, *r.request(id).SpotInstanceRequestId)
	}
	out, err := r.ec2.CancelSpotInstanceRequests(t.Context(), &ec2.CancelSpotInstanceRequestsInput{SpotInstanceRequestIds: requests})
	r.must(err)
	for _, q := range out.CancelledSpotInstanceRequests {
		if q.State != "cancelled" {
			t.Errorf("%s is %s", *q.SpotInstanceRequestId, q.State)
		}
	}
	r.wantRequest(running, "cancelled", "request-canceled-and-instance-running")
	r.wantRequest(stopped, "cancelled", "instance-terminated-by-user")
	if r.state(running) != "running" || r.state(stopped) != "shutting-down" {
		t.Errorf("the running one is %s, the stopped one %s", r.state(running), r.state(stopped))
	}
}
