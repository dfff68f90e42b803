// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"maps"
	"slices"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

type describeTagsResponse struct {
	wire.Head
	Tags      []xmlTagItem `xml:"tagSet>item"`
	NextToken string       `xml:"nextToken,omitempty"`
}

type xmlTagItem struct {
	ResourceID   string `xml:"resourceId"`
	ResourceType string `xml:"resourceType"`
	Key          string `xml:"key"`
	Value        string `xml:"value"`
}

// tagFilters are the DescribeTags filters.
var tagFilters = map[string]func(xmlTagItem) string{
	"key":           func(t xmlTagItem) string { return t.Key },
	"value":         func(t xmlTagItem) string { return t.Value },
	"resource-id":   func(t xmlTagItem) string { return t.ResourceID },
	"resource-type": func(t xmlTagItem) string { return t.ResourceType },
}

func (t xmlTagItem) filterValues(name string) []string {
	if key, ok := strings.CutPrefix(name, tagFilterPrefix); ok {
		if t.Key == key {
			return []string{t.Value}
		}
		return nil
	}
	return []string{tagFilters[name](t)}
}

func (t xmlTagItem) id() string { return t.ResourceID + "/" + t.Key }

func describeTags(c *call) (any, error) {
	filters, p, err := c.readListing(func(name string) bool { return tagFilters[name] != nil || isTagFilter(name) })
	if err != nil {
		return nil, err
	}
	var items []xmlTagItem
	for _, item := range c.tagItems() {
		if matches(filters, item.filterValues) {
			items = append(items, item)
		}
	}
	shown, next := paginate(c, p, items, xmlTagItem.id, xmlTagItem.id)
	return &describeTagsResponse{Tags: shown, NextToken: next}, nil
}

// tagItems are all tags that show now, of resources whose instance is not forgotten.
func (c *call) tagItems() []xmlTagItem {
	var items []xmlTagItem
	for _, r := range c.region.resources {
		if !c.knows(r, 0) {
			continue
		}
		tags := c.resourceTags(r)
		for _, key := range slices.Sorted(maps.Keys(tags)) {
			items = append(items, xmlTagItem{r.id, r.kind, key, tags[key]})
		}
	}
	return items
}
