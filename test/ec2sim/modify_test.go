// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// modify changes one attribute.
func (r *rig) modify(id string, adjust func(*ec2.ModifyInstanceAttributeInput)) error {
	in := &ec2.ModifyInstanceAttributeInput{InstanceId: &id}
	adjust(in)
	_, err := r.ec2.ModifyInstanceAttribute(r.Context(), in)
	return err
}

// attribute reads one attribute.
func (r *rig) attribute(id string, name ec2types.InstanceAttributeName) *ec2.DescribeInstanceAttributeOutput {
	r.Helper()
	out, err := r.ec2.DescribeInstanceAttribute(r.Context(), &ec2.DescribeInstanceAttributeInput{InstanceId: &id, Attribute: name})
	if err != nil {
		r.Fatal(err)
	}
	return out
}

func (r *rig) instance(id string) ec2types.Instance {
	r.Helper()
	out, err := r.ec2.DescribeInstances(r.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	if err != nil {
		r.Fatal(err)
	}
	return out.Reservations[0].Instances[0]
}

func flag(v bool) *ec2types.AttributeBooleanValue { return &ec2types.AttributeBooleanValue{Value: &v} }
func text(v string) *ec2types.AttributeValue      { return &ec2types.AttributeValue{Value: &v} }
func blob(v string) *ec2types.SecureBlobAttributeValue {
	return &ec2types.SecureBlobAttributeValue{Value: []byte(v)}
}

// runningInstance launches an instance and waits until it runs; stoppedInstance stops it, too.
func (r *rig) runningInstance() string {
	r.Helper()
	id := r.mustRun()
	r.clock.Step(pendingDelay)
	return id
}

func (r *rig) stoppedInstance() string {
	r.Helper()
	id := r.runningInstance()
	if err := r.stop(id); err != nil {
		r.Fatal(err)
	}
	r.clock.Step(stoppingDelay)
	return id
}

// TestAttributesThatChangeInPlace, and what reads them back.
func TestAttributesThatChangeInPlace(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*ec2.ModifyInstanceAttributeInput)
		shows  func(*rig, string) bool
	}{
		"termination protection": {
			func(in *ec2.ModifyInstanceAttributeInput) { in.DisableApiTermination = flag(true) },
			func(r *rig, id string) bool {
				return *r.attribute(id, ec2types.InstanceAttributeNameDisableApiTermination).DisableApiTermination.Value
			},
		},
		"stop protection": {
			func(in *ec2.ModifyInstanceAttributeInput) { in.DisableApiStop = flag(true) },
			func(r *rig, id string) bool {
				return *r.attribute(id, ec2types.InstanceAttributeNameDisableApiStop).DisableApiStop.Value
			},
		},
		"shutdown behaviour": {
			func(in *ec2.ModifyInstanceAttributeInput) { in.InstanceInitiatedShutdownBehavior = text("terminate") },
			func(r *rig, id string) bool {
				out := r.attribute(id, ec2types.InstanceAttributeNameInstanceInitiatedShutdownBehavior)
				return aws.ToString(out.InstanceInitiatedShutdownBehavior.Value) == "terminate"
			},
		},
		"source/destination check": {
			func(in *ec2.ModifyInstanceAttributeInput) { in.SourceDestCheck = flag(false) },
			func(r *rig, id string) bool { return !*r.instance(id).SourceDestCheck },
		},
		"security groups": {
			func(in *ec2.ModifyInstanceAttributeInput) { in.Groups = []string{ec2sim.SecurityGroupWeb} },
			func(r *rig, id string) bool {
				groups := r.instance(id).SecurityGroups
				return len(groups) == 1 && *groups[0].GroupId == ec2sim.SecurityGroupWeb
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			id := r.runningInstance()
			if test.shows(r, id) {
				t.Fatal("it is so from the beginning")
			}
			if err := r.modify(id, test.change); err != nil {
				t.Fatal(err)
			}
			if !test.shows(r, id) {
				t.Error("the change does not show")
			}
		})
	}
}

// TestAttributesThatNeedAStop are refused while the instance runs.
func TestAttributesThatNeedAStop(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*ec2.ModifyInstanceAttributeInput)
		shows  func(*rig, string) bool
	}{
		"type": {
			func(in *ec2.ModifyInstanceAttributeInput) { in.InstanceType = text("m5.large") },
			func(r *rig, id string) bool { return r.instance(id).InstanceType == "m5.large" },
		},
		"user data": {
			func(in *ec2.ModifyInstanceAttributeInput) { in.UserData = blob("echo") },
			func(r *rig, id string) bool {
				return aws.ToString(r.attribute(id, ec2types.InstanceAttributeNameUserData).UserData.Value) == "ZWNobw=="
			},
		},
		"enclave": {
			func(in *ec2.ModifyInstanceAttributeInput) {
				in.EnclaveOptions = &ec2types.EnclaveOptionsRequest{Enabled: aws.Bool(true)}
			},
			func(r *rig, id string) bool {
				return *r.instance(id).EnclaveOptions.Enabled && *r.attribute(id, ec2types.InstanceAttributeNameEnclaveOptions).EnclaveOptions.Enabled
			},
		},
		"EBS optimisation": {
			func(in *ec2.ModifyInstanceAttributeInput) { in.EbsOptimized = flag(true) },
			func(r *rig, id string) bool { return *r.instance(id).EbsOptimized },
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			wantError(r.T, r.modify(r.runningInstance(), test.change), "IncorrectInstanceState", badRequest, "")
			id := r.stoppedInstance()
			if err := r.modify(id, test.change); err != nil {
				t.Fatal(err)
			}
			if !test.shows(r, id) {
				t.Error("the change does not show")
			}
		})
	}
}

func TestWrongModificationsAreRefused(t *testing.T) {
	r := newRig(t)
	id := r.stoppedInstance()
	for name, test := range map[string]struct {
		change func(*ec2.ModifyInstanceAttributeInput)
		code   string
	}{
		"nothing": {func(*ec2.ModifyInstanceAttributeInput) {}, "InvalidParameterCombination"},
		"two attributes": {func(in *ec2.ModifyInstanceAttributeInput) {
			in.DisableApiStop, in.SourceDestCheck = flag(true), flag(true)
		}, "InvalidParameterCombination"},
		"unknown type":       {func(in *ec2.ModifyInstanceAttributeInput) { in.InstanceType = text("t9.huge") }, "InvalidInstanceAttributeValue"},
		"other architecture": {func(in *ec2.ModifyInstanceAttributeInput) { in.InstanceType = text("t4g.small") }, "InvalidInstanceAttributeValue"},
		"unknown group":      {func(in *ec2.ModifyInstanceAttributeInput) { in.Groups = []string{"sg-0dddddddddddddddd"} }, "InvalidGroup.NotFound"},
		"too much user data": {func(in *ec2.ModifyInstanceAttributeInput) { in.UserData = blob(string(make([]byte, 16385))) }, "InvalidParameterValue"},
		"unknown behaviour":  {func(in *ec2.ModifyInstanceAttributeInput) { in.InstanceInitiatedShutdownBehavior = text("explode") }, "InvalidParameterValue"},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, r.modify(id, test.change), test.code, badRequest, "") })
	}
	if err := r.terminate(id); err != nil {
		t.Fatal(err)
	}
	wantError(r.T, r.modify(id, func(in *ec2.ModifyInstanceAttributeInput) { in.DisableApiStop = flag(true) }), "IncorrectInstanceState", badRequest, "")
}

// TestChangesShowAsLateAsStates.
func TestChangesShowAsLateAsStates(t *testing.T) {
	const lag = 3 * time.Second
	r := newRig(t, func(s *ec2sim.Settings) { s.StateLag = lag })
	id := r.mustRun()
	r.clock.Step(pendingDelay + lag)
	if err := r.modify(id, func(in *ec2.ModifyInstanceAttributeInput) { in.SourceDestCheck = flag(false) }); err != nil {
		t.Fatal(err)
	}
	if !*r.instance(id).SourceDestCheck {
		t.Error("the change shows at once")
	}
	r.clock.Step(lag)
	if *r.instance(id).SourceDestCheck {
		t.Error("the change does not show")
	}
}

func TestMetadataOptionsChangeOneByOne(t *testing.T) {
	r := newRig(t)
	id := r.runningInstance()
	before := *r.instance(id).MetadataOptions
	out, err := r.ec2.ModifyInstanceMetadataOptions(t.Context(), &ec2.ModifyInstanceMetadataOptionsInput{
		InstanceId: &id, HttpPutResponseHopLimit: aws.Int32(7),
	})
	if err != nil {
		t.Fatal(err)
	}
	if out.InstanceMetadataOptions.State != ec2types.InstanceMetadataOptionsStatePending {
		t.Errorf("the answer's state is %s", out.InstanceMetadataOptions.State)
	}
	after := *r.instance(id).MetadataOptions
	if *after.HttpPutResponseHopLimit != 7 || after.HttpTokens != before.HttpTokens || after.HttpEndpoint != before.HttpEndpoint {
		t.Errorf("the options are %+v, and were %+v", after, before)
	}
	for _, in := range []*ec2.ModifyInstanceMetadataOptionsInput{
		{InstanceId: &id, HttpPutResponseHopLimit: aws.Int32(65)}, {InstanceId: &id, HttpTokens: "perhaps"},
	} {
		_, err := r.ec2.ModifyInstanceMetadataOptions(t.Context(), in)
		wantError(r.T, err, "InvalidParameterValue", badRequest, "")
	}
	_, err = r.ec2.ModifyInstanceMetadataOptions(t.Context(), &ec2.ModifyInstanceMetadataOptionsInput{InstanceId: &id})
	wantError(r.T, err, "MissingParameter", badRequest, "")
}

func TestNetworkInterfaceAttributes(t *testing.T) {
	r := newRig(t)
	id := r.runningInstance()
	eni := r.instance(id).NetworkInterfaces[0].NetworkInterfaceId
	if _, err := r.ec2.ModifyNetworkInterfaceAttribute(t.Context(), &ec2.ModifyNetworkInterfaceAttributeInput{
		NetworkInterfaceId: eni, Groups: []string{ec2sim.SecurityGroupWeb},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ec2.ModifyNetworkInterfaceAttribute(t.Context(), &ec2.ModifyNetworkInterfaceAttributeInput{
		NetworkInterfaceId: eni, SourceDestCheck: flag(false),
	}); err != nil {
		t.Fatal(err)
	}
	shown := r.instance(id).NetworkInterfaces[0]
	if len(shown.Groups) != 1 || *shown.Groups[0].GroupId != ec2sim.SecurityGroupWeb || *shown.SourceDestCheck {
		t.Errorf("the interface has groups %v and check %v", shown.Groups, *shown.SourceDestCheck)
	}
	_, err := r.ec2.ModifyNetworkInterfaceAttribute(t.Context(), &ec2.ModifyNetworkInterfaceAttributeInput{
		NetworkInterfaceId: aws.String("eni-0123456789abcdef0"), SourceDestCheck: flag(false),
	})
	wantError(r.T, err, "InvalidNetworkInterfaceID.NotFound", badRequest, "")
}

func TestInstanceProfileAssociations(t *testing.T) {
	r := newRig(t)
	id := r.runningInstance()
	profile := func(name string) *ec2types.IamInstanceProfileSpecification {
		return &ec2types.IamInstanceProfileSpecification{Name: &name}
	}
	list := func() []ec2types.IamInstanceProfileAssociation {
		t.Helper()
		out, err := r.ec2.DescribeIamInstanceProfileAssociations(t.Context(), &ec2.DescribeIamInstanceProfileAssociationsInput{
			Filters: []ec2types.Filter{{Name: aws.String("instance-id"), Values: []string{id}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.IamInstanceProfileAssociations
	}
	if found := list(); len(found) != 0 {
		t.Fatalf("a new instance has %v", found)
	}
	made, err := r.ec2.AssociateIamInstanceProfile(t.Context(), &ec2.AssociateIamInstanceProfileInput{InstanceId: &id, IamInstanceProfile: profile(ec2sim.InstanceProfileName)})
	if err != nil {
		t.Fatal(err)
	}
	if made.IamInstanceProfileAssociation.State != ec2types.IamInstanceProfileAssociationStateAssociating {
		t.Errorf("the answer's state is %s", made.IamInstanceProfileAssociation.State)
	}
	_, err = r.ec2.AssociateIamInstanceProfile(t.Context(), &ec2.AssociateIamInstanceProfileInput{InstanceId: &id, IamInstanceProfile: profile(ec2sim.InstanceProfileName)})
	wantError(r.T, err, "IncorrectState", badRequest, "")
	found := list()
	if len(found) != 1 || found[0].State != ec2types.IamInstanceProfileAssociationStateAssociated || r.instance(id).IamInstanceProfile == nil {
		t.Fatalf("the associations are %v", found)
	}
	replaced, err := r.ec2.ReplaceIamInstanceProfileAssociation(t.Context(), &ec2.ReplaceIamInstanceProfileAssociationInput{
		AssociationId: found[0].AssociationId, IamInstanceProfile: profile(ec2sim.OtherInstanceProfileName),
	})
	if err != nil {
		t.Fatal(err)
	}
	renewed := replaced.IamInstanceProfileAssociation.AssociationId
	if *renewed == *found[0].AssociationId {
		t.Error("the association keeps its id")
	}
	if _, err := r.ec2.DisassociateIamInstanceProfile(t.Context(), &ec2.DisassociateIamInstanceProfileInput{AssociationId: renewed}); err != nil {
		t.Fatal(err)
	}
	if found := list(); len(found) != 0 || r.instance(id).IamInstanceProfile != nil {
		t.Errorf("the associations are %v", found)
	}
	_, err = r.ec2.DisassociateIamInstanceProfile(t.Context(), &ec2.DisassociateIamInstanceProfileInput{AssociationId: renewed})
	wantError(r.T, err, "InvalidAssociationID.NotFound", badRequest, "")
}

func TestMonitoringAndReboots(t *testing.T) {
	r := newRig(t)
	id := r.runningInstance()
	on, err := r.ec2.MonitorInstances(t.Context(), &ec2.MonitorInstancesInput{InstanceIds: []string{id}})
	if err != nil || on.InstanceMonitorings[0].Monitoring.State != ec2types.MonitoringStatePending {
		t.Fatalf("%+v (%v)", on, err)
	}
	if state := r.instance(id).Monitoring.State; state != ec2types.MonitoringStateEnabled {
		t.Errorf("monitoring is %s", state)
	}
	if _, err := r.ec2.UnmonitorInstances(t.Context(), &ec2.UnmonitorInstancesInput{InstanceIds: []string{id}}); err != nil {
		t.Fatal(err)
	}
	if state := r.instance(id).Monitoring.State; state != ec2types.MonitoringStateDisabled {
		t.Errorf("monitoring is %s", state)
	}
	if _, err := r.ec2.RebootInstances(t.Context(), &ec2.RebootInstancesInput{InstanceIds: []string{id}}); err != nil {
		t.Error(err)
	}
	_, err = r.ec2.RebootInstances(t.Context(), &ec2.RebootInstancesInput{InstanceIds: []string{r.stoppedInstance()}})
	wantError(r.T, err, "IncorrectInstanceState", badRequest, "")
	reboots := slices.DeleteFunc(r.sim.Instances(), func(i ec2sim.Instance) bool { return i.ID != id })[0].Reboots
	if len(reboots) != 1 {
		t.Errorf("the reboots are %v", reboots)
	}
}
