// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

type interfaceSpec = ec2types.InstanceNetworkInterfaceSpecification

// interfaced launches with these interfaces, whose device indexes are their positions unless they have one.
func interfaced(specs ...interfaceSpec) launchChange {
	return func(in *ec2.RunInstancesInput) {
		for n := range specs {
			if specs[n].DeviceIndex == nil {
				specs[n].DeviceIndex = aws.Int32(int32(n))
			}
		}
		in.NetworkInterfaces, in.SubnetId = specs, nil
	}
}

func inA() interfaceSpec { return interfaceSpec{SubnetId: aws.String(ec2sim.SubnetA)} }

func TestSeveralInterfaces(t *testing.T) {
	r := newRig(t)
	second := interfaceSpec{
		DeviceIndex: aws.Int32(1), NetworkCardIndex: aws.Int32(1), SubnetId: aws.String(ec2sim.SubnetPrivateA), Groups: []string{ec2sim.SecurityGroupWeb},
		PrivateIpAddress: aws.String("10.0.192.77"), Description: aws.String("data"), DeleteOnTermination: aws.Bool(false),
	}
	primary := inA()
	primary.DeviceIndex = aws.Int32(0)
	i := r.get(r.mustRun(interfaced(second, primary), tagged(ec2types.ResourceTypeNetworkInterface, "k", "v")))
	if *i.SubnetId != ec2sim.SubnetA || *i.PrivateIpAddress != "10.0.0.4" || *i.SecurityGroups[0].GroupId != ec2sim.SecurityGroupDefault {
		t.Errorf("the instance shows another interface than the primary: %s, %s", *i.SubnetId, *i.PrivateIpAddress)
	}
	if i.PublicIpAddress != nil {
		t.Errorf("several interfaces, and a public address: %s", *i.PublicIpAddress)
	}
	type shown struct {
		Index, Card              int32
		Subnet, Address, Group   string
		Description              string
		Deleted, SourceDestCheck bool
	}
	var got []shown
	for _, n := range i.NetworkInterfaces {
		got = append(got, shown{
			*n.Attachment.DeviceIndex, *n.Attachment.NetworkCardIndex, *n.SubnetId, *n.PrivateIpAddress, *n.Groups[0].GroupId,
			*n.Description, *n.Attachment.DeleteOnTermination, *n.SourceDestCheck,
		})
	}
	slices.SortFunc(got, func(a, b shown) int { return int(a.Index - b.Index) })
	if diff := cmp.Diff([]shown{
		{0, 0, ec2sim.SubnetA, "10.0.0.4", ec2sim.SecurityGroupDefault, "", true, true},
		{1, 1, ec2sim.SubnetPrivateA, "10.0.192.77", ec2sim.SecurityGroupWeb, "data", false, true},
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	id := *i.NetworkInterfaces[1].NetworkInterfaceId
	if found := r.list(filter("network-interface.network-interface-id", id)); len(found) != 1 {
		t.Errorf("%d instances have the second interface", len(found))
	}
	r.must(r.terminate(*i.InstanceId))
	r.clock.Step(shuttingDelay + time.Hour)
	out, err := r.ec2.DescribeTags(t.Context(), &ec2.DescribeTagsInput{Filters: []ec2types.Filter{filter("resource-type", "network-interface")}})
	r.must(err)
	if len(out.Tags) != 1 {
		t.Errorf("%d interfaces outlive the instance, want the one that is not deleted with it", len(out.Tags))
	}
}

func TestIPv6(t *testing.T) {
	for name, launch := range map[string]launchChange{
		"instance":  all(inSubnet(ec2sim.SubnetIPv6A), func(in *ec2.RunInstancesInput) { in.Ipv6AddressCount = aws.Int32(2) }),
		"interface": interfaced(interfaceSpec{SubnetId: aws.String(ec2sim.SubnetIPv6A), Ipv6AddressCount: aws.Int32(2)}),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			first, second := r.get(r.mustRun(launch)), r.get(r.mustRun(launch))
			var got []string
			for _, a := range slices.Concat(first.NetworkInterfaces[0].Ipv6Addresses, second.NetworkInterfaces[0].Ipv6Addresses) {
				got = append(got, *a.Ipv6Address)
			}
			want := []string{"2001:db8:1234:1a00::4", "2001:db8:1234:1a00::5", "2001:db8:1234:1a00::6", "2001:db8:1234:1a00::7"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if *second.Ipv6Address != want[2] {
				t.Errorf("the instance's address is %s", *second.Ipv6Address)
			}
		})
	}
}

func TestWrongInterfacesAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		launch        launchChange
		code, message string
	}{
		"no primary":           {interfaced(interfaceSpec{DeviceIndex: aws.Int32(1)}), "InvalidParameterValue", "index 0"},
		"one index twice":      {interfaced(inA(), interfaceSpec{DeviceIndex: aws.Int32(0)}), "InvalidParameterValue", "unique device index"},
		"public address":       {interfaced(inA(), interfaceSpec{AssociatePublicIpAddress: aws.Bool(true)}), "InvalidParameterCombination", "multiple network interfaces"},
		"another zone":         {interfaced(inA(), interfaceSpec{SubnetId: aws.String(ec2sim.SubnetB)}), "InvalidParameterCombination", "different availability zones"},
		"unknown subnet":       {interfaced(inA(), interfaceSpec{SubnetId: aws.String("subnet-0bad0bad0bad0bad0")}), "InvalidSubnetID.NotFound", "subnet-0bad0bad0bad0bad0"},
		"group of another VPC": {interfaced(inA(), interfaceSpec{Groups: []string{ec2sim.SecurityGroupOtherVPC}}), "InvalidParameter", "different networks"},
		"address elsewhere":    {interfaced(inA(), interfaceSpec{PrivateIpAddress: aws.String("10.9.0.1")}), "InvalidParameterValue", "subnet's address range"},
		"one address twice": {
			interfaced(interfaceSpec{SubnetId: aws.String(ec2sim.SubnetA), PrivateIpAddress: aws.String("10.0.0.9")}, interfaceSpec{PrivateIpAddress: aws.String("10.0.0.9")}),
			"InvalidIPAddress.InUse", "10.0.0.9",
		},
		"no IPv6 there": {func(in *ec2.RunInstancesInput) { in.Ipv6AddressCount = aws.Int32(1) }, "InvalidParameterValue", "no IPv6 CIDR"},
		"IPv6 twice": {
			all(interfaced(inA()), func(in *ec2.RunInstancesInput) { in.Ipv6AddressCount = aws.Int32(1) }), "InvalidParameterCombination", "IPv6",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			_, err := r.run(test.launch)
			wantError(t, err, test.code, badRequest, test.message)
			if live := r.sim.Live(); len(live) > 0 {
				t.Errorf("launched although refused: %v", live)
			}
			if name == "one address twice" { // what was taken before the refusal is free again
				r.mustRun(func(in *ec2.RunInstancesInput) { in.PrivateIpAddress = aws.String("10.0.0.9") })
			}
		})
	}
}

func (r *rig) modifyInterface(in ec2.ModifyNetworkInterfaceAttributeInput) error {
	_, err := r.ec2.ModifyNetworkInterfaceAttribute(r.Context(), &in)
	return err
}

// TestSeveralInterfacesChangeOneByOne, and not through their instance.
func TestSeveralInterfacesChangeOneByOne(t *testing.T) {
	r := newRig(t)
	id := r.mustRun(interfaced(inA(), inA()))
	r.clock.Step(pendingDelay)
	for name, change := range map[string]func(*ec2.ModifyInstanceAttributeInput){
		"groups": func(in *ec2.ModifyInstanceAttributeInput) { in.Groups = []string{ec2sim.SecurityGroupWeb} },
		"check":  func(in *ec2.ModifyInstanceAttributeInput) { in.SourceDestCheck = flag(false) },
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, r.modify(id, change), "InvalidInstanceID", badRequest, "There are multiple interfaces attached to instance '"+id+"'.")
		})
	}
	before := r.get(id).NetworkInterfaces
	second := before[1]
	for _, change := range []ec2.ModifyNetworkInterfaceAttributeInput{
		{Groups: []string{ec2sim.SecurityGroupWeb}},
		{SourceDestCheck: flag(false)},
		{Description: text("second")},
		{Attachment: &ec2types.NetworkInterfaceAttachmentChanges{AttachmentId: second.Attachment.AttachmentId, DeleteOnTermination: aws.Bool(false)}},
	} {
		change.NetworkInterfaceId = second.NetworkInterfaceId
		r.must(r.modifyInterface(change))
	}
	after := r.get(id).NetworkInterfaces
	n := after[1]
	if *n.Groups[0].GroupId != ec2sim.SecurityGroupWeb || *n.SourceDestCheck || *n.Description != "second" || *n.Attachment.DeleteOnTermination {
		t.Errorf("the second interface is %+v", n)
	}
	if n := after[0]; *n.Groups[0].GroupId != ec2sim.SecurityGroupDefault || !*n.SourceDestCheck || *n.Description != "" || !*n.Attachment.DeleteOnTermination {
		t.Errorf("the first one changed, too: %+v", n)
	}
	wantError(t, r.modifyInterface(ec2.ModifyNetworkInterfaceAttributeInput{
		NetworkInterfaceId: second.NetworkInterfaceId,
		Attachment:         &ec2types.NetworkInterfaceAttachmentChanges{AttachmentId: before[0].Attachment.AttachmentId, DeleteOnTermination: aws.Bool(false)},
	}), "InvalidAttachmentID.NotFound", badRequest, *before[0].Attachment.AttachmentId)
}
