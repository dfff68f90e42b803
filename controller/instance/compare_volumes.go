// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"slices"
	"strconv"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

const (
	fieldDevices = "blockDevices"
	fieldCredits = "creditSpecification"
	// creditsStandard is what EC2 does not list.
	creditsStandard = "standard"
)

func compareCredits(s sight, r Reading) difference {
	return text(s.spec.CreditSpecification.CPUCredits, r.Value, cloud.Credits{CPUCredits: s.spec.CreditSpecification.CPUCredits})
}

// compareDevices compares the volumes by their device names: size, type and performance can be changed while they are attached, one
// call for each volume, and so can what becomes of them with the instance; all else is as launched.
func compareDevices(s sight, r Reading) difference {
	edited := s.edited(fieldDevices, func(part fixedPart) bool {
		return slices.ContainsFunc(s.current.Volumes, func(v cloud.Volume) bool { return v.DeviceName == part.entry })
	})
	var p, smaller parts
	for i := range s.spec.BlockDevices {
		want := &s.spec.BlockDevices[i]
		at := slices.IndexFunc(s.current.Volumes, func(v cloud.Volume) bool { return v.DeviceName == want.DeviceName })
		if at < 0 {
			continue // It may be detached by now; what is not there cannot be changed.
		}
		have := s.current.Volumes[at]
		if detail, ok := r.Volumes[have.ID]; ok {
			p.volume(want, detail)
			smaller.shrunk(want, detail)
		}
		if p.flag(want.DeviceName+".deleteOnTermination", want.DeleteOnTermination, strconv.FormatBool(have.DeleteOnTermination)) {
			p.next(cloud.DeleteOnTermination{DeviceName: want.DeviceName, On: on(want.DeleteOnTermination)})
		}
	}
	return edited.over(smaller.over(p.difference, ec2v1.PlanActionInPlace), ec2v1.PlanActionInPlace)
}

// shrunk compares what nothing can bring about: a volume cannot shrink (API reference, ModifyVolume).
func (p *parts) shrunk(want *ec2v1.BlockDevice, have cloud.VolumeDetail) {
	if want.SizeGiB < have.SizeGiB && p.number(want.DeviceName+".sizeGiB", want.SizeGiB, have.SizeGiB) {
		p.impossible = fmt.Sprintf("volume %s has %d GiB and cannot shrink: set sizeGiB of %s to that", have.ID, have.SizeGiB, want.DeviceName)
	}
}

// volume compares what can be changed of one volume.
func (p *parts) volume(want *ec2v1.BlockDevice, have cloud.VolumeDetail) {
	change := cloud.VolumeChange{VolumeID: have.ID}
	if want.SizeGiB > have.SizeGiB && p.number(want.DeviceName+".sizeGiB", want.SizeGiB, have.SizeGiB) {
		change.SizeGiB = want.SizeGiB
	}
	if p.text(want.DeviceName+".type", want.Type, have.Type) {
		change.Type = want.Type
	}
	// With another type EC2 sets the performance anew, unless it is told (API reference, ModifyVolume).
	if p.number(want.DeviceName+".iops", want.IOPS, have.IOPS) || change.Type != "" {
		change.IOPS = want.IOPS
	}
	if p.number(want.DeviceName+".throughputMiBps", want.ThroughputMiBps, have.ThroughputMiBps) || change.Type != "" {
		change.ThroughputMiBps = want.ThroughputMiBps
	}
	if change != (cloud.VolumeChange{VolumeID: have.ID}) {
		p.next(change)
	}
}
