// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"
	"time"
)

// volume is an EBS volume. It comes with an instance, and outlives it unless it is deleted on termination.
type volume struct {
	id, device    string
	owner         *instance
	created       time.Time
	made          volumeSpec           // as it was at first
	modifications []volumeModification // the oldest first
}

// blockDevice is a device of an instance: the volume that a launch asks for and, after it, the volume that is attached.
type blockDevice struct {
	device              string
	deleteOnTermination bool
	made                volumeSpec
	volume              *volume
}

// volumeModification is one ModifyVolume, with all its moments decided at its beginning.
type volumeModification struct {
	from, to                       volumeSpec
	started, optimizing, completed time.Time
}

// States of a modification and of a volume.
const (
	volumeModifying  = "modifying"
	volumeOptimizing = "optimizing"
	volumeCompleted  = "completed"

	volumeInUse     = "in-use"
	volumeAvailable = "available"
)

func (m volumeModification) state(now time.Time) string {
	switch {
	case now.Before(m.optimizing):
		return volumeModifying
	case now.Before(m.completed):
		return volumeOptimizing
	}
	return volumeCompleted
}

// progress is how much of the modification is done, in percent.
func (m volumeModification) progress(now time.Time) int {
	if !now.Before(m.completed) {
		return 100
	}
	return int(100 * now.Sub(m.started) / m.completed.Sub(m.started))
}

// at is what the volume is like at a moment: what a modification asks for shows from when it is optimizing.
func (v *volume) at(now time.Time) volumeSpec {
	for _, m := range slices.Backward(v.modifications) {
		if !now.Before(m.optimizing) {
			return m.to
		}
	}
	return v.made
}

// attachment is the device of the instance that the volume came with.
func (v *volume) attachment(s launchSpec) blockDevice {
	found, _ := find(s.devices, func(d blockDevice) bool { return d.volume == v })
	return found
}

func (v *volume) deletedOnTermination() bool { return v.attachment(v.owner.spec).deleteOnTermination }

func (v *volume) status(now time.Time) string {
	if v.owner.ended(now) {
		return volumeAvailable
	}
	return volumeInUse
}

// shownVolume says whether a subsystem that lags behind launches by lag knows the volume.
func (c *call) shownVolume(v *volume, lag time.Duration) bool {
	return c.knows(c.region.resources[v.id], lag)
}

// volumesByID are the volumes with the ids. One that is not known fails them all.
func (c *call) volumesByID(ids []string, lag time.Duration) ([]*volume, error) {
	var found []*volume
	for _, id := range ids {
		if err := checkID("vol", id, codeInvalidVolumeIDMalformed); err != nil {
			return nil, err
		}
		v, ok := c.region.volumes[id]
		if !ok || !c.shownVolume(v, lag) {
			return nil, unknownResource(id)
		}
		found = append(found, v)
	}
	return found, nil
}

// volumesShown are those with the ids in VolumeId.N or, without any, all.
func (c *call) volumesShown() ([]*volume, error) {
	ids := c.params.List("VolumeId")
	if len(ids) > 0 {
		if c.params.Has("MaxResults") {
			return nil, fail(codeInvalidParameterCombination, "The parameter volumeSet cannot be used with the parameter maxResults")
		}
		slices.Sort(ids)
		return c.volumesByID(slices.Compact(ids), c.settings.DescribeByIDLag)
	}
	var shown []*volume
	for _, v := range c.region.volumes {
		if c.shownVolume(v, c.settings.DescribeListLag) {
			shown = append(shown, v)
		}
	}
	return shown, nil
}
