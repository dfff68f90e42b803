// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
)

// VolumeDetail is an EBS volume as EC2 shows it, attached or not. What EC2 does not tell is the zero value.
type VolumeDetail struct {
	// ID is EC2's id, vol- and hexadecimal digits.
	ID string
	// SizeGiB is the size in GiB.
	SizeGiB int32
	// Type is the volume type, such as gp3.
	Type string
	// IOPS is the number of I/O operations per second.
	IOPS int32
	// ThroughputMiBps is the throughput in MiB/s; EC2 tells that of gp3.
	ThroughputMiBps int32
	// Encrypted says that the volume is.
	Encrypted bool
	// KMSKeyID is the ARN of the key that it is encrypted with.
	KMSKeyID string
	// SnapshotID is the snapshot that it was made from.
	SnapshotID string
	// State is EC2's word: creating, available, in-use, deleting, deleted or error.
	State string
	// Tags by key.
	Tags map[string]string
}

const opDescribeVolumes = "DescribeVolumes"

// Volumes implements [Session].
func (s *session) Volumes(ctx context.Context, ids []string) (map[string]VolumeDetail, error) {
	return s.volumes.get(ctx, ids)
}

func (s *session) describeVolumes(ctx context.Context, ids []string) (map[string]VolumeDetail, error) {
	found := map[string]VolumeDetail{}
	err := eachBatch(ctx, opDescribeVolumes, "volume-id", ids, func(ctx context.Context, p listing) (*string, error) {
		out, err := call(ctx, opDescribeVolumes, readTimeout, func(ctx context.Context) (*ec2.DescribeVolumesOutput, error) {
			return s.ec2.DescribeVolumes(ctx, &ec2.DescribeVolumesInput{Filters: p.filters, MaxResults: p.size, NextToken: p.token})
		})
		if err != nil {
			return nil, err
		}
		for _, v := range out.Volumes {
			found[aws.ToString(v.VolumeId)] = volumeDetail(v)
		}
		return out.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
