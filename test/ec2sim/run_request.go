// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// maxUserData is the most user data that EC2 takes, in bytes before base64.
const maxUserData = 16384

const (
	enabled  = "enabled"
	disabled = "disabled"
)

// runRequest is what can be read from a RunInstances call without looking at the world.
type runRequest struct {
	minCount, maxCount int
	clientToken        string
	dryRun             bool
	imageID            string
	instanceType       string
	interfaces         []interfaceRequest // the primary first
	zoneName, zoneID   string
	options            launchOptions
	keyName            string
	profileName        string
	profileARN         string
	userData           []byte
	tags               map[string][]tag
	metadata           metadataOptions // empty fields: the image decides
	monitoring         bool
	ebsOptimized       bool
	disableTermination bool
	disableStop        bool
	shutdownBehavior   string
	publicIP           *bool
	devices            []deviceRequest
}

// readRunRequest reads and checks, in steps that each look after a few parameters.
func readRunRequest(params wire.Params) (runRequest, error) {
	r := runRequest{
		clientToken: params["ClientToken"], imageID: params["ImageId"], instanceType: params["InstanceType"],
		keyName: params["KeyName"], profileName: params["IamInstanceProfile.Name"], profileARN: params["IamInstanceProfile.Arn"],
		zoneName: params["Placement.AvailabilityZone"], zoneID: params["Placement.AvailabilityZoneId"],
	}
	for _, step := range []func(wire.Params) error{
		r.readCounts, r.readFlags, r.readInterfaces, r.checkAddresses, r.readUserData, r.readMetadata, r.readTags, r.readDevices,
		r.readShutdownBehavior, r.readOptions,
	} {
		if err := step(params); err != nil {
			return r, err
		}
	}
	return r, checkClientToken(r.clientToken)
}

func (r *runRequest) readCounts(params wire.Params) error {
	for _, name := range []string{"ImageId", "MinCount", "MaxCount"} {
		if params[name] == "" {
			return missingParameter(name)
		}
	}
	var err error
	if r.minCount, _, err = params.Int("MinCount"); err != nil {
		return err
	}
	if r.maxCount, _, err = params.Int("MaxCount"); err != nil {
		return err
	}
	switch {
	case r.minCount < 1:
		return invalidValue("minCount", params["MinCount"], "Expecting a value of at least 1.")
	case r.maxCount < r.minCount:
		return invalidValue("maxCount", params["MaxCount"], "Expecting a value not below minCount.")
	}
	return nil
}

func (r *runRequest) readFlags(params wire.Params) error {
	for name, target := range map[string]*bool{
		"DryRun": &r.dryRun, "Monitoring.Enabled": &r.monitoring, "EbsOptimized": &r.ebsOptimized,
		"DisableApiTermination": &r.disableTermination, "DisableApiStop": &r.disableStop,
	} {
		value, err := params.Bool(name)
		if err != nil {
			return err
		}
		*target = value
	}
	return nil
}

func (r *runRequest) readUserData(params wire.Params) error {
	var err error
	r.userData, err = readUserData(params, "UserData")
	return err
}

// metadataHopLimit bounds HttpPutResponseHopLimit.
const (
	minHopLimit = 1
	maxHopLimit = 64
)

func (r *runRequest) readMetadata(params wire.Params) error {
	var err error
	r.metadata, err = readMetadata(params, "MetadataOptions.")
	return err
}

// readMetadata reads the options whose names begin with prefix; what is not given stays empty.
func readMetadata(params wire.Params, prefix string) (metadataOptions, error) {
	var m metadataOptions
	hops, given, err := params.Int(prefix + "HttpPutResponseHopLimit")
	switch {
	case err != nil:
		return m, err
	case given && (hops < minHopLimit || hops > maxHopLimit):
		return m, invalidValue(prefix+"HttpPutResponseHopLimit", strconv.Itoa(hops), "Expecting a value from 1 to 64.")
	}
	m.hopLimit = hops
	onOff := []string{enabled, disabled}
	for _, choice := range []choice{
		{prefix + "HttpTokens", &m.httpTokens, []string{tokensOptional, tokensRequired}},
		{prefix + "HttpEndpoint", &m.httpEndpoint, onOff},
		{prefix + "HttpProtocolIpv6", &m.httpProtocolIPv6, onOff},
		{prefix + "InstanceMetadataTags", &m.instanceMetadataTags, onOff},
	} {
		if err := choice.read(params); err != nil {
			return m, err
		}
	}
	return m, nil
}

func (r *runRequest) readShutdownBehavior(params wire.Params) error {
	r.shutdownBehavior = "stop"
	return choice{"InstanceInitiatedShutdownBehavior", &r.shutdownBehavior, []string{"stop", "terminate"}}.read(params)
}

func (r *runRequest) readOptions(params wire.Params) error {
	var err error
	r.options, err = readLaunchOptions(params)
	switch {
	case err != nil:
		return err
	case r.options.spot == nil:
	case r.disableTermination:
		return fail(codeUnsupportedOperation, "'disableApiTermination' is not supported for spot instances")
	case r.disableStop:
		return fail(codeUnsupportedOperation, "'disableApiStop' is not supported for spot instances")
	}
	return nil
}

// choice is a parameter with a fixed set of values.
type choice struct {
	name    string
	target  *string
	allowed []string
}

func (c choice) read(params wire.Params) error {
	text, given := params[c.name]
	if !given {
		return nil
	}
	if !slices.Contains(c.allowed, text) {
		return invalidValue(c.name, text, "Expecting one of "+strings.Join(c.allowed, ", ")+".")
	}
	*c.target = text
	return nil
}

// launchTagKinds are the resource types that a launch can tag (API reference, RunInstances).
var launchTagKinds = []string{kindInstance, kindVolume, kindInterface, kindSpotRequest}

func (r *runRequest) readTags(params wire.Params) error {
	r.tags = map[string][]tag{}
	for _, specification := range params.Structs("TagSpecification") {
		kind := specification["ResourceType"]
		if !slices.Contains(launchTagKinds, kind) {
			return fail(codeInvalidParameterValue, "'%s' is not a valid taggable resource type for this operation.", kind)
		}
		tags, err := readTags(specification)
		if err != nil {
			return err
		}
		r.tags[kind] = append(r.tags[kind], tags...)
		if err := checkTagCount(nil, r.tags[kind]); err != nil {
			return err
		}
	}
	if r.metadata.instanceMetadataTags == enabled {
		return checkMetadataTags(r.tags[kindInstance])
	}
	return nil
}
