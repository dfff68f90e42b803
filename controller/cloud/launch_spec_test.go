// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// everySpec sets every field that a launch is told of, but for the other halves of choices.
func everySpec() *ec2v1.EC2InstanceSpec {
	return &ec2v1.EC2InstanceSpec{
		LaunchTemplate:           &ec2v1.LaunchTemplate{Name: "web", Version: "$Latest"},
		InstanceType:             "m7a.large",
		SubnetID:                 "subnet-1",
		SecurityGroupIDs:         []string{"sg-2", "sg-1"},
		PrivateIPAddress:         "10.0.0.4",
		IPv6AddressCount:         2,
		AssociatePublicIPAddress: new(false),
		NetworkInterfaces: []ec2v1.NetworkInterface{
			{
				DeviceIndex: new(int32(1)), NetworkCardIndex: new(int32(1)), SubnetID: "subnet-2", SecurityGroupIDs: []string{"sg-4", "sg-3"},
				PrivateIPAddress: "10.0.0.5", IPv6AddressCount: 3, AssociatePublicIPAddress: new(true), DeleteOnTermination: new(false),
				Description: "back", SourceDestCheck: new(false),
			},
			{DeviceIndex: new(int32(0)), NetworkInterfaceID: "eni-1"},
		},
		PrivateDNSNameOptions: &ec2v1.PrivateDNSNameOptions{
			HostnameType: "resource-name", EnableResourceNameDNSARecord: new(true), EnableResourceNameDNSAAAARecord: new(false),
		},
		Placement: &ec2v1.Placement{
			AvailabilityZone: "eu-central-1a", Tenancy: "host", GroupName: "near", GroupID: "pg-1", PartitionNumber: 3, HostID: "h-1",
			HostResourceGroupARN: "arn:hosts", Affinity: "host",
		},
		CapacityReservation: &ec2v1.CapacityReservation{Preference: "none", ID: "cr-1", ResourceGroupARN: "arn:group"},
		MarketOptions: &ec2v1.MarketOptions{
			MarketType: "spot", SpotOptions: &ec2v1.SpotOptions{MaxPrice: "0.05", RequestType: "persistent", InterruptionBehavior: "stop"},
		},
		CPUOptions:            &ec2v1.CPUOptions{CoreCount: 4, ThreadsPerCore: 1, AMDSEVSNP: "enabled", NestedVirtualization: "disabled"},
		CreditSpecification:   &ec2v1.CreditSpecification{CPUCredits: "unlimited"},
		EBSOptimized:          new(true),
		Monitoring:            new(true),
		Maintenance:           &ec2v1.Maintenance{AutoRecovery: "disabled", RebootMigration: "disabled"},
		Hibernation:           &ec2v1.Hibernation{Configured: new(true)},
		Enclave:               &ec2v1.Enclave{Enabled: new(false)},
		Licenses:              []ec2v1.License{{ConfigurationARN: "arn:b"}, {ConfigurationARN: "arn:a"}},
		DisableAPITermination: new(true),
		DisableAPIStop:        new(false),
		ShutdownBehavior:      "terminate",
		BlockDevices: []ec2v1.BlockDevice{
			{
				DeviceName: "/dev/xvda", SizeGiB: 20, Type: "gp3", IOPS: 4000, ThroughputMiBps: 250, Encrypted: new(true), KMSKeyID: "alias/disk",
				SnapshotID: "snap-1", DeleteOnTermination: new(false),
			},
			{DeviceName: "/dev/sdb", NoDevice: new(true)},
		},
		KeyName:            "ops",
		IAMInstanceProfile: &ec2v1.IAMInstanceProfile{Name: "web"},
		PropagateTags:      new(true),
		MetadataOptions: ec2v1.MetadataOptions{
			HTTPTokens: "required", HTTPEndpoint: "enabled", HTTPPutResponseHopLimit: new(int32(2)), HTTPProtocolIPv6: "enabled",
			InstanceMetadataTags: "disabled",
		},
		SourceDestCheck: new(false),
	}
}

// everyLaunch is what everySpec launches.
func everyLaunch() LaunchParameters {
	return LaunchParameters{
		LaunchTemplateName:       "web",
		LaunchTemplateVersion:    "7",
		ImageID:                  "ami-1",
		InstanceType:             "m7a.large",
		SubnetID:                 "subnet-1",
		SecurityGroupIDs:         []string{"sg-1", "sg-2"},
		PrivateIPAddress:         "10.0.0.4",
		IPv6AddressCount:         2,
		AssociatePublicIPAddress: "false",
		NetworkInterfaces: []LaunchInterface{
			{NetworkInterfaceID: "eni-1"},
			{
				DeviceIndex: 1, NetworkCardIndex: 1, SubnetID: "subnet-2", SecurityGroupIDs: []string{"sg-3", "sg-4"}, PrivateIPAddress: "10.0.0.5",
				IPv6AddressCount: 3, AssociatePublicIPAddress: "true", DeleteOnTermination: "false", Description: "back",
			},
		},
		PrivateDNSNameOptions: PrivateDNSNameOptions{HostnameType: "resource-name", ARecord: "true", AAAARecord: "false"},
		Placement: Placement{
			AvailabilityZone: "eu-central-1a", Tenancy: "host", GroupName: "near", GroupID: "pg-1", PartitionNumber: 3, HostID: "h-1",
			HostResourceGroupARN: "arn:hosts", Affinity: "host",
		},
		CapacityReservation:   CapacityReservation{Preference: "none", ID: "cr-1", ResourceGroupARN: "arn:group"},
		MarketType:            "spot",
		SpotOptions:           SpotOptions{MaxPrice: "0.05", RequestType: "persistent", InterruptionBehavior: "stop"},
		CPUOptions:            CPUOptions{CoreCount: 4, ThreadsPerCore: 1, AMDSEVSNP: "enabled", NestedVirtualization: "disabled"},
		CPUCredits:            "unlimited",
		EBSOptimized:          "true",
		Monitoring:            "true",
		AutoRecovery:          "disabled",
		Hibernation:           "true",
		Enclave:               "false",
		LicenseARNs:           []string{"arn:a", "arn:b"},
		DisableAPITermination: "true",
		DisableAPIStop:        "false",
		ShutdownBehavior:      "terminate",
		BlockDevices: []BlockDevice{
			{DeviceName: "/dev/sdb", NoDevice: true},
			{
				DeviceName: "/dev/xvda", SizeGiB: 20, Type: "gp3", IOPS: 4000, ThroughputMiBps: 250, Encrypted: "true", KMSKeyID: "alias/disk",
				SnapshotID: "snap-1", DeleteOnTermination: "false",
			},
		},
		KeyName:          "ops",
		ProfileName:      "web",
		UserData:         []byte("hello"),
		UserDataIdentity: "secret/1/2/key",
		Tags:             map[string]string{"a": "b"},
		PropagateTags:    true,
		MetadataOptions: MetadataOptions{
			HTTPTokens: "required", HTTPEndpoint: "enabled", HTTPPutResponseHopLimit: 2, HTTPProtocolIPv6: "enabled",
			InstanceMetadataTags: "disabled",
		},
	}
}

func TestNewLaunchParametersTakesEverything(t *testing.T) {
	data := UserData{Bytes: []byte("hello"), Identity: "secret/1/2/key"}
	got := NewLaunchParameters(everySpec(), "ami-1", "7", data, map[string]string{"a": "b"})
	if diff := cmp.Diff(everyLaunch(), got); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	other := everySpec()
	other.LaunchTemplate.ID, other.LaunchTemplate.Name = "lt-1", ""
	other.IAMInstanceProfile = &ec2v1.IAMInstanceProfile{ARN: "arn:profile"}
	want := everyLaunch()
	want.LaunchTemplateID, want.LaunchTemplateName, want.ProfileName, want.ProfileARN = "lt-1", "", "", "arn:profile"
	if diff := cmp.Diff(want, NewLaunchParameters(other, "ami-1", "7", data, map[string]string{"a": "b"})); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
}

// A member that is added later has to come from somewhere.
func TestEveryMemberIsLaunchedWith(t *testing.T) {
	other := map[string]bool{"LaunchTemplateID": true, "ProfileARN": true} // The other halves of choices.
	v := reflect.ValueOf(everyLaunch())
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).IsZero() != other[name] {
			t.Errorf("everyLaunch sets %s: %v", name, !v.Field(i).IsZero())
		}
	}
}

// What is not set is left to EC2: no struct that is there and empty says anything.
func TestNewLaunchParametersOfAnEmptySpec(t *testing.T) {
	empty := &ec2v1.EC2InstanceSpec{
		PrivateDNSNameOptions: &ec2v1.PrivateDNSNameOptions{}, Placement: &ec2v1.Placement{}, CPUOptions: &ec2v1.CPUOptions{},
		CapacityReservation: &ec2v1.CapacityReservation{}, MarketOptions: &ec2v1.MarketOptions{}, Maintenance: &ec2v1.Maintenance{},
		CreditSpecification: &ec2v1.CreditSpecification{}, Hibernation: &ec2v1.Hibernation{}, Enclave: &ec2v1.Enclave{},
	}
	for name, spec := range map[string]*ec2v1.EC2InstanceSpec{"nothing": {}, "empty structs": empty} {
		if diff := cmp.Diff(LaunchParameters{}, NewLaunchParameters(spec, "", "", UserData{}, nil)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
