// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"

const modifyNetworkInterfaceParameters = "Attachment Description NetworkInterfaceId SecurityGroupId SourceDestCheck"

// interfaceChange is what a call does to a network interface, once all is checked.
type interfaceChange func(*networkInterface)

// interfaceReader reads and checks a change of a network interface.
type interfaceReader func(*call, *networkInterface) (interfaceChange, error)

// interfaceChanges read and check one attribute of a network interface each.
var interfaceChanges = map[string]interfaceReader{
	"Attachment":      changeAttachment,
	"Description":     changeDescription,
	"SecurityGroupId": changeGroups("SecurityGroupId"),
	"SourceDestCheck": changeSourceDestCheck,
}

// modifyNetworkInterfaceAttribute changes one attribute of a network interface that came with an instance.
func modifyNetworkInterfaceAttribute(c *call) (any, error) {
	id := c.params["NetworkInterfaceId"]
	if id == "" {
		return nil, missingParameter("NetworkInterfaceId")
	}
	if err := checkID("eni", id, codeInvalidInterfaceIDMalformed); err != nil {
		return nil, err
	}
	i, n := c.interfaceByID(id, c.settings.ActByIDLag)
	if i == nil {
		return nil, unknownResource(id)
	}
	read, err := onlyOne(c.params, interfaceChanges)
	if err != nil {
		return nil, err
	}
	return c.reconfigure(i, read.of(n))
}

// of is the change as one of the instance.
func (read interfaceReader) of(n *networkInterface) func(*call, *instance) (change, error) {
	return func(c *call, _ *instance) (change, error) {
		edit, err := read(c, n)
		return func(s *launchSpec) { s.editInterface(n.id, edit) }, err
	}
}

// soleInterface is a change of an instance that is one of its only network interface. With several, EC2 wants to be told
// which (API reference, error InvalidInstanceID).
func soleInterface(read interfaceReader) func(*call, *instance) (change, error) {
	return func(c *call, i *instance) (change, error) {
		if len(i.spec.interfaces) > 1 {
			return nil, fail(codeInvalidInstanceID,
				"There are multiple interfaces attached to instance '%s'. Please specify an interface ID for the operation instead.", i.id)
		}
		return read.of(i.spec.primary())(c, i)
	}
}

// changeGroups replaces the whole set, which must not be empty.
func changeGroups(parameter string) interfaceReader {
	return func(c *call, n *networkInterface) (interfaceChange, error) {
		ids := c.params.List(parameter)
		if len(ids) == 0 {
			return nil, missingParameter(parameter)
		}
		groups, err := c.region.resolveGroups(ids, nil, n.subnet)
		return func(n *networkInterface) { n.groups = groups }, err
	}
}

func changeSourceDestCheck(c *call, _ *networkInterface) (interfaceChange, error) {
	value, err := c.params.Bool("SourceDestCheck.Value")
	return func(n *networkInterface) { n.sourceDestCheck = value }, err
}

func changeDescription(c *call, _ *networkInterface) (interfaceChange, error) {
	text := c.params["Description.Value"]
	return func(n *networkInterface) { n.description = text }, nil
}

func changeAttachment(c *call, n *networkInterface) (interfaceChange, error) {
	if id := c.params["Attachment.AttachmentId"]; id != n.attachmentID {
		return nil, fail(codeInvalidAttachmentIDNotFound, "The attachment ID '%s' does not exist", id)
	}
	value, err := c.params.Bool("Attachment.DeleteOnTermination")
	return func(n *networkInterface) { n.deleteOnTermination = value }, err
}

// leaving says whether the instance is on its way out.
func (c *call) leaving(i *instance) bool {
	return c.in(i, lifecycle.ShuttingDown, lifecycle.Terminated)
}
