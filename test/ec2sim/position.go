// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"cmp"
	"strconv"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// Tenancies of an instance.
const (
	tenancyDedicated = "dedicated"
	tenancyHost      = "host"
)

// position is where among EC2's hardware an instance runs. Empty fields are left to EC2.
type position struct {
	tenancy, affinity, hostID string
	groupID, groupName        string
	partition                 int
}

// readPosition reads the parameters that launches and ModifyInstancePlacement have in common.
func readPosition(params wire.Params, prefix string) (position, error) {
	p := position{hostID: params[prefix+"HostId"], groupID: params[prefix+"GroupId"], groupName: params[prefix+"GroupName"]}
	for _, choice := range []choice{
		{prefix + "Tenancy", &p.tenancy, []string{byDefault, tenancyDedicated, tenancyHost}},
		{prefix + "Affinity", &p.affinity, []string{byDefault, tenancyHost}},
	} {
		if err := choice.read(params); err != nil {
			return p, err
		}
	}
	number, given, err := params.Int(prefix + "PartitionNumber")
	if err == nil && given && number < 1 {
		err = invalidValue("partitionNumber", strconv.Itoa(number), "Expecting a value of at least 1.")
	}
	p.partition = number
	return p, err
}

// settle completes a position with what the world knows, and refuses what does not go together.
func (w *World) settle(p position) (position, error) {
	p.tenancy = cmp.Or(p.tenancy, byDefault)
	switch {
	case p.groupID != "" && p.groupName != "":
		return p, fail(codeInvalidParameterCombination, "The parameter groupName may not be used in combination with groupId")
	case p.hostID != "" && p.tenancy != tenancyHost:
		return p, fail(codeInvalidParameterCombination, "The parameter hostId requires the tenancy 'host'")
	case p.affinity != "" && p.tenancy != tenancyHost:
		return p, fail(codeInvalidParameterCombination, "The parameter affinity requires the tenancy 'host'")
	}
	if p.hostID != "" {
		if _, ok := w.host(p.hostID); !ok {
			return p, fail(codeInvalidHostIDNotFound, "The host ID '%s' does not exist", p.hostID)
		}
	}
	return w.settleInGroup(p)
}

func (w *World) settleInGroup(p position) (position, error) {
	name := p.groupName + p.groupID
	if name == "" {
		if p.partition != 0 {
			return p, fail(codeInvalidParameterCombination, "The parameter partitionNumber requires a placement group")
		}
		return p, nil
	}
	group, ok := find(w.PlacementGroups, func(g PlacementGroup) bool { return g.Name == p.groupName || g.ID == p.groupID })
	switch {
	case !ok:
		return p, fail(codeInvalidPlacementGroupUnknown, "The Placement Group '%s' is unknown.", name)
	case !group.admits(p.tenancy):
		return p, fail(codeInvalidParameterCombination, "The tenancy '%s' is not supported in a placement group of strategy '%s'", p.tenancy, group.Strategy)
	case p.partition != 0 && group.Strategy != StrategyPartition:
		return p, fail(codeInvalidParameterCombination, "The parameter partitionNumber requires a placement group of strategy 'partition'")
	case p.partition > group.Partitions:
		return p, invalidValue("partitionNumber", strconv.Itoa(p.partition), "The placement group has "+strconv.Itoa(group.Partitions)+" partitions.")
	}
	p.groupID, p.groupName = group.ID, group.Name
	if group.Strategy == StrategyPartition {
		p.partition = max(p.partition, 1) // EC2 chooses, and so do we
	}
	return p, nil
}

// spreadLimit is how many running instances a spread placement group has per Availability Zone (EC2 User Guide, "Placement
// strategies").
const spreadLimit = 7

// roomInGroup refuses more than that with the code that EC2 has for capacity (Karpenter tells the two apart by the text).
func (r *region) roomInGroup(p position, zone Zone, count int, now time.Time) error {
	group, ok := find(r.world.PlacementGroups, func(g PlacementGroup) bool { return g.ID == p.groupID })
	if !ok || group.Strategy != StrategySpread {
		return nil
	}
	for _, i := range r.order {
		if i.spec.position.groupID == group.ID && i.zone == zone && i.state(now).Active() {
			count++
		}
	}
	if count > spreadLimit {
		return fail(codeInsufficientInstanceCapacity,
			"The request exceeds the limit of instances in this spread placement group: %d in an Availability Zone.", spreadLimit)
	}
	return nil
}

// takeHost finds the dedicated host for an instance of tenancy host: the one that is named, or the first with room.
func (r *region) takeHost(p position, zone Zone, count int, now time.Time) (string, error) {
	if p.tenancy != tenancyHost {
		return "", nil
	}
	for _, h := range r.world.Hosts {
		if (p.hostID == "" || p.hostID == h.ID) && h.Zone == zone.Name && r.roomOn(h, now) >= count {
			return h.ID, nil
		}
	}
	if p.hostID != "" {
		return "", fail(codeInsufficientCapacityOnHost, "The host '%s' has no room for %d more in %s.", p.hostID, count, zone.Name)
	}
	return "", fail(codeInsufficientHostCapacity, "There is not enough capacity on your Dedicated Hosts in %s.", zone.Name)
}

func (r *region) roomOn(h Host, now time.Time) int {
	left := h.Capacity
	for _, i := range r.order {
		if i.spec.position.hostID == h.ID && i.state(now).Active() {
			left--
		}
	}
	return left
}
