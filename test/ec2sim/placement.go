// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"
	"strings"
	"time"
)

// placement is where a launch may go.
type placement struct {
	// zonal says that the request fixes the Availability Zone.
	zonal      bool
	candidates []Subnet
}

// scope is the zone that a client token is bound to, or nothing for the region.
func (p placement) scope() string {
	if p.zonal {
		return p.candidates[0].Zone
	}
	return ""
}

// place finds the subnets that the request allows. A launch that fixes no zone
// needs all zones of the region to be up ("Ensuring idempotency").
func (r *region) place(request runRequest, impaired []string) (placement, error) {
	zone, err := r.requestedZone(request)
	if err != nil {
		return placement{}, err
	}
	p, err := r.subnets(request.interfaces[0].subnetID, zone)
	if err != nil {
		return placement{}, err
	}
	for _, s := range p.candidates {
		if slices.Contains(impaired, s.Zone) {
			return placement{}, zoneImpaired()
		}
	}
	return p, nil
}

func (r *region) requestedZone(request runRequest) (string, error) {
	switch {
	case request.zoneName != "":
		if _, ok := r.world.zone(request.zoneName); !ok {
			return "", fail(codeInvalidParameterValue, "Invalid availability zone: [%s]", request.zoneName)
		}
		return request.zoneName, nil
	case request.zoneID != "":
		zone, ok := r.world.zoneByID(request.zoneID)
		if !ok {
			return "", fail(codeInvalidParameterValue, "Invalid availability zone: [%s]", request.zoneID)
		}
		return zone.Name, nil
	}
	return "", nil
}

// subnets are the named one, or the default subnets of the zone or the region.
func (r *region) subnets(subnetID, zone string) (placement, error) {
	if subnetID == "" {
		var defaults []Subnet
		for _, s := range r.world.Subnets {
			if s.Default && (zone == "" || s.Zone == zone) {
				defaults = append(defaults, s)
			}
		}
		if len(defaults) == 0 {
			return placement{}, fail("MissingInput", "No default subnet for availability zone: '%s'.", zone)
		}
		return placement{zonal: zone != "", candidates: defaults}, nil
	}
	if err := checkID("subnet", subnetID, codeInvalidSubnetIDMalformed); err != nil {
		return placement{}, err
	}
	subnet, ok := r.world.subnet(subnetID)
	switch {
	case !ok:
		return placement{}, fail(codeInvalidSubnetIDNotFound, "The subnet ID '%s' does not exist", subnetID)
	case zone != "" && subnet.Zone != zone:
		return placement{}, invalidValue("availabilityZone", zone, "Subnet '"+subnetID+"' is in the availability zone "+subnet.Zone)
	}
	return placement{zonal: true, candidates: []Subnet{subnet}}, nil
}

// room is where a launch goes and how many instances it makes.
type room struct {
	zone   Zone
	subnet Subnet
	count  int
}

// room takes the first zone that holds at least the least number wanted, and
// launches as many as it and the quota allow, up to the most wanted.
func (r *region) room(request runRequest, where placement, typ InstanceType, s *Settings, now time.Time) (room, error) {
	offering := slices.DeleteFunc(slices.Clone(where.candidates), func(c Subnet) bool { return !typ.OfferedIn(c.Zone) })
	if len(offering) == 0 {
		return room{}, r.notOffered(typ, where)
	}
	byQuota := r.quotaLeft(s, now) / max(typ.VCPUs, 1)
	if byQuota < request.minCount {
		return room{}, vcpuLimitExceeded(s)
	}
	for _, subnet := range offering {
		if left := r.capacityLeft(typ.Name, subnet.Zone, s, now); left >= request.minCount {
			zone, _ := r.world.zone(subnet.Zone)
			return room{zone, subnet, min(left, byQuota, request.maxCount)}, nil
		}
	}
	return room{}, insufficientCapacity(typ.Name, offering[0].Zone)
}

func (r *region) notOffered(typ InstanceType, where placement) error {
	var elsewhere []string
	for _, z := range r.world.Zones {
		if typ.OfferedIn(z.Name) {
			elsewhere = append(elsewhere, z.Name)
		}
	}
	return fail(codeUnsupported,
		"Your requested instance type (%s) is not supported in your requested Availability Zone (%s). "+
			"Please retry your request by not specifying an Availability Zone or choosing %s.",
		typ.Name, where.candidates[0].Zone, strings.Join(elsewhere, ", "))
}
