// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// memberRow is a launch with one member set, and what is sent for it.
type memberRow struct {
	parameters LaunchParameters
	want       []string
}

// memberRows have a row for each member of LaunchParameters.
var memberRows = map[string]memberRow{
	"LaunchTemplateID":                             {LaunchParameters{LaunchTemplateID: "lt-1"}, []string{"LaunchTemplate.LaunchTemplateId=lt-1"}},
	"LaunchTemplateName":                           {LaunchParameters{LaunchTemplateName: "web"}, []string{"LaunchTemplate.LaunchTemplateName=web"}},
	"LaunchTemplateVersion":                        {LaunchParameters{LaunchTemplateVersion: "7"}, []string{"LaunchTemplate.Version=7"}},
	"ImageID":                                      {LaunchParameters{ImageID: "ami-1"}, []string{"ImageId=ami-1"}},
	"InstanceType":                                 {LaunchParameters{InstanceType: "t3.micro"}, []string{"InstanceType=t3.micro"}},
	"SubnetID":                                     {LaunchParameters{SubnetID: "subnet-1"}, []string{"SubnetId=subnet-1"}},
	"SecurityGroupIDs":                             {LaunchParameters{SecurityGroupIDs: []string{"sg-1"}}, []string{"SecurityGroupId.1=sg-1"}},
	"PrivateIPAddress":                             {LaunchParameters{PrivateIPAddress: "10.0.0.4"}, []string{"PrivateIpAddress=10.0.0.4"}},
	"IPv6AddressCount":                             {LaunchParameters{IPv6AddressCount: 2}, []string{"Ipv6AddressCount=2"}},
	"AssociatePublicIPAddress":                     {LaunchParameters{AssociatePublicIPAddress: "false"}, []string{"NetworkInterface.1.AssociatePublicIpAddress=false", "NetworkInterface.1.DeviceIndex=0"}},
	"NetworkInterfaces":                            {LaunchParameters{NetworkInterfaces: []LaunchInterface{{}}}, []string{"NetworkInterface.1.DeviceIndex=0"}},
	"NetworkInterfaces[].DeviceIndex":              {LaunchParameters{NetworkInterfaces: []LaunchInterface{{DeviceIndex: 1}}}, []string{"NetworkInterface.1.DeviceIndex=1"}},
	"NetworkInterfaces[].NetworkCardIndex":         {LaunchParameters{NetworkInterfaces: []LaunchInterface{{NetworkCardIndex: 2}}}, []string{"NetworkInterface.1.DeviceIndex=0", "NetworkInterface.1.NetworkCardIndex=2"}},
	"NetworkInterfaces[].NetworkInterfaceID":       {LaunchParameters{NetworkInterfaces: []LaunchInterface{{NetworkInterfaceID: "eni-1"}}}, []string{"NetworkInterface.1.DeviceIndex=0", "NetworkInterface.1.NetworkInterfaceId=eni-1"}},
	"NetworkInterfaces[].SubnetID":                 {LaunchParameters{NetworkInterfaces: []LaunchInterface{{SubnetID: "subnet-1"}}}, []string{"NetworkInterface.1.DeviceIndex=0", "NetworkInterface.1.SubnetId=subnet-1"}},
	"NetworkInterfaces[].SecurityGroupIDs":         {LaunchParameters{NetworkInterfaces: []LaunchInterface{{SecurityGroupIDs: []string{"sg-1"}}}}, []string{"NetworkInterface.1.DeviceIndex=0", "NetworkInterface.1.SecurityGroupId.1=sg-1"}},
	"NetworkInterfaces[].PrivateIPAddress":         {LaunchParameters{NetworkInterfaces: []LaunchInterface{{PrivateIPAddress: "10.0.0.4"}}}, []string{"NetworkInterface.1.DeviceIndex=0", "NetworkInterface.1.PrivateIpAddress=10.0.0.4"}},
	"NetworkInterfaces[].IPv6AddressCount":         {LaunchParameters{NetworkInterfaces: []LaunchInterface{{IPv6AddressCount: 2}}}, []string{"NetworkInterface.1.DeviceIndex=0", "NetworkInterface.1.Ipv6AddressCount=2"}},
	"NetworkInterfaces[].AssociatePublicIPAddress": {LaunchParameters{NetworkInterfaces: []LaunchInterface{{AssociatePublicIPAddress: "true"}}}, []string{"NetworkInterface.1.AssociatePublicIpAddress=true", "NetworkInterface.1.DeviceIndex=0"}},
	"NetworkInterfaces[].DeleteOnTermination":      {LaunchParameters{NetworkInterfaces: []LaunchInterface{{DeleteOnTermination: "false"}}}, []string{"NetworkInterface.1.DeleteOnTermination=false", "NetworkInterface.1.DeviceIndex=0"}},
	"NetworkInterfaces[].Description":              {LaunchParameters{NetworkInterfaces: []LaunchInterface{{Description: "front"}}}, []string{"NetworkInterface.1.Description=front", "NetworkInterface.1.DeviceIndex=0"}},
	"PrivateDNSNameOptions.HostnameType":           {LaunchParameters{PrivateDNSNameOptions: PrivateDNSNameOptions{HostnameType: "resource-name"}}, []string{"PrivateDnsNameOptions.HostnameType=resource-name"}},
	"PrivateDNSNameOptions.ARecord":                {LaunchParameters{PrivateDNSNameOptions: PrivateDNSNameOptions{ARecord: "true"}}, []string{"PrivateDnsNameOptions.EnableResourceNameDnsARecord=true"}},
	"PrivateDNSNameOptions.AAAARecord":             {LaunchParameters{PrivateDNSNameOptions: PrivateDNSNameOptions{AAAARecord: "false"}}, []string{"PrivateDnsNameOptions.EnableResourceNameDnsAAAARecord=false"}},
	"Placement.AvailabilityZone":                   {LaunchParameters{Placement: Placement{AvailabilityZone: "eu-central-1a"}}, []string{"Placement.AvailabilityZone=eu-central-1a"}},
	"Placement.Tenancy":                            {LaunchParameters{Placement: Placement{Tenancy: "host"}}, []string{"Placement.Tenancy=host"}},
	"Placement.GroupName":                          {LaunchParameters{Placement: Placement{GroupName: "near"}}, []string{"Placement.GroupName=near"}},
	"Placement.GroupID":                            {LaunchParameters{Placement: Placement{GroupID: "pg-1"}}, []string{"Placement.GroupId=pg-1"}},
	"Placement.PartitionNumber":                    {LaunchParameters{Placement: Placement{PartitionNumber: 3}}, []string{"Placement.PartitionNumber=3"}},
	"Placement.HostID":                             {LaunchParameters{Placement: Placement{HostID: "h-1"}}, []string{"Placement.HostId=h-1"}},
	"Placement.HostResourceGroupARN":               {LaunchParameters{Placement: Placement{HostResourceGroupARN: "arn:hosts"}}, []string{"Placement.HostResourceGroupArn=arn:hosts"}},
	"Placement.Affinity":                           {LaunchParameters{Placement: Placement{Affinity: "host"}}, []string{"Placement.Affinity=host"}},
	"CapacityReservation.Preference":               {LaunchParameters{CapacityReservation: CapacityReservation{Preference: "none"}}, []string{"CapacityReservationSpecification.CapacityReservationPreference=none"}},
	"CapacityReservation.ID":                       {LaunchParameters{CapacityReservation: CapacityReservation{ID: "cr-1"}}, []string{"CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId=cr-1"}},
	"CapacityReservation.ResourceGroupARN":         {LaunchParameters{CapacityReservation: CapacityReservation{ResourceGroupARN: "arn:group"}}, []string{"CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationResourceGroupArn=arn:group"}},
	"MarketType":                                   {LaunchParameters{MarketType: "spot"}, []string{"InstanceMarketOptions.MarketType=spot"}},
	"SpotOptions.MaxPrice":                         {LaunchParameters{SpotOptions: SpotOptions{MaxPrice: "0.05"}}, []string{"InstanceMarketOptions.SpotOptions.MaxPrice=0.05"}},
	"SpotOptions.RequestType":                      {LaunchParameters{SpotOptions: SpotOptions{RequestType: "persistent"}}, []string{"InstanceMarketOptions.SpotOptions.SpotInstanceType=persistent"}},
	"SpotOptions.InterruptionBehavior":             {LaunchParameters{SpotOptions: SpotOptions{InterruptionBehavior: "stop"}}, []string{"InstanceMarketOptions.SpotOptions.InstanceInterruptionBehavior=stop"}},
	"CPUOptions.CoreCount":                         {LaunchParameters{CPUOptions: CPUOptions{CoreCount: 4}}, []string{"CpuOptions.CoreCount=4"}},
	"CPUOptions.ThreadsPerCore":                    {LaunchParameters{CPUOptions: CPUOptions{ThreadsPerCore: 1}}, []string{"CpuOptions.ThreadsPerCore=1"}},
	"CPUOptions.AMDSEVSNP":                         {LaunchParameters{CPUOptions: CPUOptions{AMDSEVSNP: "enabled"}}, []string{"CpuOptions.AmdSevSnp=enabled"}},
	"CPUOptions.NestedVirtualization":              {LaunchParameters{CPUOptions: CPUOptions{NestedVirtualization: "enabled"}}, []string{"CpuOptions.NestedVirtualization=enabled"}},
	"CPUCredits":                                   {LaunchParameters{CPUCredits: "unlimited"}, []string{"CreditSpecification.CpuCredits=unlimited"}},
	"EBSOptimized":                                 {LaunchParameters{EBSOptimized: "true"}, []string{"EbsOptimized=true"}},
	"Monitoring":                                   {LaunchParameters{Monitoring: "true"}, []string{"Monitoring.Enabled=true"}},
	"AutoRecovery":                                 {LaunchParameters{AutoRecovery: "disabled"}, []string{"MaintenanceOptions.AutoRecovery=disabled"}},
	"Hibernation":                                  {LaunchParameters{Hibernation: "true"}, []string{"HibernationOptions.Configured=true"}},
	"Enclave":                                      {LaunchParameters{Enclave: "true"}, []string{"EnclaveOptions.Enabled=true"}},
	"LicenseARNs":                                  {LaunchParameters{LicenseARNs: []string{"arn:license"}}, []string{"LicenseSpecification.1.LicenseConfigurationArn=arn:license"}},
	"DisableAPITermination":                        {LaunchParameters{DisableAPITermination: "true"}, []string{"DisableApiTermination=true"}},
	"DisableAPIStop":                               {LaunchParameters{DisableAPIStop: "false"}, []string{"DisableApiStop=false"}},
	"ShutdownBehavior":                             {LaunchParameters{ShutdownBehavior: "terminate"}, []string{"InstanceInitiatedShutdownBehavior=terminate"}},
	"BlockDevices":                                 {LaunchParameters{BlockDevices: []BlockDevice{{}}}, []string{"BlockDeviceMapping.1.DeviceName="}},
	"BlockDevices[].DeviceName":                    {LaunchParameters{BlockDevices: []BlockDevice{{DeviceName: "/dev/sdf"}}}, []string{"BlockDeviceMapping.1.DeviceName=/dev/sdf"}},
	"BlockDevices[].SizeGiB":                       {LaunchParameters{BlockDevices: []BlockDevice{{DeviceName: "/dev/sdf", SizeGiB: 20}}}, []string{"BlockDeviceMapping.1.DeviceName=/dev/sdf", "BlockDeviceMapping.1.Ebs.VolumeSize=20"}},
	"BlockDevices[].Type":                          {LaunchParameters{BlockDevices: []BlockDevice{{DeviceName: "/dev/sdf", Type: "gp3"}}}, []string{"BlockDeviceMapping.1.DeviceName=/dev/sdf", "BlockDeviceMapping.1.Ebs.VolumeType=gp3"}},
	"BlockDevices[].IOPS":                          {LaunchParameters{BlockDevices: []BlockDevice{{DeviceName: "/dev/sdf", IOPS: 4000}}}, []string{"BlockDeviceMapping.1.DeviceName=/dev/sdf", "BlockDeviceMapping.1.Ebs.Iops=4000"}},
	"BlockDevices[].ThroughputMiBps":               {LaunchParameters{BlockDevices: []BlockDevice{{DeviceName: "/dev/sdf", ThroughputMiBps: 250}}}, []string{"BlockDeviceMapping.1.DeviceName=/dev/sdf", "BlockDeviceMapping.1.Ebs.Throughput=250"}},
	"BlockDevices[].Encrypted":                     {LaunchParameters{BlockDevices: []BlockDevice{{DeviceName: "/dev/sdf", Encrypted: "true"}}}, []string{"BlockDeviceMapping.1.DeviceName=/dev/sdf", "BlockDeviceMapping.1.Ebs.Encrypted=true"}},
	"BlockDevices[].KMSKeyID":                      {LaunchParameters{BlockDevices: []BlockDevice{{DeviceName: "/dev/sdf", KMSKeyID: "alias/disk"}}}, []string{"BlockDeviceMapping.1.DeviceName=/dev/sdf", "BlockDeviceMapping.1.Ebs.KmsKeyId=alias/disk"}},
	"BlockDevices[].SnapshotID":                    {LaunchParameters{BlockDevices: []BlockDevice{{DeviceName: "/dev/sdf", SnapshotID: "snap-1"}}}, []string{"BlockDeviceMapping.1.DeviceName=/dev/sdf", "BlockDeviceMapping.1.Ebs.SnapshotId=snap-1"}},
	"BlockDevices[].DeleteOnTermination":           {LaunchParameters{BlockDevices: []BlockDevice{{DeviceName: "/dev/sdf", DeleteOnTermination: "false"}}}, []string{"BlockDeviceMapping.1.DeviceName=/dev/sdf", "BlockDeviceMapping.1.Ebs.DeleteOnTermination=false"}},
	"BlockDevices[].NoDevice":                      {LaunchParameters{BlockDevices: []BlockDevice{{DeviceName: "/dev/sdf", NoDevice: true}}}, []string{"BlockDeviceMapping.1.DeviceName=/dev/sdf", "BlockDeviceMapping.1.NoDevice="}},
	"KeyName":                                      {LaunchParameters{KeyName: "ops"}, []string{"KeyName=ops"}},
	"ProfileName":                                  {LaunchParameters{ProfileName: "web"}, []string{"IamInstanceProfile.Name=web"}},
	"ProfileARN":                                   {LaunchParameters{ProfileARN: "arn:profile"}, []string{"IamInstanceProfile.Arn=arn:profile"}},
	"UserData":                                     {LaunchParameters{UserData: []byte("#!/bin/sh\n")}, []string{"UserData=IyEvYmluL3NoCg=="}},
	"UserDataIdentity":                             {LaunchParameters{UserDataIdentity: "secret/1/2/key"}, []string{}},
	"Tags": {LaunchParameters{Tags: map[string]string{"a": "b"}}, []string{
		"TagSpecification.1.ResourceType=instance",
		"TagSpecification.1.Tag.1.Key=a",
		"TagSpecification.1.Tag.1.Value=b",
	}},
	"PropagateTags": {LaunchParameters{Tags: map[string]string{"a": "b"}, PropagateTags: true}, []string{
		"TagSpecification.1.ResourceType=instance",
		"TagSpecification.1.Tag.1.Key=a",
		"TagSpecification.1.Tag.1.Value=b",
		"TagSpecification.2.ResourceType=volume",
		"TagSpecification.2.Tag.1.Key=a",
		"TagSpecification.2.Tag.1.Value=b",
		"TagSpecification.3.ResourceType=network-interface",
		"TagSpecification.3.Tag.1.Key=a",
		"TagSpecification.3.Tag.1.Value=b",
	}},
	"MetadataOptions.HTTPTokens":              {LaunchParameters{MetadataOptions: MetadataOptions{HTTPTokens: "required"}}, []string{"MetadataOptions.HttpTokens=required"}},
	"MetadataOptions.HTTPEndpoint":            {LaunchParameters{MetadataOptions: MetadataOptions{HTTPEndpoint: "enabled"}}, []string{"MetadataOptions.HttpEndpoint=enabled"}},
	"MetadataOptions.HTTPPutResponseHopLimit": {LaunchParameters{MetadataOptions: MetadataOptions{HTTPPutResponseHopLimit: 2}}, []string{"MetadataOptions.HttpPutResponseHopLimit=2"}},
	"MetadataOptions.HTTPProtocolIPv6":        {LaunchParameters{MetadataOptions: MetadataOptions{HTTPProtocolIPv6: "enabled"}}, []string{"MetadataOptions.HttpProtocolIpv6=enabled"}},
	"MetadataOptions.InstanceMetadataTags":    {LaunchParameters{MetadataOptions: MetadataOptions{InstanceMetadataTags: "disabled"}}, []string{"MetadataOptions.InstanceMetadataTags=disabled"}},
}

// alwaysSent is what a launch sends that leaves everything to EC2.
var alwaysSent = []string{"Action=RunInstances", "ClientToken=token", "MaxCount=1", "MinCount=1", "Version=2016-11-15"}

func TestLaunchSendsEachMember(t *testing.T) {
	for name, row := range memberRows {
		t.Run(name, func(t *testing.T) {
			f := &fakeAWS{answer: always(ok(launched))}
			if _, err := newTestSession(t, f).Launch(t.Context(), "token", row.parameters); err != nil {
				t.Fatal(err)
			}
			want := slices.Sorted(slices.Values(slices.Concat(alwaysSent, row.want)))
			if diff := cmp.Diff(want, strings.Split(strings.TrimSuffix(wire(f.last(t)), "\n"), "\n")); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// A member that is added later has to get a row.
func TestEachMemberHasARow(t *testing.T) {
	p, members := LaunchParameters{}, map[string]bool{}
	changeEachField(reflect.ValueOf(&p).Elem(), func(member string) { members[member] = true })
	for member := range members {
		if _, found := memberRows[member]; !found {
			t.Errorf("no row sets %s", member)
		}
	}
	for name := range memberRows {
		if !members[name] {
			t.Errorf("there is no member %s", name)
		}
	}
}
