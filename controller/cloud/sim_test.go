// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// simulated is a session whose calls go to a simulator as it comes: with its lags and buckets.
type simulated struct {
	*testing.T
	Session
	sim *ec2sim.Sim
}

// onSimulator runs a test in a bubble.
func onSimulator(t *testing.T, test func(simulated)) {
	t.Helper()
	standardEnvironment(t)
	synctest.Test(t, func(t *testing.T) {
		sim := ec2sim.New(ec2sim.Options{Seed: 1})
		p := NewProvider(testCluster, Options{HTTPClient: &http.Client{Transport: sim.Transport()}})
		test(simulated{t, sessionOf(t, p, testAccount("default")), sim})
	})
}

func simLaunch() LaunchParameters {
	spec := &ec2v1.EC2InstanceSpec{
		InstanceType: "t3.micro", SubnetID: ec2sim.SubnetA, SecurityGroupIDs: []string{ec2sim.SecurityGroupWeb, ec2sim.SecurityGroupDefault},
		KeyName: ec2sim.KeyPairName, IAMInstanceProfile: &ec2v1.IAMInstanceProfile{Name: ec2sim.InstanceProfileName},
		Tags: []ec2v1.Tag{{Key: "team", Value: new("shop")}}, MetadataOptions: ec2v1.MetadataOptions{HTTPTokens: "required"},
	}
	return NewLaunchParameters(spec, ec2sim.ImageAL2023, "", UserData{Bytes: []byte("#!/bin/sh\n")}, DesiredTags(testCluster, testOwner, spec))
}

// becomes waits, in the bubble's time, until an instance is in a state.
func (s simulated) becomes(id string, want State) Instance {
	s.Helper()
	for range 120 {
		if i, _, err := s.FindByID(s.Context(), id); err != nil {
			s.Fatal(err)
		} else if i.State == want {
			return i
		}
		time.Sleep(time.Second)
	}
	s.Fatalf("%s is never %s", id, want)
	return Instance{}
}

func TestAnInstancesLifeOnTheSimulator(t *testing.T) {
	onSimulator(t, func(s simulated) {
		ctx, p := s.Context(), simLaunch()
		token := ClientToken(testCluster, testOwner.UID, 1)
		launched, err := s.Launch(ctx, token, p)
		if err != nil {
			s.Fatal(err)
		}
		if launched.State != StatePending || launched.Zone == "" || !cmp.Equal(launched.Tags, p.Tags) || launched.ARN() == "" {
			s.Errorf("launched %+v", launched)
		}
		// The same again is the same instance; something else under the token is refused.
		if again, err := s.Launch(ctx, token, p); err != nil || again.ID != launched.ID {
			s.Errorf("launched again: %s, %v", again.ID, err)
		}
		other := p
		other.InstanceType = "t3.small"
		if _, err := s.Launch(ctx, token, other); !IsIdempotentParameterMismatch(err) {
			s.Errorf("launched another: %v", err)
		}
		// EC2 lags: nothing is found at first.
		if _, found, err := s.FindByID(ctx, launched.ID); found || err != nil {
			s.Errorf("found at once: %v, %v", found, err)
		}
		if err := s.SetTags(ctx, launched.ID, map[string]string{"a": "b"}); !IsNotFound(err) || ClassOf(err) != ClassNotYetVisible {
			s.Errorf("tagged at once: %v", err)
		}
		running := s.becomes(launched.ID, StateRunning)
		if owner, ok := running.Owner(testCluster); !ok || owner != testOwner || running.PrivateIP == "" || running.ClientToken != token {
			s.Errorf("running %+v", running)
		}
		if found, err := s.FindByToken(ctx, token); err != nil || len(found) != 1 || !found[0].Equal(running) {
			s.Errorf("found by token %+v, %v", found, err)
		}
		s.checkTags(launched.ID)
		s.checkPower(launched.ID)
		if _, err := s.Launch(ctx, token, p); !IsIdempotentInstanceTerminated(err) {
			s.Errorf("launched after the end: %v", err)
		}
		if counts := s.sim.Counts(); counts.Launched != 1 {
			s.Errorf("%d instances", counts.Launched)
		}
	})
}

func (s simulated) checkTags(id string) {
	s.Helper()
	ctx := s.Context()
	if err := s.SetTags(ctx, id, map[string]string{"team": "web", "new": ""}); err != nil {
		s.Error(err)
	}
	if err := s.RemoveTags(ctx, id, nil); err != nil {
		s.Error(err)
	}
	time.Sleep(10 * time.Second)
	i, _, err := s.FindByID(ctx, id)
	if err != nil || i.Tags["team"] != "web" || len(i.Tags) != 7 {
		s.Errorf("tags are %v, %v", i.Tags, err)
	}
	if err := s.RemoveTags(ctx, id, []string{"team", "new", "never was"}); err != nil {
		s.Error(err)
	}
	time.Sleep(10 * time.Second)
	if i, _, err = s.FindByID(ctx, id); err != nil || len(i.Tags) != 5 {
		s.Errorf("tags are %v, %v", i.Tags, err)
	}
}

func (s simulated) checkPower(id string) {
	s.Helper()
	steps := []struct {
		call      func() (State, error)
		now, then State
	}{
		{func() (State, error) { return s.Stop(s.Context(), id) }, StateStopping, StateStopped},
		{func() (State, error) { return s.Start(s.Context(), id) }, StatePending, StateRunning},
		{func() (State, error) { return s.Terminate(s.Context(), id) }, StateShuttingDown, StateTerminated},
	}
	for _, step := range steps {
		if got, err := step.call(); err != nil || got != step.now {
			s.Errorf("got %s, %v, want %s", got, err, step.now)
		}
		s.becomes(id, step.then)
	}
	if _, err := s.Start(s.Context(), id); ClassOf(err) != ClassWrongState {
		s.Errorf("started after the end: %v", err)
	}
}

func TestRefusalsOfTheSimulator(t *testing.T) {
	tests := map[string]struct {
		change func(*LaunchParameters)
		class  Class
	}{
		"image":    {func(p *LaunchParameters) { p.ImageID = "ami-00000000" }, ClassInvalid},
		"subnet":   {func(p *LaunchParameters) { p.SubnetID = "subnet-00000000" }, ClassDependency},
		"group":    {func(p *LaunchParameters) { p.SecurityGroupIDs = []string{"sg-00000000"} }, ClassDependency},
		"network":  {func(p *LaunchParameters) { p.SecurityGroupIDs = []string{ec2sim.SecurityGroupOtherVPC} }, ClassInvalid},
		"key":      {func(p *LaunchParameters) { p.KeyName = "nobody's" }, ClassDependency},
		"profile":  {func(p *LaunchParameters) { p.ProfileName = "nobody's" }, ClassDependency},
		"type":     {func(p *LaunchParameters) { p.InstanceType = "t3.none" }, ClassInvalid},
		"zone":     {func(p *LaunchParameters) { p.InstanceType = ec2sim.TypeInOneZone }, ClassInvalid},
		"userData": {func(p *LaunchParameters) { p.UserData = make([]byte, 16385) }, ClassInvalid},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			onSimulator(t, func(s simulated) {
				p := simLaunch()
				test.change(&p)
				_, err := s.Launch(s.Context(), "token", p)
				if e := mustError(s.T, err); e.Class != test.class || !e.Definite {
					s.Errorf("got %v (%s, definite %v)", e, e.Class, e.Definite)
				}
			})
		})
	}
}

func TestListsAndLooksOfTheSimulator(t *testing.T) {
	onSimulator(t, func(s simulated) {
		if err := s.sim.UpdateSettings(func(s *ec2sim.Settings) { s.Throttle = false }); err != nil {
			s.Fatal(err)
		}
		const number = 250
		ids := []string{"i-00000000000000000"}
		for n := range number {
			for {
				i, err := s.Launch(s.Context(), fmt.Sprint(n), simLaunch())
				if e, ok := errors.AsType[*Error](err); ok && e.RetryAfter > 0 {
					time.Sleep(e.RetryAfter)
					continue
				}
				if err != nil {
					s.Fatal(err)
				}
				ids = append(ids, i.ID)
				break
			}
		}
		time.Sleep(time.Minute)
		s.sim.ResetCounts()
		listed := map[string]bool{}
		err := s.List(s.Context(), func(page []Instance) error {
			for _, i := range page {
				listed[i.ID] = true
			}
			return nil
		})
		if err != nil || len(listed) != number || s.sim.Counts().Calls["DescribeInstances"] != 1 {
			s.Errorf("listed %d with %d calls, %v", len(listed), s.sim.Counts().Calls["DescribeInstances"], err)
		}
		s.sim.ResetCounts()
		seen, err := s.Look(s.Context(), ids)
		if err != nil || len(seen) != number || s.sim.Counts().Calls["DescribeInstances"] != 2 {
			s.Errorf("saw %d with %d calls, %v", len(seen), s.sim.Counts().Calls["DescribeInstances"], err)
		}
	})
}

func TestLookupsOnTheSimulator(t *testing.T) {
	onSimulator(t, func(s simulated) {
		if id, err := s.AccountID(s.Context()); err != nil || id != ec2sim.DefaultAccount {
			s.Errorf("account %q, %v", id, err)
		}
		if id, err := s.ResolveImage(s.Context(), ec2sim.ParameterAL2023); err != nil || id != ec2sim.ImageAL2023 {
			s.Errorf("image %q, %v", id, err)
		}
		if _, err := s.ResolveImage(s.Context(), "/none"); ClassOf(err) != ClassDependency {
			s.Errorf("no image: %v", err)
		}
	})
}
