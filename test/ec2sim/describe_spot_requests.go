// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

type spotRequestsResponse struct {
	wire.Head
	Requests  []xmlSpotRequest `xml:"spotInstanceRequestSet>item"`
	NextToken string           `xml:"nextToken,omitempty"`
}

type xmlSpotRequest struct {
	ID           string        `xml:"spotInstanceRequestId"`
	MaxPrice     string        `xml:"spotPrice,omitempty"`
	Type         string        `xml:"type"`
	State        string        `xml:"state"`
	Status       xmlSpotStatus `xml:"status"`
	ValidUntil   string        `xml:"validUntil,omitempty"`
	InstanceID   string        `xml:"instanceId"`
	CreateTime   string        `xml:"createTime"`
	Product      string        `xml:"productDescription"`
	Tags         []xmlTag      `xml:"tagSet>item"`
	LaunchedZone string        `xml:"launchedAvailabilityZone"`
	Behavior     string        `xml:"instanceInterruptionBehavior"`

	tags map[string]string
}

type xmlSpotStatus struct {
	Code       string `xml:"code"`
	UpdateTime string `xml:"updateTime"`
	Message    string `xml:"message"`
}

// spotFilters are the DescribeSpotInstanceRequests filters with the values they look at.
var spotFilters = map[string]func(xmlSpotRequest) []string{
	"instance-id":                func(q xmlSpotRequest) []string { return []string{q.InstanceID} },
	"launched-availability-zone": func(q xmlSpotRequest) []string { return []string{q.LaunchedZone} },
	"spot-instance-request-id":   func(q xmlSpotRequest) []string { return []string{q.ID} },
	"state":                      func(q xmlSpotRequest) []string { return []string{q.State} },
	"status-code":                func(q xmlSpotRequest) []string { return []string{q.Status.Code} },
	"tag-key":                    func(q xmlSpotRequest) []string { return slices.Collect(maps.Keys(q.tags)) },
	"type":                       func(q xmlSpotRequest) []string { return []string{q.Type} },
}

func (q xmlSpotRequest) filterValues(name string) []string {
	if key, ok := strings.CutPrefix(name, tagFilterPrefix); ok {
		if value, has := q.tags[key]; has {
			return []string{value}
		}
		return nil
	}
	return spotFilters[name](q)
}

// describeSpotInstanceRequests shows requests as late as instances are shown.
func describeSpotInstanceRequests(c *call) (any, error) {
	filters, p, err := c.readListing(func(name string) bool { return spotFilters[name] != nil || isTagFilter(name) })
	if err != nil {
		return nil, err
	}
	requests, err := c.spotRequests(c.settings.DescribeByIDLag)
	if err != nil {
		return nil, err
	}
	var items []xmlSpotRequest
	for _, q := range requests {
		if item := c.spotRequestXML(q); matches(filters, item.filterValues) {
			items = append(items, item)
		}
	}
	id := func(q xmlSpotRequest) string { return q.ID }
	shown, next := paginate(c, p, items, id, id)
	return &spotRequestsResponse{Requests: shown, NextToken: next}, nil
}

// spotRequests are those that SpotInstanceRequestId.N names or, without any, all.
func (c *call) spotRequests(lag time.Duration) ([]*spotRequest, error) {
	var found []*spotRequest
	ids := c.params.List("SpotInstanceRequestId")
	if len(ids) == 0 {
		for _, i := range c.listed() {
			if i.request != nil {
				found = append(found, i.request)
			}
		}
		return found, nil
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if err := checkID("sir", id, codeInvalidSpotRequestIDMalformed); err != nil {
			return nil, err
		}
		r, ok := c.region.resources[id]
		if !ok || !c.knows(r, lag) {
			return nil, unknownResource(id)
		}
		found = append(found, r.owner.request)
	}
	return found, nil
}

func (c *call) spotRequestXML(q *spotRequest) xmlSpotRequest {
	o, status := q.instance.spec.spot, q.at(c.now.Add(-c.settings.StateLag), &c.settings)
	tags := c.resourceTags(c.region.resources[q.id])
	out := xmlSpotRequest{
		ID: q.id, MaxPrice: o.maxPrice, Type: o.kind, State: status.state, InstanceID: q.instance.id, CreateTime: wire.Timestamp(q.created),
		Status:  xmlSpotStatus{status.code, wire.Timestamp(status.since), strings.ReplaceAll(status.code, "-", " ")},
		Product: "Linux/UNIX", Tags: tagsXML(tags), LaunchedZone: q.instance.zone.Name, Behavior: o.behavior, tags: tags,
	}
	if !o.validUntil.IsZero() {
		out.ValidUntil = wire.Timestamp(o.validUntil)
	}
	return out
}
