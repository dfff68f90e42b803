// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"

const modifyMetadataOptionsParameters = "HttpEndpoint HttpProtocolIpv6 HttpPutResponseHopLimit HttpTokens InstanceId InstanceMetadataTags"

type metadataOptionsResponse struct {
	wire.Head
	InstanceID string             `xml:"instanceId"`
	Options    xmlMetadataOptions `xml:"instanceMetadataOptions"`
}

// modifyInstanceMetadataOptions changes the options that are given. The answer says pending; descriptions say so, too,
// until the change is applied.
func modifyInstanceMetadataOptions(c *call) (any, error) {
	i, err := c.target()
	if err != nil {
		return nil, err
	}
	asked, err := readMetadata(c.params, "")
	if err != nil {
		return nil, err
	}
	if asked == (metadataOptions{}) {
		return nil, missingParameter("HttpTokens, HttpEndpoint, HttpPutResponseHopLimit, HttpProtocolIpv6 or InstanceMetadataTags")
	}
	if asked.instanceMetadataTags == enabled {
		var tags []tag
		for key, value := range c.region.resources[i.id].tags() {
			tags = append(tags, tag{key, value})
		}
		if err := checkMetadataTags(tags); err != nil {
			return nil, err
		}
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	i.reconfigure(c.now, func(s *launchSpec) { s.metadata = s.metadata.with(asked) })
	answer := view{instance: i, spec: i.spec}.metadataXML()
	answer.State = "pending"
	return &metadataOptionsResponse{InstanceID: i.id, Options: answer}, nil
}

// with is the options with those of asked that are set.
func (m metadataOptions) with(asked metadataOptions) metadataOptions {
	for _, field := range []struct{ target, asked *string }{
		{&m.httpTokens, &asked.httpTokens},
		{&m.httpEndpoint, &asked.httpEndpoint},
		{&m.httpProtocolIPv6, &asked.httpProtocolIPv6},
		{&m.instanceMetadataTags, &asked.instanceMetadataTags},
	} {
		if *field.asked != "" {
			*field.target = *field.asked
		}
	}
	if asked.hopLimit != 0 {
		m.hopLimit = asked.hopLimit
	}
	return m
}
