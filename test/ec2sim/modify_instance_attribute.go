// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

const modifyInstanceAttributeParameters = "BlockDeviceMapping DisableApiStop DisableApiTermination EbsOptimized EnclaveOptions GroupId InstanceId InstanceInitiatedShutdownBehavior " +
	"InstanceType SourceDestCheck UserData"

// change is what a call does to a configuration, once all is checked.
type change func(*launchSpec)

// attributeChanges read and check one attribute each (API reference, ModifyInstanceAttribute; EC2 User Guide on which of
// them need the instance stopped).
var attributeChanges = map[string]func(*call, *instance) (change, error){
	"BlockDeviceMapping":                changeDevices,
	"DisableApiStop":                    onDemandOnly("disableApiStop", flagChange("DisableApiStop.Value", func(s *launchSpec) *bool { return &s.disableAPIStop })),
	"DisableApiTermination":             onDemandOnly("disableApiTermination", flagChange("DisableApiTermination.Value", func(s *launchSpec) *bool { return &s.disableAPITermination })),
	"EbsOptimized":                      whileStopped(flagChange("EbsOptimized.Value", func(s *launchSpec) *bool { return &s.ebsOptimized })),
	"EnclaveOptions":                    whileStopped(changeEnclave),
	"GroupId":                           soleInterface(changeGroups("GroupId")),
	"InstanceInitiatedShutdownBehavior": changeShutdownBehavior,
	"InstanceType":                      onDemandOnly("instanceType", whileStopped(changeType)),
	"SourceDestCheck":                   soleInterface(changeSourceDestCheck),
	"UserData":                          whileStopped(changeUserData),
}

// modifyInstanceAttribute changes one attribute.
func modifyInstanceAttribute(c *call) (any, error) {
	i, err := c.target()
	if err != nil {
		return nil, err
	}
	read, err := onlyOne(c.params, attributeChanges)
	if err != nil {
		return nil, err
	}
	return c.reconfigure(i, read)
}

// onlyOne finds the one attribute that the call is to change.
func onlyOne[T any](params wire.Params, attributes map[string]T) (T, error) {
	var found []T
	for name, attribute := range attributes {
		if params.Has(name) {
			found = append(found, attribute)
		}
	}
	var none T
	switch len(found) {
	case 0:
		return none, fail(codeInvalidParameterCombination, "No attributes specified.")
	case 1:
		return found[0], nil
	}
	return none, fail(codeInvalidParameterCombination, "Fields for multiple attribute types specified")
}

// reconfigure carries a change out, unless it is refused or a dry run.
func (c *call) reconfigure(i *instance, read func(*call, *instance) (change, error)) (any, error) {
	if err := c.apply(i, read); err != nil {
		return nil, err
	}
	return &returnTrue{Return: true}, nil
}

// apply is reconfigure for actions with an answer of their own.
func (c *call) apply(i *instance, read func(*call, *instance) (change, error)) error {
	edit, err := read(c, i)
	if err != nil {
		return err
	}
	if err := c.dryRun(); err != nil {
		return err
	}
	i.reconfigure(c.now, edit)
	return nil
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

func changeEnclave(c *call, i *instance) (change, error) {
	wanted, err := c.params.Bool("EnclaveOptions.Enabled")
	if err == nil && wanted && i.spec.hibernation {
		err = noEnclave()
	}
	return func(s *launchSpec) { s.enclave = wanted }, err
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
	case i.spec.hibernation:
		return nil, fail(codeUnsupportedOperation, "The instance type of an instance that is enabled for hibernation cannot be changed.")
	}
	return func(s *launchSpec) { s.setType(typ, c.now) }, nil
}

// setType also drops what only the type before had: CPU options that the new one does not know, and credits.
func (s *launchSpec) setType(typ InstanceType, now time.Time) {
	if typ.checkCPU(s.cpu) != nil {
		s.cpu = cpuOptions{}
	}
	if s.instanceType.defaultCredits() == "" || typ.defaultCredits() == "" {
		s.credits = typ.defaultCredits()
	}
	s.instanceType, s.typeSetAt = typ, now
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
