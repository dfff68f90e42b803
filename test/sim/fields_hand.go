// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsec2 "github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// hand is somebody with EC2's console, at one instance.
type hand struct {
	*awsec2.Client

	id string
}

// done drops the answer of a call.
func done[T any](_ T, err error) error { return err }

// attribute changes an attribute by the one call for most of them.
func attribute(set func(*awsec2.ModifyInstanceAttributeInput)) func(context.Context, hand) error {
	return func(ctx context.Context, h hand) error {
		in := &awsec2.ModifyInstanceAttributeInput{InstanceId: &h.id}
		set(in)
		return done(h.ModifyInstanceAttribute(ctx, in))
	}
}

func flagValue(on bool) *ec2types.AttributeBooleanValue {
	return &ec2types.AttributeBooleanValue{Value: &on}
}

func textValue(text string) *ec2types.AttributeValue { return &ec2types.AttributeValue{Value: &text} }

func start(ctx context.Context, h hand) error {
	return done(h.StartInstances(ctx, &awsec2.StartInstancesInput{InstanceIds: []string{h.id}}))
}

func stop(ctx context.Context, h hand) error {
	return done(h.StopInstances(ctx, &awsec2.StopInstancesInput{InstanceIds: []string{h.id}}))
}

func setGroups(ids ...string) func(context.Context, hand) error {
	return attribute(func(in *awsec2.ModifyInstanceAttributeInput) { in.Groups = ids })
}

func setHops(ctx context.Context, h hand) error {
	return done(h.ModifyInstanceMetadataOptions(ctx, &awsec2.ModifyInstanceMetadataOptionsInput{InstanceId: &h.id, HttpPutResponseHopLimit: aws.Int32(5)}))
}

func takeProfile(ctx context.Context, h hand) error {
	filter := []ec2types.Filter{{Name: aws.String("instance-id"), Values: []string{h.id}}}
	found, err := h.DescribeIamInstanceProfileAssociations(ctx, &awsec2.DescribeIamInstanceProfileAssociationsInput{Filters: filter})
	if err != nil {
		return err
	}
	for _, a := range found.IamInstanceProfileAssociations {
		err := done(h.DisassociateIamInstanceProfile(ctx, &awsec2.DisassociateIamInstanceProfileInput{AssociationId: a.AssociationId}))
		if err != nil {
			return err
		}
	}
	return nil
}

func setTerminationProtection(on bool) func(context.Context, hand) error {
	return attribute(func(in *awsec2.ModifyInstanceAttributeInput) { in.DisableApiTermination = flagValue(on) })
}

func setStopProtection(on bool) func(context.Context, hand) error {
	return attribute(func(in *awsec2.ModifyInstanceAttributeInput) { in.DisableApiStop = flagValue(on) })
}

func setShutdownBehavior(behavior string) func(context.Context, hand) error {
	return attribute(func(in *awsec2.ModifyInstanceAttributeInput) {
		in.InstanceInitiatedShutdownBehavior = textValue(behavior)
	})
}

func setSourceDestCheck(on bool) func(context.Context, hand) error {
	return attribute(func(in *awsec2.ModifyInstanceAttributeInput) { in.SourceDestCheck = flagValue(on) })
}

func monitor(ctx context.Context, h hand) error {
	return done(h.MonitorInstances(ctx, &awsec2.MonitorInstancesInput{InstanceIds: []string{h.id}}))
}

func disableRecovery(ctx context.Context, h hand) error {
	in := &awsec2.ModifyInstanceMaintenanceOptionsInput{InstanceId: &h.id, AutoRecovery: ec2types.InstanceAutoRecoveryStateDisabled}
	return done(h.ModifyInstanceMaintenanceOptions(ctx, in))
}

func setCredits(option string) func(context.Context, hand) error {
	return func(ctx context.Context, h hand) error {
		in := &awsec2.ModifyInstanceCreditSpecificationInput{
			InstanceCreditSpecifications: []ec2types.InstanceCreditSpecificationRequest{{InstanceId: &h.id, CpuCredits: &option}},
		}
		return done(h.ModifyInstanceCreditSpecification(ctx, in))
	}
}

func setTag(key, value string) func(context.Context, hand) error {
	return func(ctx context.Context, h hand) error {
		return done(h.CreateTags(ctx, &awsec2.CreateTagsInput{Resources: []string{h.id}, Tags: []ec2types.Tag{{Key: &key, Value: &value}}}))
	}
}

func answerByName(ctx context.Context, h hand) error {
	return done(h.ModifyPrivateDnsNameOptions(ctx, &awsec2.ModifyPrivateDnsNameOptionsInput{InstanceId: &h.id, EnableResourceNameDnsARecord: aws.Bool(true)}))
}

func nameByID(ctx context.Context, h hand) error {
	in := &awsec2.ModifyPrivateDnsNameOptionsInput{InstanceId: &h.id, PrivateDnsHostnameType: ec2types.HostnameTypeResourceName}
	return done(h.ModifyPrivateDnsNameOptions(ctx, in))
}

// volume is the id of the volume at a device.
func (h hand) volume(ctx context.Context, device string) (string, error) {
	found, err := h.DescribeInstances(ctx, &awsec2.DescribeInstancesInput{InstanceIds: []string{h.id}})
	if err != nil {
		return "", err
	}
	for _, r := range found.Reservations {
		mappings := r.Instances[0].BlockDeviceMappings
		at := slices.IndexFunc(mappings, func(m ec2types.InstanceBlockDeviceMapping) bool { return aws.ToString(m.DeviceName) == device })
		if at >= 0 {
			return aws.ToString(mappings[at].Ebs.VolumeId), nil
		}
	}
	return "", fmt.Errorf("instance %s has no device %s", h.id, device)
}

// changeVolume changes what is not zero.
func changeVolume(device string, sizeGiB, iops int32) func(context.Context, hand) error {
	return func(ctx context.Context, h hand) error {
		id, err := h.volume(ctx, device)
		if err != nil {
			return err
		}
		in := &awsec2.ModifyVolumeInput{VolumeId: &id}
		if sizeGiB != 0 {
			in.Size = &sizeGiB
		}
		if iops != 0 {
			in.Iops = &iops
		}
		return done(h.ModifyVolume(ctx, in))
	}
}

func keepVolume(device string) func(context.Context, hand) error {
	return attribute(func(in *awsec2.ModifyInstanceAttributeInput) {
		in.BlockDeviceMappings = []ec2types.InstanceBlockDeviceMappingSpecification{
			{DeviceName: &device, Ebs: &ec2types.EbsInstanceBlockDeviceSpecification{DeleteOnTermination: aws.Bool(false)}},
		}
	})
}
