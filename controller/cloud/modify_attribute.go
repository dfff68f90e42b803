// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

const opModifyAttribute = "ModifyInstanceAttribute"

// InstanceType changes the type of a stopped instance.
type InstanceType struct {
	// Type is EC2's word, such as t3.micro.
	Type string
}

var _ Modification = InstanceType{}

// Action implements [Modification].
func (InstanceType) Action() string { return opModifyAttribute }

func (m InstanceType) send(ctx context.Context, s *session, id string) error {
	if m.Type == "" {
		return refuse(m.Action(), noChange)
	}
	return s.modifyAttribute(ctx, id, m, ec2.ModifyInstanceAttributeInput{InstanceType: textValue(m.Type)})
}

// EBSOptimized turns dedicated throughput to EBS volumes on or off, of a stopped instance.
type EBSOptimized struct {
	// On has the instance optimized.
	On bool
}

var _ Modification = EBSOptimized{}

// Action implements [Modification].
func (EBSOptimized) Action() string { return opModifyAttribute }

func (m EBSOptimized) send(ctx context.Context, s *session, id string) error {
	return s.modifyAttribute(ctx, id, m, ec2.ModifyInstanceAttributeInput{EbsOptimized: flagValue(m.On)})
}

// DisableAPITermination turns the protection from TerminateInstances on or off. Spot Instances have none.
type DisableAPITermination struct {
	// On has the instance protected.
	On bool
}

var _ Modification = DisableAPITermination{}

// Action implements [Modification].
func (DisableAPITermination) Action() string { return opModifyAttribute }

func (m DisableAPITermination) send(ctx context.Context, s *session, id string) error {
	return s.modifyAttribute(ctx, id, m, ec2.ModifyInstanceAttributeInput{DisableApiTermination: flagValue(m.On)})
}

// DisableAPIStop turns the protection from StopInstances, and from TerminateInstances too, on or off. Spot Instances have none.
type DisableAPIStop struct {
	// On has the instance protected.
	On bool
}

var _ Modification = DisableAPIStop{}

// Action implements [Modification].
func (DisableAPIStop) Action() string { return opModifyAttribute }

func (m DisableAPIStop) send(ctx context.Context, s *session, id string) error {
	return s.modifyAttribute(ctx, id, m, ec2.ModifyInstanceAttributeInput{DisableApiStop: flagValue(m.On)})
}

// ShutdownBehavior says what becomes of an instance that its own operating system shuts down.
type ShutdownBehavior struct {
	// Behavior is stop or terminate.
	Behavior string
}

var _ Modification = ShutdownBehavior{}

// Action implements [Modification].
func (ShutdownBehavior) Action() string { return opModifyAttribute }

func (m ShutdownBehavior) send(ctx context.Context, s *session, id string) error {
	if m.Behavior == "" {
		return refuse(m.Action(), noChange)
	}
	return s.modifyAttribute(ctx, id, m, ec2.ModifyInstanceAttributeInput{InstanceInitiatedShutdownBehavior: textValue(m.Behavior)})
}

// DeleteOnTermination says whether an attached volume goes with the instance.
type DeleteOnTermination struct {
	// DeviceName under which the volume is attached.
	DeviceName string
	// On has the volume deleted when the instance is terminated.
	On bool
}

var _ Modification = DeleteOnTermination{}

// Action implements [Modification].
func (DeleteOnTermination) Action() string { return opModifyAttribute }

func (m DeleteOnTermination) send(ctx context.Context, s *session, id string) error {
	if m.DeviceName == "" {
		return refuse(m.Action(), "the device name of an attached volume is needed")
	}
	return s.modifyAttribute(ctx, id, m, ec2.ModifyInstanceAttributeInput{
		BlockDeviceMappings: []ec2types.InstanceBlockDeviceMappingSpecification{{
			DeviceName: aws.String(m.DeviceName),
			Ebs:        &ec2types.EbsInstanceBlockDeviceSpecification{DeleteOnTermination: aws.Bool(m.On)},
		}},
	})
}

// modifyAttribute changes the one attribute of an instance that in holds.
func (s *session) modifyAttribute(ctx context.Context, id string, m Modification, in ec2.ModifyInstanceAttributeInput) error {
	in.InstanceId = aws.String(id)
	return accepted(ctx, m, func(ctx context.Context) (*ec2.ModifyInstanceAttributeOutput, error) {
		return s.ec2.ModifyInstanceAttribute(ctx, &in, once)
	})
}

func flagValue(on bool) *ec2types.AttributeBooleanValue {
	return &ec2types.AttributeBooleanValue{Value: aws.Bool(on)}
}

func textValue(text string) *ec2types.AttributeValue {
	return &ec2types.AttributeValue{Value: aws.String(text)}
}
