// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"cmp"
	"strconv"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// volumeSpec is what a volume is like. In a request, zero values leave it to EC2.
type volumeSpec struct {
	size                 int // GiB
	kind                 string
	iops                 int
	throughput           int // MiB/s
	encrypted            bool
	kmsKeyID, snapshotID string
}

// Types of volumes that rules name.
const (
	volumeGP2 = "gp2"
	volumeGP3 = "gp3"
)

const (
	baselineIOPS       = 3000
	baselineThroughput = 125
)

// bounds are the least and the most that a number may be. No most means that it cannot be set.
type bounds struct{ least, most int }

// volumeType is what can be asked of a type of volume (API reference, EbsBlockDevice and ModifyVolume).
type volumeType struct {
	size, iops, throughput bounds
	// iopsPerGiB is the greatest ratio of IOPS to size (EBS User Guide, "Amazon EBS volume types").
	iopsPerGiB int
}

var volumeTypes = map[string]volumeType{
	volumeGP2:  {size: bounds{1, 16384}},
	volumeGP3:  {size: bounds{1, 65536}, iops: bounds{baselineIOPS, 80000}, throughput: bounds{baselineThroughput, 2000}, iopsPerGiB: 500},
	"io1":      {size: bounds{4, 16384}, iops: bounds{100, 64000}, iopsPerGiB: 50},
	"io2":      {size: bounds{4, 65536}, iops: bounds{100, 256000}, iopsPerGiB: 1000},
	"st1":      {size: bounds{125, 16384}},
	"sc1":      {size: bounds{125, 16384}},
	"standard": {size: bounds{1, 1024}},
}

// readVolumeSpec reads what is given. The size has another name in launches than in changes.
func readVolumeSpec(params wire.Params, size string) (volumeSpec, error) {
	s := volumeSpec{kind: params["VolumeType"], kmsKeyID: params["KmsKeyId"], snapshotID: params["SnapshotId"]}
	for name, target := range map[string]*int{size: &s.size, "Iops": &s.iops, "Throughput": &s.throughput} {
		number, given, err := params.Int(name)
		switch {
		case err != nil:
			return s, err
		case given && number < 1:
			return s, invalidValue(name, strconv.Itoa(number), "Expecting a value of at least 1.")
		}
		*target = number
	}
	var err error
	if s.encrypted, err = params.Bool("Encrypted"); err != nil {
		return s, err
	}
	if s.kmsKeyID != "" && !s.encrypted {
		return s, fail(codeInvalidParameterDependency, "The parameter KmsKeyId requires the parameter Encrypted to be set.")
	}
	return s, nil
}

// over are the properties of base with those of s that are set. IOPS and throughput do not outlive a change of the type (API
// reference, ModifyVolume).
func (s volumeSpec) over(base volumeSpec) volumeSpec {
	if s.kind != "" && s.kind != base.kind {
		base.kind, base.iops, base.throughput = s.kind, 0, 0
	}
	if s.size != 0 {
		base.size = s.size
	}
	known := volumeTypes[base.kind]
	base.iops = overIn(known.iops, s.iops, base.iops)
	base.throughput = overIn(known.throughput, s.throughput, base.throughput)
	base.encrypted = base.encrypted || s.encrypted
	if s.kmsKeyID != "" {
		base.kmsKeyID = s.kmsKeyID
	}
	if s.snapshotID != "" {
		base.snapshotID = s.snapshotID
	}
	return base
}

func overIn(b bounds, asked, base int) int {
	if asked != 0 || b.most == 0 {
		return asked
	}
	return base
}

// complete fills in the defaults of the type and refuses what it does not offer.
func (s volumeSpec) complete() (volumeSpec, error) {
	typ, ok := volumeTypes[s.kind]
	if !ok {
		return s, invalidValue("volumeType", s.kind, "Unknown parameter value.")
	}
	if s.kind == volumeGP3 {
		s.iops, s.throughput = cmp.Or(s.iops, baselineIOPS), cmp.Or(s.throughput, baselineThroughput)
	}
	if s.iops == 0 && typ.iops.most > 0 {
		return s, missingParameter("iops for " + s.kind + " volumes")
	}
	return s, s.check(typ)
}

// check refuses numbers that the type does not offer.
func (s volumeSpec) check(typ volumeType) error {
	for _, number := range []struct {
		name  string
		value int
		bounds
	}{{"size", s.size, typ.size}, {"iops", s.iops, typ.iops}, {"throughput", s.throughput, typ.throughput}} {
		switch {
		case number.most == 0 && number.value != 0:
			return fail(codeInvalidParameterCombination, "The parameter %s is not supported for %s volumes.", number.name, s.kind)
		case number.value < number.least:
			return fail(codeInvalidParameterValue, "Volume %s of %d is too low; minimum is %d.", number.name, number.value, number.least)
		case number.value > number.most:
			return fail(codeInvalidParameterValue, "Volume %s of %d is too high; maximum is %d.", number.name, number.value, number.most)
		}
	}
	if typ.iopsPerGiB > 0 && s.iops > max(typ.iopsPerGiB*s.size, typ.iops.least) {
		return fail(codeInvalidParameterCombination, "Iops to volume size ratio of %d is too high; maximum is %d", s.iops/s.size, typ.iopsPerGiB)
	}
	return nil
}

// shownIOPS are the IOPS that are reported: for gp2 those that come with its size (EBS User Guide), none for disks.
func (s volumeSpec) shownIOPS() int {
	const perGiB, least, most = 3, 100, 16000
	if s.kind == volumeGP2 {
		return min(max(perGiB*s.size, least), most)
	}
	return s.iops
}
