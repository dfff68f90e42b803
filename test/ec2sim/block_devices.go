// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"cmp"
	"slices"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// deviceRequest is one BlockDeviceMapping of a launch.
type deviceRequest struct {
	blockDevice
	none bool // NoDevice: what the image maps there is left out
}

var ebsMembers = []string{"DeleteOnTermination", "Encrypted", "Iops", "KmsKeyId", "SnapshotId", "Throughput", "VolumeSize", "VolumeType"}

func (r *runRequest) readDevices(params wire.Params) error {
	for _, mapping := range params.Structs("BlockDeviceMapping") {
		d, err := readDevice(mapping)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(r.devices, func(other deviceRequest) bool { return other.device == d.device }) {
			return fail(codeInvalidBlockDeviceMapping, "The device '%s' is used in more than one block-device mapping.", d.device)
		}
		r.devices = append(r.devices, d)
	}
	return nil
}

func readDevice(mapping wire.Params) (deviceRequest, error) {
	_, none := mapping["NoDevice"]
	d := deviceRequest{blockDevice{device: mapping["DeviceName"], deleteOnTermination: true}, none}
	switch {
	case d.device == "":
		return d, missingParameter("BlockDeviceMapping.DeviceName")
	case none && mapping.Has("Ebs"):
		return d, fail(codeInvalidBlockDeviceMapping, "The mapping of '%s' gives both NoDevice and Ebs.", d.device)
	case none:
		return d, nil
	case !mapping.Has("Ebs"):
		return d, notModelled("BlockDeviceMapping without Ebs")
	}
	ebs := mapping.Struct("Ebs")
	for _, name := range ebs.Roots() {
		if !slices.Contains(ebsMembers, name) {
			return d, notModelled("BlockDeviceMapping.Ebs." + name)
		}
	}
	var err error
	if d.made, err = readVolumeSpec(ebs, "VolumeSize"); err != nil {
		return d, err
	}
	if ebs.Has("DeleteOnTermination") {
		d.deleteOnTermination, err = ebs.Bool("DeleteOnTermination")
	}
	return d, err
}

// resolveDevices are the root device, as the image has it where the request says nothing, and those that the request adds.
func (r *region) resolveDevices(requests []deviceRequest, image Image) ([]blockDevice, error) {
	root := blockDevice{device: image.RootDeviceName, deleteOnTermination: true, made: image.rootVolume()}
	var others []blockDevice
	for _, request := range requests {
		switch {
		case request.none && request.device == root.device:
			return nil, fail(codeInvalidBlockDeviceMapping, "The root device '%s' cannot be left out.", root.device)
		case request.none:
		case request.device == root.device:
			root.deleteOnTermination, root.made = request.deleteOnTermination, request.made.over(image.rootVolume())
		default:
			request.made.kind = cmp.Or(request.made.kind, volumeGP2) // EC2's default is not that of its console
			others = append(others, request.blockDevice)
		}
	}
	devices := append([]blockDevice{root}, others...)
	for n := range devices {
		var err error
		if devices[n].made, err = r.resolveVolume(devices[n].made, image); err != nil {
			return nil, err
		}
	}
	return devices, nil
}

// resolveVolume fills in what comes from the snapshot, the account and the type.
func (r *region) resolveVolume(s volumeSpec, image Image) (volumeSpec, error) {
	least := 0
	switch snapshot, ok := r.world.snapshot(s.snapshotID); {
	case ok:
		least, s.encrypted = snapshot.SizeGiB, s.encrypted || snapshot.Encrypted
	case s.snapshotID != "" && s.snapshotID == image.RootSnapshotID:
		least = image.rootVolume().size
	case s.snapshotID != "":
		return s, fail(codeInvalidSnapshotNotFound, "The snapshot '%s' does not exist.", s.snapshotID)
	case s.size == 0:
		return s, missingParameter("size/snapshot")
	}
	s.size = cmp.Or(s.size, least)
	if s.size < least {
		return s, fail(codeInvalidBlockDeviceMapping,
			"Volume of size %dGB is smaller than snapshot '%s', expect size >= %dGB", s.size, s.snapshotID, least)
	}
	if s.encrypted {
		s.kmsKeyID = r.keyARN(s.kmsKeyID)
	}
	return s.complete()
}

// rootVolume is the volume that the image maps to its root device.
func (i Image) rootVolume() volumeSpec {
	const size = 8
	return volumeSpec{size: cmp.Or(i.RootSizeGiB, size), kind: cmp.Or(i.RootVolumeType, volumeGP3), snapshotID: i.RootSnapshotID}
}

// attachVolumes makes the volumes of a launch. Each instance has devices of its own.
func (c *call) attachVolumes(i *instance) {
	i.spec.devices = slices.Clone(i.spec.devices)
	for n := range i.spec.devices {
		d := &i.spec.devices[n]
		d.volume = &volume{id: c.sim.ids.next("vol"), device: d.device, owner: i, created: c.now, made: d.made}
	}
}
