// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"cmp"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// A volume can be modified so many times within this period (API reference, ModifyVolume).
const (
	maxModifications    = 4
	modificationsPeriod = 24 * time.Hour
)

type modifyVolumeResponse struct {
	wire.Head
	Modification xmlVolumeModification `xml:"volumeModification"`
}

// modifyVolume changes size, type and performance. A volume only grows.
func modifyVolume(c *call) (any, error) {
	id := c.params["VolumeId"]
	if id == "" {
		return nil, missingParameter("VolumeId")
	}
	found, err := c.volumesByID([]string{id}, c.settings.ActByIDLag)
	if err != nil {
		return nil, err
	}
	wanted, err := c.wantedVolume(found[0])
	if err != nil {
		return nil, err
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	v, s := found[0], &c.settings
	optimizing := c.now.Add(s.VolumeModifyingDelay)
	m := volumeModification{v.at(c.now), wanted, c.now, optimizing, optimizing.Add(s.VolumeOptimizingDelay)}
	v.modifications = append(v.modifications, m)
	return &modifyVolumeResponse{Modification: m.xml(v.id, c.now)}, nil
}

// wantedVolume is what the call makes of the volume, once that can be begun.
func (c *call) wantedVolume(v *volume) (volumeSpec, error) {
	asked, err := readVolumeSpec(c.params, "Size")
	now := v.at(c.now)
	switch {
	case err != nil:
		return asked, err
	case asked == volumeSpec{}:
		return asked, missingParameter("Size, VolumeType, Iops or Throughput")
	case asked.size != 0 && asked.size < now.size:
		return asked, fail(codeInvalidParameterValue, "New size cannot be smaller than existing size")
	}
	wanted := asked.over(now)
	if volumeTypes[wanted.kind].iops.most > 0 {
		wanted.iops = cmp.Or(wanted.iops, baselineIOPS)
	}
	if wanted, err = wanted.complete(); err != nil {
		return wanted, err
	}
	return wanted, v.modifiable(c.now)
}

// modifiable refuses a modification while another is under way, and more than EBS admits in its period.
func (v *volume) modifiable(now time.Time) error {
	recent := 0
	for _, m := range v.modifications {
		if state := m.state(now); state != volumeCompleted {
			return fail(codeIncorrectModificationState, "Cannot modify volume '%s' in modification state '%s'.", v.id, state)
		}
		if now.Sub(m.started) < modificationsPeriod {
			recent++
		}
	}
	if recent < maxModifications {
		return nil
	}
	next := v.modifications[len(v.modifications)-maxModifications].started.Add(modificationsPeriod)
	return fail(codeVolumeModificationRateExceeded,
		"You've reached the maximum modification rate per volume limit. The next modification of '%s' is possible at %s.", v.id, wire.Timestamp(next))
}
