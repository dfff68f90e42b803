// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"
	"strings"
)

const (
	tokensOptional = "optional"
	tokensRequired = "required"

	// ssmImagePrefix marks an image id that names an SSM parameter.
	ssmImagePrefix = "resolve:ssm:"
	// defaultInstanceType is what EC2 launches when the request names no type.
	defaultInstanceType = "m1.small"
)

// resolve looks up in the world what the request names.
func (r *region) resolve(request runRequest, where placement) (launchSpec, error) {
	spec := launchSpec{
		keyName: request.keyName, userData: request.userData, tags: request.tags, monitoring: request.monitoring,
		ebsOptimized: request.ebsOptimized, disableAPITermination: request.disableTermination,
		disableAPIStop: request.disableStop, shutdownBehavior: request.shutdownBehavior,
		publicIP: request.publicIP,
	}
	var err error
	if spec.image, err = r.resolveImage(request.imageID); err != nil {
		return spec, err
	}
	if spec.instanceType, err = r.resolveType(request.instanceType, spec.image); err != nil {
		return spec, err
	}
	if spec.launchOptions, err = r.resolveOptions(request.options, spec.instanceType); err != nil {
		return spec, err
	}
	if spec.interfaces, err = r.resolveInterfaces(request.interfaces, where); err != nil {
		return spec, err
	}
	if spec.profile, err = r.resolveProfile(request); err != nil {
		return spec, err
	}
	if request.keyName != "" && !slices.Contains(r.world.KeyPairs, request.keyName) {
		return spec, fail(codeInvalidKeyPairNotFound, "The key pair '%s' does not exist", request.keyName)
	}
	spec.metadata = effectiveMetadata(request.metadata, spec.image)
	if spec.devices, err = r.resolveDevices(request.devices, spec.image); err != nil {
		return spec, err
	}
	err = spec.checkHibernation()
	return spec, err
}

func (r *region) resolveImage(id string) (Image, error) {
	if name, ok := strings.CutPrefix(id, ssmImagePrefix); ok {
		parameter, err := r.readParameter(name)
		if err != nil {
			return Image{}, fail(codeInvalidParameterValue, "The SSM parameter '%s' cannot be resolved: %s", name, err)
		}
		id = parameter.Value
	}
	if err := checkID("ami", id, codeInvalidAMIIDMalformed); err != nil {
		return Image{}, err
	}
	image, ok := r.world.image(id)
	if !ok {
		return Image{}, fail(codeInvalidAMIIDNotFound, "The image id '[%s]' does not exist", id)
	}
	return image, nil
}

func (r *region) resolveType(name string, image Image) (InstanceType, error) {
	if name == "" {
		name = defaultInstanceType
	}
	typ, ok := r.world.instanceType(name)
	switch {
	case !ok:
		return typ, fail(codeInvalidParameterValue, "Invalid value '%s' for InstanceType.", name)
	case typ.Architecture != image.Architecture:
		return typ, fail(codeInvalidParameterValue,
			"The architecture '%s' of the specified instance type does not match the architecture '%s' of the specified AMI. "+
				"Specify an instance type and an AMI that have matching architectures, and try again.", typ.Architecture, image.Architecture)
	}
	return typ, nil
}

// resolveGroups gives the VPC's default group when the request names none.
func (r *region) resolveGroups(ids, names []string, subnet Subnet) ([]SecurityGroup, error) {
	var groups []SecurityGroup
	for _, id := range ids {
		if err := checkID("sg", id, codeInvalidGroupIDMalformed); err != nil {
			return nil, err
		}
		group, ok := r.world.group(id)
		switch {
		case !ok:
			return nil, fail(codeInvalidGroupNotFound, "The security group '%s' does not exist", id)
		case group.VPCID != subnet.VPCID:
			return nil, fail(codeInvalidParameter, "Security group %s and subnet %s belong to different networks.", id, subnet.ID)
		}
		groups = append(groups, group)
	}
	if len(groups)+len(names) == 0 {
		names = []string{"default"}
	}
	for _, name := range names {
		group, ok := r.world.groupByName(name, subnet.VPCID)
		if !ok {
			return nil, fail(codeInvalidGroupNotFound, "The security group '%s' does not exist in VPC '%s'", name, subnet.VPCID)
		}
		groups = append(groups, group)
	}
	return groups, nil
}

func (r *region) resolveProfile(request runRequest) (*InstanceProfile, error) {
	name := request.profileName
	switch {
	case name == "" && request.profileARN == "":
		return nil, nil
	case name != "" && request.profileARN != "":
		return nil, fail(codeInvalidParameterCombination, "The parameter 'iamInstanceProfile.name' may not be used in combination with 'iamInstanceProfile.arn'")
	case name == "":
		name = request.profileARN[strings.LastIndex(request.profileARN, "/")+1:]
		if request.profileARN != profileARN(r.account, name) {
			return nil, invalidValue("iamInstanceProfile.arn", request.profileARN, "Invalid IAM Instance Profile ARN")
		}
	}
	profile, ok := r.world.profile(name)
	if !ok {
		return nil, invalidValue("iamInstanceProfile.name", name, "Invalid IAM Instance Profile name")
	}
	return &profile, nil
}

// effectiveMetadata fills what the request leaves open (EC2 User Guide, "Configure
// the Instance Metadata Service options"; account defaults are not modelled).
func effectiveMetadata(asked metadataOptions, image Image) metadataOptions {
	out := metadataOptions{tokensOptional, enabled, disabled, disabled, 1}
	if image.RequiresIMDSv2 {
		out.httpTokens, out.hopLimit = tokensRequired, 2
	}
	return out.with(asked)
}
