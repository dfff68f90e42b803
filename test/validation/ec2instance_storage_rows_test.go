// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"maps"
	"slices"
)

const (
	isDevice       = "must be a device name such as /dev/sdf or xvdb"
	isKey          = "must be a KMS key's id, alias or ARN: letters, digits and : / _ -"
	isSnapshot     = "must be a snapshot id: snap- and 8 to 17 hexadecimal digits"
	noDeviceAlone  = "spec.blockDevices[0]: must set nothing but deviceName beside noDevice"
	iopsType       = "spec.blockDevices[0].type: must be gp3, io1 or io2 with iops"
	iopsNeeded     = "spec.blockDevices[0].iops: must be set with type io1 and io2"
	throughputType = "spec.blockDevices[0].type: must be gp3 with throughputMiBps"
	keyEncrypted   = "spec.blockDevices[0].encrypted: must be true with kmsKeyID"
	neverShrinks   = "spec.blockDevices[0].sizeGiB: must not shrink, since EC2's volumes only grow: create another EC2Instance for a smaller one"
)

// devices is the list of block devices.
var devices = plainList(spec, "blockDevices")

// device is the patch of one block device, with one member set beside others.
func device(member string, others map[string]any) with {
	beyond := map[string]any{"deviceName": "/dev/xvda"}
	maps.Copy(beyond, others)
	return beside("blockDevices", true, beyond, member)
}

var instanceDevices = slices.Concat(
	devices.keyed("deviceName", "{sizeGiB: 1}"),
	devices.upTo(32, "{deviceName: /dev/sd%[1]d}"),
	spec.matching("blockDevices[0].deviceName", beside("blockDevices", true, nil, "deviceName"), isDevice, 32,
		[]string{"/dev/sda1", "xvdb", "/dev/xvdba", letters(32)}, []string{"/dev/", "/mnt/data", "C:", "/dev/SDA", "1a"}),
	spec.numberIn("blockDevices[0].sizeGiB", device("sizeGiB", nil), 1, 65536),
	spec.wordsIn("blockDevices[0].type", deviceType, "gp2", "gp3", "io1", "io2", "st1", "sc1", "standard"),
	spec.numberIn("blockDevices[0].iops", device("iops", map[string]any{"type": "io2"}), 100, 256000),
	spec.numberIn("blockDevices[0].throughputMiBps", device("throughputMiBps", map[string]any{"type": "gp3"}), 125, 2000),
	spec.matching("blockDevices[0].kmsKeyID", device("kmsKeyID", map[string]any{"encrypted": true}), isKey, 2048,
		[]string{
			"1234abcd-12ab-34cd-56ef-1234567890ab", "alias/disk_1", "arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab", letters(2048),
		}, []string{"my key"}),
	spec.id("blockDevices[0].snapshotID", device("snapshotID", nil), "snap-", isSnapshot),
	[]row{
		spec.refuses("an empty list of block devices", devices.patch(`[]`), spec.tooFew("blockDevices", 1)),
		spec.accepts("a block device of which all is said", devices.patch(`[{deviceName: xvdb, sizeGiB: 20, type: gp3, iops: 4000, throughputMiBps: 250, encrypted: true, kmsKeyID: alias/a, snapshotID: snap-01234567, deleteOnTermination: false, noDevice: false}]`)),
		spec.accepts("a block device left out", device("noDevice", nil)(true)),
		spec.refuses("operations of no type", device("iops", nil)(3000), iopsType),
		spec.refuses("operations of a type that cannot", device("iops", map[string]any{"type": "gp2"})(3000), iopsType),
		spec.refuses("io1 without operations", device("type", nil)("io1"), iopsNeeded),
		spec.refuses("io2 without operations", device("type", nil)("io2"), iopsNeeded),
		spec.refuses("a throughput of no type", device("throughputMiBps", nil)(125), throughputType),
		spec.refuses("a throughput of a type that cannot", device("throughputMiBps", map[string]any{"type": "io2", "iops": 100})(125), throughputType),
		spec.refuses("a key of nothing encrypted", device("kmsKeyID", nil)("alias/a"), keyEncrypted),
		spec.refuses("a key of what is not encrypted", device("kmsKeyID", map[string]any{"encrypted": false})("alias/a"), keyEncrypted),
	},
	leftOut(),
)

// deviceType is the patch of a block device of a type.
func deviceType(value any) string {
	if value == "io1" || value == "io2" {
		return device("type", map[string]any{"iops": 3000})(value)
	}
	return device("type", nil)(value)
}

// leftOut are the rows of what a device that is left out excludes.
func leftOut() []row {
	var rows []row
	for member, value := range map[string]any{
		"sizeGiB": 1, "type": "gp3", "encrypted": true, "snapshotID": "snap-01234567", "deleteOnTermination": true,
	} {
		rows = append(rows, spec.refuses("a block device left out with "+member, device("noDevice", map[string]any{member: value})(true), noDeviceAlone))
	}
	return append(rows,
		spec.refuses("a block device left out with iops", device("noDevice", map[string]any{"iops": 3000})(true), iopsType, noDeviceAlone),
		spec.refuses("a block device left out with throughputMiBps", device("noDevice", map[string]any{"throughputMiBps": 125})(true), throughputType, noDeviceAlone),
		spec.refuses("a block device left out with kmsKeyID", device("noDevice", map[string]any{"kmsKeyID": "alias/a"})(true), keyEncrypted, noDeviceAlone),
	)
}

var deviceMoves = []move{
	{says: "a volume that grows", before: `{blockDevices: [{deviceName: xvdb, sizeGiB: 8}]}`, after: `{blockDevices: [{deviceName: xvdb, sizeGiB: 9}]}`},
	{says: "a volume of the same size", before: `{blockDevices: [{deviceName: xvdb, sizeGiB: 8}]}`, after: `{blockDevices: [{deviceName: xvdb, sizeGiB: 8, type: gp3}]}`},
	{says: "a volume that shrinks", before: `{blockDevices: [{deviceName: xvdb, sizeGiB: 8}]}`, after: `{blockDevices: [{deviceName: xvdb, sizeGiB: 7}]}`, refused: []string{neverShrinks}},
	{says: "a volume that shrinks and comes first", before: `{blockDevices: [{deviceName: a, sizeGiB: 1}, {deviceName: xvdb, sizeGiB: 8}]}`,
		after: `{blockDevices: [{deviceName: xvdb, sizeGiB: 7}, {deviceName: a, sizeGiB: 2}]}`, refused: []string{neverShrinks}},
	{says: "a volume's size taken away", before: `{blockDevices: [{deviceName: xvdb, sizeGiB: 8}]}`, after: `{blockDevices: [{deviceName: xvdb}]}`},
	{says: "a smaller volume in another place", before: `{blockDevices: [{deviceName: xvdb, sizeGiB: 8}]}`, after: `{blockDevices: [{deviceName: xvdc, sizeGiB: 7}]}`},
}
