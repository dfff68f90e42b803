// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"strconv"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

type volumesModificationsResponse struct {
	wire.Head
	Modifications []xmlVolumeModification `xml:"volumeModificationSet>item"`
	NextToken     string                  `xml:"nextToken,omitempty"`
}

type xmlVolumeModification struct {
	VolumeID           string `xml:"volumeId"`
	State              string `xml:"modificationState"`
	TargetSize         int    `xml:"targetSize"`
	TargetIOPS         int    `xml:"targetIops,omitempty"`
	TargetType         string `xml:"targetVolumeType"`
	TargetThroughput   int    `xml:"targetThroughput,omitempty"`
	OriginalSize       int    `xml:"originalSize"`
	OriginalIOPS       int    `xml:"originalIops,omitempty"`
	OriginalType       string `xml:"originalVolumeType"`
	OriginalThroughput int    `xml:"originalThroughput,omitempty"`
	Progress           int    `xml:"progress"`
	StartTime          string `xml:"startTime"`
	EndTime            string `xml:"endTime,omitempty"`
}

func (m volumeModification) xml(id string, now time.Time) xmlVolumeModification {
	out := xmlVolumeModification{
		VolumeID: id, State: m.state(now), Progress: m.progress(now), StartTime: wire.Timestamp(m.started),
		TargetSize: m.to.size, TargetIOPS: m.to.shownIOPS(), TargetType: m.to.kind, TargetThroughput: m.to.throughput,
		OriginalSize: m.from.size, OriginalIOPS: m.from.shownIOPS(), OriginalType: m.from.kind, OriginalThroughput: m.from.throughput,
	}
	if out.State == volumeCompleted {
		out.EndTime = wire.Timestamp(m.completed)
	}
	return out
}

// modificationFilters are the DescribeVolumesModifications filters with the values they look at.
var modificationFilters = map[string]func(xmlVolumeModification) string{
	"modification-state":   func(m xmlVolumeModification) string { return m.State },
	"original-size":        func(m xmlVolumeModification) string { return strconv.Itoa(m.OriginalSize) },
	"original-volume-type": func(m xmlVolumeModification) string { return m.OriginalType },
	"target-size":          func(m xmlVolumeModification) string { return strconv.Itoa(m.TargetSize) },
	"target-volume-type":   func(m xmlVolumeModification) string { return m.TargetType },
	"volume-id":            func(m xmlVolumeModification) string { return m.VolumeID },
}

// describeVolumesModifications gives the latest modification of each volume. An id of a volume that was never modified is
// an error.
func describeVolumesModifications(c *call) (any, error) {
	filters, p, err := c.readListing(func(name string) bool { return modificationFilters[name] != nil })
	if err != nil {
		return nil, err
	}
	volumes, err := c.volumesShown()
	if err != nil {
		return nil, err
	}
	var items []xmlVolumeModification
	for _, v := range volumes {
		if len(v.modifications) == 0 {
			if c.params.Has("VolumeId") {
				return nil, fail(codeInvalidVolumeModificationNotFound, "Modification for volume '%s' does not exist.", v.id)
			}
			continue
		}
		item := v.modifications[len(v.modifications)-1].xml(v.id, c.now)
		if matches(filters, func(name string) []string { return []string{modificationFilters[name](item)} }) {
			items = append(items, item)
		}
	}
	id := func(m xmlVolumeModification) string { return m.VolumeID }
	shown, next := paginate(c, p, items, id, id)
	return &volumesModificationsResponse{Modifications: shown, NextToken: next}, nil
}
