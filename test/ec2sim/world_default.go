// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"net/netip"
	"strings"
)

// DefaultAccount is the account of access keys that Options.Accounts does not name.
const DefaultAccount = "123456789012"

// What every account finds in every region. The ids are the same everywhere, so
// that an example works wherever it is tried.
const (
	// DefaultVPC holds all subnets but SubnetOtherVPC.
	DefaultVPC = "vpc-0123456789abcdef0"
	// OtherVPC holds SubnetOtherVPC and SecurityGroupOtherVPC.
	OtherVPC = "vpc-0fedcba9876543210"

	// SubnetA, SubnetB and SubnetC are the default subnets of the region's zones a,
	// b and c, with 16379 free addresses each; instances get a public address.
	SubnetA = "subnet-0aaaaaaaaaaaaaaaa"
	SubnetB = "subnet-0bbbbbbbbbbbbbbbb"
	SubnetC = "subnet-0cccccccccccccccc"
	// SubnetPrivateA is another subnet in zone a, without public addresses.
	SubnetPrivateA = "subnet-0a0a0a0a0a0a0a0a0"
	// SubnetIPv6A is a subnet in zone a with IPv6 addresses, too.
	SubnetIPv6A = "subnet-06060606060606060"
	// SubnetSmall is a subnet in zone a with 11 free addresses.
	SubnetSmall = "subnet-0dddddddddddddddd"
	// SubnetOtherVPC is a subnet in zone a of OtherVPC.
	SubnetOtherVPC = "subnet-0eeeeeeeeeeeeeeee"

	// ImageAL2023 is an Amazon Linux 2023 image for x86_64.
	ImageAL2023 = "ami-0123456789abcdef0"
	// ImageAL2023Next is a later build of it; the public parameter still names ImageAL2023.
	ImageAL2023Next = "ami-0aaaaaaaaaaaaaaaa"
	// ImageAL2023ARM is its counterpart for arm64.
	ImageAL2023ARM = "ami-0fedcba9876543210"
	// ParameterAL2023 and ParameterAL2023ARM are the public SSM parameters of the images.
	ParameterAL2023    = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
	ParameterAL2023ARM = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64"

	// SnapshotData is a snapshot of SnapshotGiB, and SnapshotEncrypted an encrypted one of the same size.
	SnapshotData      = "snap-0dddddddddddddddd"
	SnapshotEncrypted = "snap-0eeeeeeeeeeeeeeee"
	// SnapshotGiB is the size of the snapshots that an account finds.
	SnapshotGiB = 20

	// SecurityGroupDefault is the group named default of DefaultVPC.
	SecurityGroupDefault = "sg-0123456789abcdef0"
	// SecurityGroupWeb is the group named web of DefaultVPC.
	SecurityGroupWeb = "sg-0aaaaaaaaaaaaaaaa"
	// SecurityGroupOtherVPC is the group named default of OtherVPC.
	SecurityGroupOtherVPC = "sg-0eeeeeeeeeeeeeeee"

	// KeyPairName is a key pair.
	KeyPairName = "example-key"
	// InstanceProfileName is an IAM instance profile.
	InstanceProfileName = "example-profile"
	// OtherInstanceProfileName is the name of a second one.
	OtherInstanceProfileName = "other-profile"

	// TypeInOneZone is offered in zone b only.
	TypeInOneZone = "p4d.24xlarge"
	// TypeWithCores lets CPU options choose: 2 or 4 cores, 1 or 2 threads.
	TypeWithCores = "m5.2xlarge"

	// TemplateID and TemplateName are of a launch template of two versions, of which the first is the default.
	TemplateID   = "lt-0123456789abcdef0"
	TemplateName = "example-template"

	// GroupCluster, GroupSpread and GroupPartition are placement groups, the last with GroupPartitions partitions.
	GroupCluster    = "example-cluster"
	GroupClusterID  = "pg-0aaaaaaaaaaaaaaaa"
	GroupSpread     = "example-spread"
	GroupSpreadID   = "pg-0bbbbbbbbbbbbbbbb"
	GroupPartition  = "example-partition"
	GroupPartitions = 3
	// GroupPartitionID is the id of GroupPartition.
	GroupPartitionID = "pg-0cccccccccccccccc"
	// HostA is a Dedicated Host in zone a with room for HostCapacity instances.
	HostA = "h-0aaaaaaaaaaaaaaaa"
	// HostCapacity is how many instances HostA holds.
	HostCapacity = 2
	// CapacityReservationA holds CapacityReserved m5.large in zone a.
	CapacityReservationA = "cr-0aaaaaaaaaaaaaaaa"
	// CapacityReserved is how many instances CapacityReservationA holds.
	CapacityReserved = 2
)

// LicenseConfiguration is the ARN of the licence configuration that an account finds in a region.
func LicenseConfiguration(account, region string) string {
	return "arn:aws:license-manager:" + region + ":" + account + ":license-configuration:lic-0123456789abcdef0123456789abcdef"
}

// DefaultWorld is the world that Options.World replaces.
func DefaultWorld(account, region string) World {
	a, b, c := region+"a", region+"b", region+"c"
	subnet := func(id, vpc, zone, cidr string, public bool) Subnet {
		return Subnet{ID: id, VPCID: vpc, Zone: zone, CIDR: netip.MustParsePrefix(cidr), PublicIP: public, Default: public}
	}
	ipv6 := subnet(SubnetIPv6A, DefaultVPC, a, "10.0.224.0/20", false)
	ipv6.IPv6CIDR = netip.MustParsePrefix("2001:db8:1234:1a00::/64")
	image := func(id, name, architecture string) Image {
		return Image{
			ID: id, Name: name, Architecture: architecture, RootDeviceName: "/dev/xvda", RequiresIMDSv2: true,
			RootSnapshotID: "snap-" + strings.TrimPrefix(id, "ami-"),
		}
	}
	return World{
		Zones: []Zone{{a, zoneID(region, 1)}, {b, zoneID(region, 2)}, {c, zoneID(region, 3)}},
		Subnets: []Subnet{
			subnet(SubnetA, DefaultVPC, a, "10.0.0.0/18", true),
			subnet(SubnetB, DefaultVPC, b, "10.0.64.0/18", true),
			subnet(SubnetC, DefaultVPC, c, "10.0.128.0/18", true),
			subnet(SubnetPrivateA, DefaultVPC, a, "10.0.192.0/20", false),
			subnet(SubnetSmall, DefaultVPC, a, "10.0.208.0/28", false),
			subnet(SubnetOtherVPC, OtherVPC, a, "10.1.0.0/20", false),
			ipv6,
		},
		SecurityGroups: []SecurityGroup{
			{SecurityGroupDefault, "default", DefaultVPC},
			{SecurityGroupWeb, "web", DefaultVPC},
			{SecurityGroupOtherVPC, "default", OtherVPC},
		},
		Images: []Image{
			image(ImageAL2023, "al2023-ami-2023.8.20260101.0-kernel-6.12-x86_64", x86),
			image(ImageAL2023Next, "al2023-ami-2023.9.20260201.0-kernel-6.12-x86_64", x86),
			image(ImageAL2023ARM, "al2023-ami-2023.8.20260101.0-kernel-6.12-arm64", arm),
		},
		KeyPairs:         []string{KeyPairName},
		InstanceTypes:    defaultTypes(b),
		InstanceProfiles: []InstanceProfile{{InstanceProfileName, "AIPAEXAMPLEPROFILE000"}, {OtherInstanceProfileName, "AIPAEXAMPLEPROFILE001"}},
		Parameters: []Parameter{
			{ParameterAL2023, ImageAL2023, 1, "text"},
			{ParameterAL2023ARM, ImageAL2023ARM, 1, "text"},
		},
		PlacementGroups: []PlacementGroup{
			{ID: GroupClusterID, Name: GroupCluster, Strategy: StrategyCluster},
			{ID: GroupSpreadID, Name: GroupSpread, Strategy: StrategySpread},
			{ID: GroupPartitionID, Name: GroupPartition, Strategy: StrategyPartition, Partitions: GroupPartitions},
		},
		Hosts:                []Host{{ID: HostA, Zone: a, Capacity: HostCapacity}},
		CapacityReservations: []CapacityReservation{{ID: CapacityReservationA, InstanceType: "m5.large", Zone: a, Count: CapacityReserved}},
		LaunchTemplates: []LaunchTemplate{{ID: TemplateID, Name: TemplateName, Default: 1, Versions: []LaunchTemplateVersion{
			{Number: 1, Description: "first", Data: map[string]string{
				"ImageId": ImageAL2023, "InstanceType": "t3.small", "SecurityGroupId.1": SecurityGroupWeb,
				"MetadataOptions.HttpTokens": tokensRequired, "MetadataOptions.HttpPutResponseHopLimit": "3",
				"TagSpecification.1.ResourceType": kindInstance, "TagSpecification.1.Tag.1.Key": "template", "TagSpecification.1.Tag.1.Value": "first",
			}},
			{Number: 2, Data: map[string]string{"ImageId": ImageAL2023Next, "InstanceType": "m5.large", "KeyName": KeyPairName}},
		}}},
		Snapshots: []Snapshot{{ID: SnapshotData, SizeGiB: SnapshotGiB}, {ID: SnapshotEncrypted, SizeGiB: SnapshotGiB, Encrypted: true}},
		Licenses:  []string{LicenseConfiguration(account, region)},
	}
}

// zoneID shortens a region the way AWS does: the first zone of eu-west-1 is euw1-az1.
func zoneID(region string, n int) string {
	short := strings.NewReplacer(
		"northeast", "ne", "northwest", "nw", "southeast", "se", "southwest", "sw",
		"north", "n", "south", "s", "east", "e", "west", "w", "central", "c", "-", "",
	).Replace(region)
	return short + "-az" + string(rune('0'+n))
}
