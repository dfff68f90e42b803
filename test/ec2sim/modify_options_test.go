// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

func (r *rig) replace(in ec2.ModifyInstancePlacementInput) error {
	_, err := r.ec2.ModifyInstancePlacement(r.Context(), &in)
	return err
}

func (r *rig) retarget(id, preference, reservation string) error {
	in := &ec2.ModifyInstanceCapacityReservationAttributesInput{
		InstanceId: &id, CapacityReservationSpecification: &ec2types.CapacityReservationSpecification{
			CapacityReservationPreference: ec2types.CapacityReservationPreference(preference),
		},
	}
	if reservation != "" {
		in.CapacityReservationSpecification.CapacityReservationTarget = &ec2types.CapacityReservationTarget{CapacityReservationId: &reservation}
	}
	_, err := r.ec2.ModifyInstanceCapacityReservationAttributes(r.Context(), in)
	return err
}

func (r *rig) stopped(adjust ...func(*ec2.RunInstancesInput)) string {
	r.Helper()
	id := r.mustRun(adjust...)
	r.clock.Step(pendingDelay)
	r.must(r.stop(id))
	r.clock.Step(stoppingDelay)
	return id
}

// TestPlacementChangesWhileStopped, step by step on one instance.
func TestPlacementChangesWhileStopped(t *testing.T) {
	r := newRig(t)
	id := r.stopped()
	for _, step := range []struct {
		name   string
		change ec2.ModifyInstancePlacementInput
		shows  func(ec2types.Placement) bool
	}{
		{"into a group", ec2.ModifyInstancePlacementInput{GroupName: aws.String(ec2sim.GroupCluster)}, func(p ec2types.Placement) bool {
			return aws.ToString(p.GroupName) == ec2sim.GroupCluster && aws.ToString(p.GroupId) == ec2sim.GroupClusterID
		}},
		{"into another", ec2.ModifyInstancePlacementInput{GroupId: aws.String(ec2sim.GroupPartitionID)}, func(p ec2types.Placement) bool {
			return aws.ToString(p.GroupName) == ec2sim.GroupPartition && aws.ToInt32(p.PartitionNumber) == 1
		}},
		{"partition", ec2.ModifyInstancePlacementInput{PartitionNumber: aws.Int32(3)}, func(p ec2types.Placement) bool {
			return aws.ToString(p.GroupName) == ec2sim.GroupPartition && aws.ToInt32(p.PartitionNumber) == 3
		}},
		{"out of the group", ec2.ModifyInstancePlacementInput{GroupName: aws.String("")}, func(p ec2types.Placement) bool {
			return aws.ToString(p.GroupName) == "" && p.GroupId == nil && p.PartitionNumber == nil
		}},
		{"onto a host", ec2.ModifyInstancePlacementInput{Tenancy: "host", HostId: aws.String(ec2sim.HostA), Affinity: "host"}, func(p ec2types.Placement) bool {
			return p.Tenancy == "host" && aws.ToString(p.HostId) == ec2sim.HostA && aws.ToString(p.Affinity) == "host"
		}},
		{"affinity", ec2.ModifyInstancePlacementInput{Affinity: "default"}, func(p ec2types.Placement) bool {
			return aws.ToString(p.Affinity) == "default" && aws.ToString(p.HostId) == ec2sim.HostA
		}},
	} {
		step.change.InstanceId = &id
		if err := r.replace(step.change); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if p := *r.get(id).Placement; !step.shows(p) {
			t.Errorf("%s: the placement is %+v", step.name, p)
		}
	}
	wantError(t, r.replace(ec2.ModifyInstancePlacementInput{InstanceId: &id, Tenancy: "default"}), "InvalidRequest", badRequest, "'host'")
	wantError(t, r.replace(ec2.ModifyInstancePlacementInput{InstanceId: &id}), "MissingParameter", badRequest, "Affinity")
	wantError(t, r.replace(ec2.ModifyInstancePlacementInput{InstanceId: &id, GroupName: aws.String("x")}), "InvalidPlacementGroup.Unknown", badRequest, "'x'")
	r.must(r.start(id))
	r.clock.Step(pendingDelay)
	r.must(r.replace(ec2.ModifyInstancePlacementInput{InstanceId: &id, Affinity: "host"}))
	wantError(t, r.replace(ec2.ModifyInstancePlacementInput{InstanceId: &id, GroupName: aws.String("")}), "InvalidInstanceState", badRequest, "stopped")
}

func TestReservationTargetChangesWhileStopped(t *testing.T) {
	r := newRig(t)
	id := r.mustRun(ofType("m5.large"))
	r.clock.Step(pendingDelay)
	wantError(t, r.retarget(id, "none", ""), "IncorrectInstanceState", badRequest, "stopped")
	r.must(r.stop(id))
	r.clock.Step(stoppingDelay)
	wantError(t, r.retarget(id, "", "cr-0bad0bad0bad0bad0"), "InvalidCapacityReservationId.NotFound", badRequest, "")
	r.must(r.retarget(id, "none", ""))
	if got := r.get(id).CapacityReservationSpecification.CapacityReservationPreference; got != "none" {
		t.Errorf("the preference is %q", got)
	}
	r.must(r.retarget(id, "", ec2sim.CapacityReservationA))
	r.must(r.start(id))
	i := r.get(id)
	if i.CapacityReservationSpecification.CapacityReservationPreference != "" || aws.ToString(i.CapacityReservationId) != ec2sim.CapacityReservationA {
		t.Errorf("started with %+v in %q", *i.CapacityReservationSpecification, aws.ToString(i.CapacityReservationId))
	}
}

func TestCPUOptionsChangeWhileStopped(t *testing.T) {
	r := newRig(t)
	id := r.mustRun(ofType(ec2sim.TypeWithCores))
	change := func(cores int32) (*ec2.ModifyInstanceCpuOptionsOutput, error) {
		return r.ec2.ModifyInstanceCpuOptions(t.Context(), &ec2.ModifyInstanceCpuOptionsInput{InstanceId: &id, CoreCount: &cores})
	}
	r.clock.Step(pendingDelay)
	_, err := change(2)
	wantError(t, err, "IncorrectInstanceState", badRequest, "stopped")
	r.must(r.stop(id))
	r.clock.Step(stoppingDelay)
	_, err = change(3)
	wantError(t, err, "InvalidParameterValue", badRequest, "coreCount")
	out, err := change(2)
	r.must(err)
	if *out.InstanceId != id || *out.CoreCount != 2 || *out.ThreadsPerCore != 2 {
		t.Errorf("the answer is %d cores, %d threads", *out.CoreCount, *out.ThreadsPerCore)
	}
	if got := r.get(id).CpuOptions; *got.CoreCount != 2 || *got.ThreadsPerCore != 2 {
		t.Errorf("described are %d cores, %d threads", *got.CoreCount, *got.ThreadsPerCore)
	}
	r.must(r.modify(id, func(in *ec2.ModifyInstanceAttributeInput) { in.InstanceType = text("m5.large") }))
	if got := r.get(id).CpuOptions; *got.CoreCount != 1 {
		t.Errorf("%d cores after a change to a type that has one", *got.CoreCount)
	}
}

func TestMaintenanceOptionsChange(t *testing.T) {
	r := newRig(t)
	id := r.runningInstance()
	out, err := r.ec2.ModifyInstanceMaintenanceOptions(t.Context(), &ec2.ModifyInstanceMaintenanceOptionsInput{
		InstanceId: &id, RebootMigration: ec2types.InstanceRebootMigrationStateDisabled,
	})
	r.must(err)
	if out.AutoRecovery != "default" || out.RebootMigration != "disabled" {
		t.Errorf("the answer is %s, %s", out.AutoRecovery, out.RebootMigration)
	}
	if got := r.get(id).MaintenanceOptions; got.AutoRecovery != "default" || got.RebootMigration != "disabled" {
		t.Errorf("described are %s, %s", got.AutoRecovery, got.RebootMigration)
	}
	_, err = r.ec2.ModifyInstanceMaintenanceOptions(t.Context(), &ec2.ModifyInstanceMaintenanceOptionsInput{InstanceId: &id})
	wantError(t, err, "MissingParameter", badRequest, "AutoRecovery")
}

// TestHostnamesNeedAStop and DNS records do not.
func TestHostnamesNeedAStop(t *testing.T) {
	r := newRig(t)
	id := r.runningInstance()
	change := func(in ec2.ModifyPrivateDnsNameOptionsInput) error {
		in.InstanceId = &id
		_, err := r.ec2.ModifyPrivateDnsNameOptions(t.Context(), &in)
		return err
	}
	wantError(t, change(ec2.ModifyPrivateDnsNameOptionsInput{}), "MissingParameter", badRequest, "PrivateDnsHostnameType")
	r.must(change(ec2.ModifyPrivateDnsNameOptionsInput{EnableResourceNameDnsARecord: aws.Bool(true)}))
	wantError(t, change(ec2.ModifyPrivateDnsNameOptionsInput{PrivateDnsHostnameType: "resource-name"}), "IncorrectInstanceState", badRequest, "stopped")
	r.must(r.stop(id))
	r.clock.Step(stoppingDelay)
	r.must(change(ec2.ModifyPrivateDnsNameOptionsInput{PrivateDnsHostnameType: "resource-name"}))
	i := r.get(id)
	if o := i.PrivateDnsNameOptions; o.HostnameType != "resource-name" || !*o.EnableResourceNameDnsARecord || *o.EnableResourceNameDnsAAAARecord {
		t.Errorf("described are %+v", *o)
	}
	if *i.PrivateDnsName != id+".ec2.internal" {
		t.Errorf("the name is %s", *i.PrivateDnsName)
	}
}

// credits reads the credit options of all that the call gives.
func (r *rig) credits(ids ...string) map[string]string {
	r.Helper()
	out, err := r.ec2.DescribeInstanceCreditSpecifications(r.Context(), &ec2.DescribeInstanceCreditSpecificationsInput{InstanceIds: ids})
	r.must(err)
	got := map[string]string{}
	for _, c := range out.InstanceCreditSpecifications {
		got[*c.InstanceId] = *c.CpuCredits
	}
	return got
}

func TestCredits(t *testing.T) {
	r := newRig(t)
	standard, unlimited, other := r.mustRun(withCredits("standard")), r.mustRun(), r.mustRun(ofType("m5.large"))
	r.clock.Step(pendingDelay)
	pending := r.mustRun()
	if diff := cmp.Diff(map[string]string{standard: "standard", other: "standard"}, r.credits(standard, other)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{unlimited: "unlimited", pending: "unlimited"}, r.credits()); diff != "" {
		t.Errorf("without ids only the unlimited ones are given: %s", diff)
	}
	const missing, malformed = "i-0bad0bad0bad0bad0", "i-x"
	in := &ec2.ModifyInstanceCreditSpecificationInput{}
	for _, id := range []string{standard, other, pending, missing, malformed} {
		in.InstanceCreditSpecifications = append(in.InstanceCreditSpecifications, ec2types.InstanceCreditSpecificationRequest{
			InstanceId: &id, CpuCredits: aws.String("unlimited"),
		})
	}
	out, err := r.ec2.ModifyInstanceCreditSpecification(t.Context(), in)
	r.must(err)
	if ok := out.SuccessfulInstanceCreditSpecifications; len(ok) != 1 || *ok[0].InstanceId != standard {
		t.Errorf("successful are %v", ok)
	}
	failures := map[string]string{}
	for _, u := range out.UnsuccessfulInstanceCreditSpecifications {
		failures[*u.InstanceId] = string(u.Error.Code)
	}
	if diff := cmp.Diff(map[string]string{
		other: "InstanceCreditSpecification.NotSupported", pending: "IncorrectInstanceState",
		missing: "InvalidInstanceID.NotFound", malformed: "InvalidInstanceID.Malformed",
	}, failures); diff != "" {
		t.Error(diff)
	}
	if got := r.credits(standard); got[standard] != "unlimited" {
		t.Errorf("the change does not show: %v", got)
	}
}

// TestStartsSoonAfterAChangeOfTypeFail, as Terraform found.
func TestStartsSoonAfterAChangeOfTypeFail(t *testing.T) {
	const lag = 3 * time.Second
	r := newRig(t, func(s *ec2sim.Settings) { s.TypeChangeLag = lag })
	id := r.stoppedInstance()
	r.must(r.modify(id, func(in *ec2.ModifyInstanceAttributeInput) { in.InstanceType = text("m5.large") }))
	r.clock.Step(lag - 1)
	wantError(t, r.start(id), "InvalidParameterValue", badRequest, "LaunchPlan instance type does not match attribute value")
	r.clock.Step(1)
	r.must(r.start(id))
}

func (r *rig) setCredits(id, credits string) error {
	_, err := r.ec2.ModifyInstanceCreditSpecification(r.Context(), &ec2.ModifyInstanceCreditSpecificationInput{
		InstanceCreditSpecifications: []ec2types.InstanceCreditSpecificationRequest{{InstanceId: &id, CpuCredits: &credits}},
	})
	return err
}
