// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"cmp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

func volumes(mappings []ec2types.InstanceBlockDeviceMapping) []Volume {
	var converted []Volume
	for _, m := range mappings {
		if m.Ebs == nil {
			continue
		}
		converted = append(converted, Volume{
			DeviceName:          aws.ToString(m.DeviceName),
			ID:                  aws.ToString(m.Ebs.VolumeId),
			DeleteOnTermination: aws.ToBool(m.Ebs.DeleteOnTermination),
		})
	}
	slices.SortFunc(converted, func(a, b Volume) int {
		return cmp.Or(cmp.Compare(a.DeviceName, b.DeviceName), cmp.Compare(a.ID, b.ID))
	})
	return converted
}

func volumeDetail(v ec2types.Volume) VolumeDetail {
	return VolumeDetail{
		ID:              aws.ToString(v.VolumeId),
		SizeGiB:         aws.ToInt32(v.Size),
		Type:            string(v.VolumeType),
		IOPS:            aws.ToInt32(v.Iops),
		ThroughputMiBps: aws.ToInt32(v.Throughput),
		Encrypted:       aws.ToBool(v.Encrypted),
		KMSKeyID:        aws.ToString(v.KmsKeyId),
		SnapshotID:      aws.ToString(v.SnapshotId),
		State:           string(v.State),
		Tags:            tagMap(v.Tags),
	}
}
