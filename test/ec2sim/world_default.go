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
)

// DefaultWorld is the world that Options.World replaces.
func DefaultWorld(_, region string) World {
	a, b, c := region+"a", region+"b", region+"c"
	subnet := func(id, vpc, zone, cidr string, public bool) Subnet {
		return Subnet{ID: id, VPCID: vpc, Zone: zone, CIDR: netip.MustParsePrefix(cidr), PublicIP: public, Default: public}
	}
	x86 := func(name string, vcpus int) InstanceType {
		return InstanceType{Name: name, Architecture: "x86_64", VCPUs: vcpus}
	}
	arm := func(name string, vcpus int) InstanceType {
		return InstanceType{Name: name, Architecture: "arm64", VCPUs: vcpus}
	}
	image := func(id, name, architecture string) Image {
		return Image{ID: id, Name: name, Architecture: architecture, RootDeviceName: "/dev/xvda", RequiresIMDSv2: true}
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
		},
		SecurityGroups: []SecurityGroup{
			{SecurityGroupDefault, "default", DefaultVPC},
			{SecurityGroupWeb, "web", DefaultVPC},
			{SecurityGroupOtherVPC, "default", OtherVPC},
		},
		Images: []Image{
			image(ImageAL2023, "al2023-ami-2023.8.20260101.0-kernel-6.12-x86_64", "x86_64"),
			image(ImageAL2023Next, "al2023-ami-2023.9.20260201.0-kernel-6.12-x86_64", "x86_64"),
			image(ImageAL2023ARM, "al2023-ami-2023.8.20260101.0-kernel-6.12-arm64", "arm64"),
		},
		KeyPairs: []string{KeyPairName},
		InstanceTypes: []InstanceType{
			x86("m1.small", 1), // what EC2 launches when no type is given
			x86("t3.micro", 2), x86("t3.small", 2), x86("t3.medium", 2), x86("t3.large", 2),
			x86("m5.large", 2), x86("m5.xlarge", 4), x86("m6i.large", 2), x86("c5.large", 2), x86("r5.large", 2),
			arm("t4g.micro", 2), arm("t4g.small", 2), arm("m7g.large", 2),
			{Name: TypeInOneZone, Architecture: "x86_64", VCPUs: 96, Zones: []string{b}},
		},
		InstanceProfiles: []InstanceProfile{{InstanceProfileName, "AIPAEXAMPLEPROFILE000"}, {OtherInstanceProfileName, "AIPAEXAMPLEPROFILE001"}},
		Parameters: []Parameter{
			{ParameterAL2023, ImageAL2023, 1, "text"},
			{ParameterAL2023ARM, ImageAL2023ARM, 1, "text"},
		},
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
