// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// bare sends an action without parameters and returns the code of its error, if it has one.
func bare(t *testing.T, sim *ec2sim.Sim, action string) string {
	t.Helper()
	body := strings.NewReader(url.Values{"Action": {action}, "Version": {"2016-11-15"}}.Encode())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://ec2.example/", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-east-1/ec2/aws4_request")
	response, err := sim.Transport().RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	var failure struct {
		Code string `xml:"Errors>Error>Code"`
	}
	if err := xml.Unmarshal(text, &failure); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return failure.Code
}

// TestEveryActionIsCountedThrottledAndFaulted.
func TestEveryActionIsCountedThrottledAndFaulted(t *testing.T) {
	actions := ec2sim.EC2Actions()
	if len(actions) < 30 {
		t.Fatalf("only %d actions are served", len(actions))
	}
	for _, action := range actions {
		t.Run(action, func(t *testing.T) {
			r := newRig(t, func(s *ec2sim.Settings) {
				s.Throttle = true
				one := ec2sim.Limit{Max: 1, Refill: 0.001}
				s.Limits = map[string]ec2sim.Limit{action: one}
				unpaginated := ec2sim.Settings{Limits: map[string]ec2sim.Limit{action + "/unpaginated": one}}
				if unpaginated.Validate() == nil {
					s.Limits[action+"/unpaginated"] = one
				}
			})
			r.inject(ec2sim.Fault{Action: action, Times: 1, Error: &ec2sim.FaultError{Code: "Unavailable"}})
			if code := bare(t, r.sim, action); code != "Unavailable" {
				t.Errorf("with the fault: %q", code)
			}
			own := bare(t, r.sim, action) // what it says to a call without parameters
			if own == "RequestLimitExceeded" || own == "Unavailable" || own == "InternalError" || own == "InvalidAction" {
				t.Errorf("without the fault: %q", own)
			}
			if code := bare(t, r.sim, action); code != "RequestLimitExceeded" {
				t.Errorf("with its bucket empty: %q", code)
			}
			if own == "" {
				own = ec2sim.OutcomeOK
			}
			counts := r.sim.Counts()
			for _, outcome := range []string{"Unavailable", own, "RequestLimitExceeded"} {
				if counts.Outcome(action, outcome) != 1 {
					t.Errorf("%s was counted %d times: %v", outcome, counts.Outcome(action, outcome), counts.Outcomes)
				}
			}
			if counts.Calls[action] != 3 {
				t.Errorf("%d calls were counted", counts.Calls[action])
			}
		})
	}
}

// TestFaultsFindInstancesInEveryForm in which calls name them.
func TestFaultsFindInstancesInEveryForm(t *testing.T) {
	r := newRig(t)
	id, other := r.runningInstance(), r.runningInstance()
	r.inject(ec2sim.Fault{InstanceID: id, Error: &ec2sim.FaultError{Code: "OptInRequired"}})
	for name, call := range map[string]func(string) error{
		"list":      func(id string) error { return r.stop(id) },
		"one":       func(id string) error { return r.retarget(id, "none", "") },
		"structure": func(id string) error { return r.setCredits(id, "standard") },
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, call(id), "OptInRequired", http.StatusUnauthorized, "")
			if err := call(other); err != nil && strings.Contains(err.Error(), "OptInRequired") {
				t.Errorf("the other instance suffers, too: %v", err)
			}
		})
	}
}

// TestDryRunsChangeNothing of actions that have them.
func TestDryRunsChangeNothing(t *testing.T) {
	r := newRig(t)
	id := r.stopped(persistent(), ofType(ec2sim.TypeWithCores))
	credits := r.mustRun()
	r.clock.Step(pendingDelay)
	volume, request := *r.volume(id, rootDevice).VolumeId, *r.request(id).SpotInstanceRequestId
	before := r.get(id)
	dry := aws.Bool(true)
	for name, call := range map[string]func() error{
		"reservation": func() error {
			_, err := r.ec2.ModifyInstanceCapacityReservationAttributes(t.Context(), &ec2.ModifyInstanceCapacityReservationAttributesInput{
				DryRun: dry, InstanceId: &id, CapacityReservationSpecification: &ec2types.CapacityReservationSpecification{CapacityReservationPreference: "none"},
			})
			return err
		},
		"CPU": func() error {
			_, err := r.ec2.ModifyInstanceCpuOptions(t.Context(), &ec2.ModifyInstanceCpuOptionsInput{DryRun: dry, InstanceId: &id, CoreCount: aws.Int32(2)})
			return err
		},
		"maintenance": func() error {
			_, err := r.ec2.ModifyInstanceMaintenanceOptions(t.Context(), &ec2.ModifyInstanceMaintenanceOptionsInput{DryRun: dry, InstanceId: &id, AutoRecovery: "disabled"})
			return err
		},
		"names": func() error {
			_, err := r.ec2.ModifyPrivateDnsNameOptions(t.Context(), &ec2.ModifyPrivateDnsNameOptionsInput{DryRun: dry, InstanceId: &id, PrivateDnsHostnameType: "resource-name"})
			return err
		},
		"credits": func() error {
			_, err := r.ec2.ModifyInstanceCreditSpecification(t.Context(), &ec2.ModifyInstanceCreditSpecificationInput{
				DryRun:                       dry,
				InstanceCreditSpecifications: []ec2types.InstanceCreditSpecificationRequest{{InstanceId: &credits, CpuCredits: aws.String("standard")}},
			})
			return err
		},
		"volume": func() error {
			_, err := r.modifyVolume(volume, func(in *ec2.ModifyVolumeInput) { in.DryRun, in.Size = dry, aws.Int32(99) })
			return err
		},
		"Spot": func() error {
			_, err := r.ec2.CancelSpotInstanceRequests(t.Context(), &ec2.CancelSpotInstanceRequestsInput{DryRun: dry, SpotInstanceRequestIds: []string{request}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, call(), "DryRunOperation", http.StatusPreconditionFailed, "would have succeeded")
		})
	}
	if !reflect.DeepEqual(before, r.get(id)) {
		t.Errorf("the instance changed from %+v to %+v", before, r.get(id))
	}
	if size := *r.volume(id, rootDevice).Size; size != 8 {
		t.Errorf("the volume has %d GiB", size)
	}
	if got := r.credits(credits)[credits]; got != "unlimited" {
		t.Errorf("the credits are %s", got)
	}
	r.wantRequest(id, "disabled", "instance-stopped-by-user")
}
