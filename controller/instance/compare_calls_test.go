// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// twoInterfaces are shown in no order.
func twoInterfaces(i *cloud.Instance) {
	i.SecurityGroupIDs = []string{groupA}
	i.NetworkInterfaces = []cloud.NetworkInterface{
		{ID: "eni-0000000b", DeviceIndex: 1, SecurityGroupIDs: []string{groupB}, SourceDestCheck: true},
		{ID: "eni-0000000a", DeviceIndex: 0, SecurityGroupIDs: []string{groupA}, SourceDestCheck: true},
	}
}

// What a call holds is what spec says of the member that differs, and nothing else.
func TestCallsHoldWhatDiffers(t *testing.T) {
	inPlace := func(field string, modification cloud.Modification, row compared) compared {
		row.field, row.modification = field, modification
		row.action, row.state, row.allow = ec2v1.PlanActionInPlace, ec2v1.PlanStatePending, ec2v1.UpdateReplace
		return row
	}
	metadata := func(o ec2v1.MetadataOptions) ec2v1.EC2InstanceSpec { return ec2v1.EC2InstanceSpec{MetadataOptions: o} }
	hasMetadata := func(i *cloud.Instance) {
		i.MetadataOptions = cloud.MetadataOptions{
			HTTPTokens: "required", HTTPEndpoint: "enabled", HTTPProtocolIPv6: "disabled", HTTPPutResponseHopLimit: 1, InstanceMetadataTags: "disabled",
		}
	}
	changes := func(o cloud.MetadataOptions) cloud.Modification { return cloud.InstanceMetadata{MetadataOptions: o} }
	profile := func(p ec2v1.IAMInstanceProfile) ec2v1.EC2InstanceSpec {
		return ec2v1.EC2InstanceSpec{IAMInstanceProfile: &p}
	}
	const otherARN = "arn:aws:iam::123456789012:instance-profile/other"
	hasProfile := func(state cloud.State) func(*cloud.Instance) {
		return func(i *cloud.Instance) { i.IAMInstanceProfileARN, i.State = profileARN, state }
	}
	eth := func(index int32, n ec2v1.NetworkInterface) ec2v1.EC2InstanceSpec {
		n.DeviceIndex = &index
		return ec2v1.EC2InstanceSpec{NetworkInterfaces: []ec2v1.NetworkInterface{n}}
	}
	monitored := func(state string) func(*cloud.Instance) { return func(i *cloud.Instance) { i.Monitoring = state } }
	on, off := ec2v1.EC2InstanceSpec{Monitoring: new(true)}, ec2v1.EC2InstanceSpec{Monitoring: new(false)}
	both := []cloud.VolumeDetail{{ID: "vol-a", SizeGiB: 8}, {ID: "vol-b", SizeGiB: 8}}
	grown := devicesOf(ec2v1.BlockDevice{DeviceName: "/dev/gone", SizeGiB: 9}, ec2v1.BlockDevice{DeviceName: "/dev/b", SizeGiB: 9}, ec2v1.BlockDevice{DeviceName: "/dev/a", SizeGiB: 9})
	compareAll(t, []compared{
		inPlace("metadataOptions", changes(cloud.MetadataOptions{HTTPEndpoint: "disabled"}), compared{name: "endpoint", spec: metadata(ec2v1.MetadataOptions{HTTPEndpoint: "disabled", HTTPTokens: "required"}), instance: hasMetadata}),
		inPlace("metadataOptions", changes(cloud.MetadataOptions{HTTPProtocolIPv6: "enabled"}), compared{name: "protocol", spec: metadata(ec2v1.MetadataOptions{HTTPProtocolIPv6: "enabled"}), instance: hasMetadata}),
		inPlace("metadataOptions", changes(cloud.MetadataOptions{InstanceMetadataTags: "enabled"}), compared{name: "tags", spec: metadata(ec2v1.MetadataOptions{InstanceMetadataTags: "enabled"}), instance: hasMetadata}),
		inPlace("metadataOptions", changes(cloud.MetadataOptions{HTTPTokens: "optional", HTTPPutResponseHopLimit: 2}), compared{
			name: "tokens and hops", spec: metadata(ec2v1.MetadataOptions{HTTPTokens: "optional", HTTPPutResponseHopLimit: new(int32(2))}), instance: hasMetadata,
		}),

		inPlace("iamInstanceProfile", cloud.InstanceProfile{ARN: otherARN, Running: true}, compared{name: "a profile by its ARN", spec: profile(ec2v1.IAMInstanceProfile{ARN: otherARN}), instance: hasProfile(cloud.StateRunning)}),
		inPlace("iamInstanceProfile", cloud.InstanceProfile{Name: "other"}, compared{name: "while it is stopped", spec: profile(ec2v1.IAMInstanceProfile{Name: "other"}), instance: hasProfile(cloud.StateStopped)}),
		{name: "the same profile by its ARN", spec: profile(ec2v1.IAMInstanceProfile{ARN: profileARN}), instance: hasProfile(cloud.StateRunning), allow: ec2v1.UpdateReplace},
		inPlace("iamInstanceProfile", cloud.InstanceProfile{Name: "eb", Running: true}, compared{name: "the end of another name", spec: profile(ec2v1.IAMInstanceProfile{Name: "eb"}), instance: hasProfile(cloud.StateRunning)}),

		inPlace("monitoring", cloud.Monitoring{On: true}, compared{name: "on", spec: on, instance: monitored("disabled")}),
		{name: "it is about to be on", spec: on, instance: monitored("pending"), allow: ec2v1.UpdateReplace},
		inPlace("monitoring", cloud.Monitoring{On: false}, compared{name: "off", spec: off, instance: monitored("pending")}),
		{name: "it is about to be off", spec: off, instance: monitored("disabling"), allow: ec2v1.UpdateReplace},

		inPlace(fieldGroups, cloud.NewSecurityGroups("eni-0000000a", []string{groupA, groupC}), compared{
			name: "groups of the first interface, shown second", spec: ec2v1.EC2InstanceSpec{SecurityGroupIDs: []string{groupA, groupC}}, instance: twoInterfaces,
		}),
		inPlace("sourceDestCheck", cloud.SourceDestCheck{InterfaceID: "eni-0000000a"}, compared{
			name: "the check of the first interface, shown second", spec: ec2v1.EC2InstanceSpec{SourceDestCheck: new(false)}, instance: twoInterfaces,
		}),
		inPlace(fieldInterfaces, cloud.NewSecurityGroups("eni-0000000b", []string{groupB, groupC}), compared{
			name: "groups of the second interface", launched: eth(1, ec2v1.NetworkInterface{}), spec: eth(1, ec2v1.NetworkInterface{SecurityGroupIDs: []string{groupB, groupC}}), instance: twoInterfaces,
		}),
		inPlace(fieldInterfaces, cloud.SourceDestCheck{InterfaceID: "eni-0000000b"}, compared{
			name: "the check of the second interface", launched: eth(1, ec2v1.NetworkInterface{}), spec: eth(1, ec2v1.NetworkInterface{SourceDestCheck: new(false)}), instance: twoInterfaces,
		}),

		inPlace(fieldDevices, cloud.VolumeChange{VolumeID: "vol-b", SizeGiB: 9}, compared{
			name: "two volumes grow, in spec's order, past one that is detached", launched: grown, spec: grown, volumes: both,
		}),
		{
			name: "a volume that was not read yet", launched: grown, spec: grown, allow: ec2v1.UpdateReplace,
			instance: func(i *cloud.Instance) { i.Volumes = []cloud.Volume{{DeviceName: "/dev/b", ID: "vol-b"}} },
		},
		{
			name: "Spot is asked for, and it is On-Demand", launched: marketOf(""), spec: marketOf(""), allow: ec2v1.UpdateReplace,
			field: fieldMarket, action: ec2v1.PlanActionReplace, state: ec2v1.PlanStatePending,
		},
	})
}
