// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// Maintenance changes what EC2 does about failures and planned maintenance. Options that are not set are not sent.
type Maintenance struct {
	MaintenanceOptions
}

var _ Modification = Maintenance{}

// Action implements [Modification].
func (Maintenance) Action() string { return "ModifyInstanceMaintenanceOptions" }

func (m Maintenance) send(ctx context.Context, s *session, id string) error {
	if m == (Maintenance{}) {
		return refuse(m.Action(), noChange)
	}
	return accepted(ctx, m, func(ctx context.Context) (*ec2.ModifyInstanceMaintenanceOptionsOutput, error) {
		return s.ec2.ModifyInstanceMaintenanceOptions(ctx, &ec2.ModifyInstanceMaintenanceOptionsInput{
			InstanceId:      aws.String(id),
			AutoRecovery:    ec2types.InstanceAutoRecoveryState(m.AutoRecovery),
			RebootMigration: ec2types.InstanceRebootMigrationState(m.RebootMigration),
		}, once)
	})
}

// DNSNames changes which names an instance has in its VPC. Options that are not set are not sent. HostnameType needs the instance
// stopped; the records do not.
type DNSNames struct {
	PrivateDNSNameOptions
}

var _ Modification = DNSNames{}

// Action implements [Modification].
func (DNSNames) Action() string { return "ModifyPrivateDnsNameOptions" }

func (m DNSNames) send(ctx context.Context, s *session, id string) error {
	if m == (DNSNames{}) {
		return refuse(m.Action(), noChange)
	}
	return accepted(ctx, m, func(ctx context.Context) (*ec2.ModifyPrivateDnsNameOptionsOutput, error) {
		return s.ec2.ModifyPrivateDnsNameOptions(ctx, &ec2.ModifyPrivateDnsNameOptionsInput{
			InstanceId:                      aws.String(id),
			PrivateDnsHostnameType:          ec2types.HostnameType(m.HostnameType),
			EnableResourceNameDnsARecord:    chosen(m.ARecord),
			EnableResourceNameDnsAAAARecord: chosen(m.AAAARecord),
		}, once)
	})
}
