// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

func userData(size int) func(*ec2.RunInstancesInput) {
	return func(in *ec2.RunInstancesInput) {
		in.UserData = aws.String(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", size))))
	}
}

func manyTags(n int) []string {
	var pairs []string
	for i := range n {
		pairs = append(pairs, fmt.Sprintf("key-%d", i), "v")
	}
	return pairs
}

func TestRunInstancesRefuses(t *testing.T) {
	type adjust = func(*ec2.RunInstancesInput)
	instanceTags := func(pairs ...string) adjust { return tagged(ec2types.ResourceTypeInstance, pairs...) }
	for name, tc := range map[string]struct {
		adjust        adjust
		code, message string
	}{
		"no image":           {func(in *ec2.RunInstancesInput) { in.ImageId = nil }, "MissingParameter", "The request must contain the parameter ImageId"},
		"malformed image":    {func(in *ec2.RunInstancesInput) { in.ImageId = aws.String("ubuntu") }, "InvalidAMIID.Malformed", `Invalid id: "ubuntu" (expecting "ami-...")`},
		"unknown image":      {func(in *ec2.RunInstancesInput) { in.ImageId = aws.String("ami-0bad0bad0bad0bad0") }, "InvalidAMIID.NotFound", "The image id '[ami-0bad0bad0bad0bad0]' does not exist"},
		"unknown alias":      {func(in *ec2.RunInstancesInput) { in.ImageId = aws.String("resolve:ssm:/no/such") }, "InvalidParameterValue", "/no/such"},
		"unknown type":       {ofType("t9.micro"), "InvalidParameterValue", "Invalid value 't9.micro' for InstanceType."},
		"wrong architecture": {ofType("t4g.micro"), "InvalidParameterValue", "'arm64' of the specified instance type does not match the architecture 'x86_64'"},
		"type not in zone":   {ofType(ec2sim.TypeInOneZone), "Unsupported", "not supported in your requested Availability Zone (us-east-1a). Please retry your request by not specifying an Availability Zone or choosing us-east-1b."},
		"malformed subnet":   {inSubnet("subnet-x"), "InvalidSubnetID.Malformed", "subnet-x"},
		"unknown subnet":     {inSubnet("subnet-0bad0bad0bad0bad0"), "InvalidSubnetID.NotFound", "The subnet ID 'subnet-0bad0bad0bad0bad0' does not exist"},
		"unknown zone":       {inZone("us-east-1z"), "InvalidParameterValue", "Invalid availability zone: [us-east-1z]"},
		"zone against subnet": {func(in *ec2.RunInstancesInput) {
			in.Placement = &ec2types.Placement{AvailabilityZone: aws.String("us-east-1b")}
		}, "InvalidParameterValue", "availabilityZone"},
		"malformed group":      {func(in *ec2.RunInstancesInput) { in.SecurityGroupIds = []string{"web"} }, "InvalidGroupId.Malformed", "web"},
		"unknown group":        {func(in *ec2.RunInstancesInput) { in.SecurityGroupIds = []string{"sg-0bad0bad0bad0bad0"} }, "InvalidGroup.NotFound", "The security group 'sg-0bad0bad0bad0bad0' does not exist"},
		"group of another VPC": {func(in *ec2.RunInstancesInput) { in.SecurityGroupIds = []string{ec2sim.SecurityGroupOtherVPC} }, "InvalidParameter", "belong to different networks"},
		"unknown group name":   {func(in *ec2.RunInstancesInput) { in.SecurityGroups = []string{"nope"} }, "InvalidGroup.NotFound", "'nope'"},
		"unknown key":          {func(in *ec2.RunInstancesInput) { in.KeyName = aws.String("nope") }, "InvalidKeyPair.NotFound", "The key pair 'nope' does not exist"},
		"unknown profile": {func(in *ec2.RunInstancesInput) {
			in.IamInstanceProfile = &ec2types.IamInstanceProfileSpecification{Name: aws.String("nope")}
		}, "InvalidParameterValue", "Invalid IAM Instance Profile name"},
		"unknown profile ARN": {func(in *ec2.RunInstancesInput) {
			in.IamInstanceProfile = &ec2types.IamInstanceProfileSpecification{Arn: aws.String("arn:aws:iam::1:instance-profile/x")}
		}, "InvalidParameterValue", "Invalid IAM Instance Profile ARN"},
		"user data not base64":  {func(in *ec2.RunInstancesInput) { in.UserData = aws.String("#!/bin/sh") }, "InvalidUserData.Malformed", "Invalid BASE64 encoding of user data."},
		"user data too long":    {userData(16385), "InvalidParameterValue", "User data is limited to 16384 bytes"},
		"no instances":          {counted(0, 1), "InvalidParameterValue", "minCount"},
		"fewer than least":      {counted(2, 1), "InvalidParameterValue", "maxCount"},
		"reserved tag":          {instanceTags("aws:x", "1"), "InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use"},
		"long tag key":          {instanceTags(strings.Repeat("k", 129), "1"), "InvalidParameterValue", "Tag key exceeds the maximum length"},
		"long tag value":        {instanceTags("k", strings.Repeat("v", 257)), "InvalidParameterValue", "Tag value exceeds the maximum length"},
		"too many tags":         {instanceTags(manyTags(51)...), "TagLimitExceeded", "50"},
		"repeated tag":          {instanceTags("k", "1", "k", "2"), "InvalidParameterValue", "Duplicate tag key 'k' specified."},
		"tag for another thing": {tagged(ec2types.ResourceTypeVpc, "k", "1"), "InvalidParameterValue", "'vpc' is not a valid taggable resource type for this operation."},
		"tag unfit for metadata": {func(in *ec2.RunInstancesInput) {
			in.MetadataOptions = &ec2types.InstanceMetadataOptionsRequest{InstanceMetadataTags: "enabled"}
			instanceTags("a/b", "1")(in)
		}, "InvalidParameterValue", "'a/b' is not a valid tag key."},
		"hop limit": {func(in *ec2.RunInstancesInput) {
			in.MetadataOptions = &ec2types.InstanceMetadataOptionsRequest{HttpPutResponseHopLimit: aws.Int32(65)}
		}, "InvalidParameterValue", "65"},
		"metadata tokens": {func(in *ec2.RunInstancesInput) {
			in.MetadataOptions = &ec2types.InstanceMetadataOptionsRequest{HttpTokens: "maybe"}
		}, "InvalidParameterValue", "maybe"},
		"interface and subnet": {func(in *ec2.RunInstancesInput) {
			in.NetworkInterfaces = []ec2types.InstanceNetworkInterfaceSpecification{{DeviceIndex: aws.Int32(0)}}
		}, "InvalidParameterCombination", "Network interfaces and an instance-level subnet ID may not be specified on the same request"},
		"interface and groups": {func(in *ec2.RunInstancesInput) {
			in.SubnetId, in.SecurityGroupIds = nil, []string{ec2sim.SecurityGroupWeb}
			in.NetworkInterfaces = []ec2types.InstanceNetworkInterfaceSpecification{{DeviceIndex: aws.Int32(0)}}
		}, "InvalidParameterCombination", "security groups"},
		"interface feature": {func(in *ec2.RunInstancesInput) {
			in.SubnetId = nil
			in.NetworkInterfaces = []ec2types.InstanceNetworkInterfaceSpecification{{DeviceIndex: aws.Int32(0), InterfaceType: aws.String("efa")}}
		}, "UnsupportedOperation", "NetworkInterface.InterfaceType"},
		"ephemeral volume": {func(in *ec2.RunInstancesInput) {
			in.BlockDeviceMappings = []ec2types.BlockDeviceMapping{{DeviceName: aws.String("/dev/sdb"), VirtualName: aws.String("ephemeral0")}}
		}, "UnsupportedOperation", "BlockDeviceMapping"},
		"spread domain": {func(in *ec2.RunInstancesInput) { in.Placement = &ec2types.Placement{SpreadDomain: aws.String("x")} }, "UnsupportedOperation", "Placement.SpreadDomain"},
		"unknown zone id": {func(in *ec2.RunInstancesInput) {
			in.SubnetId, in.Placement = nil, &ec2types.Placement{AvailabilityZoneId: aws.String("use1-az9")}
		}, "InvalidParameterValue", "Invalid availability zone: [use1-az9]"},
		"profile twice": {func(in *ec2.RunInstancesInput) {
			in.IamInstanceProfile = &ec2types.IamInstanceProfileSpecification{Name: aws.String("a"), Arn: aws.String("b")}
		}, "InvalidParameterCombination", "iamInstanceProfile"},
		"address elsewhere": {func(in *ec2.RunInstancesInput) { in.PrivateIpAddress = aws.String("10.9.0.1") }, "InvalidParameterValue", "Address does not fall within the subnet's address range"},
		"not an address":    {func(in *ec2.RunInstancesInput) { in.PrivateIpAddress = aws.String("here") }, "InvalidParameterValue", "here"},
		"address for several": {func(in *ec2.RunInstancesInput) {
			in.PrivateIpAddress = aws.String("10.0.0.9")
			counted(2, 2)(in)
		}, "InvalidParameterCombination", "private IP address"},
		"not modelled": {func(in *ec2.RunInstancesInput) {
			in.KernelId = aws.String("aki-1")
		}, "UnknownParameter", "The parameter KernelId is not recognized"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			_, err := r.run(tc.adjust)
			wantError(t, err, tc.code, badRequest, tc.message)
			if live := r.sim.Live(); len(live) > 0 {
				t.Errorf("launched although refused: %v", live)
			}
		})
	}
}

func TestRunInstancesAccepts(t *testing.T) {
	for name, adjust := range map[string]func(*ec2.RunInstancesInput){
		"longest user data": userData(16384),
		"alias":             func(in *ec2.RunInstancesInput) { in.ImageId = aws.String("resolve:ssm:" + ec2sim.ParameterAL2023) },
		"alias and version": func(in *ec2.RunInstancesInput) {
			in.ImageId = aws.String("resolve:ssm:" + ec2sim.ParameterAL2023 + ":1")
		},
		"no type": func(in *ec2.RunInstancesInput) { in.InstanceType = "" },
		"50 tags": tagged(ec2types.ResourceTypeInstance, manyTags(50)...),
		"profile by ARN": func(in *ec2.RunInstancesInput) {
			in.IamInstanceProfile = &ec2types.IamInstanceProfileSpecification{Arn: aws.String("arn:aws:iam::123456789012:instance-profile/example-profile")}
		},
		"zone id": func(in *ec2.RunInstancesInput) {
			in.SubnetId, in.Placement = nil, &ec2types.Placement{AvailabilityZoneId: aws.String("use1-az1")}
		},
		"group by name":   func(in *ec2.RunInstancesInput) { in.SecurityGroups = []string{"web"} },
		"private address": func(in *ec2.RunInstancesInput) { in.PrivateIpAddress = aws.String("10.0.0.99") },
		"interface": func(in *ec2.RunInstancesInput) {
			in.NetworkInterfaces = []ec2types.InstanceNetworkInterfaceSpecification{{
				DeviceIndex: aws.Int32(0), SubnetId: in.SubnetId, Groups: []string{ec2sim.SecurityGroupWeb}, AssociatePublicIpAddress: aws.Bool(false),
			}}
			in.SubnetId = nil
		},
		"data volume": func(in *ec2.RunInstancesInput) {
			in.BlockDeviceMappings = []ec2types.BlockDeviceMapping{{DeviceName: aws.String("/dev/sdf"), Ebs: &ec2types.EbsBlockDevice{VolumeSize: aws.Int32(8)}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			id := r.mustRun(adjust)
			i := r.get(id)
			if *i.ImageId != ec2sim.ImageAL2023 || *i.SubnetId != ec2sim.SubnetA {
				t.Errorf("image %s, subnet %s", *i.ImageId, *i.SubnetId)
			}
			switch name {
			case "interface":
				if i.PublicIpAddress != nil || *i.SecurityGroups[0].GroupId != ec2sim.SecurityGroupWeb {
					t.Errorf("the interface's settings were not heeded: %v", i.PublicIpAddress)
				}
			case "private address":
				if *i.PrivateIpAddress != "10.0.0.99" {
					t.Errorf("private address %s", *i.PrivateIpAddress)
				}
				_, err := r.run(adjust)
				wantError(t, err, "InvalidIPAddress.InUse", badRequest, "10.0.0.99")
			case "data volume":
				if len(i.BlockDeviceMappings) != 2 {
					t.Errorf("%d volumes, want root and data", len(i.BlockDeviceMappings))
				}
			}
		})
	}
}

func TestLaunchWithoutPlaceTakesADefaultSubnet(t *testing.T) {
	r := newRig(t, func(s *ec2sim.Settings) { s.Capacity = map[string]int{"*/us-east-1a": 0} })
	id := r.mustRun(regional)
	if got := *r.get(id).SubnetId; got != ec2sim.SubnetB {
		t.Errorf("launched in %s, want the first zone with capacity", got)
	}
}

func TestCapacity(t *testing.T) {
	r := newRig(t, func(s *ec2sim.Settings) { s.Capacity = map[string]int{"t3.micro/us-east-1a": 3} })
	out, err := r.run(counted(2, 5))
	r.must(err)
	if len(out.Instances) != 3 {
		t.Fatalf("launched %d, want the 3 that there is room for", len(out.Instances))
	}
	_, err = r.run()
	wantError(t, err, "InsufficientInstanceCapacity", serverErr, "We currently do not have sufficient t3.micro capacity in the Availability Zone you requested (us-east-1a)")
	r.mustRun(ofType("t3.small"))
	r.mustRun(inSubnet(ec2sim.SubnetB))

	first := *out.Instances[0].InstanceId
	r.clock.Step(pendingDelay)
	r.must(r.stop(first)) // makes room
	r.mustRun()
	r.clock.Step(stoppingDelay)
	wantError(t, r.start(first), "InsufficientInstanceCapacity", serverErr, "t3.micro")
	if got := r.state(first); got != ec2types.InstanceStateNameStopped {
		t.Errorf("a start that failed left it %s", got)
	}
	r.must(r.terminate(*out.Instances[1].InstanceId))
	r.must(r.start(first))

	second := *out.Instances[2].InstanceId
	r.clock.Step(pendingDelay)
	r.must(r.stop(first, second))
	r.clock.Step(stoppingDelay)
	r.mustRun() // leaves room for one of the two, as the launch above holds a place
	wantError(t, r.start(first, second), "InsufficientInstanceCapacity", serverErr, "t3.micro")
	if got := r.state(first); got != ec2types.InstanceStateNameStopped {
		t.Errorf("one was started although there is no room for both: %s", got)
	}
	r.must(r.start(second))
}

func TestVCPUQuota(t *testing.T) {
	r := newRig(t, func(s *ec2sim.Settings) { s.VCPUQuota = 5 })
	out, err := r.run(counted(1, 9))
	r.must(err)
	if len(out.Instances) != 2 {
		t.Errorf("launched %d with 2 vCPUs each, want 2", len(out.Instances))
	}
	_, err = r.run()
	wantError(t, err, "VcpuLimitExceeded", badRequest, "your current vCPU limit of 5 allows")
	r.ec2 = r.client("AKIDEXAMPLE", "eu-west-1")
	r.mustRun()
}

func TestSubnetRunsOutOfAddresses(t *testing.T) {
	r := newRig(t)
	small := inSubnet(ec2sim.SubnetSmall)
	_, err := r.run(small, counted(12, 12))
	wantError(t, err, "InsufficientFreeAddressesInSubnet", badRequest, ec2sim.SubnetSmall)
	out, err := r.run(small, counted(1, 12))
	r.must(err)
	addresses := map[string]bool{}
	for _, i := range out.Instances {
		addresses[*i.PrivateIpAddress] = true
	}
	if len(out.Instances) != 11 || len(addresses) != 11 {
		t.Fatalf("%d instances with %d addresses, want 11", len(out.Instances), len(addresses))
	}
	id := *out.Instances[0].InstanceId
	r.must(r.terminate(id))
	_, err = r.run(small)
	wantError(t, err, "InsufficientFreeAddressesInSubnet", badRequest, "")
	r.clock.Step(shuttingDelay)
	again := r.mustRun(small)
	if *r.get(again).PrivateIpAddress != *out.Instances[0].PrivateIpAddress {
		t.Error("the address of the terminated instance was not used again")
	}
}

func TestVolumesAndInterfacesCarryTheirTags(t *testing.T) {
	r := newRig(t)
	r.mustRun(tagged(ec2types.ResourceTypeInstance, "k", "i"), tagged(ec2types.ResourceTypeVolume, "k", "v"), tagged(ec2types.ResourceTypeNetworkInterface, "k", "n"))
	out, err := r.ec2.DescribeTags(t.Context(), &ec2.DescribeTagsInput{Filters: []ec2types.Filter{filter("key", "k")}})
	r.must(err)
	var got []string
	for _, tag := range out.Tags {
		got = append(got, string(tag.ResourceType)+"="+*tag.Value)
	}
	if want := []string{"instance=i", "network-interface=n", "volume=v"}; !slices.Equal(sorted(got), want) {
		t.Errorf("got %v, want %v", sorted(got), want)
	}
}
