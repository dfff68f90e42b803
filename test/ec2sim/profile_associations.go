// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

const describeAssociationsParameters = describeParameters + " AssociationId"

type xmlAssociationOfProfile struct {
	ID         string     `xml:"associationId"`
	InstanceID string     `xml:"instanceId"`
	Profile    xmlProfile `xml:"iamInstanceProfile"`
	State      string     `xml:"state"`
}

type associationResponse struct {
	wire.Head
	Association xmlAssociationOfProfile `xml:"iamInstanceProfileAssociation"`
}

type associationsResponse struct {
	wire.Head
	Associations []xmlAssociationOfProfile `xml:"iamInstanceProfileAssociationSet>item"`
	NextToken    string                    `xml:"nextToken,omitempty"`
}

// associateIAMInstanceProfile gives a profile to an instance that has none.
func associateIAMInstanceProfile(c *call) (any, error) {
	i, err := c.target()
	if err != nil {
		return nil, err
	}
	if i.spec.profile != nil {
		return nil, fail(codeIncorrectState, "There is an existing association for instance %s", i.id)
	}
	return c.associate(i)
}

// replaceIAMInstanceProfileAssociation gives another profile to an instance that has one. That the instance must run is
// what Terraform found (hashicorp/terraform-provider-aws#8262); AWS does not say.
func replaceIAMInstanceProfileAssociation(c *call) (any, error) {
	i, err := c.associated()
	if err != nil {
		return nil, err
	}
	if !c.in(i, lifecycle.Running) {
		return nil, fail(codeIncorrectInstanceState, "The instance '%s' is not in the 'running' state.", i.id)
	}
	return c.associate(i)
}

func (c *call) associate(i *instance) (any, error) {
	request := runRequest{profileName: c.params["IamInstanceProfile.Name"], profileARN: c.params["IamInstanceProfile.Arn"]}
	profile, err := c.region.resolveProfile(request)
	switch {
	case err != nil:
		return nil, err
	case profile == nil:
		return nil, missingParameter("IamInstanceProfile")
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	id := c.sim.ids.next("iip-assoc")
	i.reconfigure(c.now, func(s *launchSpec) { s.profile, s.associationID = profile, id })
	return &associationResponse{Association: associationXML(view{instance: i, spec: i.spec}, "associating")}, nil
}

// disassociateIAMInstanceProfile takes the profile away.
func disassociateIAMInstanceProfile(c *call) (any, error) {
	i, err := c.associated()
	if err != nil {
		return nil, err
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	answer := associationXML(view{instance: i, spec: i.spec}, "disassociating")
	i.reconfigure(c.now, func(s *launchSpec) { s.profile, s.associationID = nil, "" })
	return &associationResponse{Association: answer}, nil
}

// associated finds the instance of an association.
func (c *call) associated() (*instance, error) {
	id := c.params["AssociationId"]
	if id == "" {
		return nil, missingParameter("AssociationId")
	}
	for _, i := range c.region.order {
		if i.spec.associationID == id && !c.in(i, lifecycle.ShuttingDown, lifecycle.Terminated) {
			return i, nil
		}
	}
	return nil, fail(codeInvalidAssociationIDNotFound, "An invalid association-id of '%s' was given", id)
}

// describeIAMInstanceProfileAssociations lists them as late as descriptions are.
func describeIAMInstanceProfileAssociations(c *call) (any, error) {
	filters, p, err := c.readListing(func(name string) bool { return name == "instance-id" || name == "state" })
	if err != nil {
		return nil, err
	}
	wanted := c.params.List("AssociationId")
	var items []xmlAssociationOfProfile
	for _, i := range c.listed() {
		v := c.view(i)
		if v.spec.profile == nil || v.detached() {
			continue
		}
		item := associationXML(v, "associated")
		if (len(wanted) == 0 || slices.Contains(wanted, item.ID)) && matches(filters, item.filterValues) {
			items = append(items, item)
		}
	}
	id := func(a xmlAssociationOfProfile) string { return a.ID }
	shown, next := paginate(c, p, items, id, id)
	return &associationsResponse{Associations: shown, NextToken: next}, nil
}

func (a xmlAssociationOfProfile) filterValues(name string) []string {
	if name == "state" {
		return []string{a.State}
	}
	return []string{a.InstanceID}
}

func associationXML(v view, state string) xmlAssociationOfProfile {
	return xmlAssociationOfProfile{
		ID: v.spec.associationID, InstanceID: v.id, State: state,
		Profile: xmlProfile{profileARN(v.account, v.spec.profile.Name), v.spec.profile.ID},
	}
}
