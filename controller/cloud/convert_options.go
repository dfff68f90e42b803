// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

func convertMetadataOptions(o *ec2types.InstanceMetadataOptionsResponse) MetadataOptions {
	if o == nil {
		return MetadataOptions{}
	}
	return MetadataOptions{
		HTTPTokens:              string(o.HttpTokens),
		HTTPEndpoint:            string(o.HttpEndpoint),
		HTTPPutResponseHopLimit: aws.ToInt32(o.HttpPutResponseHopLimit),
		HTTPProtocolIPv6:        string(o.HttpProtocolIpv6),
		InstanceMetadataTags:    string(o.InstanceMetadataTags),
	}
}

func metadataState(o *ec2types.InstanceMetadataOptionsResponse) string {
	if o == nil {
		return ""
	}
	return string(o.State)
}

func convertCPUOptions(o *ec2types.CpuOptions) CPUOptions {
	if o == nil {
		return CPUOptions{}
	}
	return CPUOptions{
		CoreCount:            aws.ToInt32(o.CoreCount),
		ThreadsPerCore:       aws.ToInt32(o.ThreadsPerCore),
		AMDSEVSNP:            string(o.AmdSevSnp),
		NestedVirtualization: string(o.NestedVirtualization),
	}
}

func convertPlacement(p *ec2types.Placement) Placement {
	if p == nil {
		return Placement{}
	}
	return Placement{
		AvailabilityZone:     aws.ToString(p.AvailabilityZone),
		Tenancy:              string(p.Tenancy),
		GroupName:            aws.ToString(p.GroupName),
		GroupID:              aws.ToString(p.GroupId),
		PartitionNumber:      aws.ToInt32(p.PartitionNumber),
		HostID:               aws.ToString(p.HostId),
		HostResourceGroupARN: aws.ToString(p.HostResourceGroupArn),
		Affinity:             aws.ToString(p.Affinity),
	}
}

// convertCapacityReservation is what the instance was told, which need not be the reservation that it happens to run in.
func convertCapacityReservation(r *ec2types.CapacityReservationSpecificationResponse) CapacityReservation {
	if r == nil {
		return CapacityReservation{}
	}
	converted := CapacityReservation{Preference: string(r.CapacityReservationPreference)}
	if target := r.CapacityReservationTarget; target != nil {
		converted.ID = aws.ToString(target.CapacityReservationId)
		converted.ResourceGroupARN = aws.ToString(target.CapacityReservationResourceGroupArn)
	}
	return converted
}

func convertMaintenance(o *ec2types.InstanceMaintenanceOptions) MaintenanceOptions {
	if o == nil {
		return MaintenanceOptions{}
	}
	return MaintenanceOptions{AutoRecovery: string(o.AutoRecovery), RebootMigration: string(o.RebootMigration)}
}

func convertDNSNames(o *ec2types.PrivateDnsNameOptionsResponse) PrivateDNSNameOptions {
	if o == nil {
		return PrivateDNSNameOptions{}
	}
	return PrivateDNSNameOptions{
		HostnameType: string(o.HostnameType),
		ARecord:      choice(o.EnableResourceNameDnsARecord),
		AAAARecord:   choice(o.EnableResourceNameDnsAAAARecord),
	}
}

func licenseARNs(licenses []ec2types.LicenseConfiguration) []string {
	arns := make([]string, 0, len(licenses))
	for _, l := range licenses {
		arns = append(arns, aws.ToString(l.LicenseConfigurationArn))
	}
	return sortedSet(arns)
}
