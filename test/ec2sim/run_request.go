// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"net/netip"
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
	subnetID           string
	zoneName, zoneID   string
	tenancy            string
	groupIDs           []string
	groupNames         []string
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
	privateIP          netip.Addr
	volumes            []volume
	deleteInterface    bool
}

// readRunRequest reads and checks, in steps that each look after a few parameters.
func readRunRequest(params wire.Params) (runRequest, error) {
	r := runRequest{
		clientToken: params["ClientToken"], imageID: params["ImageId"], instanceType: params["InstanceType"],
		keyName: params["KeyName"], profileName: params["IamInstanceProfile.Name"], profileARN: params["IamInstanceProfile.Arn"],
		zoneName: params["Placement.AvailabilityZone"], zoneID: params["Placement.AvailabilityZoneId"],
	}
	for _, step := range []func(wire.Params) error{
		r.readCounts, r.readFlags, r.readNetwork, r.readAddress, r.readUserData, r.readMetadata, r.readTags, r.readVolumes, r.readChoices,
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

// readNetwork takes subnet and groups from the request or from its one network interface.
func (r *runRequest) readNetwork(params wire.Params) error {
	r.subnetID = params["SubnetId"]
	r.groupIDs, r.groupNames = params.List("SecurityGroupId"), params.List("SecurityGroup")
	r.deleteInterface = true
	interfaces := params.Structs("NetworkInterface")
	switch {
	case len(interfaces) == 0:
		return nil
	case len(interfaces) > 1:
		return notModelled("more than one NetworkInterface")
	case r.subnetID != "":
		return onceOnly("subnet ID")
	case len(r.groupIDs)+len(r.groupNames) > 0:
		return onceOnly("security groups")
	case params["PrivateIpAddress"] != "":
		return onceOnly("private IP address")
	}
	return r.readInterface(interfaces[0])
}

func onceOnly(what string) error {
	return fail(codeInvalidParameterCombination,
		"Network interfaces and an instance-level %s may not be specified on the same request", what)
}

var interfaceParameters = []string{"AssociatePublicIpAddress", "DeleteOnTermination", "Description", "DeviceIndex", "PrivateIpAddress", "SecurityGroupId", "SubnetId"}

func (r *runRequest) readInterface(params wire.Params) error {
	for _, name := range params.Roots() {
		if !slices.Contains(interfaceParameters, name) {
			return notModelled("NetworkInterface." + name)
		}
	}
	if index := params["DeviceIndex"]; index != "0" {
		return fail(codeInvalidParameterValue, "Invalid value '%s' for DeviceIndex of the only network interface: want 0", index)
	}
	r.subnetID, r.groupIDs = params["SubnetId"], params.List("SecurityGroupId")
	if params.Has("AssociatePublicIpAddress") {
		wanted, err := params.Bool("AssociatePublicIpAddress")
		if err != nil {
			return err
		}
		r.publicIP = &wanted
	}
	if params.Has("DeleteOnTermination") {
		var err error
		if r.deleteInterface, err = params.Bool("DeleteOnTermination"); err != nil {
			return err
		}
	}
	return nil
}

func (r *runRequest) readAddress(params wire.Params) error {
	text := params["PrivateIpAddress"]
	if text == "" {
		text = params["NetworkInterface.1.PrivateIpAddress"]
	}
	if text == "" {
		return nil
	}
	address, err := netip.ParseAddr(text)
	if err != nil || !address.Is4() {
		return invalidValue("privateIpAddress", text, "Expecting an IPv4 address.")
	}
	if r.maxCount > 1 {
		return fail(codeInvalidParameterCombination, "A private IP address cannot be specified for more than one instance")
	}
	r.privateIP = address
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

func (r *runRequest) readChoices(params wire.Params) error {
	r.shutdownBehavior, r.tenancy = "stop", "default"
	for _, choice := range []choice{
		{"InstanceInitiatedShutdownBehavior", &r.shutdownBehavior, []string{"stop", "terminate"}},
		{"Placement.Tenancy", &r.tenancy, []string{"default", "dedicated"}},
	} {
		if err := choice.read(params); err != nil {
			return err
		}
	}
	for _, name := range params.Struct("Placement").Roots() {
		if !slices.Contains([]string{"AvailabilityZone", "AvailabilityZoneId", "Tenancy"}, name) {
			return notModelled("Placement." + name)
		}
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
var launchTagKinds = []string{kindInstance, kindVolume, kindInterface, "spot-instances-request"}

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

func (r *runRequest) readVolumes(params wire.Params) error {
	for _, mapping := range params.Structs("BlockDeviceMapping") {
		device := mapping["DeviceName"]
		if device == "" {
			return missingParameter("BlockDeviceMapping.DeviceName")
		}
		if !mapping.Has("Ebs") {
			return notModelled("BlockDeviceMapping without Ebs")
		}
		volume := volume{device: device, deleteOnTermination: true}
		if mapping.Has("Ebs.DeleteOnTermination") {
			var err error
			if volume.deleteOnTermination, err = mapping.Bool("Ebs.DeleteOnTermination"); err != nil {
				return err
			}
		}
		r.volumes = append(r.volumes, volume)
	}
	return nil
}
