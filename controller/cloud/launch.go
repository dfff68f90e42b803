// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// LaunchParameters is everything that RunInstances is told, except the token. The zero value of a member leaves the choice
// to EC2.
type LaunchParameters struct {
	// ImageID is the image, resolved: never an alias, whose value could change behind a token.
	ImageID string
	// InstanceType is EC2's.
	InstanceType string
	// SubnetID is the primary network interface's subnet.
	SubnetID string
	// SecurityGroupIDs are a set.
	SecurityGroupIDs []string
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

// NewLaunchParameters says what to launch for a spec. It reads nothing but its arguments.
func NewLaunchParameters(spec *ec2v1.EC2InstanceSpec, imageID string, userData UserData, tags map[string]string) LaunchParameters {
	p := LaunchParameters{
		ImageID:          imageID,
		InstanceType:     spec.InstanceType,
		SubnetID:         spec.SubnetID,
		SecurityGroupIDs: sortedSet(spec.SecurityGroupIDs),
		KeyName:          spec.KeyName,
		UserData:         userData.Bytes,
		UserDataIdentity: userData.Identity,
		Tags:             tags,
		MetadataOptions:  metadataOptions(spec.MetadataOptions),
	}
	if profile := spec.IAMInstanceProfile; profile != nil {
		p.ProfileName, p.ProfileARN = profile.Name, profile.ARN
	}
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
