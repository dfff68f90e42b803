// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// Limits of CreateTags and DeleteTags (API reference).
const (
	maxTaggedResources = 1000
	maxDeletedTags     = 1000
)

// returnTrue is the answer of actions that have nothing else to say.
type returnTrue struct {
	wire.Head
	Return bool `xml:"return"`
}

// createTags sets the named keys and leaves the others alone.
func createTags(c *call) (any, error) {
	resources, err := c.taggedResources()
	if err != nil {
		return nil, err
	}
	tags, err := readTags(c.params)
	if err != nil {
		return nil, err
	}
	if len(tags) == 0 {
		return nil, missingParameter("Tag")
	}
	for _, r := range resources {
		if err := checkTagCount(r.tags(), tags); err != nil {
			return nil, err
		}
		if r.kind == kindInstance && r.owner.spec.metadata.instanceMetadataTags == enabled {
			if err := checkMetadataTags(tags); err != nil {
				return nil, err
			}
		}
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	for _, r := range resources {
		r.set(tags, c.now.Add(c.settings.TagChangeLag), c.now)
	}
	return &returnTrue{Return: true}, nil
}

// deleteTags deletes a key whatever its value when no value is given, and only with
// that value when one is. Without any tags it deletes all but those of AWS.
func deleteTags(c *call) (any, error) {
	resources, err := c.taggedResources()
	if err != nil {
		return nil, err
	}
	criteria := c.params.Structs("Tag")
	if len(criteria) > maxDeletedTags {
		return nil, fail(codeInvalidParameterValue, "The request names %d tags, and the maximum is %d", len(criteria), maxDeletedTags)
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	for _, r := range resources {
		r.unset(doomedKeys(r.tags(), criteria), c.now.Add(c.settings.TagChangeLag), c.now)
	}
	return &returnTrue{Return: true}, nil
}

// doomedKeys never has those of AWS.
func doomedKeys(have map[string]string, criteria []wire.Params) []string {
	var keys []string
	for key, value := range have {
		if strings.HasPrefix(key, reservedPrefix) {
			continue
		}
		if len(criteria) == 0 {
			keys = append(keys, key)
			continue
		}
		for _, want := range criteria {
			if wanted, given := want["Value"]; want["Key"] == key && (!given || wanted == value) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// taggedResources reads ResourceId.N. One that tagging does not know fails the call.
func (c *call) taggedResources() ([]*resource, error) {
	ids := c.params.List("ResourceId")
	switch {
	case len(ids) == 0:
		return nil, missingParameter("ResourceId")
	case len(ids) > maxTaggedResources:
		return nil, fail(codeInvalidParameterValue, "The request names %d resources, and the maximum is %d", len(ids), maxTaggedResources)
	}
	var found []*resource
	var missing []string
	for _, id := range ids {
		r, ok := c.region.resources[id]
		switch {
		case ok && c.knows(r, c.settings.TagByIDLag):
			found = append(found, r)
		case strings.HasPrefix(id, "i-"):
			if err := checkInstanceIDs([]string{id}); err != nil {
				return nil, err
			}
			missing = append(missing, id)
		default:
			return nil, unknownResource(id)
		}
	}
	if len(missing) > 0 {
		return nil, instancesNotFound(missing)
	}
	return found, nil
}

// unknownResource words the error for what is not an instance.
func unknownResource(id string) error {
	prefix, _, _ := strings.Cut(id, "-")
	switch prefix {
	case "vol":
		return fail(codeInvalidVolumeNotFound, "The volume '%s' does not exist.", id)
	case "sir":
		return fail(codeInvalidSpotRequestIDNotFound, "The spot instance request ID '%s' does not exist", id)
	case "eni":
		return fail(codeInvalidInterfaceIDNotFound, "The networkInterface ID '%s' does not exist", id)
	case "ami", "subnet", "sg", "vpc", "snap":
		return notModelled("tags of " + id)
	}
	return fail(codeInvalidID, "The ID '%s' is not valid", id)
}
