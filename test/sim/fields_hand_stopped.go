// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsec2 "github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// What EC2 changes of a stopped instance only.

func setType(name string) func(context.Context, hand) error {
	return attribute(func(in *awsec2.ModifyInstanceAttributeInput) { in.InstanceType = textValue(name) })
}

func optimize(ctx context.Context, h hand) error {
	return attribute(func(in *awsec2.ModifyInstanceAttributeInput) { in.EbsOptimized = flagValue(true) })(ctx, h)
}

func setUserData(text string) func(context.Context, hand) error {
	return attribute(func(in *awsec2.ModifyInstanceAttributeInput) {
		in.UserData = &ec2types.SecureBlobAttributeValue{Value: []byte(text)}
	})
}

func setCores(count, threads int32) func(context.Context, hand) error {
	return func(ctx context.Context, h hand) error {
		in := &awsec2.ModifyInstanceCpuOptionsInput{InstanceId: &h.id, CoreCount: &count, ThreadsPerCore: &threads}
		return done(h.ModifyInstanceCpuOptions(ctx, in))
	}
}

func endNesting(ctx context.Context, h hand) error {
	in := &awsec2.ModifyInstanceCpuOptionsInput{InstanceId: &h.id, NestedVirtualization: ec2types.NestedVirtualizationSpecificationDisabled}
	return done(h.ModifyInstanceCpuOptions(ctx, in))
}

func setPartition(number int32) func(context.Context, hand) error {
	return func(ctx context.Context, h hand) error {
		return done(h.ModifyInstancePlacement(ctx, &awsec2.ModifyInstancePlacementInput{InstanceId: &h.id, PartitionNumber: &number}))
	}
}

func looseAffinity(ctx context.Context, h hand) error {
	return done(h.ModifyInstancePlacement(ctx, &awsec2.ModifyInstancePlacementInput{InstanceId: &h.id, Affinity: ec2types.AffinityDefault}))
}

func reserveNothing(ctx context.Context, h hand) error {
	return done(h.ModifyInstanceCapacityReservationAttributes(ctx, &awsec2.ModifyInstanceCapacityReservationAttributesInput{
		InstanceId: &h.id, CapacityReservationSpecification: &ec2types.CapacityReservationSpecification{
			CapacityReservationPreference: ec2types.CapacityReservationPreferenceNone,
		},
	}))
}

func allowEnclaves(ctx context.Context, h hand) error {
	return attribute(func(in *awsec2.ModifyInstanceAttributeInput) {
		in.EnclaveOptions = &ec2types.EnclaveOptionsRequest{Enabled: aws.Bool(true)}
	})(ctx, h)
}
