// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// ended is what is told of a terminated instance: what is true of it for good. A terminated instance has no addresses, interfaces,
// groups and volumes, and EC2 takes its tags away, so that lists by tag show it no more: an operator that has seen less of its end than
// another one never would see the rest, and the two would tell something else for as long as EC2 knows the instance. Why it ended is
// kept once it is told, for the same reason.
func ended(known *ec2v1ac.EC2InstanceStatusApplyConfiguration, record *ec2v1.EC2InstanceStatus) *ec2v1ac.EC2InstanceStatusApplyConfiguration {
	out := &ec2v1ac.EC2InstanceStatusApplyConfiguration{
		InstanceID: known.InstanceID, ARN: known.ARN, State: known.State, StateReason: known.StateReason, ImageID: known.ImageID,
		InstanceType: known.InstanceType, AvailabilityZone: known.AvailabilityZone, LaunchTime: known.LaunchTime,
	}
	sameEnd := out.InstanceID != nil && record.InstanceID == *out.InstanceID && record.State == string(cloud.StateTerminated)
	if sameEnd && record.StateReason != nil {
		out.StateReason = recorded(record).StateReason
	}
	return out
}
