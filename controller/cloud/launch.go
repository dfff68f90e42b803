// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// LaunchParameters is everything that RunInstances is told, except the token. The zero value of a member leaves the choice
// to the launch template, or else to EC2. Members that say yes or no are "true", "false" or "".
type LaunchParameters struct {
	// LaunchTemplateID is the launch template's id; it excludes LaunchTemplateName.
	LaunchTemplateID string
	// LaunchTemplateName is the launch template's name.
	LaunchTemplateName string
	// LaunchTemplateVersion is a number: never an alias, whose value could change behind a token.
	LaunchTemplateVersion string
	// ImageID is the image, resolved: never an alias, whose value could change behind a token.
	ImageID string
	// InstanceType is EC2's.
	InstanceType string
	// SubnetID is the primary network interface's subnet.
	SubnetID string
	// SecurityGroupIDs are a set.
	SecurityGroupIDs []string
	// PrivateIPAddress is the primary private IPv4 address.
	PrivateIPAddress string
	// IPv6AddressCount is how many IPv6 addresses the primary network interface gets.
	IPv6AddressCount int32
	// AssociatePublicIPAddress says whether the primary network interface gets a public IPv4 address.
	AssociatePublicIPAddress string
	// NetworkInterfaces are a set, in the place of SubnetID, SecurityGroupIDs, PrivateIPAddress, IPv6AddressCount and
	// AssociatePublicIPAddress.
	NetworkInterfaces []LaunchInterface
	// PrivateDNSNameOptions of the instance.
	PrivateDNSNameOptions PrivateDNSNameOptions
	// Placement of the instance.
	Placement Placement
	// CapacityReservation to run in.
	CapacityReservation CapacityReservation
	// MarketType is spot or "".
	MarketType string
	// SpotOptions of a Spot Instance.
	SpotOptions SpotOptions
	// CPUOptions of the instance.
	CPUOptions CPUOptions
	// CPUCredits are standard or unlimited.
	CPUCredits string
	// EBSOptimized says whether the instance is optimized for EBS.
	EBSOptimized string
	// Monitoring says whether detailed monitoring is on.
	Monitoring string
	// AutoRecovery is default or disabled. Of the maintenance options it alone can be set at launch.
	AutoRecovery string
	// Hibernation says whether the instance can hibernate.
	Hibernation string
	// Enclave says whether the instance can run Nitro Enclaves.
	Enclave string
	// LicenseARNs are the license configurations, a set.
	LicenseARNs []string
	// DisableAPITermination protects from termination.
	DisableAPITermination string
	// DisableAPIStop protects from being stopped.
	DisableAPIStop string
	// ShutdownBehavior is stop or terminate.
	ShutdownBehavior string
	// BlockDevices are a set.
	BlockDevices []BlockDevice
	// KeyName is the key pair's name.
	KeyName string
	// ProfileName names the instance profile; it excludes ProfileARN.
	ProfileName string
	// ProfileARN is the instance profile's ARN.
	ProfileARN string
	// UserData are the bytes themselves, before any encoding.
	UserData []byte
	// UserDataIdentity stands for UserData in the hash; see [UserData].
	UserDataIdentity string
	// Tags of the instance, the identity tags among them.
	Tags map[string]string
	// PropagateTags puts Tags also on the volumes and network interfaces that the launch makes.
	PropagateTags bool
	// MetadataOptions of the instance.
	MetadataOptions MetadataOptions
}

// UserData is an instance's user data as read for a launch.
type UserData struct {
	// Bytes are given to the instance as they are.
	Bytes []byte
	// Identity stands for the bytes in the launch's hash where they are a secret, such as
	// "secret/<uid>/<resourceVersion>/<key>". When it is empty the bytes themselves are hashed.
	Identity string
}

// NewLaunchParameters says what to launch for a spec. It reads nothing but its arguments. imageID and templateVersion are what
// spec's image and launch template resolve to: an image's id, "" to leave it to the template, and a version's number.
func NewLaunchParameters(
	spec *ec2v1.EC2InstanceSpec, imageID, templateVersion string, userData UserData, tags map[string]string,
) LaunchParameters {
	p := LaunchParameters{
		ImageID:                  imageID,
		InstanceType:             spec.InstanceType,
		SubnetID:                 spec.SubnetID,
		SecurityGroupIDs:         sortedSet(spec.SecurityGroupIDs),
		PrivateIPAddress:         spec.PrivateIPAddress,
		IPv6AddressCount:         spec.IPv6AddressCount,
		AssociatePublicIPAddress: choice(spec.AssociatePublicIPAddress),
		NetworkInterfaces:        launchInterfaces(spec.NetworkInterfaces),
		PrivateDNSNameOptions:    privateDNSNameOptions(spec.PrivateDNSNameOptions),
		Placement:                placement(spec.Placement),
		CapacityReservation:      capacityReservation(spec.CapacityReservation),
		CPUOptions:               cpuOptions(spec.CPUOptions),
		EBSOptimized:             choice(spec.EBSOptimized),
		Monitoring:               choice(spec.Monitoring),
		LicenseARNs:              licenseSet(spec.Licenses),
		DisableAPITermination:    choice(spec.DisableAPITermination),
		DisableAPIStop:           choice(spec.DisableAPIStop),
		ShutdownBehavior:         spec.ShutdownBehavior,
		BlockDevices:             blockDevices(spec.BlockDevices),
		KeyName:                  spec.KeyName,
		UserData:                 userData.Bytes,
		UserDataIdentity:         userData.Identity,
		Tags:                     tags,
		PropagateTags:            spec.PropagateTags != nil && *spec.PropagateTags,
		MetadataOptions:          metadataOptions(spec.MetadataOptions),
	}
	if template := spec.LaunchTemplate; template != nil {
		p.LaunchTemplateID, p.LaunchTemplateName, p.LaunchTemplateVersion = template.ID, template.Name, templateVersion
	}
	if profile := spec.IAMInstanceProfile; profile != nil {
		p.ProfileName, p.ProfileARN = profile.Name, profile.ARN
	}
	p.addSwitches(spec)
	return p
}

func metadataOptions(o ec2v1.MetadataOptions) MetadataOptions {
	options := MetadataOptions{
		HTTPTokens:           o.HTTPTokens,
		HTTPEndpoint:         o.HTTPEndpoint,
		HTTPProtocolIPv6:     o.HTTPProtocolIPv6,
		InstanceMetadataTags: o.InstanceMetadataTags,
	}
	if o.HTTPPutResponseHopLimit != nil {
		options.HTTPPutResponseHopLimit = *o.HTTPPutResponseHopLimit
	}
	return options
}
