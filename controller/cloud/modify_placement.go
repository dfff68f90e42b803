// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// Place changes where a stopped instance runs from its next start. What is not set is not sent; AvailabilityZone cannot be changed
// and never is.
type Place struct {
	Placement
}

var _ Modification = Place{}

// Action implements [Modification].
func (Place) Action() string { return "ModifyInstancePlacement" }

func (m Place) send(ctx context.Context, s *session, id string) error {
	m.AvailabilityZone = ""
	if m == (Place{}) {
		return refuse(m.Action(), noChange)
	}
	return accepted(ctx, m, func(ctx context.Context) (*ec2.ModifyInstancePlacementOutput, error) {
		return s.ec2.ModifyInstancePlacement(ctx, &ec2.ModifyInstancePlacementInput{
			InstanceId:           aws.String(id),
			Tenancy:              ec2types.HostTenancy(m.Tenancy),
			GroupName:            optional(m.GroupName),
			GroupId:              optional(m.GroupID),
			PartitionNumber:      count(m.PartitionNumber),
			HostId:               optional(m.HostID),
			HostResourceGroupArn: optional(m.HostResourceGroupARN),
			Affinity:             ec2types.Affinity(m.Affinity),
		}, once)
	})
}

// Reservation changes which capacity reservation a stopped instance runs in from its next start.
type Reservation struct {
	CapacityReservation
}

var _ Modification = Reservation{}

// Action implements [Modification].
func (Reservation) Action() string { return "ModifyInstanceCapacityReservationAttributes" }

func (m Reservation) send(ctx context.Context, s *session, id string) error {
	if m == (Reservation{}) {
		return refuse(m.Action(), noChange)
	}
	return accepted(ctx, m, func(ctx context.Context) (*ec2.ModifyInstanceCapacityReservationAttributesOutput, error) {
		return s.ec2.ModifyInstanceCapacityReservationAttributes(ctx, &ec2.ModifyInstanceCapacityReservationAttributesInput{
			InstanceId: aws.String(id), CapacityReservationSpecification: capacityReservationInput(m.CapacityReservation),
		}, once)
	})
}
