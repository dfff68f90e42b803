// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// instances are all instances of some reservations.
func (s *session) instances(reservations []ec2types.Reservation) []Instance {
	var list []Instance
	for _, r := range reservations {
		for _, i := range r.Instances {
			list = append(list, s.instance(i, aws.ToString(r.OwnerId)))
		}
	}
	return list
}

// instance is i in our terms. EC2 may leave out anything: while an instance shuts down, much of it is nil.
func (s *session) instance(i ec2types.Instance, accountID string) Instance {
	converted := Instance{
		ID:                       aws.ToString(i.InstanceId),
		StateTransitionReason:    aws.ToString(i.StateTransitionReason),
		Type:                     string(i.InstanceType),
		Architecture:             string(i.Architecture),
		ImageID:                  aws.ToString(i.ImageId),
		SubnetID:                 aws.ToString(i.SubnetId),
		VPCID:                    aws.ToString(i.VpcId),
		Placement:                convertPlacement(i.Placement),
		CapacityReservation:      convertCapacityReservation(i.CapacityReservationSpecification),
		Lifecycle:                string(i.InstanceLifecycle),
		SpotRequestID:            aws.ToString(i.SpotInstanceRequestId),
		KeyName:                  aws.ToString(i.KeyName),
		PrivateIP:                aws.ToString(i.PrivateIpAddress),
		PublicIP:                 aws.ToString(i.PublicIpAddress),
		PrivateDNS:               aws.ToString(i.PrivateDnsName),
		PublicDNS:                aws.ToString(i.PublicDnsName),
		DNSNames:                 convertDNSNames(i.PrivateDnsNameOptions),
		SecurityGroupIDs:         groupIDs(i.SecurityGroups),
		NetworkInterfaces:        networkInterfaces(i.NetworkInterfaces),
		Volumes:                  volumes(i.BlockDeviceMappings),
		RootDeviceName:           aws.ToString(i.RootDeviceName),
		EBSOptimized:             aws.ToBool(i.EbsOptimized),
		LaunchTime:               aws.ToTime(i.LaunchTime).UTC(),
		ClientToken:              aws.ToString(i.ClientToken),
		Tags:                     tagMap(i.Tags),
		MetadataOptions:          convertMetadataOptions(i.MetadataOptions),
		MetadataState:            metadataState(i.MetadataOptions),
		CPU:                      convertCPUOptions(i.CpuOptions),
		Maintenance:              convertMaintenance(i.MaintenanceOptions),
		HibernationConfigured:    i.HibernationOptions != nil && aws.ToBool(i.HibernationOptions.Configured),
		EnclaveEnabled:           i.EnclaveOptions != nil && aws.ToBool(i.EnclaveOptions.Enabled),
		LicenseConfigurationARNs: licenseARNs(i.Licenses),
		AccountID:                accountID,
		Region:                   s.region,
	}
	converted.Zone = converted.Placement.AvailabilityZone
	converted.IPv6 = ipv6Addresses(aws.ToString(i.Ipv6Address), converted.NetworkInterfaces)
	if i.State != nil {
		converted.State = State(i.State.Name)
	}
	if i.StateReason != nil {
		converted.StateReasonCode = aws.ToString(i.StateReason.Code)
		converted.StateReasonMessage = aws.ToString(i.StateReason.Message)
	}
	if i.IamInstanceProfile != nil {
		converted.IAMInstanceProfileARN = aws.ToString(i.IamInstanceProfile.Arn)
	}
	if i.Monitoring != nil {
		converted.Monitoring = string(i.Monitoring.State)
	}
	return converted
}

func tagMap(tags []ec2types.Tag) map[string]string {
	if len(tags) == 0 {
		return nil
	}
	converted := make(map[string]string, len(tags))
	for _, t := range tags {
		converted[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return converted
}
