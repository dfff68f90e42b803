// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/sdktest"
)

// inProcess is a client without a network.
func inProcess(sim *ec2sim.Sim) *ec2.Client {
	return ec2.NewFromConfig(sdktest.InProcess(sim.Transport()))
}

// In a bubble the simulator needs no clock of its own and no network.
func TestVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := ec2sim.New(ec2sim.Options{})
		client := inProcess(sim)
		out, err := client.RunInstances(t.Context(), launchInput(withToken("t")))
		if err != nil {
			t.Fatal(err)
		}
		id := *out.Instances[0].InstanceId
		began := time.Now()
		err = ec2.NewInstanceRunningWaiter(client).Wait(t.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{id}}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited < ec2sim.DefaultSettings().PendingDelay {
			t.Errorf("running after %v", waited)
		}
		if _, err := sim.Inject(ec2sim.Fault{Drop: ec2sim.DropAfter}); err != nil {
			t.Fatal(err)
		}
		_, err = client.TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{id}})
		if !errors.Is(err, io.EOF) {
			t.Errorf("a lost response gives %v", err)
		}
		if live := sim.Live(); len(live) != 0 {
			t.Errorf("%d live instances", len(live))
		}
	})
}

// The SDK's own waiters are the nearest thing to a second opinion on the lifecycle.
func TestWaiterOfTermination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := ec2sim.New(ec2sim.Options{Settings: new(ec2sim.Fast())})
		client := inProcess(sim)
		out, err := client.RunInstances(t.Context(), launchInput())
		if err != nil {
			t.Fatal(err)
		}
		in := &ec2.DescribeInstancesInput{InstanceIds: []string{*out.Instances[0].InstanceId}}
		if err := ec2.NewInstanceExistsWaiter(client).Wait(t.Context(), in, time.Hour); err != nil {
			t.Fatal(err)
		}
		if _, err := client.TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: in.InstanceIds}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // virtual: past the state in which the waiter would give up
		if err := ec2.NewInstanceTerminatedWaiter(client).Wait(t.Context(), in, time.Hour); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDelayPassesOnTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := delaying(t)
		began := time.Now()
		if _, err := inProcess(sim).RunInstances(t.Context(), launchInput()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != time.Minute+ec2sim.DefaultSettings().Latency {
			t.Errorf("answered after %v", took)
		}
		if at := sim.Instances()[0].Launched; at.Before(began.Add(time.Minute)) {
			t.Errorf("launched at %v, before the delay was over", at)
		}
	})
}

func TestDelayedCallerWhoLeavesLaunchesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sim := delaying(t)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := inProcess(sim).RunInstances(ctx, launchInput()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Hour) // virtual
		if n := len(sim.Instances()); n != 0 {
			t.Errorf("%d instances", n)
		}
	})
}

func delaying(t *testing.T) *ec2sim.Sim {
	t.Helper()
	sim := ec2sim.New(ec2sim.Options{})
	if _, err := sim.Inject(ec2sim.Fault{Action: "RunInstances", Delay: time.Minute}); err != nil {
		t.Fatal(err)
	}
	return sim
}
