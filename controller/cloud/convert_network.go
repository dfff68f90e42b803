// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"cmp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

func groupIDs(groups []ec2types.GroupIdentifier) []string {
	ids := make([]string, 0, len(groups))
	for _, g := range groups {
		ids = append(ids, aws.ToString(g.GroupId))
	}
	return sortedSet(ids)
}

func networkInterfaces(list []ec2types.InstanceNetworkInterface) []NetworkInterface {
	var converted []NetworkInterface
	for _, n := range list {
		converted = append(converted, networkInterface(n))
	}
	slices.SortFunc(converted, func(a, b NetworkInterface) int { return cmp.Compare(a.ID, b.ID) })
	return converted
}

func networkInterface(n ec2types.InstanceNetworkInterface) NetworkInterface {
	converted := NetworkInterface{
		ID:               aws.ToString(n.NetworkInterfaceId),
		SubnetID:         aws.ToString(n.SubnetId),
		Description:      aws.ToString(n.Description),
		PrivateIP:        aws.ToString(n.PrivateIpAddress),
		SourceDestCheck:  aws.ToBool(n.SourceDestCheck),
		MAC:              aws.ToString(n.MacAddress),
		SecurityGroupIDs: groupIDs(n.Groups),
	}
	if n.Attachment != nil {
		converted.DeviceIndex = aws.ToInt32(n.Attachment.DeviceIndex)
		converted.DeleteOnTermination = aws.ToBool(n.Attachment.DeleteOnTermination)
	}
	if n.Association != nil {
		converted.PublicIP = aws.ToString(n.Association.PublicIp)
	}
	addresses := make([]string, 0, len(n.Ipv6Addresses))
	for _, a := range n.Ipv6Addresses {
		addresses = append(addresses, aws.ToString(a.Ipv6Address))
	}
	converted.IPv6 = sortedSet(addresses)
	return converted
}

// ipv6Addresses are those of the instance and of its interfaces, once each.
func ipv6Addresses(primary string, interfaces []NetworkInterface) []string {
	addresses := []string{primary}
	for _, n := range interfaces {
		addresses = append(addresses, n.IPv6...)
	}
	return sortedSet(addresses)
}
