// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"net/netip"
	"slices"
)

// World is what an account owns or may use in a region besides instances.
type World struct {
	Zones            []Zone
	Subnets          []Subnet
	SecurityGroups   []SecurityGroup
	Images           []Image
	KeyPairs         []string
	InstanceTypes    []InstanceType
	InstanceProfiles []InstanceProfile
	Parameters       []Parameter

	PlacementGroups      []PlacementGroup
	Hosts                []Host
	CapacityReservations []CapacityReservation
	Snapshots            []Snapshot
	LaunchTemplates      []LaunchTemplate
	Licenses             []string // ARNs of licence configurations
}

// Zone is an Availability Zone.
type Zone struct{ Name, ID string }

// Subnet is a range of addresses in one Availability Zone.
type Subnet struct {
	ID, VPCID string
	Zone      string // the name of the Availability Zone
	CIDR      netip.Prefix
	IPv6CIDR  netip.Prefix // none: the subnet has no IPv6
	// PublicIP gives instances a public address unless the launch says otherwise.
	PublicIP bool
	// Default marks the subnets that EC2 chooses from when a launch names none.
	Default bool
}

// SecurityGroup belongs to one VPC.
type SecurityGroup struct{ ID, Name, VPCID string }

// Image is an AMI.
type Image struct {
	ID, Name       string
	Architecture   string // x86_64 or arm64
	RootDeviceName string
	// RootSnapshotID, RootSizeGiB and RootVolumeType are what the image maps to its root device; without them it has 8 GiB
	// of gp3.
	RootSnapshotID string
	RootSizeGiB    int
	RootVolumeType string
	// RequiresIMDSv2 is the AMI attribute imdsSupport=v2.0: launches default to
	// tokens required and a hop limit of 2.
	RequiresIMDSv2 bool
}

// InstanceType is an instance type and where it is offered.
type InstanceType struct {
	Name         string
	Architecture string
	VCPUs        int
	// Cores and Threads are what CPU options can choose from; the greatest are the type's own. No cores means that the
	// type takes no CPU options.
	Cores, Threads []int
	// SEVSNP and NestedVirtualization say whether the type has these features.
	SEVSNP, NestedVirtualization bool
	// Zones are the names of the Availability Zones that offer the type; none means all.
	Zones []string
}

// OfferedIn says whether the Availability Zone offers the type.
func (t InstanceType) OfferedIn(zone string) bool {
	return len(t.Zones) == 0 || slices.Contains(t.Zones, zone)
}

// InstanceProfile is an IAM instance profile.
type InstanceProfile struct{ Name, ID string }

// Parameter is an SSM parameter of type String.
type Parameter struct {
	Name, Value string
	Version     int64
	DataType    string // text or aws:ec2:image
}

func find[T any](list []T, match func(T) bool) (T, bool) {
	if i := slices.IndexFunc(list, match); i >= 0 {
		return list[i], true
	}
	var none T
	return none, false
}

func (w *World) zone(name string) (Zone, bool) {
	return find(w.Zones, func(z Zone) bool { return z.Name == name })
}

func (w *World) zoneByID(id string) (Zone, bool) {
	return find(w.Zones, func(z Zone) bool { return z.ID == id })
}

func (w *World) subnet(id string) (Subnet, bool) {
	return find(w.Subnets, func(s Subnet) bool { return s.ID == id })
}

func (w *World) group(id string) (SecurityGroup, bool) {
	return find(w.SecurityGroups, func(g SecurityGroup) bool { return g.ID == id })
}

func (w *World) groupByName(name, vpc string) (SecurityGroup, bool) {
	return find(w.SecurityGroups, func(g SecurityGroup) bool { return g.Name == name && g.VPCID == vpc })
}

func (w *World) image(id string) (Image, bool) {
	return find(w.Images, func(i Image) bool { return i.ID == id })
}

func (w *World) instanceType(name string) (InstanceType, bool) {
	return find(w.InstanceTypes, func(t InstanceType) bool { return t.Name == name })
}

func (w *World) profile(name string) (InstanceProfile, bool) {
	return find(w.InstanceProfiles, func(p InstanceProfile) bool { return p.Name == name })
}

func (w *World) parameter(name string) (Parameter, bool) {
	return find(w.Parameters, func(p Parameter) bool { return p.Name == name })
}
