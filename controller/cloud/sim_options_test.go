// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOptionsOnTheSimulator(t *testing.T) {
	onSimulator(t, func(s simulated) {
		i := s.stops()
		place := i.Placement
		place.Tenancy = "dedicated"
		s.mustModify(i.ID, Place{Placement{Tenancy: "dedicated"}})
		s.mustModify(i.ID, Reservation{CapacityReservation{Preference: "none"}})
		s.mustModify(i.ID, Maintenance{MaintenanceOptions{AutoRecovery: "disabled"}})
		s.mustModify(i.ID, DNSNames{PrivateDNSNameOptions{HostnameType: "resource-name", ARecord: "true"}})
		s.mustModify(i.ID, InstanceType{"m5.large"})
		s.mustModify(i.ID, CPU{CPUOptions{CoreCount: 1, ThreadsPerCore: 1}})
		got := s.shows(i.ID, func(i Instance) bool { return i.CPU.ThreadsPerCore == 1 })
		maintenance, names, reservation := i.Maintenance, i.DNSNames, i.CapacityReservation
		maintenance.AutoRecovery, names.HostnameType, names.ARecord, reservation.Preference = "disabled", "resource-name", "true", "none"
		for _, diff := range []string{
			cmp.Diff(place, got.Placement), cmp.Diff(maintenance, got.Maintenance), cmp.Diff(names, got.DNSNames),
			cmp.Diff(reservation, got.CapacityReservation), cmp.Diff(int32(1), got.CPU.CoreCount),
		} {
			if diff != "" {
				s.Errorf("options (-want +got):\n%s", diff)
			}
		}
	})
	onSimulator(t, func(s simulated) {
		i := s.runs()
		for _, m := range []Modification{
			Place{Placement{Tenancy: "dedicated"}}, Reservation{CapacityReservation{Preference: "none"}},
			DNSNames{PrivateDNSNameOptions{HostnameType: "resource-name"}}, CPU{CPUOptions{ThreadsPerCore: 1}},
		} {
			if err := s.Modify(s.Context(), i.ID, m); ClassOf(err) != ClassWrongState {
				s.Errorf("%#v while it runs: %v", m, err)
			}
		}
		if _, err := s.Hibernate(s.Context(), i.ID); ClassOf(err) != ClassInvalid {
			s.Errorf("hibernated though not launched for it: %v", err)
		}
	})
}

func TestCreditsOnTheSimulator(t *testing.T) {
	onSimulator(t, func(s simulated) {
		i := s.runs()
		credits := func() string {
			s.Helper()
			time.Sleep(time.Minute)
			got, err := s.Credits(s.Context(), []string{"i-00000000000000000", i.ID})
			if err != nil {
				s.Fatal(err)
			}
			return got[i.ID]
		}
		s.mustModify(i.ID, Credits{"unlimited"})
		if got := credits(); got != "unlimited" {
			s.Errorf("credits are %q", got)
		}
		s.mustModify(i.ID, Credits{"standard"})
		if got := credits(); got == "unlimited" {
			s.Errorf("credits are %q", got)
		}
		if err := s.Modify(s.Context(), "i-00000000000000000", Credits{"standard"}); !IsNotFound(err) {
			s.Errorf("of an instance that is not there: %v", err)
		}
	})
	onSimulator(t, func(s simulated) {
		i := s.stops()
		s.mustModify(i.ID, InstanceType{"m5.large"})
		if err := s.Modify(s.Context(), i.ID, Credits{"standard"}); ClassOf(err) != ClassInvalid {
			s.Errorf("of a type without credits: %v", err)
		}
	})
}

func TestVolumesOnTheSimulator(t *testing.T) {
	onSimulator(t, func(s simulated) {
		i := s.runs()
		if len(i.Volumes) != 1 || !i.Volumes[0].DeleteOnTermination {
			s.Fatalf("volumes are %+v", i.Volumes)
		}
		id, device := i.Volumes[0].ID, i.Volumes[0].DeviceName
		volume := func() VolumeDetail {
			s.Helper()
			got, err := s.Volumes(s.Context(), []string{id, "vol-00000000000000000"})
			if err != nil || len(got) != 1 {
				s.Fatalf("got %+v, %v", got, err)
			}
			return got[id]
		}
		was := volume()
		if was.ID != id || was.State != "in-use" || was.SizeGiB == 0 || was.Type == "" {
			s.Errorf("the volume is %+v", was)
		}
		s.mustModify(i.ID, VolumeChange{VolumeID: id, SizeGiB: was.SizeGiB + 8})
		if err := s.Modify(s.Context(), i.ID, VolumeChange{VolumeID: id, SizeGiB: was.SizeGiB + 9}); ClassOf(err) != ClassWrongState {
			s.Errorf("modified while it is being modified: %v", err)
		}
		for range 48 {
			if volume().SizeGiB == was.SizeGiB+8 {
				break
			}
			time.Sleep(time.Hour)
		}
		if got := volume(); got.SizeGiB != was.SizeGiB+8 {
			s.Errorf("the volume is %+v", got)
		}
		if err := s.Modify(s.Context(), i.ID, VolumeChange{VolumeID: id, SizeGiB: was.SizeGiB}); ClassOf(err) != ClassInvalid {
			s.Errorf("made smaller: %v", err)
		}
		s.mustModify(i.ID, DeleteOnTermination{device, false})
		s.shows(i.ID, func(i Instance) bool { return !i.Volumes[0].DeleteOnTermination })
	})
}
