// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// observed is the part of status that EC2 tells.
func observed(i *cloud.Instance) *ec2v1ac.EC2InstanceStatusApplyConfiguration {
	s := ec2v1ac.EC2InstanceStatus()
	setText(i.ID, s.WithInstanceID)
	setText(i.ARN(), s.WithARN)
	setText(string(i.State), s.WithState)
	setText(i.ImageID, s.WithImageID)
	setText(i.Type, s.WithInstanceType)
	setText(i.SubnetID, s.WithSubnetID)
	setText(i.VPCID, s.WithVPCID)
	setText(i.Zone, s.WithAvailabilityZone)
	setText(i.PrivateIP, s.WithPrivateIPAddress)
	setText(i.PublicIP, s.WithPublicIPAddress)
	setText(i.PrivateDNS, s.WithPrivateDNSName)
	setText(i.PublicDNS, s.WithPublicDNSName)
	setText(i.IAMInstanceProfileARN, s.WithIAMInstanceProfileARN)
	s.WithIPv6Addresses(i.IPv6...)
	s.WithAddresses(addressesOf(i)...)
	s.WithSecurityGroupIDs(i.SecurityGroupIDs...)
	s.WithNetworkInterfaces(networkInterfaces(i.NetworkInterfaces)...)
	s.WithVolumes(volumes(i.Volumes)...)
	if !i.LaunchTime.IsZero() {
		s.WithLaunchTime(metav1.NewTime(i.LaunchTime))
	}
	if i.StateReasonCode != "" {
		reason := ec2v1ac.StateReason().WithCode(i.StateReasonCode)
		setText(i.StateReasonMessage, reason.WithMessage)
		s.WithStateReason(reason)
	}
	return s
}

func networkInterfaces(in []cloud.NetworkInterface) []*ec2v1ac.NetworkInterfaceStatusApplyConfiguration {
	out := make([]*ec2v1ac.NetworkInterfaceStatusApplyConfiguration, 0, len(in))
	for _, n := range in {
		s := ec2v1ac.NetworkInterfaceStatus().WithID(n.ID).WithDeviceIndex(n.DeviceIndex).WithSecurityGroupIDs(n.SecurityGroupIDs...)
		setText(n.SubnetID, s.WithSubnetID)
		setText(n.PrivateIP, s.WithPrivateIPAddress)
		setText(n.PublicIP, s.WithPublicIPAddress)
		setText(n.MAC, s.WithMACAddress)
		out = append(out, s)
	}
	return out
}

func volumes(in []cloud.Volume) []*ec2v1ac.VolumeStatusApplyConfiguration {
	out := make([]*ec2v1ac.VolumeStatusApplyConfiguration, 0, len(in))
	for _, v := range in {
		s := ec2v1ac.VolumeStatus().WithDeviceName(v.DeviceName).WithDeleteOnTermination(v.DeleteOnTermination)
		setText(v.ID, s.WithVolumeID)
		out = append(out, s)
	}
	return out
}

// recorded is the same part of status as it was recorded, for as long as EC2 does not show the instance.
func recorded(r *ec2v1.EC2InstanceStatus) *ec2v1ac.EC2InstanceStatusApplyConfiguration {
	s := ec2v1ac.EC2InstanceStatus()
	setText(r.InstanceID, s.WithInstanceID)
	setText(r.ARN, s.WithARN)
	setText(r.State, s.WithState)
	setText(r.ImageID, s.WithImageID)
	setText(r.InstanceType, s.WithInstanceType)
	setText(r.SubnetID, s.WithSubnetID)
	setText(r.VPCID, s.WithVPCID)
	setText(r.AvailabilityZone, s.WithAvailabilityZone)
	setText(r.PrivateIPAddress, s.WithPrivateIPAddress)
	setText(r.PublicIPAddress, s.WithPublicIPAddress)
	setText(r.PrivateDNSName, s.WithPrivateDNSName)
	setText(r.PublicDNSName, s.WithPublicDNSName)
	setText(r.IAMInstanceProfileARN, s.WithIAMInstanceProfileARN)
	s.WithIPv6Addresses(r.IPv6Addresses...)
	s.WithAddresses(r.Addresses...)
	s.WithSecurityGroupIDs(r.SecurityGroupIDs...)
	s.WithNetworkInterfaces(recordedInterfaces(r.NetworkInterfaces)...)
	s.WithVolumes(recordedVolumes(r.Volumes)...)
	if r.LaunchTime != nil {
		s.WithLaunchTime(*r.LaunchTime)
	}
	if r.StateReason != nil {
		reason := ec2v1ac.StateReason()
		setText(r.StateReason.Code, reason.WithCode)
		setText(r.StateReason.Message, reason.WithMessage)
		s.WithStateReason(reason)
	}
	return s
}

func recordedInterfaces(in []ec2v1.NetworkInterfaceStatus) []*ec2v1ac.NetworkInterfaceStatusApplyConfiguration {
	out := make([]*ec2v1ac.NetworkInterfaceStatusApplyConfiguration, 0, len(in))
	for _, n := range in {
		s := ec2v1ac.NetworkInterfaceStatus().WithID(n.ID).WithSecurityGroupIDs(n.SecurityGroupIDs...)
		if n.DeviceIndex != nil {
			s.WithDeviceIndex(*n.DeviceIndex)
		}
		setText(n.SubnetID, s.WithSubnetID)
		setText(n.PrivateIPAddress, s.WithPrivateIPAddress)
		setText(n.PublicIPAddress, s.WithPublicIPAddress)
		setText(n.MACAddress, s.WithMACAddress)
		out = append(out, s)
	}
	return out
}

func recordedVolumes(in []ec2v1.VolumeStatus) []*ec2v1ac.VolumeStatusApplyConfiguration {
	out := make([]*ec2v1ac.VolumeStatusApplyConfiguration, 0, len(in))
	for _, v := range in {
		s := ec2v1ac.VolumeStatus().WithDeviceName(v.DeviceName)
		if v.DeleteOnTermination != nil {
			s.WithDeleteOnTermination(*v.DeleteOnTermination)
		}
		setText(v.VolumeID, s.WithVolumeID)
		out = append(out, s)
	}
	return out
}
