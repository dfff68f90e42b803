// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
)

const (
	opModifyInterface = "ModifyNetworkInterfaceAttribute"
	noInterface       = "a network interface id is needed"
)

// SecurityGroups has a network interface be in exactly the given security groups; see [NewSecurityGroups]. It is by interface
// because EC2 refuses to change the groups of an instance that has several.
type SecurityGroups struct {
	// InterfaceID is the network interface.
	InterfaceID string

	// ids are sorted, with commas between them.
	ids string
}

// NewSecurityGroups is the change of an interface's groups to ids, whatever their order. EC2 wants at least one.
func NewSecurityGroups(interfaceID string, ids []string) SecurityGroups {
	return SecurityGroups{InterfaceID: interfaceID, ids: strings.Join(sortedSet(ids), ",")}
}

var _ Modification = SecurityGroups{}

// IDs are the security groups, sorted.
func (m SecurityGroups) IDs() []string {
	if m.ids == "" {
		return nil
	}
	return strings.Split(m.ids, ",")
}

// Action implements [Modification].
func (SecurityGroups) Action() string { return opModifyInterface }

func (m SecurityGroups) send(ctx context.Context, s *session, _ string) error {
	if len(m.IDs()) == 0 {
		return refuse(m.Action(), "a network interface must be in at least one security group")
	}
	return s.modifyInterface(ctx, m, ec2.ModifyNetworkInterfaceAttributeInput{
		NetworkInterfaceId: optional(m.InterfaceID), Groups: m.IDs(),
	})
}

// SourceDestCheck turns the check of source and destination of a network interface on or off. RunInstances cannot.
type SourceDestCheck struct {
	// InterfaceID is the network interface.
	InterfaceID string
	// On is EC2's default. Instances that route or translate addresses need it off.
	On bool
}

var _ Modification = SourceDestCheck{}

// Action implements [Modification].
func (SourceDestCheck) Action() string { return opModifyInterface }

func (m SourceDestCheck) send(ctx context.Context, s *session, _ string) error {
	return s.modifyInterface(ctx, m, ec2.ModifyNetworkInterfaceAttributeInput{
		NetworkInterfaceId: optional(m.InterfaceID), SourceDestCheck: flagValue(m.On),
	})
}

// modifyInterface changes one attribute of a network interface.
func (s *session) modifyInterface(ctx context.Context, m Modification, in ec2.ModifyNetworkInterfaceAttributeInput) error {
	if aws.ToString(in.NetworkInterfaceId) == "" {
		return refuse(m.Action(), noInterface)
	}
	return accepted(ctx, m, func(ctx context.Context) (*ec2.ModifyNetworkInterfaceAttributeOutput, error) {
		return s.ec2.ModifyNetworkInterfaceAttribute(ctx, &in, once)
	})
}
