// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

func capacityReservationInput(o CapacityReservation) *ec2types.CapacityReservationSpecification {
	if o == (CapacityReservation{}) {
		return nil
	}
	in := &ec2types.CapacityReservationSpecification{
		CapacityReservationPreference: ec2types.CapacityReservationPreference(o.Preference),
	}
	if o.ID != "" || o.ResourceGroupARN != "" {
		in.CapacityReservationTarget = &ec2types.CapacityReservationTarget{
			CapacityReservationId:               optional(o.ID),
			CapacityReservationResourceGroupArn: optional(o.ResourceGroupARN),
		}
	}
	return in
}

// optional is nil for "", which is not sent.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// count is nil for 0, which is not sent.
func count(n int32) *int32 {
	if n == 0 {
		return nil
	}
	return &n
}

// chosen is nil for "", which is not sent.
func chosen(choice string) *bool {
	if choice == "" {
		return nil
	}
	return aws.Bool(choice == "true")
}

// choice is "" for nil.
func choice(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}
