// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"cmp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// LaunchInterface is a network interface to launch with: a new one, or one that exists. The zero value of a member but
// DeviceIndex leaves the choice to EC2. Members that say yes or no are "true", "false" or "".
type LaunchInterface struct {
	// DeviceIndex is its place on the instance; 0 is the primary one.
	DeviceIndex int32
	// NetworkCardIndex is the network card; 0 is EC2's default.
	NetworkCardIndex int32
	// NetworkInterfaceID is an existing interface; it excludes what follows.
	NetworkInterfaceID string
	// SubnetID is the interface's subnet.
	SubnetID string
	// SecurityGroupIDs are a set.
	SecurityGroupIDs []string
	// PrivateIPAddress is its primary private IPv4 address.
	PrivateIPAddress string
	// IPv6AddressCount is how many IPv6 addresses it gets.
	IPv6AddressCount int32
	// AssociatePublicIPAddress says whether it gets a public IPv4 address.
	AssociatePublicIPAddress string
	// DeleteOnTermination says whether it goes with the instance.
	DeleteOnTermination string
	// Description of the interface.
	Description string
}

// launchInterfaces are the interfaces of a spec, by their places.
func launchInterfaces(interfaces []ec2v1.NetworkInterface) []LaunchInterface {
	var launched []LaunchInterface
	for _, n := range interfaces {
		launched = append(launched, LaunchInterface{
			DeviceIndex:              aws.ToInt32(n.DeviceIndex),
			NetworkCardIndex:         aws.ToInt32(n.NetworkCardIndex),
			NetworkInterfaceID:       n.NetworkInterfaceID,
			SubnetID:                 n.SubnetID,
			SecurityGroupIDs:         sortedSet(n.SecurityGroupIDs),
			PrivateIPAddress:         n.PrivateIPAddress,
			IPv6AddressCount:         n.IPv6AddressCount,
			AssociatePublicIPAddress: choice(n.AssociatePublicIPAddress),
			DeleteOnTermination:      choice(n.DeleteOnTermination),
			Description:              n.Description,
		})
	}
	return sortedInterfaces(launched)
}

func sortedInterfaces(interfaces []LaunchInterface) []LaunchInterface {
	return slices.SortedStableFunc(slices.Values(interfaces), func(a, b LaunchInterface) int {
		return cmp.Compare(a.DeviceIndex, b.DeviceIndex)
	})
}

// networkInput adds what p says of the network. EC2 takes a public address for a network interface only, and takes none of
// the interface's members elsewhere then.
func networkInput(in *ec2.RunInstancesInput, p LaunchParameters) {
	interfaces := p.NetworkInterfaces
	if p.AssociatePublicIPAddress != "" {
		interfaces = append(slices.Clone(interfaces), LaunchInterface{
			SubnetID:                 p.SubnetID,
			SecurityGroupIDs:         p.SecurityGroupIDs,
			PrivateIPAddress:         p.PrivateIPAddress,
			IPv6AddressCount:         p.IPv6AddressCount,
			AssociatePublicIPAddress: p.AssociatePublicIPAddress,
		})
	} else {
		in.SubnetId = optional(p.SubnetID)
		in.SecurityGroupIds = sortedSet(p.SecurityGroupIDs)
		in.PrivateIpAddress = optional(p.PrivateIPAddress)
		in.Ipv6AddressCount = count(p.IPv6AddressCount)
	}
	for _, n := range sortedInterfaces(interfaces) {
		in.NetworkInterfaces = append(in.NetworkInterfaces, interfaceInput(n))
	}
}

func interfaceInput(n LaunchInterface) ec2types.InstanceNetworkInterfaceSpecification {
	return ec2types.InstanceNetworkInterfaceSpecification{
		DeviceIndex:              aws.Int32(n.DeviceIndex),
		NetworkCardIndex:         count(n.NetworkCardIndex),
		NetworkInterfaceId:       optional(n.NetworkInterfaceID),
		SubnetId:                 optional(n.SubnetID),
		Groups:                   sortedSet(n.SecurityGroupIDs),
		PrivateIpAddress:         optional(n.PrivateIPAddress),
		Ipv6AddressCount:         count(n.IPv6AddressCount),
		AssociatePublicIpAddress: chosen(n.AssociatePublicIPAddress),
		DeleteOnTermination:      chosen(n.DeleteOnTermination),
		Description:              optional(n.Description),
	}
}
