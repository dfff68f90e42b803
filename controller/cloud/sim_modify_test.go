// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// runs is a running instance that EC2 shows to everybody.
func (s simulated) runs() Instance {
	s.Helper()
	launched, err := s.Launch(s.Context(), "token", simLaunch())
	if err != nil {
		s.Fatal(err)
	}
	running := s.becomes(launched.ID, StateRunning)
	time.Sleep(time.Minute)
	return running
}

// stops is an instance that has been stopped.
func (s simulated) stops() Instance {
	s.Helper()
	i := s.runs()
	if _, err := s.Stop(s.Context(), i.ID); err != nil {
		s.Fatal(err)
	}
	return s.becomes(i.ID, StateStopped)
}

func (s simulated) mustModify(id string, m Modification) {
	s.Helper()
	if err := s.Modify(s.Context(), id, m); err != nil {
		s.Errorf("%v: %v", m, err)
	}
}

// shows waits, in the bubble's time, until EC2 shows that an instance is as wanted.
func (s simulated) shows(id string, wanted func(Instance) bool) Instance {
	s.Helper()
	var i Instance
	for range 60 {
		time.Sleep(time.Second)
		var err error
		if i, _, err = s.FindByID(s.Context(), id); err != nil {
			s.Fatal(err)
		} else if wanted(i) {
			return i
		}
	}
	s.Errorf("EC2 never shows it: %+v", i)
	return i
}

func (s simulated) attribute(id string, a Attribute) AttributeValue {
	s.Helper()
	v, err := s.ReadAttribute(s.Context(), id, a)
	if err != nil {
		s.Fatal(err)
	}
	return v
}

func TestModifiedWhileItRunsOnTheSimulator(t *testing.T) {
	onSimulator(t, func(s simulated) {
		i := s.runs()
		if i.Monitoring != "disabled" || i.MetadataState != "applied" || i.Architecture != "x86_64" || !i.NetworkInterfaces[0].SourceDestCheck ||
			!i.NetworkInterfaces[0].DeleteOnTermination || i.Placement.Tenancy != "default" || i.RootDeviceName != "/dev/xvda" {
			s.Errorf("launched as %+v", i)
		}
		eni, web := i.NetworkInterfaces[0].ID, []string{ec2sim.SecurityGroupWeb}
		s.mustModify(i.ID, NewSecurityGroups(eni, web))
		s.mustModify(i.ID, SourceDestCheck{eni, false})
		s.mustModify(i.ID, InstanceMetadata{MetadataOptions{HTTPPutResponseHopLimit: 3}})
		s.mustModify(i.ID, Monitoring{true})
		got := s.shows(i.ID, func(i Instance) bool { return i.Monitoring == "enabled" })
		if n := got.NetworkInterfaces[0]; !slices.Equal(n.SecurityGroupIDs, web) || n.SourceDestCheck {
			s.Errorf("the network interface is %+v", n)
		}
		want := i.MetadataOptions
		want.HTTPPutResponseHopLimit = 3
		if diff := cmp.Diff(want, got.MetadataOptions); diff != "" {
			s.Errorf("metadata options (-want +got):\n%s", diff)
		}
		s.mustModify(i.ID, Monitoring{false})
		s.shows(i.ID, func(i Instance) bool { return i.Monitoring == "disabled" })
		if err := s.Modify(s.Context(), i.ID, NewSecurityGroups(eni, []string{ec2sim.SecurityGroupOtherVPC})); ClassOf(err) != ClassInvalid {
			s.Errorf("a group of another network: %v", err)
		}
		if err := s.Modify(s.Context(), i.ID, NewSecurityGroups("eni-00000000000000000", web)); ClassOf(err) != ClassDependency {
			s.Errorf("an interface that is not there: %v", err)
		}
		if err := s.Reboot(s.Context(), i.ID); err != nil {
			s.Error(err)
		}
	})
}

func TestProtectionOnTheSimulator(t *testing.T) {
	onSimulator(t, func(s simulated) {
		i := s.runs()
		for _, a := range []Attribute{AttributeDisableAPITermination, AttributeDisableAPIStop} {
			if s.attribute(i.ID, a).Flag {
				s.Errorf("%s from the start", a)
			}
		}
		if got := s.attribute(i.ID, AttributeShutdownBehavior).Text; got != "stop" {
			s.Errorf("shutdown behavior %q", got)
		}
		s.mustModify(i.ID, DisableAPITermination{true})
		s.mustModify(i.ID, DisableAPIStop{true})
		s.mustModify(i.ID, ShutdownBehavior{"terminate"})
		time.Sleep(time.Minute)
		for _, a := range []Attribute{AttributeDisableAPITermination, AttributeDisableAPIStop} {
			if !s.attribute(i.ID, a).Flag {
				s.Errorf("%s is not set", a)
			}
		}
		if got := s.attribute(i.ID, AttributeShutdownBehavior).Text; got != "terminate" {
			s.Errorf("shutdown behavior %q", got)
		}
		if _, err := s.Stop(s.Context(), i.ID); ClassOf(err) != ClassProtected {
			s.Errorf("stopped: %v", err)
		}
		if _, err := s.Terminate(s.Context(), i.ID); ClassOf(err) != ClassProtected {
			s.Errorf("terminated: %v", err)
		}
		s.mustModify(i.ID, DisableAPITermination{false})
		s.mustModify(i.ID, DisableAPIStop{false})
		if _, err := s.Terminate(s.Context(), i.ID); err != nil {
			s.Error(err)
		}
	})
}

func TestModifiedWhileItIsStoppedOnTheSimulator(t *testing.T) {
	stopped := []Modification{InstanceType{"t3.small"}, NewUserData([]byte("#!/bin/bash\n")), EBSOptimized{true}}
	onSimulator(t, func(s simulated) {
		i := s.runs()
		for _, m := range stopped {
			if err := s.Modify(s.Context(), i.ID, m); ClassOf(err) != ClassWrongState {
				s.Errorf("%#v while it runs: %v", m, err)
			}
		}
		if got := string(s.attribute(i.ID, AttributeUserData).Bytes); got != "#!/bin/sh\n" {
			s.Errorf("user data %q", got)
		}
	})
	onSimulator(t, func(s simulated) {
		i := s.stops()
		for _, m := range stopped {
			s.mustModify(i.ID, m)
		}
		s.shows(i.ID, func(i Instance) bool { return i.Type == "t3.small" && i.EBSOptimized })
		if got := string(s.attribute(i.ID, AttributeUserData).Bytes); got != "#!/bin/bash\n" {
			s.Errorf("user data %q", got)
		}
		s.mustModify(i.ID, NewUserData(nil))
		time.Sleep(time.Minute)
		if got := s.attribute(i.ID, AttributeUserData).Bytes; got != nil {
			s.Errorf("user data %q", got)
		}
		if err := s.Modify(s.Context(), i.ID, InstanceType{"t4g.small"}); ClassOf(err) != ClassInvalid {
			s.Errorf("a type of another architecture: %v", err)
		}
	})
}

func TestInstanceProfileOnTheSimulator(t *testing.T) {
	profile := func(name string, running bool) InstanceProfile { return InstanceProfile{Name: name, Running: running} }
	other := profile(ec2sim.OtherInstanceProfileName, true)
	isOther := func(i Instance) bool { return other.Matches(i.IAMInstanceProfileARN) }
	onSimulator(t, func(s simulated) {
		i := s.runs()
		s.mustModify(i.ID, other)
		s.shows(i.ID, isOther)
		s.sim.ResetCounts()
		s.mustModify(i.ID, other)
		if calls := s.sim.Counts().Calls; len(calls) != 1 {
			s.Errorf("what is there already took %v", calls)
		}
		if err := s.Modify(s.Context(), i.ID, profile("nobody's", true)); ClassOf(err) != ClassDependency {
			s.Errorf("a profile that is not there: %v", err)
		}
	})
	// Of a stopped one, the first call takes the old profile away and the second gives the new.
	onSimulator(t, func(s simulated) {
		i, other := s.stops(), profile(ec2sim.OtherInstanceProfileName, false)
		s.mustModify(i.ID, other)
		s.shows(i.ID, func(i Instance) bool { return i.IAMInstanceProfileARN == "" })
		s.mustModify(i.ID, other)
		s.shows(i.ID, isOther)
	})
}
