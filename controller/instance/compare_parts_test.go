// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"strings"
	"testing"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// compared is a comparison of spec with an instance that was launched with another spec.
type compared struct {
	name           string
	launched, spec ec2v1.EC2InstanceSpec
	instance       func(*cloud.Instance)
	volumes        []cloud.VolumeDetail
	allow          ec2v1.UpdateAllowance

	field        string // empty: nothing differs
	action       ec2v1.PlanAction
	state        ec2v1.PlanState
	modification cloud.Modification
	says         string
}

func compareAll(t *testing.T, rows []compared) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			i := testInstance(1, cloud.StateRunning)
			reading := Reading{ID: i.ID, Volumes: map[string]cloud.VolumeDetail{}}
			for _, v := range row.volumes {
				device := "/dev/" + strings.TrimPrefix(v.ID, "vol-")
				i.Volumes = append(i.Volumes, cloud.Volume{DeviceName: device, ID: v.ID, DeleteOnTermination: true})
				reading.Volumes[v.ID] = v
			}
			if row.instance != nil {
				row.instance(&i)
			}
			row.spec.UpdatePolicy.Allow = row.allow
			changes := diff(sight{
				spec: &row.spec, current: &observer.Entry{Instance: i}, readings: map[string]Reading{fieldDevices: reading},
				intent: &LaunchIntent{Token: i.ClientToken, Attempt: 1, Hash: hash, Generation: 1, Fields: launchedFields(&row.launched)},
			})
			if row.field == "" {
				if len(changes) > 0 {
					t.Errorf("got %+v", changes)
				}
				return
			}
			if len(changes) != 1 {
				t.Fatalf("got %+v", changes)
			}
			c := changes[0]
			if c.Field != row.field || c.Action != row.action || c.State != row.state || c.modification != row.modification || !strings.Contains(c.Message, row.says) {
				t.Errorf("got %+v with %+v, want %+v", c, c.modification, row)
			}
		})
	}
}

func devicesOf(devices ...ec2v1.BlockDevice) ec2v1.EC2InstanceSpec {
	return ec2v1.EC2InstanceSpec{BlockDevices: devices}
}

func TestListsAreComparedByTheirKeys(t *testing.T) {
	encrypted := new(true)
	a, b := ec2v1.BlockDevice{DeviceName: "/dev/a", Encrypted: encrypted, KMSKeyID: "k"}, ec2v1.BlockDevice{DeviceName: "/dev/b", Encrypted: encrypted}
	one, other := ec2v1.License{ConfigurationARN: "arn:one"}, ec2v1.License{ConfigurationARN: "arn:other"}
	first, second := ec2v1.NetworkInterface{DeviceIndex: new(int32(0)), Description: "a"}, ec2v1.NetworkInterface{DeviceIndex: new(int32(1)), Description: "b"}
	both := []cloud.VolumeDetail{{ID: "vol-a", SizeGiB: 8}, {ID: "vol-b", SizeGiB: 8}}
	replaces := func(row compared, name, field string, launched, spec ec2v1.EC2InstanceSpec) compared {
		row.name, row.field, row.launched, row.spec = name, field, launched, spec
		row.volumes, row.allow, row.action, row.state = both, ec2v1.UpdateReplace, ec2v1.PlanActionReplace, ec2v1.PlanStatePending
		return row
	}
	same := func(name string, launched, spec ec2v1.EC2InstanceSpec) compared {
		return compared{name: name, launched: launched, spec: spec, volumes: both, allow: ec2v1.UpdateReplace}
	}
	grown := devicesOf(a, ec2v1.BlockDevice{DeviceName: "/dev/b", SizeGiB: 9})
	compareAll(t, []compared{
		same("volumes in another order", devicesOf(a, b), devicesOf(b, a)),
		same("one volume is not said any more", devicesOf(a, b), devicesOf(b)),
		same("a member is not said any more", devicesOf(a, b), devicesOf(ec2v1.BlockDevice{DeviceName: "/dev/a", KMSKeyID: "k"}, ec2v1.BlockDevice{DeviceName: "/dev/b"})),
		replaces(compared{}, "a member is edited", fieldDevices, devicesOf(a), devicesOf(ec2v1.BlockDevice{DeviceName: "/dev/a", Encrypted: encrypted, KMSKeyID: "l"})),
		replaces(compared{}, "a member is added", fieldDevices, devicesOf(b), devicesOf(ec2v1.BlockDevice{DeviceName: "/dev/b", Encrypted: encrypted, KMSKeyID: "k"})),
		replaces(compared{}, "a volume is added that is not there", fieldDevices, devicesOf(a), devicesOf(a, ec2v1.BlockDevice{DeviceName: "/dev/c", SizeGiB: 9})),
		replaces(compared{}, "a volume of the image is to be encrypted", fieldDevices, devicesOf(a), devicesOf(a, b)),
		{
			name: "a volume of the image is to grow", launched: devicesOf(a), spec: grown, volumes: both, allow: ec2v1.UpdateReplace,
			field: fieldDevices, action: ec2v1.PlanActionInPlace, state: ec2v1.PlanStatePending, modification: cloud.VolumeChange{VolumeID: "vol-b", SizeGiB: 9},
		},
		same("licences in another order", ec2v1.EC2InstanceSpec{Licenses: []ec2v1.License{one, other}}, ec2v1.EC2InstanceSpec{Licenses: []ec2v1.License{other, one}}),
		same("one licence less", ec2v1.EC2InstanceSpec{Licenses: []ec2v1.License{one, other}}, ec2v1.EC2InstanceSpec{Licenses: []ec2v1.License{other}}),
		replaces(compared{}, "one licence more", "licenses", ec2v1.EC2InstanceSpec{Licenses: []ec2v1.License{one}}, ec2v1.EC2InstanceSpec{Licenses: []ec2v1.License{other, one}}),
		same("network interfaces in another order", ec2v1.EC2InstanceSpec{NetworkInterfaces: []ec2v1.NetworkInterface{first, second}},
			ec2v1.EC2InstanceSpec{NetworkInterfaces: []ec2v1.NetworkInterface{second, first}}),
		replaces(compared{}, "one network interface more", fieldInterfaces, ec2v1.EC2InstanceSpec{NetworkInterfaces: []ec2v1.NetworkInterface{first}},
			ec2v1.EC2InstanceSpec{NetworkInterfaces: []ec2v1.NetworkInterface{first, {DeviceIndex: new(int32(1))}}}),
		{name: "Spot without the price of the launch", launched: marketOf("0.05"), spec: marketOf(""), instance: isSpot, allow: ec2v1.UpdateReplace},
		replaces(compared{instance: isSpot}, "Spot with another price", fieldMarket, marketOf("0.05"), marketOf("0.06")),
	})
}

func isSpot(i *cloud.Instance) { i.Lifecycle = lifecycleSpot }

func marketOf(price string) ec2v1.EC2InstanceSpec {
	return ec2v1.EC2InstanceSpec{MarketOptions: &ec2v1.MarketOptions{MarketType: lifecycleSpot, SpotOptions: &ec2v1.SpotOptions{MaxPrice: price}}}
}

func TestWhatTakesLessGoesOnBesideWhatIsBlocked(t *testing.T) {
	eth := func(description string, groups ...string) ec2v1.EC2InstanceSpec {
		return ec2v1.EC2InstanceSpec{NetworkInterfaces: []ec2v1.NetworkInterface{{DeviceIndex: new(int32(0)), Description: description, SecurityGroupIDs: groups}}}
	}
	names := func(o ec2v1.PrivateDNSNameOptions) ec2v1.EC2InstanceSpec {
		return ec2v1.EC2InstanceSpec{PrivateDNSNameOptions: &o}
	}
	both := []cloud.VolumeDetail{{ID: "vol-a", SizeGiB: 8}, {ID: "vol-b", SizeGiB: 8}}
	hostAndRecord := names(ec2v1.PrivateDNSNameOptions{HostnameType: "resource-name", EnableResourceNameDNSARecord: new(true)})
	const inPlace, pending = ec2v1.PlanActionInPlace, ec2v1.PlanStatePending
	compareAll(t, []compared{
		{
			name: "groups beside a description", launched: eth("a", groupA), spec: eth("b", groupA, groupB), instance: interfaceWith(groupA), allow: ec2v1.UpdateInPlace,
			field: fieldInterfaces, action: inPlace, state: pending, modification: cloud.NewSecurityGroups("eni-0000000a", []string{groupA, groupB}),
			says: "the rest needs a new instance",
		},
		{
			name: "a description alone", launched: eth("a", groupA), spec: eth("b", groupA), instance: interfaceWith(groupA), allow: ec2v1.UpdateInPlace,
			field: fieldInterfaces, action: ec2v1.PlanActionReplace, state: ec2v1.PlanStateBlocked, says: "needs a new instance",
		},
		{
			name: "both are allowed: the whole", launched: eth("a", groupA), spec: eth("b", groupA, groupB), instance: interfaceWith(groupA), allow: ec2v1.UpdateReplace,
			field: fieldInterfaces, action: ec2v1.PlanActionReplace, state: pending,
		},
		{
			name: "one volume grows, and another one cannot shrink", volumes: both, allow: ec2v1.UpdateInPlace,
			spec:  devicesOf(ec2v1.BlockDevice{DeviceName: "/dev/a", SizeGiB: 7}, ec2v1.BlockDevice{DeviceName: "/dev/b", SizeGiB: 9}),
			field: fieldDevices, action: inPlace, state: pending, modification: cloud.VolumeChange{VolumeID: "vol-b", SizeGiB: 9},
			says: "cannot shrink",
		},
		{
			name: "a record beside the host name's type", spec: hostAndRecord, allow: ec2v1.UpdateInPlace, field: "privateDNSNameOptions", action: inPlace, state: pending,
			modification: cloud.DNSNames{PrivateDNSNameOptions: cloud.PrivateDNSNameOptions{ARecord: "true"}}, says: "needs the instance stopped",
		},
		{
			name: "both are allowed: first what needs the stop", spec: hostAndRecord, allow: ec2v1.UpdateStopStart,
			field: "privateDNSNameOptions", action: ec2v1.PlanActionStopStart, state: pending,
			modification: cloud.DNSNames{PrivateDNSNameOptions: cloud.PrivateDNSNameOptions{HostnameType: "resource-name"}},
		},
		{
			name: "a group beside the zone", allow: ec2v1.UpdateStopStart, field: "placement", action: ec2v1.PlanActionStopStart, state: pending,
			spec:         ec2v1.EC2InstanceSpec{Placement: &ec2v1.Placement{AvailabilityZone: "eu-central-1b", GroupName: "spread"}},
			modification: cloud.Place{Placement: cloud.Placement{GroupName: "spread"}}, says: "needs a new instance",
		},
		{
			name: "cores beside encrypted memory", allow: ec2v1.UpdateStopStart, field: "cpuOptions", action: ec2v1.PlanActionStopStart, state: pending,
			spec:         ec2v1.EC2InstanceSpec{CPUOptions: &ec2v1.CPUOptions{AMDSEVSNP: "enabled", CoreCount: 2, ThreadsPerCore: 1}},
			modification: cloud.CPU{CPUOptions: cloud.CPUOptions{CoreCount: 2, ThreadsPerCore: 1}}, says: "needs a new instance",
		},
	})
}

func TestWhatEC2TakesTogetherIsSentTogether(t *testing.T) {
	place := func(p ec2v1.Placement) ec2v1.EC2InstanceSpec { return ec2v1.EC2InstanceSpec{Placement: &p} }
	in := func(p cloud.Placement) func(*cloud.Instance) { return func(i *cloud.Instance) { i.Placement = p } }
	stopStart := func(row compared) compared {
		row.field, row.action, row.state, row.allow = "placement", ec2v1.PlanActionStopStart, ec2v1.PlanStatePending, ec2v1.UpdateReplace
		return row
	}
	volume := func(row compared) compared {
		row.field, row.action, row.state, row.allow = fieldDevices, ec2v1.PlanActionInPlace, ec2v1.PlanStatePending, ec2v1.UpdateInPlace
		return row
	}
	const arn = "arn:aws:resource-groups:eu-central-1:123456789012:group/hosts"
	compareAll(t, []compared{
		stopStart(compared{
			name: "a partition with its group", spec: place(ec2v1.Placement{GroupName: "g", PartitionNumber: 2}), instance: in(cloud.Placement{GroupName: "g", PartitionNumber: 1}),
			modification: cloud.Place{Placement: cloud.Placement{GroupName: "g", PartitionNumber: 2}},
		}),
		stopStart(compared{
			name: "a group with its partition", spec: place(ec2v1.Placement{GroupName: "h", PartitionNumber: 2}), instance: in(cloud.Placement{GroupName: "g", PartitionNumber: 2}),
			modification: cloud.Place{Placement: cloud.Placement{GroupName: "h", PartitionNumber: 2}},
		}),
		stopStart(compared{
			name: "a partition of the group that it is in", spec: place(ec2v1.Placement{PartitionNumber: 2}), instance: in(cloud.Placement{GroupName: "g", GroupID: "pg-1", PartitionNumber: 1}),
			modification: cloud.Place{Placement: cloud.Placement{GroupName: "g", PartitionNumber: 2}},
		}),
		stopStart(compared{
			name: "a group of hosts with the tenancy", spec: place(ec2v1.Placement{HostResourceGroupARN: arn}), instance: in(cloud.Placement{Tenancy: "host"}),
			modification: cloud.Place{Placement: cloud.Placement{HostResourceGroupARN: arn, Tenancy: "host"}},
		}),
		stopStart(compared{
			name: "a host", spec: place(ec2v1.Placement{Tenancy: "host", HostID: "h-1", Affinity: "host"}), instance: in(cloud.Placement{Tenancy: "dedicated"}),
			modification: cloud.Place{Placement: cloud.Placement{HostID: "h-1", Tenancy: "host", Affinity: "host"}},
		}),
		{name: "no affinity is the default one", spec: place(ec2v1.Placement{Affinity: "default"}), allow: ec2v1.UpdateReplace},
		{
			name: "away from a host", spec: place(ec2v1.Placement{Tenancy: "default"}), instance: in(cloud.Placement{Tenancy: "host"}), allow: ec2v1.UpdateReplace,
			field: "placement", action: ec2v1.PlanActionReplace, state: ec2v1.PlanStatePending,
		},
		{
			name: "the type of a Spot Instance", spec: ec2v1.EC2InstanceSpec{InstanceType: "t3.large"}, instance: isSpot, allow: ec2v1.UpdateReplace,
			field: "instanceType", action: ec2v1.PlanActionReplace, state: ec2v1.PlanStatePending,
		},
		{
			name: "the target of a reservation alone", allow: ec2v1.UpdateReplace,
			spec:     ec2v1.EC2InstanceSpec{CapacityReservation: &ec2v1.CapacityReservation{ID: "cr-1", Preference: "capacity-reservations-only"}},
			instance: func(i *cloud.Instance) { i.CapacityReservation = cloud.CapacityReservation{ID: "cr-1"} },
		},
		{
			name: "another group of reservations", allow: ec2v1.UpdateReplace, field: "capacityReservation", action: ec2v1.PlanActionStopStart, state: ec2v1.PlanStatePending,
			spec:         ec2v1.EC2InstanceSpec{CapacityReservation: &ec2v1.CapacityReservation{ResourceGroupARN: arn}},
			modification: cloud.Reservation{CapacityReservation: cloud.CapacityReservation{ResourceGroupARN: arn}},
		},
		volume(compared{
			name: "the IOPS that stay, with another type", spec: devicesOf(ec2v1.BlockDevice{DeviceName: "/dev/a", Type: "io2", IOPS: 10000}),
			volumes:      []cloud.VolumeDetail{{ID: "vol-a", SizeGiB: 100, Type: "io1", IOPS: 10000}},
			modification: cloud.VolumeChange{VolumeID: "vol-a", Type: "io2", IOPS: 10000},
		}),
		volume(compared{
			name: "throughput, with another type", spec: devicesOf(ec2v1.BlockDevice{DeviceName: "/dev/a", Type: "gp3", IOPS: 6000, ThroughputMiBps: 250}),
			volumes:      []cloud.VolumeDetail{{ID: "vol-a", SizeGiB: 2000, Type: "gp2", IOPS: 6000, ThroughputMiBps: 250}},
			modification: cloud.VolumeChange{VolumeID: "vol-a", Type: "gp3", IOPS: 6000, ThroughputMiBps: 250},
		}),
	})
}
