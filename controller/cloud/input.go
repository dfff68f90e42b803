// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"encoding/base64"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// runInstancesInput is the request for exactly one instance. It is the same, byte for byte, for equal parameters: EC2
// refuses a token that comes back with others.
func runInstancesInput(token string, p LaunchParameters) *ec2.RunInstancesInput {
	in := &ec2.RunInstancesInput{
		ClientToken:                       aws.String(token),
		MinCount:                          aws.Int32(1),
		MaxCount:                          aws.Int32(1),
		LaunchTemplate:                    templateInput(p),
		ImageId:                           optional(p.ImageID),
		InstanceType:                      ec2types.InstanceType(p.InstanceType),
		PrivateDnsNameOptions:             privateDNSNameInput(p.PrivateDNSNameOptions),
		Placement:                         placementInput(p.Placement),
		CapacityReservationSpecification:  capacityReservationInput(p.CapacityReservation),
		InstanceMarketOptions:             marketInput(p),
		CpuOptions:                        cpuInput(p.CPUOptions),
		EbsOptimized:                      chosen(p.EBSOptimized),
		LicenseSpecifications:             licensesInput(p.LicenseARNs),
		DisableApiTermination:             chosen(p.DisableAPITermination),
		DisableApiStop:                    chosen(p.DisableAPIStop),
		InstanceInitiatedShutdownBehavior: ec2types.ShutdownBehavior(p.ShutdownBehavior),
		BlockDeviceMappings:               blockDevicesInput(p.BlockDevices),
		KeyName:                           optional(p.KeyName),
		IamInstanceProfile:                profileInput(p),
		TagSpecifications:                 tagsInput(p),
		MetadataOptions:                   metadataInput(p.MetadataOptions),
	}
	if len(p.UserData) > 0 {
		in.UserData = aws.String(base64.StdEncoding.EncodeToString(p.UserData))
	}
	networkInput(in, p)
	switchesInput(in, p)
	return in
}

func templateInput(p LaunchParameters) *ec2types.LaunchTemplateSpecification {
	if p.LaunchTemplateID == "" && p.LaunchTemplateName == "" && p.LaunchTemplateVersion == "" {
		return nil
	}
	return &ec2types.LaunchTemplateSpecification{
		LaunchTemplateId:   optional(p.LaunchTemplateID),
		LaunchTemplateName: optional(p.LaunchTemplateName),
		Version:            optional(p.LaunchTemplateVersion),
	}
}

// tagsInput are the tags of the instance, of the Spot request that EC2 makes for a Spot Instance, and, where they are
// propagated, of what is made with the instance.
func tagsInput(p LaunchParameters) []ec2types.TagSpecification {
	if len(p.Tags) == 0 {
		return nil
	}
	kinds := []ec2types.ResourceType{ec2types.ResourceTypeInstance}
	if p.PropagateTags {
		kinds = append(kinds, ec2types.ResourceTypeVolume, ec2types.ResourceTypeNetworkInterface)
	}
	if p.MarketType == string(ec2types.MarketTypeSpot) {
		kinds = append(kinds, ec2types.ResourceTypeSpotInstancesRequest)
	}
	specifications := make([]ec2types.TagSpecification, 0, len(kinds))
	for _, kind := range kinds {
		specifications = append(specifications, ec2types.TagSpecification{ResourceType: kind, Tags: tagList(p.Tags)})
	}
	return specifications
}

func profileInput(p LaunchParameters) *ec2types.IamInstanceProfileSpecification {
	if p.ProfileName == "" && p.ProfileARN == "" {
		return nil
	}
	return &ec2types.IamInstanceProfileSpecification{Name: optional(p.ProfileName), Arn: optional(p.ProfileARN)}
}

func metadataInput(o MetadataOptions) *ec2types.InstanceMetadataOptionsRequest {
	if o == (MetadataOptions{}) {
		return nil
	}
	return &ec2types.InstanceMetadataOptionsRequest{
		HttpTokens:              ec2types.HttpTokensState(o.HTTPTokens),
		HttpEndpoint:            ec2types.InstanceMetadataEndpointState(o.HTTPEndpoint),
		HttpPutResponseHopLimit: count(o.HTTPPutResponseHopLimit),
		HttpProtocolIpv6:        ec2types.InstanceMetadataProtocolState(o.HTTPProtocolIPv6),
		InstanceMetadataTags:    ec2types.InstanceMetadataTagsState(o.InstanceMetadataTags),
	}
}

// tagList is sorted by key.
func tagList(tags map[string]string) []ec2types.Tag {
	list := make([]ec2types.Tag, 0, len(tags))
	for _, key := range sortedKeys(tags) {
		list = append(list, ec2types.Tag{Key: aws.String(key), Value: aws.String(tags[key])})
	}
	return list
}
