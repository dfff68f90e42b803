// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// InstanceMetadata changes the options of the instance metadata service. Those that are not set stay as they are. On a running
// instance they are in effect once [Instance.MetadataState] is applied, on a stopped one when it is started.
type InstanceMetadata struct {
	MetadataOptions
}

var _ Modification = InstanceMetadata{}

// Action implements [Modification].
func (InstanceMetadata) Action() string { return "ModifyInstanceMetadataOptions" }

func (m InstanceMetadata) send(ctx context.Context, s *session, id string) error {
	if m == (InstanceMetadata{}) {
		return refuse(m.Action(), noChange)
	}
	return accepted(ctx, m, func(ctx context.Context) (*ec2.ModifyInstanceMetadataOptionsOutput, error) {
		return s.ec2.ModifyInstanceMetadataOptions(ctx, &ec2.ModifyInstanceMetadataOptionsInput{
			InstanceId:              aws.String(id),
			HttpTokens:              ec2types.HttpTokensState(m.HTTPTokens),
			HttpEndpoint:            ec2types.InstanceMetadataEndpointState(m.HTTPEndpoint),
			HttpPutResponseHopLimit: count(m.HTTPPutResponseHopLimit),
			HttpProtocolIpv6:        ec2types.InstanceMetadataProtocolState(m.HTTPProtocolIPv6),
			InstanceMetadataTags:    ec2types.InstanceMetadataTagsState(m.InstanceMetadataTags),
		}, once)
	})
}
