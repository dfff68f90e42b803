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
		ClientToken:        aws.String(token),
		MinCount:           aws.Int32(1),
		MaxCount:           aws.Int32(1),
		ImageId:            optional(p.ImageID),
		InstanceType:       ec2types.InstanceType(p.InstanceType),
		SubnetId:           optional(p.SubnetID),
		SecurityGroupIds:   sortedSet(p.SecurityGroupIDs),
		KeyName:            optional(p.KeyName),
		IamInstanceProfile: profileInput(p),
		MetadataOptions:    metadataInput(p.MetadataOptions),
	}
	if len(p.UserData) > 0 {
		in.UserData = aws.String(base64.StdEncoding.EncodeToString(p.UserData))
	}
	if len(p.Tags) > 0 {
		in.TagSpecifications = []ec2types.TagSpecification{
			{ResourceType: ec2types.ResourceTypeInstance, Tags: tagList(p.Tags)},
		}
	}
	return in
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
	in := &ec2types.InstanceMetadataOptionsRequest{
		HttpTokens:           ec2types.HttpTokensState(o.HTTPTokens),
		HttpEndpoint:         ec2types.InstanceMetadataEndpointState(o.HTTPEndpoint),
		HttpProtocolIpv6:     ec2types.InstanceMetadataProtocolState(o.HTTPProtocolIPv6),
		InstanceMetadataTags: ec2types.InstanceMetadataTagsState(o.InstanceMetadataTags),
	}
	if o.HTTPPutResponseHopLimit != 0 {
		in.HttpPutResponseHopLimit = aws.Int32(o.HTTPPutResponseHopLimit)
	}
	return in
}

// tagList is sorted by key.
func tagList(tags map[string]string) []ec2types.Tag {
	list := make([]ec2types.Tag, 0, len(tags))
	for _, key := range sortedKeys(tags) {
		list = append(list, ec2types.Tag{Key: aws.String(key), Value: aws.String(tags[key])})
	}
	return list
}

// optional is nil for "", which is not sent.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
