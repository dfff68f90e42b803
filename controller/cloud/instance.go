// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Instance is an EC2 instance as EC2 shows it. What EC2 does not tell is the zero value. Lists are sorted and empty ones
// are nil, so that equal worlds compare equal: EC2 promises no order. An Instance is passed by value and its lists and maps
// are never changed once it is made; callers must not change them either.
type Instance struct {
	// ID is EC2's id, i- and hexadecimal digits.
	ID string
	// State is EC2's word.
	State State
	// StateReasonCode tells why the state last changed, such as Client.UserInitiatedShutdown.
	StateReasonCode string
	// StateReasonMessage is EC2's text for it. For a failed launch it can say more than the code does.
	StateReasonMessage string
	// StateTransitionReason is EC2's older text for it, such as "User initiated (2026-01-07 12:19:54 GMT)". It has a time in it
	// and is not fit for a condition.
	StateTransitionReason string
	// Type is the instance type.
	Type string
	// Architecture is that of the image, such as x86_64.
	Architecture string
	// ImageID is the image that the instance was launched from.
	ImageID string
	// SubnetID is the primary network interface's subnet.
	SubnetID string
	// VPCID is the instance's VPC.
	VPCID string
	// Zone is the Availability Zone.
	Zone string
	// Placement is where the instance runs, Zone included.
	Placement Placement
	// CapacityReservation is which reservation the instance is told to run in.
	CapacityReservation CapacityReservation
	// Lifecycle is spot for a Spot Instance, and empty for an On-Demand one. EC2 has more such words.
	Lifecycle string
	// SpotRequestID is the request of a Spot Instance.
	SpotRequestID string
	// KeyName is the key pair's name.
	KeyName string
	// PrivateIP is the primary private IPv4 address.
	PrivateIP string
	// PublicIP is the public IPv4 address.
	PublicIP string
	// PrivateDNS is the DNS name inside the VPC.
	PrivateDNS string
	// PublicDNS is the public DNS name.
	PublicDNS string
	// DNSNames say which names the instance has in its VPC.
	DNSNames PrivateDNSNameOptions
	// IPv6 are the IPv6 addresses of all network interfaces, sorted.
	IPv6 []string
	// SecurityGroupIDs are the instance's security groups, sorted.
	SecurityGroupIDs []string
	// NetworkInterfaces are sorted by id.
	NetworkInterfaces []NetworkInterface
	// Volumes are the EBS volumes, sorted by device name.
	Volumes []Volume
	// RootDeviceName is the device name of the root volume.
	RootDeviceName string
	// EBSOptimized says that the instance has dedicated throughput to EBS volumes.
	EBSOptimized bool
	// Monitoring is EC2's word for detailed monitoring: disabled, disabling, enabled or pending.
	Monitoring string
	// IAMInstanceProfileARN is the instance profile: EC2 tells its ARN whatever it was launched with.
	IAMInstanceProfileARN string
	// LaunchTime is when the instance was launched or last started, in UTC.
	LaunchTime time.Time
	// ClientToken is the token of the RunInstances call that made the instance.
	ClientToken string
	// Tags by key. A terminated instance loses them before it vanishes.
	Tags map[string]string
	// MetadataOptions are the options of the instance metadata service.
	MetadataOptions MetadataOptions
	// MetadataState is applied, or pending while the MetadataOptions are not yet in effect.
	MetadataState string
	// CPU are the options of the CPU.
	CPU CPUOptions
	// Maintenance says what EC2 does about failures and planned maintenance.
	Maintenance MaintenanceOptions
	// HibernationConfigured says that the instance was launched so that it can hibernate.
	HibernationConfigured bool
	// EnclaveEnabled says that the instance was launched for Nitro Enclaves.
	EnclaveEnabled bool
	// LicenseConfigurationARNs are the license configurations, sorted.
	LicenseConfigurationARNs []string
	// AccountID is the AWS account that owns the instance, 12 digits.
	AccountID string
	// Region is the AWS Region.
	Region string
}

// NetworkInterface is a network interface of an instance.
type NetworkInterface struct {
	// ID of the interface.
	ID string
	// DeviceIndex is its place on the instance; 0 is the primary one.
	DeviceIndex int32
	// SubnetID is the interface's subnet.
	SubnetID string
	// Description is what its maker wrote.
	Description string
	// SourceDestCheck says that EC2 drops what is neither from nor for the interface.
	SourceDestCheck bool
	// DeleteOnTermination says that the interface goes when the instance is terminated.
	DeleteOnTermination bool
	// PrivateIP is its primary private IPv4 address.
	PrivateIP string
	// PublicIP is the public IPv4 address associated with it.
	PublicIP string
	// MAC address.
	MAC string
	// IPv6 addresses, sorted.
	IPv6 []string
	// SecurityGroupIDs, sorted.
	SecurityGroupIDs []string
}

// Volume is an EBS volume attached to an instance.
type Volume struct {
	// DeviceName under which it is attached.
	DeviceName string
	// ID of the volume.
	ID string
	// DeleteOnTermination says that the volume goes when the instance is terminated.
	DeleteOnTermination bool
}

// MetadataOptions are the options of the instance metadata service (IMDS). In a launch, the zero value of a member leaves
// the choice to EC2.
type MetadataOptions struct {
	// HTTPTokens is required or optional.
	HTTPTokens string
	// HTTPEndpoint is enabled or disabled.
	HTTPEndpoint string
	// HTTPPutResponseHopLimit is 1 to 64 network hops.
	HTTPPutResponseHopLimit int32
	// HTTPProtocolIPv6 is enabled or disabled.
	HTTPProtocolIPv6 string
	// InstanceMetadataTags is enabled or disabled.
	InstanceMetadataTags string
}

// Equal reports whether i and o say the same of an instance. Nil and empty lists are the same.
func (i Instance) Equal(o Instance) bool {
	return i.words() == o.words() &&
		i.settings() == o.settings() &&
		i.LaunchTime.Equal(o.LaunchTime) &&
		slices.Equal(i.IPv6, o.IPv6) &&
		slices.Equal(i.SecurityGroupIDs, o.SecurityGroupIDs) &&
		slices.EqualFunc(i.NetworkInterfaces, o.NetworkInterfaces, NetworkInterface.Equal) &&
		slices.Equal(i.Volumes, o.Volumes) &&
		slices.Equal(i.LicenseConfigurationARNs, o.LicenseConfigurationARNs) &&
		maps.Equal(i.Tags, o.Tags)
}

// words are all members that are a single text.
func (i Instance) words() [25]string {
	return [...]string{
		i.ID, string(i.State), i.StateReasonCode, i.StateReasonMessage, i.StateTransitionReason, i.Type, i.Architecture, i.ImageID,
		i.SubnetID, i.VPCID, i.Zone, i.Lifecycle, i.SpotRequestID, i.KeyName, i.PrivateIP, i.PublicIP, i.PrivateDNS, i.PublicDNS,
		i.RootDeviceName, i.Monitoring, i.IAMInstanceProfileARN, i.ClientToken, i.MetadataState, i.AccountID, i.Region,
	}
}

// settings are all members that are flags or groups of options.
type settings struct {
	ebsOptimized, hibernation, enclave bool

	placement   Placement
	reservation CapacityReservation
	dnsNames    PrivateDNSNameOptions
	metadata    MetadataOptions
	cpu         CPUOptions
	maintenance MaintenanceOptions
}

func (i Instance) settings() settings {
	return settings{
		ebsOptimized: i.EBSOptimized, hibernation: i.HibernationConfigured, enclave: i.EnclaveEnabled,
		placement: i.Placement, reservation: i.CapacityReservation, dnsNames: i.DNSNames,
		metadata: i.MetadataOptions, cpu: i.CPU, maintenance: i.Maintenance,
	}
}

// Equal reports whether n and o say the same. Nil and empty lists are the same.
func (n NetworkInterface) Equal(o NetworkInterface) bool {
	return n.ID == o.ID &&
		n.DeviceIndex == o.DeviceIndex &&
		n.SubnetID == o.SubnetID &&
		n.Description == o.Description &&
		n.SourceDestCheck == o.SourceDestCheck &&
		n.DeleteOnTermination == o.DeleteOnTermination &&
		n.PrivateIP == o.PrivateIP &&
		n.PublicIP == o.PublicIP &&
		n.MAC == o.MAC &&
		slices.Equal(n.IPv6, o.IPv6) &&
		slices.Equal(n.SecurityGroupIDs, o.SecurityGroupIDs)
}

// ARN is the instance's Amazon Resource Name, or "" while the account that owns it is not known.
func (i Instance) ARN() string {
	if i.ID == "" || i.AccountID == "" || i.Region == "" {
		return ""
	}
	return "arn:" + partition(i.Region) + ":ec2:" + i.Region + ":" + i.AccountID + ":instance/" + i.ID
}

// partitions has the AWS partitions by the beginning of their Regions' names; all others are in "aws".
// See https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html.
var partitions = []struct{ regions, partition string }{
	{"cn-", "aws-cn"},
	{"us-gov-", "aws-us-gov"},
	{"us-isob-", "aws-iso-b"},
	{"us-isof-", "aws-iso-f"},
	{"us-iso-", "aws-iso"},
	{"eu-isoe-", "aws-iso-e"},
	{"eusc-", "aws-eusc"},
}

func partition(region string) string {
	for _, p := range partitions {
		if strings.HasPrefix(region, p.regions) {
			return p.partition
		}
	}
	return "aws"
}
