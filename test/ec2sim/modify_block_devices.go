// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "slices"

// changeDevices sets what becomes of volumes at the end of the instance, which is all that can be changed of a mapping
// (API reference, ModifyInstanceAttribute).
func changeDevices(c *call, i *instance) (change, error) {
	wanted := slices.Clone(i.spec.devices)
	for _, mapping := range c.params.Structs("BlockDeviceMapping") {
		name := mapping["DeviceName"]
		for _, member := range mapping.Roots() {
			if member != "DeviceName" && member != "Ebs" {
				return nil, notModelled("BlockDeviceMapping." + member)
			}
		}
		at := slices.IndexFunc(wanted, func(d blockDevice) bool { return d.device == name })
		if at < 0 {
			return nil, fail(codeInvalidInstanceAttributeValue, "No device is currently mapped at %s", name)
		}
		if id := mapping["Ebs.VolumeId"]; id != "" && id != wanted[at].volume.id {
			return nil, fail(codeInvalidInstanceAttributeValue, "The volume '%s' is not mapped at %s", id, name)
		}
		if !mapping.Has("Ebs.DeleteOnTermination") {
			return nil, missingParameter("BlockDeviceMapping.Ebs.DeleteOnTermination")
		}
		var err error
		if wanted[at].deleteOnTermination, err = mapping.Bool("Ebs.DeleteOnTermination"); err != nil {
			return nil, err
		}
	}
	return func(s *launchSpec) { s.devices = wanted }, nil
}
