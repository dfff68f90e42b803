// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"strconv"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// flag compares what may be on or off.
func flag(desired *bool, current bool, modification cloud.Modification) difference {
	if desired == nil || *desired == current {
		return difference{}
	}
	return difference{differs: true, desired: strconv.FormatBool(*desired), current: strconv.FormatBool(current), modification: modification}
}

// on tells whether a flag is set and true.
func on(flag *bool) bool { return flag != nil && *flag }

// parts compares the members of a struct, one after the other; what is not set does not differ.
type parts struct{ difference }

// text compares a member, and tells whether it differs.
func (p *parts) text(name, desired, current string) bool {
	if desired == "" || desired == current {
		return false
	}
	p.differs = true
	p.desired = appended(p.desired, name+"="+desired)
	p.current = appended(p.current, name+"="+current)
	return true
}

func (p *parts) number(name string, desired, current int32) bool {
	return desired != 0 && p.text(name, number(desired), number(current))
}

func (p *parts) flag(name string, desired *bool, current string) bool {
	return desired != nil && p.text(name, strconv.FormatBool(*desired), cmp.Or(current, "false"))
}

func compareMonitoring(s sight) difference {
	detailed := s.current.Monitoring == "enabled" || s.current.Monitoring == "pending"
	return flag(s.spec.Monitoring, detailed, cloud.Monitoring{On: on(s.spec.Monitoring)})
}

func compareEBSOptimized(s sight) difference {
	return flag(s.spec.EBSOptimized, s.current.EBSOptimized, cloud.EBSOptimized{On: on(s.spec.EBSOptimized)})
}

func compareSourceDestCheck(s sight) difference {
	primary, ok := primaryInterface(s.current)
	if !ok {
		return difference{}
	}
	return flag(s.spec.SourceDestCheck, primary.SourceDestCheck, cloud.SourceDestCheck{InterfaceID: primary.ID, On: on(s.spec.SourceDestCheck)})
}

func compareMaintenance(s sight) difference {
	o := s.spec.Maintenance
	if o == nil {
		return difference{}
	}
	var p parts
	var wanted cloud.MaintenanceOptions
	if p.text("autoRecovery", o.AutoRecovery, s.current.Maintenance.AutoRecovery) {
		wanted.AutoRecovery = o.AutoRecovery
	}
	if p.text("rebootMigration", o.RebootMigration, s.current.Maintenance.RebootMigration) {
		wanted.RebootMigration = o.RebootMigration
	}
	p.modification = cloud.Maintenance{MaintenanceOptions: wanted}
	return p.difference
}

// compareCPUOptions: EC2 takes cores and threads together only (API reference, ModifyInstanceCpuOptions).
func compareCPUOptions(s sight) difference {
	o, c := s.spec.CPUOptions, s.current.CPU
	if o == nil {
		return difference{}
	}
	var p parts
	var wanted cloud.CPUOptions
	cores := p.number("coreCount", o.CoreCount, c.CoreCount)
	if threads := p.number("threadsPerCore", o.ThreadsPerCore, c.ThreadsPerCore); cores || threads {
		wanted.CoreCount, wanted.ThreadsPerCore = cmp.Or(o.CoreCount, c.CoreCount), cmp.Or(o.ThreadsPerCore, c.ThreadsPerCore)
	}
	if p.text("nestedVirtualization", o.NestedVirtualization, cmp.Or(c.NestedVirtualization, "disabled")) {
		wanted.NestedVirtualization = o.NestedVirtualization
	}
	p.modification = cloud.CPU{CPUOptions: wanted}
	var fixed parts
	fixed.action = ec2v1.PlanActionReplace
	fixed.text("amdSEVSNP", o.AMDSEVSNP, cmp.Or(c.AMDSEVSNP, "disabled"))
	return fixed.over(p.difference, ec2v1.PlanActionStopStart)
}

// compareDNSNames: the type of host name needs the instance stopped, the records do not.
func compareDNSNames(s sight) difference {
	o, c := s.spec.PrivateDNSNameOptions, s.current.DNSNames
	if o == nil {
		return difference{}
	}
	var p parts
	var wanted cloud.PrivateDNSNameOptions
	if p.flag("enableResourceNameDNSARecord", o.EnableResourceNameDNSARecord, c.ARecord) {
		wanted.ARecord = strconv.FormatBool(*o.EnableResourceNameDNSARecord)
	}
	if p.flag("enableResourceNameDNSAAAARecord", o.EnableResourceNameDNSAAAARecord, c.AAAARecord) {
		wanted.AAAARecord = strconv.FormatBool(*o.EnableResourceNameDNSAAAARecord)
	}
	p.modification = cloud.DNSNames{PrivateDNSNameOptions: wanted}
	var stopped parts
	stopped.text("hostnameType", o.HostnameType, c.HostnameType)
	stopped.action = ec2v1.PlanActionStopStart
	stopped.modification = cloud.DNSNames{PrivateDNSNameOptions: cloud.PrivateDNSNameOptions{HostnameType: o.HostnameType}}
	return stopped.over(p.difference, ec2v1.PlanActionInPlace)
}

// comparePlacement: what EC2 does not change on an existing instance is the zone, and a host's tenancy (API reference,
// ModifyInstancePlacement).
func comparePlacement(s sight) difference {
	o, c := s.spec.Placement, s.current.Placement
	if o == nil {
		return difference{}
	}
	var p parts
	var wanted cloud.Placement
	set := func(name, desired, current string, into *string) {
		if p.text(name, desired, current) {
			*into = desired
		}
	}
	var fixed parts
	fixed.action = ec2v1.PlanActionReplace
	fixed.text("availabilityZone", o.AvailabilityZone, s.current.Zone)
	if c.Tenancy == tenancyHost {
		fixed.text("tenancy", o.Tenancy, c.Tenancy)
	} else {
		set("tenancy", o.Tenancy, c.Tenancy, &wanted.Tenancy)
	}
	set("hostID", o.HostID, c.HostID, &wanted.HostID)
	set("affinity", o.Affinity, cmp.Or(c.Affinity, "default"), &wanted.Affinity)
	if p.text("hostResourceGroupARN", o.HostResourceGroupARN, c.HostResourceGroupARN) {
		wanted.HostResourceGroupARN, wanted.Tenancy = o.HostResourceGroupARN, tenancyHost // EC2 takes no call with the group alone.
	}
	name, id := p.text("groupName", o.GroupName, c.GroupName), p.text("groupID", o.GroupID, c.GroupID)
	if partition := p.number("partitionNumber", o.PartitionNumber, c.PartitionNumber); name || id || partition {
		// EC2 takes no call with the partition alone, and puts an instance that comes into a group in a partition of its choice.
		wanted.GroupName, wanted.GroupID, wanted.PartitionNumber = o.GroupName, o.GroupID, o.PartitionNumber
		if o.GroupName == "" && o.GroupID == "" {
			wanted.GroupName = c.GroupName
		}
	}
	p.modification = cloud.Place{Placement: wanted}
	return fixed.over(p.difference, ec2v1.PlanActionStopStart)
}

// tenancyHost is that of a Dedicated Host.
const tenancyHost = "host"

// compareCapacityReservation: of an instance that has a target EC2 tells that alone, and no preference (API reference,
// CapacityReservationSpecificationResponse).
func compareCapacityReservation(s sight) difference {
	o, c := s.spec.CapacityReservation, s.current.CapacityReservation
	if o == nil {
		return difference{}
	}
	var p parts
	if o.ID == "" && o.ResourceGroupARN == "" {
		p.text("preference", o.Preference, c.Preference)
	}
	p.text("id", o.ID, c.ID)
	p.text("resourceGroupARN", o.ResourceGroupARN, c.ResourceGroupARN)
	p.modification = cloud.Reservation{CapacityReservation: cloud.CapacityReservation{
		Preference: o.Preference, ID: o.ID, ResourceGroupARN: o.ResourceGroupARN,
	}}
	return p.difference
}

func compareEnclave(s sight) difference {
	if s.spec.Enclave == nil {
		return difference{}
	}
	return flag(s.spec.Enclave.Enabled, s.current.EnclaveEnabled, nil)
}

func compareHibernation(s sight) difference {
	if s.spec.Hibernation == nil {
		return difference{}
	}
	return flag(s.spec.Hibernation.Configured, s.current.HibernationConfigured, nil)
}

// compareMarket compares whether the instance is a Spot Instance; the details are what it was launched with.
func compareMarket(s sight) difference {
	if s.spec.MarketOptions == nil {
		return difference{}
	}
	if d := text(s.spec.MarketOptions.MarketType, cmp.Or(s.current.Lifecycle, "on-demand"), nil); d.differs {
		return d
	}
	return launchedWith(fieldMarket)(s)
}

func comparePrivateIP(s sight) difference {
	return text(s.spec.PrivateIPAddress, s.current.PrivateIP, nil)
}

func compareProtection(want func(*ec2v1.EC2InstanceSpec) *bool, modification func(bool) cloud.Modification) func(sight, Reading) difference {
	return func(s sight, r Reading) difference {
		desired := want(s.spec)
		return flag(desired, r.Value == "true", modification(on(desired)))
	}
}

func compareShutdownBehavior(s sight, r Reading) difference {
	return text(s.spec.ShutdownBehavior, r.Value, cloud.ShutdownBehavior{Behavior: s.spec.ShutdownBehavior})
}
