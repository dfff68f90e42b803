// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// addSwitches adds what spec has in structs with a member or two.
func (p *LaunchParameters) addSwitches(spec *ec2v1.EC2InstanceSpec) {
	if spec.MarketOptions != nil {
		p.MarketType, p.SpotOptions = spec.MarketOptions.MarketType, spotOptions(spec.MarketOptions.SpotOptions)
	}
	if spec.CreditSpecification != nil {
		p.CPUCredits = spec.CreditSpecification.CPUCredits
	}
	if spec.Maintenance != nil {
		p.AutoRecovery = spec.Maintenance.AutoRecovery
	}
	if spec.Hibernation != nil {
		p.Hibernation = choice(spec.Hibernation.Configured)
	}
	if spec.Enclave != nil {
		p.Enclave = choice(spec.Enclave.Enabled)
	}
}

func privateDNSNameOptions(o *ec2v1.PrivateDNSNameOptions) PrivateDNSNameOptions {
	if o == nil {
		return PrivateDNSNameOptions{}
	}
	return PrivateDNSNameOptions{
		HostnameType: o.HostnameType,
		ARecord:      choice(o.EnableResourceNameDNSARecord),
		AAAARecord:   choice(o.EnableResourceNameDNSAAAARecord),
	}
}

func placement(o *ec2v1.Placement) Placement {
	if o == nil {
		return Placement{}
	}
	return Placement{
		AvailabilityZone:     o.AvailabilityZone,
		Tenancy:              o.Tenancy,
		GroupName:            o.GroupName,
		GroupID:              o.GroupID,
		PartitionNumber:      o.PartitionNumber,
		HostID:               o.HostID,
		HostResourceGroupARN: o.HostResourceGroupARN,
		Affinity:             o.Affinity,
	}
}

func capacityReservation(o *ec2v1.CapacityReservation) CapacityReservation {
	if o == nil {
		return CapacityReservation{}
	}
	return CapacityReservation{Preference: o.Preference, ID: o.ID, ResourceGroupARN: o.ResourceGroupARN}
}

func spotOptions(o *ec2v1.SpotOptions) SpotOptions {
	if o == nil {
		return SpotOptions{}
	}
	return SpotOptions{MaxPrice: o.MaxPrice, RequestType: o.RequestType, InterruptionBehavior: o.InterruptionBehavior}
}

func cpuOptions(o *ec2v1.CPUOptions) CPUOptions {
	if o == nil {
		return CPUOptions{}
	}
	return CPUOptions{
		CoreCount:            o.CoreCount,
		ThreadsPerCore:       o.ThreadsPerCore,
		AMDSEVSNP:            o.AMDSEVSNP,
		NestedVirtualization: o.NestedVirtualization,
	}
}

func licenseSet(licenses []ec2v1.License) []string {
	var arns []string
	for _, l := range licenses {
		arns = append(arns, l.ConfigurationARN)
	}
	return sortedSet(arns)
}
