// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

type volumesResponse struct {
	wire.Head
	Volumes   []xmlVolume `xml:"volumeSet>item"`
	NextToken string      `xml:"nextToken,omitempty"`
}

type xmlVolume struct {
	ID               string                `xml:"volumeId"`
	Size             int                   `xml:"size"`
	SnapshotID       string                `xml:"snapshotId"`
	AvailabilityZone string                `xml:"availabilityZone"`
	Status           string                `xml:"status"`
	CreateTime       string                `xml:"createTime"`
	Attachments      []xmlVolumeAttachment `xml:"attachmentSet>item"`
	Tags             []xmlTag              `xml:"tagSet>item"`
	VolumeType       string                `xml:"volumeType"`
	IOPS             int                   `xml:"iops,omitempty"`
	Throughput       int                   `xml:"throughput,omitempty"`
	Encrypted        bool                  `xml:"encrypted"`
	KMSKeyID         string                `xml:"kmsKeyId,omitempty"`
	MultiAttach      bool                  `xml:"multiAttachEnabled"`
}

type xmlVolumeAttachment struct {
	VolumeID            string `xml:"volumeId"`
	InstanceID          string `xml:"instanceId"`
	Device              string `xml:"device"`
	Status              string `xml:"status"`
	AttachTime          string `xml:"attachTime"`
	DeleteOnTermination bool   `xml:"deleteOnTermination"`
}

// describeVolumes shows volumes as late as instances are shown.
func describeVolumes(c *call) (any, error) {
	filters, p, err := c.readListing(func(name string) bool { return volumeFilters[name] != nil || isTagFilter(name) })
	if err != nil {
		return nil, err
	}
	volumes, err := c.volumesShown()
	if err != nil {
		return nil, err
	}
	var items []xmlVolume
	for _, v := range volumes {
		if item := c.volumeXML(v); matches(filters, item.filterValues) {
			items = append(items, item)
		}
	}
	id := func(v xmlVolume) string { return v.ID }
	shown, next := paginate(c, p, items, id, id)
	return &volumesResponse{Volumes: shown, NextToken: next}, nil
}

func (c *call) volumeXML(v *volume) xmlVolume {
	at := c.now.Add(-c.settings.StateLag)
	now := v.at(at)
	out := xmlVolume{
		ID: v.id, Size: now.size, SnapshotID: now.snapshotID, AvailabilityZone: v.owner.zone.Name, Status: v.status(at),
		CreateTime: wire.Timestamp(v.created), VolumeType: now.kind, IOPS: now.shownIOPS(), Throughput: now.throughput,
		Encrypted: now.encrypted, KMSKeyID: now.kmsKeyID, Tags: tagsXML(c.resourceTags(c.region.resources[v.id])),
	}
	if out.Status == volumeInUse {
		out.Attachments = []xmlVolumeAttachment{{
			v.id, v.owner.id, v.device, "attached", wire.Timestamp(v.created), v.attachment(v.owner.specAt(at)).deleteOnTermination,
		}}
	}
	return out
}

// volumeFilters are the DescribeVolumes filters with the values they look at.
var volumeFilters = map[string]func(xmlVolume) []string{
	"attachment.delete-on-termination": func(v xmlVolume) []string {
		return v.attached(func(a xmlVolumeAttachment) string { return strconv.FormatBool(a.DeleteOnTermination) })
	},
	"attachment.device": func(v xmlVolume) []string { return v.attached(func(a xmlVolumeAttachment) string { return a.Device }) },
	"attachment.instance-id": func(v xmlVolume) []string {
		return v.attached(func(a xmlVolumeAttachment) string { return a.InstanceID })
	},
	"attachment.status": func(v xmlVolume) []string { return v.attached(func(a xmlVolumeAttachment) string { return a.Status }) },
	"availability-zone": func(v xmlVolume) []string { return []string{v.AvailabilityZone} },
	"encrypted":         func(v xmlVolume) []string { return []string{strconv.FormatBool(v.Encrypted)} },
	"size":              func(v xmlVolume) []string { return []string{strconv.Itoa(v.Size)} },
	"snapshot-id":       func(v xmlVolume) []string { return []string{v.SnapshotID} },
	"status":            func(v xmlVolume) []string { return []string{v.Status} },
	"tag-key":           func(v xmlVolume) []string { return slices.Collect(maps.Keys(v.tags())) },
	"volume-id":         func(v xmlVolume) []string { return []string{v.ID} },
	"volume-type":       func(v xmlVolume) []string { return []string{v.VolumeType} },
}

func (v xmlVolume) attached(text func(xmlVolumeAttachment) string) []string {
	var out []string
	for _, a := range v.Attachments {
		out = append(out, text(a))
	}
	return out
}

func (v xmlVolume) tags() map[string]string {
	out := map[string]string{}
	for _, t := range v.Tags {
		out[t.Key] = t.Value
	}
	return out
}

func (v xmlVolume) filterValues(name string) []string {
	if key, ok := strings.CutPrefix(name, tagFilterPrefix); ok {
		if value, has := v.tags()[key]; has {
			return []string{value}
		}
		return nil
	}
	return volumeFilters[name](v)
}
