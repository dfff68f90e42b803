// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"cmp"
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
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

// VolumeModification is what became of a [VolumeChange].
type VolumeModification struct {
	// State is EC2's word.
	State VolumeModificationState
	// Message is EC2's text for it, why it failed.
	Message string
}

// VolumeModificationState is EC2's word for the state of a volume's modification.
// See https://docs.aws.amazon.com/ebs/latest/userguide/monitoring-volume-modifications.html.
type VolumeModificationState string

// The states of a volume's modification.
const (
	// VolumeModifying: under way; the volume is still as it was.
	VolumeModifying VolumeModificationState = "modifying"
	// VolumeOptimizing: the volume is what was asked for, and not yet as fast. The next change has to wait.
	VolumeOptimizing VolumeModificationState = "optimizing"
	// VolumeCompleted: over and done.
	VolumeCompleted VolumeModificationState = "completed"
	// VolumeFailed: the volume is as it was.
	VolumeFailed VolumeModificationState = "failed"
)

const (
	opDescribeVolumes       = "DescribeVolumes"
	opDescribeModifications = "DescribeVolumesModifications"
)

// Volumes implements [Session].
func (s *session) Volumes(ctx context.Context, ids []string) ([]VolumeDetail, error) {
	var found []VolumeDetail
	err := eachBatch(ctx, opDescribeVolumes, "volume-id", ids, func(ctx context.Context, p listing) (*string, error) {
		out, err := call(ctx, opDescribeVolumes, readTimeout, func(ctx context.Context) (*ec2.DescribeVolumesOutput, error) {
			return s.ec2.DescribeVolumes(ctx, &ec2.DescribeVolumesInput{Filters: p.filters, MaxResults: p.size, NextToken: p.token})
		})
		if err != nil {
			return nil, err
		}
		for _, v := range out.Volumes {
			found = append(found, volumeDetail(v))
		}
		return out.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b VolumeDetail) int { return cmp.Compare(a.ID, b.ID) })
	return found, nil
}

// VolumeModifications implements [Session].
func (s *session) VolumeModifications(ctx context.Context, ids []string) (map[string]VolumeModification, error) {
	latest := map[string]ec2types.VolumeModification{}
	err := eachBatch(ctx, opDescribeModifications, "volume-id", ids, func(ctx context.Context, p listing) (*string, error) {
		out, err := call(ctx, opDescribeModifications, readTimeout, func(ctx context.Context) (*ec2.DescribeVolumesModificationsOutput, error) {
			return s.ec2.DescribeVolumesModifications(ctx,
				&ec2.DescribeVolumesModificationsInput{Filters: p.filters, MaxResults: p.size, NextToken: p.token})
		})
		if err != nil {
			return nil, err
		}
		keepLatest(latest, out.VolumesModifications)
		return out.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	modifications := make(map[string]VolumeModification, len(latest))
	for id, m := range latest {
		modifications[id] = VolumeModification{VolumeModificationState(m.ModificationState), aws.ToString(m.StatusMessage)}
	}
	return modifications, nil
}

// keepLatest takes in modifications; of several of one volume that which began last stays. EC2 promises the most recent one only.
func keepLatest(latest map[string]ec2types.VolumeModification, more []ec2types.VolumeModification) {
	for _, m := range more {
		id := aws.ToString(m.VolumeId)
		if other, ok := latest[id]; !ok || aws.ToTime(m.StartTime).After(aws.ToTime(other.StartTime)) {
			latest[id] = m
		}
	}
}
