// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// switchesInput adds what EC2 has in structs with one member.
func switchesInput(in *ec2.RunInstancesInput, p LaunchParameters) {
	if p.CPUCredits != "" {
		in.CreditSpecification = &ec2types.CreditSpecificationRequest{CpuCredits: aws.String(p.CPUCredits)}
	}
	if p.Monitoring != "" {
		in.Monitoring = &ec2types.RunInstancesMonitoringEnabled{Enabled: chosen(p.Monitoring)}
	}
	if p.AutoRecovery != "" {
		in.MaintenanceOptions = &ec2types.InstanceMaintenanceOptionsRequest{
			AutoRecovery: ec2types.InstanceAutoRecoveryState(p.AutoRecovery),
		}
	}
	if p.Hibernation != "" {
		in.HibernationOptions = &ec2types.HibernationOptionsRequest{Configured: chosen(p.Hibernation)}
	}
	if p.Enclave != "" {
		in.EnclaveOptions = &ec2types.EnclaveOptionsRequest{Enabled: chosen(p.Enclave)}
	}
}

func privateDNSNameInput(o PrivateDNSNameOptions) *ec2types.PrivateDnsNameOptionsRequest {
	if o == (PrivateDNSNameOptions{}) {
		return nil
	}
	return &ec2types.PrivateDnsNameOptionsRequest{
		HostnameType:                    ec2types.HostnameType(o.HostnameType),
		EnableResourceNameDnsARecord:    chosen(o.ARecord),
		EnableResourceNameDnsAAAARecord: chosen(o.AAAARecord),
	}
}

func placementInput(o Placement) *ec2types.Placement {
	if o == (Placement{}) {
		return nil
	}
	return &ec2types.Placement{
		AvailabilityZone:     optional(o.AvailabilityZone),
		Tenancy:              ec2types.Tenancy(o.Tenancy),
		GroupName:            optional(o.GroupName),
		GroupId:              optional(o.GroupID),
		PartitionNumber:      count(o.PartitionNumber),
		HostId:               optional(o.HostID),
		HostResourceGroupArn: optional(o.HostResourceGroupARN),
		Affinity:             optional(o.Affinity),
	}
}

func marketInput(p LaunchParameters) *ec2types.InstanceMarketOptionsRequest {
	if p.MarketType == "" && p.SpotOptions == (SpotOptions{}) {
		return nil
	}
	in := &ec2types.InstanceMarketOptionsRequest{MarketType: ec2types.MarketType(p.MarketType)}
	if o := p.SpotOptions; o != (SpotOptions{}) {
		in.SpotOptions = &ec2types.SpotMarketOptions{
			MaxPrice:                     optional(o.MaxPrice),
			SpotInstanceType:             ec2types.SpotInstanceType(o.RequestType),
			InstanceInterruptionBehavior: ec2types.InstanceInterruptionBehavior(o.InterruptionBehavior),
		}
	}
	return in
}

func cpuInput(o CPUOptions) *ec2types.CpuOptionsRequest {
	if o == (CPUOptions{}) {
		return nil
	}
	return &ec2types.CpuOptionsRequest{
		CoreCount:            count(o.CoreCount),
		ThreadsPerCore:       count(o.ThreadsPerCore),
		AmdSevSnp:            ec2types.AmdSevSnpSpecification(o.AMDSEVSNP),
		NestedVirtualization: ec2types.NestedVirtualizationSpecification(o.NestedVirtualization),
	}
}

func licensesInput(arns []string) []ec2types.LicenseConfigurationRequest {
	var in []ec2types.LicenseConfigurationRequest
	for _, arn := range sortedSet(arns) {
		in = append(in, ec2types.LicenseConfigurationRequest{LicenseConfigurationArn: aws.String(arn)})
	}
	return in
}
