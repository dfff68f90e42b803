// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// VolumeChange changes an attached EBS volume, while the instance runs or not. What is not set stays as it is. EC2 carries it out
// over minutes to hours, one change at a time and at most four within 24 hours.
// See https://docs.aws.amazon.com/ebs/latest/userguide/ebs-modify-volume.html.
type VolumeChange struct {
	// VolumeID is the volume.
	VolumeID string
	// SizeGiB is the size in GiB. It can only grow.
	SizeGiB int32
	// Type is the volume type, such as gp3.
	Type string
	// IOPS is the number of I/O operations per second, for gp3, io1 and io2.
	IOPS int32
	// ThroughputMiBps is the throughput in MiB/s, for gp3.
	ThroughputMiBps int32
}

var _ Modification = VolumeChange{}

// Action implements [Modification].
func (VolumeChange) Action() string { return "ModifyVolume" }

func (m VolumeChange) send(ctx context.Context, s *session, _ string) error {
	if m.VolumeID == "" {
		return refuse(m.Action(), "a volume id is needed")
	}
	if m == (VolumeChange{VolumeID: m.VolumeID}) {
		return refuse(m.Action(), noChange)
	}
	return accepted(ctx, m, func(ctx context.Context) (*ec2.ModifyVolumeOutput, error) {
		return s.ec2.ModifyVolume(ctx, &ec2.ModifyVolumeInput{
			VolumeId:   aws.String(m.VolumeID),
			Size:       count(m.SizeGiB),
			VolumeType: ec2types.VolumeType(m.Type),
			Iops:       count(m.IOPS),
			Throughput: count(m.ThroughputMiBps),
		}, once)
	})
}
