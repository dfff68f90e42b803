// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"cmp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// BlockDevice is a volume to launch with. The zero value of a member leaves the choice to the image, or else to EC2. Members
// that say yes or no are "true", "false" or "".
type BlockDevice struct {
	// DeviceName under which it is attached.
	DeviceName string
	// SizeGiB is its size in GiB.
	SizeGiB int32
	// Type of the volume, such as gp3.
	Type string
	// IOPS are I/O operations per second.
	IOPS int32
	// ThroughputMiBps is its throughput in MiB per second.
	ThroughputMiBps int32
	// Encrypted says whether the volume is encrypted.
	Encrypted string
	// KMSKeyID is the id, alias or ARN of the key that it is encrypted with.
	KMSKeyID string
	// SnapshotID is what it is made from.
	SnapshotID string
	// DeleteOnTermination says whether it goes with the instance.
	DeleteOnTermination string
	// NoDevice leaves the image's device of this name out; it excludes all else.
	NoDevice bool
}

// blockDevices are the devices of a spec, by their names.
func blockDevices(devices []ec2v1.BlockDevice) []BlockDevice {
	var launched []BlockDevice
	for _, b := range devices {
		launched = append(launched, BlockDevice{
			DeviceName:          b.DeviceName,
			SizeGiB:             b.SizeGiB,
			Type:                b.Type,
			IOPS:                b.IOPS,
			ThroughputMiBps:     b.ThroughputMiBps,
			Encrypted:           choice(b.Encrypted),
			KMSKeyID:            b.KMSKeyID,
			SnapshotID:          b.SnapshotID,
			DeleteOnTermination: choice(b.DeleteOnTermination),
			NoDevice:            b.NoDevice != nil && *b.NoDevice,
		})
	}
	return sortedDevices(launched)
}

func sortedDevices(devices []BlockDevice) []BlockDevice {
	return slices.SortedStableFunc(slices.Values(devices), func(a, b BlockDevice) int {
		return cmp.Compare(a.DeviceName, b.DeviceName)
	})
}

func blockDevicesInput(devices []BlockDevice) []ec2types.BlockDeviceMapping {
	var in []ec2types.BlockDeviceMapping
	for _, b := range sortedDevices(devices) {
		in = append(in, blockDeviceInput(b))
	}
	return in
}

func blockDeviceInput(b BlockDevice) ec2types.BlockDeviceMapping {
	in := ec2types.BlockDeviceMapping{DeviceName: aws.String(b.DeviceName)}
	if b.NoDevice {
		// Its presence is what counts: the value is to be empty.
		in.NoDevice = aws.String("")
		return in
	}
	in.Ebs = &ec2types.EbsBlockDevice{
		VolumeSize:          count(b.SizeGiB),
		VolumeType:          ec2types.VolumeType(b.Type),
		Iops:                count(b.IOPS),
		Throughput:          count(b.ThroughputMiBps),
		Encrypted:           chosen(b.Encrypted),
		KmsKeyId:            optional(b.KMSKeyID),
		SnapshotId:          optional(b.SnapshotID),
		DeleteOnTermination: chosen(b.DeleteOnTermination),
	}
	return in
}
