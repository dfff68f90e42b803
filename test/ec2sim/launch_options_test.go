// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

type launchChange = func(*ec2.RunInstancesInput)

func placed(p ec2types.Placement) launchChange {
	return func(in *ec2.RunInstancesInput) { in.Placement = &p }
}

func reserved(preference ec2types.CapacityReservationPreference, id string) launchChange {
	return func(in *ec2.RunInstancesInput) {
		in.CapacityReservationSpecification = &ec2types.CapacityReservationSpecification{CapacityReservationPreference: preference}
		if id != "" {
			in.CapacityReservationSpecification.CapacityReservationTarget = &ec2types.CapacityReservationTarget{CapacityReservationId: &id}
		}
	}
}

func withCPU(cores, threads int32) launchChange {
	return func(in *ec2.RunInstancesInput) {
		in.CpuOptions = &ec2types.CpuOptionsRequest{CoreCount: &cores, ThreadsPerCore: &threads}
	}
}

func withCredits(credits string) launchChange {
	return func(in *ec2.RunInstancesInput) {
		in.CreditSpecification = &ec2types.CreditSpecificationRequest{CpuCredits: &credits}
	}
}

func all(changes ...launchChange) launchChange {
	return func(in *ec2.RunInstancesInput) {
		for _, change := range changes {
			change(in)
		}
	}
}

// options are the parts of an instance that tell what a launch said besides image, network and access.
func options(i ec2types.Instance) ec2types.Instance {
	return ec2types.Instance{
		CapacityReservationId: i.CapacityReservationId, CapacityReservationSpecification: i.CapacityReservationSpecification,
		CpuOptions: i.CpuOptions, EnclaveOptions: i.EnclaveOptions, HibernationOptions: i.HibernationOptions, Licenses: i.Licenses,
		MaintenanceOptions: i.MaintenanceOptions, Placement: i.Placement, PrivateDnsName: i.PrivateDnsName,
		PrivateDnsNameOptions: i.PrivateDnsNameOptions,
	}
}

// plain are the options of an instance whose launch said nothing.
func plain() ec2types.Instance {
	return ec2types.Instance{
		CapacityReservationSpecification: &ec2types.CapacityReservationSpecificationResponse{
			CapacityReservationPreference: ec2types.CapacityReservationPreferenceOpen,
		},
		CpuOptions:         &ec2types.CpuOptions{CoreCount: aws.Int32(1), ThreadsPerCore: aws.Int32(2)},
		EnclaveOptions:     &ec2types.EnclaveOptions{Enabled: aws.Bool(false)},
		HibernationOptions: &ec2types.HibernationOptions{Configured: aws.Bool(false)},
		MaintenanceOptions: &ec2types.InstanceMaintenanceOptions{AutoRecovery: "default", RebootMigration: "default"},
		Placement: &ec2types.Placement{
			AvailabilityZone: aws.String("us-east-1a"), AvailabilityZoneId: aws.String("use1-az1"), GroupName: aws.String(""), Tenancy: "default",
		},
		PrivateDnsName: aws.String("ip-10-0-0-4.ec2.internal"),
		PrivateDnsNameOptions: &ec2types.PrivateDnsNameOptionsResponse{
			HostnameType: "ip-name", EnableResourceNameDnsARecord: aws.Bool(false), EnableResourceNameDnsAAAARecord: aws.Bool(false),
		},
	}
}

// TestLaunchOptionsAreReported.
func TestLaunchOptionsAreReported(t *testing.T) {
	license := ec2sim.LicenseConfiguration(ec2sim.DefaultAccount, "us-east-1")
	for name, test := range map[string]struct {
		launch launchChange
		want   func(*ec2types.Instance, string)
	}{
		"nothing": {func(*ec2.RunInstancesInput) {}, func(*ec2types.Instance, string) {}},
		"group by name": {placed(ec2types.Placement{GroupName: aws.String(ec2sim.GroupCluster)}), func(i *ec2types.Instance, _ string) {
			i.Placement.GroupName, i.Placement.GroupId = aws.String(ec2sim.GroupCluster), aws.String(ec2sim.GroupClusterID)
		}},
		"partition of a group by id": {
			placed(ec2types.Placement{GroupId: aws.String(ec2sim.GroupPartitionID), PartitionNumber: aws.Int32(2)}),
			func(i *ec2types.Instance, _ string) {
				i.Placement.GroupName, i.Placement.GroupId = aws.String(ec2sim.GroupPartition), aws.String(ec2sim.GroupPartitionID)
				i.Placement.PartitionNumber = aws.Int32(2)
			},
		},
		"host": {
			placed(ec2types.Placement{Tenancy: "host", HostId: aws.String(ec2sim.HostA), Affinity: aws.String("host")}),
			func(i *ec2types.Instance, _ string) {
				i.Placement.Tenancy, i.Placement.HostId, i.Placement.Affinity = "host", aws.String(ec2sim.HostA), aws.String("host")
			},
		},
		"any host": {placed(ec2types.Placement{Tenancy: "host"}), func(i *ec2types.Instance, _ string) {
			i.Placement.Tenancy, i.Placement.HostId = "host", aws.String(ec2sim.HostA)
		}},
		"reservation": {
			all(ofType("m5.large"), reserved("", ec2sim.CapacityReservationA)),
			func(i *ec2types.Instance, _ string) {
				i.CapacityReservationId = aws.String(ec2sim.CapacityReservationA)
				i.CapacityReservationSpecification = &ec2types.CapacityReservationSpecificationResponse{
					CapacityReservationTarget: &ec2types.CapacityReservationTargetResponse{CapacityReservationId: aws.String(ec2sim.CapacityReservationA)},
				}
			},
		},
		"any reservation": {
			all(ofType("m5.large"), reserved("capacity-reservations-only", "")),
			func(i *ec2types.Instance, _ string) {
				i.CapacityReservationId = aws.String(ec2sim.CapacityReservationA)
				i.CapacityReservationSpecification.CapacityReservationPreference = "capacity-reservations-only"
			},
		},
		"cores and threads": {all(ofType(ec2sim.TypeWithCores), withCPU(2, 1)), func(i *ec2types.Instance, _ string) {
			i.CpuOptions = &ec2types.CpuOptions{CoreCount: aws.Int32(2), ThreadsPerCore: aws.Int32(1)}
		}},
		"the type's cores": {ofType(ec2sim.TypeWithCores), func(i *ec2types.Instance, _ string) { i.CpuOptions.CoreCount = aws.Int32(4) }},
		"secure memory": {
			all(ofType("m6a.large"), func(in *ec2.RunInstancesInput) {
				in.CpuOptions = &ec2types.CpuOptionsRequest{AmdSevSnp: "enabled"}
			}),
			func(i *ec2types.Instance, _ string) { i.CpuOptions.AmdSevSnp = "enabled" },
		},
		"enclave": {
			func(in *ec2.RunInstancesInput) {
				in.EnclaveOptions = &ec2types.EnclaveOptionsRequest{Enabled: aws.Bool(true)}
			},
			func(i *ec2types.Instance, _ string) { i.EnclaveOptions.Enabled = aws.Bool(true) },
		},
		"maintenance": {
			func(in *ec2.RunInstancesInput) {
				in.MaintenanceOptions = &ec2types.InstanceMaintenanceOptionsRequest{AutoRecovery: "disabled"}
			},
			func(i *ec2types.Instance, _ string) { i.MaintenanceOptions.AutoRecovery = "disabled" },
		},
		"names": {
			func(in *ec2.RunInstancesInput) {
				in.PrivateDnsNameOptions = &ec2types.PrivateDnsNameOptionsRequest{
					HostnameType: "resource-name", EnableResourceNameDnsARecord: aws.Bool(true),
				}
			},
			func(i *ec2types.Instance, id string) {
				i.PrivateDnsName = aws.String(id + ".ec2.internal")
				i.PrivateDnsNameOptions.HostnameType, i.PrivateDnsNameOptions.EnableResourceNameDnsARecord = "resource-name", aws.Bool(true)
			},
		},
		"license": {
			func(in *ec2.RunInstancesInput) {
				in.LicenseSpecifications = []ec2types.LicenseConfigurationRequest{{LicenseConfigurationArn: &license}}
			},
			func(i *ec2types.Instance, _ string) {
				i.Licenses = []ec2types.LicenseConfiguration{{LicenseConfigurationArn: &license}}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			id := r.mustRun(test.launch)
			want := plain()
			test.want(&want, id)
			if diff := cmp.Diff(want, options(r.get(id)), cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(
				ec2types.Instance{}, ec2types.CapacityReservationSpecificationResponse{}, ec2types.CapacityReservationTargetResponse{},
				ec2types.CpuOptions{}, ec2types.EnclaveOptions{}, ec2types.HibernationOptions{}, ec2types.InstanceMaintenanceOptions{},
				ec2types.LicenseConfiguration{}, ec2types.Placement{}, ec2types.PrivateDnsNameOptionsResponse{},
			)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrongLaunchOptionsAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		launch        launchChange
		code, message string
	}{
		"unknown group": {placed(ec2types.Placement{GroupName: aws.String("x")}), "InvalidPlacementGroup.Unknown", "'x'"},
		"group twice": {
			placed(ec2types.Placement{GroupName: aws.String(ec2sim.GroupCluster), GroupId: aws.String(ec2sim.GroupClusterID)}),
			"InvalidParameterCombination", "groupId",
		},
		"dedicated and spread": {
			placed(ec2types.Placement{GroupName: aws.String(ec2sim.GroupSpread), Tenancy: "dedicated"}), "InvalidParameterCombination", "spread",
		},
		"partition of a cluster": {
			placed(ec2types.Placement{GroupName: aws.String(ec2sim.GroupCluster), PartitionNumber: aws.Int32(1)}),
			"InvalidParameterCombination", "partition",
		},
		"partition beyond the last": {
			placed(ec2types.Placement{GroupName: aws.String(ec2sim.GroupPartition), PartitionNumber: aws.Int32(ec2sim.GroupPartitions + 1)}),
			"InvalidParameterValue", "partitionNumber",
		},
		"partition of nothing": {placed(ec2types.Placement{PartitionNumber: aws.Int32(1)}), "InvalidParameterCombination", "partitionNumber"},
		"partition 0": {
			placed(ec2types.Placement{GroupName: aws.String(ec2sim.GroupPartition), PartitionNumber: aws.Int32(0)}),
			"InvalidParameterValue", "partitionNumber",
		},
		"unknown host": {
			placed(ec2types.Placement{Tenancy: "host", HostId: aws.String("h-0bad0bad0bad0bad0")}), "InvalidHostID.NotFound", "h-0bad0bad0bad0bad0",
		},
		"host without its tenancy": {placed(ec2types.Placement{HostId: aws.String(ec2sim.HostA)}), "InvalidParameterCombination", "hostId"},
		"affinity without a host":  {placed(ec2types.Placement{Affinity: aws.String("host")}), "InvalidParameterCombination", "affinity"},
		"full host": {
			all(placed(ec2types.Placement{Tenancy: "host", HostId: aws.String(ec2sim.HostA)}), counted(ec2sim.HostCapacity+1, ec2sim.HostCapacity+1)),
			"InsufficientCapacityOnHost", ec2sim.HostA,
		},
		"host resource group":         {placed(ec2types.Placement{HostResourceGroupArn: aws.String("arn")}), "UnsupportedOperation", "HostResourceGroupArn"},
		"unknown reservation":         {reserved("", "cr-0bad0bad0bad0bad0"), "InvalidCapacityReservationId.NotFound", "cr-0bad0bad0bad0bad0"},
		"reservation of another type": {reserved("", ec2sim.CapacityReservationA), "ReservationCapacityExceeded", "t3.micro"},
		"reservation and none": {
			all(ofType("m5.large"), reserved("none", ec2sim.CapacityReservationA)), "InvalidParameterCombination", "none",
		},
		"full reservation": {
			all(ofType("m5.large"), reserved("", ec2sim.CapacityReservationA), counted(ec2sim.CapacityReserved+1, ec2sim.CapacityReserved+1)),
			"ReservationCapacityExceeded", "m5.large",
		},
		"too many cores":   {all(ofType(ec2sim.TypeWithCores), withCPU(3, 1)), "InvalidParameterValue", "coreCount"},
		"too many threads": {all(ofType(ec2sim.TypeWithCores), withCPU(2, 3)), "InvalidParameterValue", "threadsPerCore"},
		"cores without threads": {
			all(ofType(ec2sim.TypeWithCores), func(in *ec2.RunInstancesInput) {
				in.CpuOptions = &ec2types.CpuOptionsRequest{CoreCount: aws.Int32(2)}
			}), "InvalidParameterCombination", "ThreadsPerCore",
		},
		"secure memory on Intel": {
			func(in *ec2.RunInstancesInput) { in.CpuOptions = &ec2types.CpuOptionsRequest{AmdSevSnp: "enabled"} },
			"InvalidParameterCombination", "SEV-SNP",
		},
		"nesting on the wrong type": {
			func(in *ec2.RunInstancesInput) {
				in.CpuOptions = &ec2types.CpuOptionsRequest{NestedVirtualization: "enabled"}
			},
			"InvalidParameterCombination", "ested virtualization",
		},
		"credits of a type without": {all(ofType("m5.large"), withCredits("unlimited")), "InvalidParameterCombination", "creditSpecification"},
		"unknown credits":           {withCredits("boundless"), "InvalidParameterValue", "boundless"},
		"hibernation and enclave": {
			func(in *ec2.RunInstancesInput) {
				in.EnclaveOptions = &ec2types.EnclaveOptionsRequest{Enabled: aws.Bool(true)}
				in.HibernationOptions = &ec2types.HibernationOptionsRequest{Configured: aws.Bool(true)}
			}, "InvalidParameterCombination", "nclaves",
		},
		"unknown license": {
			func(in *ec2.RunInstancesInput) {
				in.LicenseSpecifications = []ec2types.LicenseConfigurationRequest{{LicenseConfigurationArn: aws.String("arn:x")}}
			}, "InvalidParameterValue", "arn:x",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			_, err := r.run(test.launch)
			wantError(t, err, test.code, badRequest, test.message)
			if live := r.sim.Live(); len(live) > 0 {
				t.Errorf("launched although refused: %v", live)
			}
		})
	}
}

// TestSpreadGroupsHoldSeven instances in a zone.
func TestSpreadGroupsHoldSeven(t *testing.T) {
	r := newRig(t)
	spread := placed(ec2types.Placement{GroupName: aws.String(ec2sim.GroupSpread)})
	if _, err := r.run(spread, counted(7, 7)); err != nil {
		t.Fatal(err)
	}
	_, err := r.run(spread)
	wantError(t, err, "InsufficientInstanceCapacity", serverErr, "limit of instances in this spread placement group")
	r.mustRun(spread, inSubnet(ec2sim.SubnetB))
}

// TestNoHostHasRoom is EC2's error, unlike that of a host that is named.
func TestNoHostHasRoom(t *testing.T) {
	r := newRig(t)
	_, err := r.run(placed(ec2types.Placement{Tenancy: "host"}), inSubnet(ec2sim.SubnetB))
	wantError(t, err, "InsufficientHostCapacity", serverErr, "us-east-1b")
}

// TestHardwareTakesWhatItCan, between the least and the most that the launch wants.
func TestHardwareTakesWhatItCan(t *testing.T) {
	for name, test := range map[string]struct {
		launch launchChange
		want   int
	}{
		"host":        {placed(ec2types.Placement{Tenancy: "host"}), ec2sim.HostCapacity},
		"reservation": {all(ofType("m5.large"), reserved("", ec2sim.CapacityReservationA)), ec2sim.CapacityReserved},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			out, err := r.run(test.launch, counted(1, 9))
			r.must(err)
			if len(out.Instances) != test.want {
				t.Errorf("launched %d, want the %d that there is room for", len(out.Instances), test.want)
			}
		})
	}
}

// TestReservationsFillAgain with the instance that stops.
func TestReservationsFillAgain(t *testing.T) {
	r := newRig(t)
	launch := all(ofType("m5.large"), reserved("", ec2sim.CapacityReservationA))
	first, second := r.mustRun(launch), r.mustRun(launch)
	_, err := r.run(launch)
	wantError(t, err, "ReservationCapacityExceeded", badRequest, "")
	r.clock.Step(pendingDelay)
	r.must(r.stop(first))
	third := r.mustRun(launch)
	r.clock.Step(stoppingDelay)
	wantError(t, r.start(first), "ReservationCapacityExceeded", badRequest, "")
	r.must(r.terminate(second))
	r.must(r.start(first))
	if got := r.get(first).CapacityReservationId; aws.ToString(got) != ec2sim.CapacityReservationA {
		t.Errorf("started again in reservation %q", aws.ToString(got))
	}
	if got := r.get(third).CapacityReservationId; aws.ToString(got) != ec2sim.CapacityReservationA {
		t.Errorf("the third is in reservation %q", aws.ToString(got))
	}
}

// TestInstancesAreFoundByTheirOptions.
func TestInstancesAreFoundByTheirOptions(t *testing.T) {
	r := newRig(t)
	inGroup := r.mustRun(placed(ec2types.Placement{GroupName: aws.String(ec2sim.GroupPartition), PartitionNumber: aws.Int32(3)}))
	onHost := r.mustRun(placed(ec2types.Placement{Tenancy: "host", Affinity: aws.String("default")}))
	inReservation := r.mustRun(ofType("m5.large"), reserved("", ec2sim.CapacityReservationA))
	for name, test := range map[string]struct{ value, want string }{
		"placement-group-name":       {ec2sim.GroupPartition, inGroup},
		"placement-partition-number": {"3", inGroup},
		"host-id":                    {ec2sim.HostA, onHost},
		"affinity":                   {"default", onHost},
		"tenancy":                    {"host", onHost},
		"capacity-reservation-id":    {ec2sim.CapacityReservationA, inReservation},
	} {
		if got := ids(r.list(filter(name, test.value))); len(got) != 1 || got[0] != test.want {
			t.Errorf("%s=%s: %v, want %s", name, test.value, got, test.want)
		}
	}
	if got := r.list(filter("hibernation-options.configured", "false")); len(got) != 3 {
		t.Errorf("%d without hibernation", len(got))
	}
}
