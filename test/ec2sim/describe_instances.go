// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

type describeInstancesResponse struct {
	wire.Head
	Reservations []xmlReservation `xml:"reservationSet>item"`
	NextToken    string           `xml:"nextToken,omitempty"`
}

func describeInstances(c *call) (any, error) {
	ids, err := uniqueInstanceIDs(c.params)
	if err != nil {
		return nil, err
	}
	if len(ids) > 0 && c.params.Has("MaxResults") {
		return nil, fail(codeInvalidParameterCombination, "The parameter instancesSet cannot be used with the parameter maxResults")
	}
	filters, p, err := c.readListing(knownInstanceFilter)
	if err != nil {
		return nil, err
	}
	instances, err := c.described(ids)
	if err != nil {
		return nil, err
	}
	var views []view
	for _, i := range instances {
		if v := c.view(i); matches(filters, v.filterValues) {
			views = append(views, v)
		}
	}
	shown, next := paginate(c, p, views, view.group, view.key)
	return &describeInstancesResponse{Reservations: reservationsXML(shown), NextToken: next}, nil
}

// described are the instances that the call is about. With a zone impaired, a call
// fails that names an instance there, or none at all (API reference, DescribeInstances).
func (c *call) described(ids []string) ([]*instance, error) {
	impaired := c.settings.ImpairedZones
	if len(ids) == 0 {
		if slices.ContainsFunc(c.region.world.Zones, func(z Zone) bool { return slices.Contains(impaired, z.Name) }) {
			return nil, zoneImpaired()
		}
		return c.listed(), nil
	}
	instances, err := c.named(ids)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(instances, func(i *instance) bool { return slices.Contains(impaired, i.zone.Name) }) {
		return nil, zoneImpaired()
	}
	return instances, nil
}

// named are the instances with the ids. One of another account is left out without
// an error.
func (c *call) named(ids []string) ([]*instance, error) {
	own := slices.DeleteFunc(ids, func(id string) bool { return c.sim.ownedElsewhere(id, c.region) })
	return c.byID(own, c.settings.DescribeByIDLag)
}

func zoneImpaired() error { return fail(codeInternalError, "An internal error has occurred") }

// reservationsXML groups neighbours of one reservation.
func reservationsXML(views []view) []xmlReservation {
	var out []xmlReservation
	for _, v := range views {
		if len(out) == 0 || out[len(out)-1].ReservationID != v.reservationID {
			out = append(out, xmlReservation{ReservationID: v.reservationID, OwnerID: v.account})
		}
		last := &out[len(out)-1]
		last.Instances = append(last.Instances, v.xml())
	}
	return out
}
