// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

// Strategies of placement groups.
const (
	StrategyCluster   = "cluster"
	StrategySpread    = "spread"
	StrategyPartition = "partition"
)

// PlacementGroup is a placement group.
type PlacementGroup struct {
	ID, Name string
	Strategy string // one of the Strategy constants
	// Partitions is how many partitions a group of strategy partition has.
	Partitions int
}

// admits says whether instances of the tenancy can be in the group (API reference, ModifyInstancePlacement).
func (g PlacementGroup) admits(tenancy string) bool {
	return tenancy == byDefault || tenancy == tenancyDedicated && g.Strategy != StrategySpread
}

// Host is a Dedicated Host.
type Host struct {
	ID   string
	Zone string // the name of the Availability Zone
	// Capacity is how many instances run on it at a time.
	Capacity int
}

// CapacityReservation holds capacity for instances of one type in one zone.
type CapacityReservation struct {
	ID           string
	InstanceType string
	Zone         string // the name of the Availability Zone
	// Count is how many instances run in it at a time.
	Count int
}

func (w *World) host(id string) (Host, bool) {
	return find(w.Hosts, func(h Host) bool { return h.ID == id })
}
