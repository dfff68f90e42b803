// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

const (
	opAssociateProfile     = "AssociateIamInstanceProfile"
	opReplaceProfile       = "ReplaceIamInstanceProfileAssociation"
	opDisassociateProfile  = "DisassociateIamInstanceProfile"
	opDescribeAssociations = "DescribeIamInstanceProfileAssociations"
)

// InstanceProfile gives an instance another instance profile. It first asks for the one that is there, and makes no other call
// when that is the wanted one.
//
// A running instance's profile is replaced. EC2 replaces none of an instance that does not run
// (https://github.com/hashicorp/terraform-provider-aws/issues/8262): there the first Modify takes the old profile away, and the
// next one gives the new.
type InstanceProfile struct {
	// Name of the profile; it excludes ARN.
	Name string
	// ARN of the profile.
	ARN string
	// Running says that the instance runs.
	Running bool
}

var _ Modification = InstanceProfile{}

// Action implements [Modification].
func (m InstanceProfile) Action() string {
	if m.Running {
		return opReplaceProfile
	}
	return opAssociateProfile
}

// Matches reports whether arn is that of the profile. EC2 tells profiles' ARNs only, and one ends in the profile's path and name;
// names are an account's, whatever the path.
func (m InstanceProfile) Matches(arn string) bool {
	if m.ARN != "" {
		return m.ARN == arn
	}
	return m.Name != "" && m.Name == arn[strings.LastIndexByte(arn, '/')+1:]
}

func (m InstanceProfile) send(ctx context.Context, s *session, id string) error {
	if m.Name == "" && m.ARN == "" {
		return refuse(m.Action(), "the name or the ARN of an instance profile is needed")
	}
	associations, err := s.profileAssociations(ctx, id)
	if err != nil {
		return err
	}
	for _, a := range associations {
		if a.IamInstanceProfile != nil && m.Matches(aws.ToString(a.IamInstanceProfile.Arn)) {
			return nil
		}
	}
	switch {
	case len(associations) == 0:
		return s.associateProfile(ctx, id, m)
	case m.Running:
		return s.replaceProfile(ctx, associations[0].AssociationId, m)
	default:
		return s.disassociateProfile(ctx, associations[0].AssociationId)
	}
}

func (m InstanceProfile) input() *ec2types.IamInstanceProfileSpecification {
	return &ec2types.IamInstanceProfileSpecification{Name: optional(m.Name), Arn: optional(m.ARN)}
}

// profileAssociations are those that are in effect or about to be. An instance has at most one.
func (s *session) profileAssociations(ctx context.Context, id string) ([]ec2types.IamInstanceProfileAssociation, error) {
	out, err := call(ctx, opDescribeAssociations, readTimeout,
		func(ctx context.Context) (*ec2.DescribeIamInstanceProfileAssociationsOutput, error) {
			return s.ec2.DescribeIamInstanceProfileAssociations(ctx, &ec2.DescribeIamInstanceProfileAssociationsInput{
				Filters: []ec2types.Filter{filter("instance-id", id), filter("state", "associating", "associated")},
			})
		})
	if err != nil {
		return nil, err
	}
	return out.IamInstanceProfileAssociations, nil
}

func (s *session) associateProfile(ctx context.Context, id string, m InstanceProfile) error {
	_, err := call(ctx, opAssociateProfile, changeTimeout, func(ctx context.Context) (*ec2.AssociateIamInstanceProfileOutput, error) {
		return s.ec2.AssociateIamInstanceProfile(ctx,
			&ec2.AssociateIamInstanceProfileInput{InstanceId: aws.String(id), IamInstanceProfile: m.input()}, once)
	})
	return err
}

func (s *session) replaceProfile(ctx context.Context, association *string, m InstanceProfile) error {
	_, err := call(ctx, opReplaceProfile, changeTimeout, func(ctx context.Context) (*ec2.ReplaceIamInstanceProfileAssociationOutput, error) {
		return s.ec2.ReplaceIamInstanceProfileAssociation(ctx,
			&ec2.ReplaceIamInstanceProfileAssociationInput{AssociationId: association, IamInstanceProfile: m.input()}, once)
	})
	return err
}

func (s *session) disassociateProfile(ctx context.Context, association *string) error {
	_, err := call(ctx, opDisassociateProfile, changeTimeout, func(ctx context.Context) (*ec2.DisassociateIamInstanceProfileOutput, error) {
		return s.ec2.DisassociateIamInstanceProfile(ctx, &ec2.DisassociateIamInstanceProfileInput{AssociationId: association}, once)
	})
	return err
}
