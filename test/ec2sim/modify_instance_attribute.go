// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

const modifyInstanceAttributeParameters = "DisableApiStop DisableApiTermination EbsOptimized GroupId InstanceId InstanceInitiatedShutdownBehavior " +
	"InstanceType SourceDestCheck UserData"

// change is what a call does to a configuration, once all is checked.
type change func(*launchSpec)

// attributeChanges read and check one attribute each (API reference, ModifyInstanceAttribute; EC2 User Guide on which of
// them need the instance stopped).
var attributeChanges = map[string]func(*call, *instance) (change, error){
	"DisableApiStop":                    flagChange("DisableApiStop.Value", func(s *launchSpec) *bool { return &s.disableAPIStop }),
	"DisableApiTermination":             flagChange("DisableApiTermination.Value", func(s *launchSpec) *bool { return &s.disableAPITermination }),
	"EbsOptimized":                      whileStopped(flagChange("EbsOptimized.Value", func(s *launchSpec) *bool { return &s.ebsOptimized })),
	"GroupId":                           changeGroups("GroupId"),
	"InstanceInitiatedShutdownBehavior": changeShutdownBehavior,
	"InstanceType":                      whileStopped(changeType),
	"SourceDestCheck":                   flagChange("SourceDestCheck.Value", func(s *launchSpec) *bool { return &s.sourceDestCheck }),
	"UserData":                          whileStopped(changeUserData),
}

// modifyInstanceAttribute changes one attribute.
func modifyInstanceAttribute(c *call) (any, error) {
	i, err := c.target()
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range attributeChanges {
		if c.params.Has(name) {
			names = append(names, name)
		}
	}
	switch len(names) {
	case 0:
		return nil, fail(codeInvalidParameterCombination, "No attributes specified.")
	case 1:
	default:
		return nil, fail(codeInvalidParameterCombination, "Fields for multiple attribute types specified")
	}
	return c.reconfigure(i, attributeChanges[names[0]])
}

// reconfigure carries a change out, unless it is refused or a dry run.
func (c *call) reconfigure(i *instance, read func(*call, *instance) (change, error)) (any, error) {
	edit, err := read(c, i)
	if err != nil {
		return nil, err
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	i.reconfigure(c.now, edit)
	return &returnTrue{Return: true}, nil
}

func whileStopped(read func(*call, *instance) (change, error)) func(*call, *instance) (change, error) {
	return func(c *call, i *instance) (change, error) {
		if err := c.stopped(i); err != nil {
			return nil, err
		}
		return read(c, i)
	}
}

func flagChange(name string, field func(*launchSpec) *bool) func(*call, *instance) (change, error) {
	return func(c *call, _ *instance) (change, error) {
		value, err := c.params.Bool(name)
		return func(s *launchSpec) { *field(s) = value }, err
	}
}

// changeGroups replaces the whole set, which must not be empty.
func changeGroups(parameter string) func(*call, *instance) (change, error) {
	return func(c *call, i *instance) (change, error) {
		ids := c.params.List(parameter)
		if len(ids) == 0 {
			return nil, missingParameter(parameter)
		}
		groups, err := c.region.resolveGroups(runRequest{groupIDs: ids}, placement{candidates: []Subnet{i.subnet}})
		return func(s *launchSpec) { s.groups = groups }, err
	}
}

func changeShutdownBehavior(c *call, _ *instance) (change, error) {
	var value string
	err := choice{"InstanceInitiatedShutdownBehavior.Value", &value, []string{"stop", "terminate"}}.read(c.params)
	return func(s *launchSpec) { s.shutdownBehavior = value }, err
}

func changeType(c *call, i *instance) (change, error) {
	name := c.params["InstanceType.Value"]
	typ, ok := c.region.world.instanceType(name)
	switch {
	case !ok:
		return nil, fail(codeInvalidInstanceAttributeValue, "Invalid value '%s' for InstanceType.", name)
	case typ.Architecture != i.spec.image.Architecture:
		return nil, fail(codeInvalidInstanceAttributeValue, "The instance type '%s' has the architecture '%s', and the instance '%s'.",
			name, typ.Architecture, i.spec.image.Architecture)
	}
	return func(s *launchSpec) { s.instanceType = typ }, nil
}

func changeUserData(c *call, _ *instance) (change, error) {
	data, err := readUserData(c.params, "UserData.Value")
	return func(s *launchSpec) { s.userData = data }, err
}

// readUserData reads base64 and checks the length of what it encodes.
func readUserData(params wire.Params, name string) ([]byte, error) {
	data, err := params.Bytes(name)
	switch {
	case err != nil:
		return nil, fail(codeInvalidUserDataMalformed, "Invalid BASE64 encoding of user data.")
	case len(data) > maxUserData:
		return nil, fail(codeInvalidParameterValue, "User data is limited to %d bytes", maxUserData)
	}
	return slices.Clone(data), nil
}
