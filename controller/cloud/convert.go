// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"cmp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// instances are all instances of some reservations.
func (s *session) instances(reservations []ec2types.Reservation) []Instance {
	var list []Instance
	for _, r := range reservations {
		for _, i := range r.Instances {
			list = append(list, s.instance(i, aws.ToString(r.OwnerId)))
		}
	}
	return list
}

// instance is i in our terms. EC2 may leave out anything: while an instance shuts down, much of it is nil.
func (s *session) instance(i ec2types.Instance, accountID string) Instance {
	converted := Instance{
		ID:                aws.ToString(i.InstanceId),
		Type:              string(i.InstanceType),
		ImageID:           aws.ToString(i.ImageId),
		SubnetID:          aws.ToString(i.SubnetId),
		VPCID:             aws.ToString(i.VpcId),
		KeyName:           aws.ToString(i.KeyName),
		PrivateIP:         aws.ToString(i.PrivateIpAddress),
		PublicIP:          aws.ToString(i.PublicIpAddress),
		PrivateDNS:        aws.ToString(i.PrivateDnsName),
		PublicDNS:         aws.ToString(i.PublicDnsName),
		SecurityGroupIDs:  groupIDs(i.SecurityGroups),
		NetworkInterfaces: networkInterfaces(i.NetworkInterfaces),
		Volumes:           volumes(i.BlockDeviceMappings),
		LaunchTime:        aws.ToTime(i.LaunchTime).UTC(),
		ClientToken:       aws.ToString(i.ClientToken),
		Tags:              tagMap(i.Tags),
		MetadataOptions:   convertMetadataOptions(i.MetadataOptions),
		AccountID:         accountID,
		Region:            s.region,
	}
	converted.IPv6 = ipv6Addresses(aws.ToString(i.Ipv6Address), converted.NetworkInterfaces)
	if i.State != nil {
		converted.State = State(i.State.Name)
	}
	if i.StateReason != nil {
		converted.StateReasonCode = aws.ToString(i.StateReason.Code)
		converted.StateReasonMessage = aws.ToString(i.StateReason.Message)
	}
	if i.Placement != nil {
		converted.Zone = aws.ToString(i.Placement.AvailabilityZone)
	}
	if i.IamInstanceProfile != nil {
		converted.IAMInstanceProfileARN = aws.ToString(i.IamInstanceProfile.Arn)
	}
	return converted
}

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
		PrivateIP:        aws.ToString(n.PrivateIpAddress),
		MAC:              aws.ToString(n.MacAddress),
		SecurityGroupIDs: groupIDs(n.Groups),
	}
	if n.Attachment != nil {
		converted.DeviceIndex = aws.ToInt32(n.Attachment.DeviceIndex)
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

func volumes(mappings []ec2types.InstanceBlockDeviceMapping) []Volume {
	var converted []Volume
	for _, m := range mappings {
		if m.Ebs == nil {
			continue
		}
		converted = append(converted, Volume{
			DeviceName:          aws.ToString(m.DeviceName),
			ID:                  aws.ToString(m.Ebs.VolumeId),
			DeleteOnTermination: aws.ToBool(m.Ebs.DeleteOnTermination),
		})
	}
	slices.SortFunc(converted, func(a, b Volume) int {
		return cmp.Or(cmp.Compare(a.DeviceName, b.DeviceName), cmp.Compare(a.ID, b.ID))
	})
	return converted
}

func tagMap(tags []ec2types.Tag) map[string]string {
	if len(tags) == 0 {
		return nil
	}
	converted := make(map[string]string, len(tags))
	for _, t := range tags {
		converted[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return converted
}

func convertMetadataOptions(o *ec2types.InstanceMetadataOptionsResponse) MetadataOptions {
	if o == nil {
		return MetadataOptions{}
	}
	return MetadataOptions{
		HTTPTokens:              string(o.HttpTokens),
		HTTPEndpoint:            string(o.HttpEndpoint),
		HTTPPutResponseHopLimit: aws.ToInt32(o.HttpPutResponseHopLimit),
		HTTPProtocolIPv6:        string(o.HttpProtocolIpv6),
		InstanceMetadataTags:    string(o.InstanceMetadataTags),
	}
}
