// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

func throttled(s *ec2sim.Settings) { s.Throttle = true }

// drain calls until the bucket is empty and returns how many calls went through.
func drain(t *testing.T, call func() error) int {
	t.Helper()
	for n := range 2000 {
		if err := call(); err != nil {
			wantError(t, err, "RequestLimitExceeded", 503, "Request limit exceeded.")
			return n
		}
	}
	t.Fatal("never throttled")
	return 0
}

func TestBucketsOfRequests(t *testing.T) {
	for name, tc := range map[string]struct {
		call        func(*rig) func() error
		max, refill int
	}{
		"RunInstances": {func(r *rig) func() error { return func() error { _, err := r.run(); return err } }, 5, 2},
		"DescribeInstances, paged": {func(r *rig) func() error {
			return func() error {
				_, err := r.describe(&ec2.DescribeInstancesInput{MaxResults: aws.Int32(1000)})
				return err
			}
		}, 100, 20},
		"DescribeInstances, whole": {func(r *rig) func() error {
			return func() error { _, err := r.describe(&ec2.DescribeInstancesInput{}); return err }
		}, 50, 10},
		"DescribeInstanceStatus, paged": {func(r *rig) func() error {
			return func() error {
				_, err := r.ec2.DescribeInstanceStatus(r.Context(), &ec2.DescribeInstanceStatusInput{MaxResults: aws.Int32(1000)})
				return err
			}
		}, 100, 20},
		"DescribeInstanceStatus, whole": {func(r *rig) func() error {
			return func() error {
				_, err := r.ec2.DescribeInstanceStatus(r.Context(), &ec2.DescribeInstanceStatusInput{})
				return err
			}
		}, 50, 10},
		"TerminateInstances": {func(r *rig) func() error { id := r.mustRun(); return func() error { return r.terminate(id) } }, 100, 5},
		"StopInstances": {func(r *rig) func() error {
			id := r.mustRun()
			r.clock.Step(pendingDelay)
			return func() error { return r.stop(id) }
		}, 50, 5},
		"StartInstances": {func(r *rig) func() error { id := r.mustRun(); return func() error { return r.start(id) } }, 5, 2},
		"CreateTags": {func(r *rig) func() error {
			id := r.mustRun()
			return func() error { return r.createTags([]string{id}, "a", "b") }
		}, 100, 10},
		"DescribeTags": {func(r *rig) func() error {
			return func() error { _, err := r.ec2.DescribeTags(r.Context(), &ec2.DescribeTagsInput{}); return err }
		}, 100, 20},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, throttled)
			call := tc.call(r)
			if got := drain(t, call); got != tc.max {
				t.Errorf("the full bucket gave %d calls, want %d", got, tc.max)
			}
			r.clock.Step(time.Second)
			if got := drain(t, call); got != tc.refill {
				t.Errorf("a second refilled %d, want %d", got, tc.refill)
			}
			r.clock.Step(time.Hour)
			if got := drain(t, call); got != tc.max {
				t.Errorf("an hour filled it to %d, want %d", got, tc.max)
			}
		})
	}
}

func TestBucketsOfResources(t *testing.T) {
	r := newRig(t, throttled)
	_, err := r.run(counted(1000, 1000))
	r.must(err)
	_, err = r.run()
	wantError(t, err, "RequestLimitExceeded", 503, "Account 123456789012 has been throttled on ec2:RunInstances")
	r.clock.Step(time.Second)
	_, err = r.run(counted(3, 3))
	wantError(t, err, "RequestLimitExceeded", 503, "")
	_, err = r.run(counted(2, 2))
	r.must(err)
}

func TestBucketsAreApart(t *testing.T) {
	r := newRig(t, throttled)
	id := r.mustRun()
	drain(t, func() error { _, err := r.run(); return err })
	r.must(r.terminate(id)) // another action
	r.ec2 = r.client("AKIDEXAMPLE", "eu-west-1")
	r.mustRun() // another region
	if c := r.sim.Counts(); c.Outcome("RunInstances", "RequestLimitExceeded") != 1 || c.Launches != 6 {
		t.Errorf("counts: %+v", c)
	}
}

func TestLimitsCanBeSet(t *testing.T) {
	r := newRig(t, throttled)
	r.set(func(s *ec2sim.Settings) { s.Limits = map[string]ec2sim.Limit{"RunInstances": {Max: 8, Refill: 0.5}} })
	call := func() error { _, err := r.run(); return err }
	if got := drain(t, call); got != 8 {
		t.Errorf("%d calls, want 8", got)
	}
	r.clock.Step(2 * time.Second)
	if got := drain(t, call); got != 1 {
		t.Errorf("two seconds refilled %d, want 1", got)
	}
}

func TestSettingsThatMakeNoSense(t *testing.T) {
	r := newRig(t)
	for name, change := range map[string]func(*ec2sim.Settings){
		"negative delay":   func(s *ec2sim.Settings) { s.PendingDelay = -1 },
		"unknown bucket":   func(s *ec2sim.Settings) { s.Limits = map[string]ec2sim.Limit{"RunInstance": {1, 1}} },
		"unknown kind":     func(s *ec2sim.Settings) { s.Limits = map[string]ec2sim.Limit{"CreateTags/resources": {1, 1}} },
		"empty bucket":     func(s *ec2sim.Settings) { s.Limits = map[string]ec2sim.Limit{"RunInstances": {0, 1}} },
		"capacity key":     func(s *ec2sim.Settings) { s.Capacity = map[string]int{"t3.micro": 1} },
		"negative quota":   func(s *ec2sim.Settings) { s.VCPUQuota = -1 },
		"negative room":    func(s *ec2sim.Settings) { s.Capacity = map[string]int{"*/*": -1} },
		"negative visible": func(s *ec2sim.Settings) { s.TerminatedVisibility = -time.Hour },
	} {
		if err := r.sim.UpdateSettings(change); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if got := r.sim.Settings(); got.PendingDelay != pendingDelay || got.Limits != nil {
		t.Errorf("a refused change took effect: %+v", got)
	}
}
