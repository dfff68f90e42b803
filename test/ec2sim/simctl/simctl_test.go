// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package simctl_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/sdktest"
	"github.com/fieldowner/ec2-operator/test/ec2sim/simctl"
)

// start serves a simulator over TCP, as a process of its own would.
func start(t *testing.T) (*simctl.Client, *ec2.Client, *clocktesting.FakeClock) {
	t.Helper()
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	_, url := ec2sim.StartTest(t, ec2sim.Options{Clock: clock})
	return simctl.New(url+"/", nil), ec2.NewFromConfig(sdktest.Config(url, sdktest.AccessKeyID, "us-east-1")), clock
}

func launch(t *testing.T, client *ec2.Client) (string, error) {
	t.Helper()
	out, err := client.RunInstances(t.Context(), &ec2.RunInstancesInput{
		ImageId: aws.String(ec2sim.ImageAL2023), InstanceType: ec2types.InstanceTypeT3Micro, MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
	})
	if err != nil {
		return "", err
	}
	return *out.Instances[0].InstanceId, nil
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestControl(t *testing.T) {
	ctl, client, clock := start(t)
	ctx := t.Context()
	check(t, ctl.Health(ctx))
	id, err := launch(t, client)
	check(t, err)

	instances, err := ctl.Instances(ctx)
	check(t, err)
	if len(instances) != 1 || instances[0].ID != id || instances[0].State != "pending" || instances[0].Account != ec2sim.DefaultAccount {
		t.Errorf("instances: %+v", instances)
	}
	counts, err := ctl.Counts(ctx)
	check(t, err)
	if counts.Launches != 1 || counts.Calls["RunInstances"] != 1 || counts.Outcome("RunInstances", ec2sim.OutcomeOK) != 1 {
		t.Errorf("counts: %+v", counts)
	}
	requests, err := ctl.Requests(ctx, "RunInstances")
	check(t, err)
	if len(requests) != 1 || requests[0].Instances[0] != id {
		t.Errorf("requests: %+v", requests)
	}
	if others, err := ctl.Requests(ctx, "StopInstances"); err != nil || len(others) != 0 {
		t.Errorf("requests of another action: %+v, %v", others, err)
	}

	settings, err := ctl.PatchSettings(ctx, map[string]any{"stoppingDelay": "7s", "capacity": map[string]int{"*/*": 3}})
	check(t, err)
	want := ec2sim.DefaultSettings()
	if settings.StoppingDelay != 7*time.Second || settings.Capacity["*/*"] != 3 || settings.PendingDelay != want.PendingDelay {
		t.Errorf("settings after the patch: %+v", settings)
	}
	if again, err := ctl.Settings(ctx); err != nil || again.StoppingDelay != 7*time.Second || again.TerminatedVisibility != time.Hour {
		t.Errorf("settings: %+v, %v", again, err)
	}

	state := func() string {
		t.Helper()
		instances, err := ctl.Instances(ctx)
		check(t, err)
		return instances[0].State
	}
	clock.Step(time.Minute)
	for _, step := range []struct {
		do   func() error
		want string
	}{
		{func() error { return ctl.Stop(ctx, id) }, "stopping"},
		{func() error { clock.Step(7 * time.Second); return nil }, "stopped"},
		{func() error { return ctl.Start(ctx, id) }, "pending"},
		{func() error { clock.Step(time.Minute); return nil }, "running"},
		{func() error { return ctl.Shutdown(ctx, id) }, "stopping"},
		{func() error { return ctl.Terminate(ctx, id) }, "shutting-down"},
		{func() error { clock.Step(time.Minute); return nil }, "terminated"},
	} {
		check(t, step.do())
		if got := state(); got != step.want {
			t.Fatalf("state %s, want %s", got, step.want)
		}
	}
	check(t, ctl.ResetCounts(ctx))
	check(t, ctl.ClearRequests(ctx))
	if counts, err := ctl.Counts(ctx); err != nil || len(counts.Calls) != 0 {
		t.Errorf("counts after their reset: %+v, %v", counts, err)
	}
	check(t, ctl.Reset(ctx))
	if instances, err := ctl.Instances(ctx); err != nil || len(instances) != 0 {
		t.Errorf("instances after the reset: %+v, %v", instances, err)
	}
}

func TestControlOfInterruptions(t *testing.T) {
	ctl, client, clock := start(t)
	out, err := client.RunInstances(t.Context(), &ec2.RunInstancesInput{
		ImageId: aws.String(ec2sim.ImageAL2023), InstanceType: ec2types.InstanceTypeT3Micro, MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
		InstanceMarketOptions: &ec2types.InstanceMarketOptionsRequest{
			MarketType:  ec2types.MarketTypeSpot,
			SpotOptions: &ec2types.SpotMarketOptions{SpotInstanceType: "persistent", InstanceInterruptionBehavior: "stop"},
		},
	})
	check(t, err)
	id := *out.Instances[0].InstanceId
	clock.Step(time.Minute)
	for _, step := range []struct {
		do   func() error
		want string
	}{
		{func() error { return ctl.Interrupt(t.Context(), id) }, "stopped"},
		{func() error { return ctl.Resume(t.Context(), id) }, "running"},
	} {
		check(t, step.do())
		clock.Step(time.Minute)
		instances, err := ctl.Instances(t.Context())
		check(t, err)
		if i := instances[0]; i.State != step.want || i.SpotRequestID == "" {
			t.Fatalf("state %s of request %q, want %s", i.State, i.SpotRequestID, step.want)
		}
	}
	if err := ctl.Resume(t.Context(), id); err == nil || !strings.Contains(err.Error(), "only one that an interruption stopped") {
		t.Errorf("resuming a running one: %v", err)
	}
}

func TestControlOfFaults(t *testing.T) {
	ctl, client, _ := start(t)
	ctx := t.Context()
	id, err := ctl.Inject(ctx, ec2sim.Fault{Action: "RunInstances", Delay: 0, Error: &ec2sim.FaultError{Code: "InsufficientInstanceCapacity"}})
	check(t, err)
	if _, err := launch(t, client); err == nil || !strings.Contains(err.Error(), "InsufficientInstanceCapacity") {
		t.Errorf("got %v", err)
	}
	faults, err := ctl.Faults(ctx)
	check(t, err)
	if len(faults) != 1 || faults[0].ID != id || faults[0].Matched != 1 || faults[0].Fired != 1 {
		t.Errorf("faults: %+v", faults)
	}
	check(t, ctl.RemoveFault(ctx, id))
	if _, err := launch(t, client); err != nil {
		t.Error(err)
	}
	if _, err := ctl.Inject(ctx, ec2sim.Fault{Delay: 90 * time.Second, Nth: 4}); err != nil {
		t.Error(err)
	}
	if faults, err := ctl.Faults(ctx); err != nil || len(faults) != 1 || faults[0].Delay != 90*time.Second || faults[0].Nth != 4 {
		t.Errorf("faults: %+v, %v", faults, err)
	}
	check(t, ctl.ClearFaults(ctx))
	if faults, err := ctl.Faults(ctx); err != nil || len(faults) != 0 {
		t.Errorf("faults: %+v, %v", faults, err)
	}
}

func TestControlOfHealth(t *testing.T) {
	ctl, client, clock := start(t)
	ctx := t.Context()
	id, err := launch(t, client)
	check(t, err)
	clock.Step(time.Hour)
	expect := func(system, instance ec2types.SummaryStatus, events int) {
		t.Helper()
		out, err := client.DescribeInstanceStatus(ctx, &ec2.DescribeInstanceStatusInput{InstanceIds: []string{id}})
		check(t, err)
		s := out.InstanceStatuses[0]
		if s.SystemStatus.Status != system || s.InstanceStatus.Status != instance || len(s.Events) != events {
			t.Errorf("system %s, instance %s, %d events", s.SystemStatus.Status, s.InstanceStatus.Status, len(s.Events))
		}
	}
	expect("ok", "ok", 0)
	check(t, ctl.Impair(ctx, id, ec2sim.CheckSystem))
	clock.Step(time.Minute)
	expect("impaired", "ok", 0)
	check(t, ctl.Impair(ctx, id, "")) // the instance's own
	clock.Step(time.Minute)
	event, err := ctl.ScheduleEvent(ctx, id, ec2sim.ScheduledEvent{Code: "instance-retirement", NotBefore: clock.Now()})
	if err != nil || event == "" {
		t.Errorf("event %q, %v", event, err)
	}
	expect("impaired", "impaired", 1)
	check(t, ctl.Recover(ctx, id))
	check(t, ctl.ClearEvents(ctx, id))
	expect("ok", "ok", 0)
}

func TestControlRefuses(t *testing.T) {
	ctl, client, _ := start(t)
	ctx := t.Context()
	id, err := launch(t, client)
	check(t, err)
	for name, tc := range map[string]struct {
		do   func() error
		want string
	}{
		"unknown instance": {func() error { return ctl.Terminate(ctx, "i-0123456789abcdef0") }, "404 Not Found: no such instance: i-0123456789abcdef0"},
		"unknown check":    {func() error { return ctl.Impair(ctx, id, "memory") }, `400 Bad Request: check "memory": want one of`},
		"nameless event":   {func() error { _, err := ctl.ScheduleEvent(ctx, id, ec2sim.ScheduledEvent{}); return err }, "400 Bad Request: the event has no code"},
		"wrong state":      {func() error { return ctl.Stop(ctx, id) }, "409 Conflict: instance " + id + " is pending"},
		"unknown setting":  {func() error { _, err := ctl.PatchSettings(ctx, map[string]any{"speed": 1}); return err }, `400 Bad Request: unknown field "speed"`},
		"bad setting":      {func() error { _, err := ctl.PatchSettings(ctx, map[string]any{"vcpuQuota": -1}); return err }, "vcpuQuota is -1"},
		"bad fault":        {func() error { _, err := ctl.Inject(ctx, ec2sim.Fault{}); return err }, "the fault has no effect"},
		"unknown fault":    {func() error { return ctl.RemoveFault(ctx, "fault-9") }, `404 Not Found: no fault "fault-9" is in force`},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tc.do(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want ...%s...", err, tc.want)
			}
		})
	}
}

func TestControlWithoutANetwork(t *testing.T) {
	sim := ec2sim.New(ec2sim.Options{})
	ctl := simctl.New("http://ec2sim", &http.Client{Transport: sim.Transport()})
	check(t, ctl.Health(t.Context()))
	if settings, err := ctl.Settings(t.Context()); err != nil || settings.PendingDelay != ec2sim.DefaultSettings().PendingDelay {
		t.Errorf("settings: %+v, %v", settings, err)
	}
}
