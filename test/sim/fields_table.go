// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// Why a field cannot drift, or why nobody sees it.
const (
	noCall  = "EC2 has no call that changes it"
	notTold = "EC2 does not tell it"
)

// fieldRows are all fields that say what an instance is, by what a change of them takes.
var fieldRows = slices.Concat(inPlaceRows, stopStartRows, replaceRows)

var inPlaceRows = []fieldRow{
	{
		field: "powerState", action: ec2v1.PlanActionInPlace, stops: 1,
		from: func(s *specOf) { s.WithPowerState(ec2v1.PowerStateRunning) }, launched: truth{"state": "running"},
		to: stopped, changed: truth{"state": "stopped"},
		drift: &drift{does: start, leaves: truth{"state": "running"}, repair: ec2v1.PlanActionInPlace},
	},
	{
		field: "rebootRequestedAt", action: ec2v1.PlanActionInPlace, oneWay: "a reboot cannot be taken back",
		from: func(*specOf) {}, launched: truth{reboots: "0"}, to: rebooted, changed: truth{reboots: "1"}, noDrift: "EC2 does not tell of reboots",
	},
	{
		field: "securityGroupIDs", action: ec2v1.PlanActionInPlace,
		from: grouped, launched: truth{primary + "groupSet": ec2sim.SecurityGroupWeb},
		to:      func(s *specOf) { s.SecurityGroupIDs = []string{ec2sim.SecurityGroupWeb, ec2sim.SecurityGroupDefault} },
		changed: truth{primary + "groupSet": ec2sim.SecurityGroupDefault + " " + ec2sim.SecurityGroupWeb},
		drift: &drift{
			does: setGroups(ec2sim.SecurityGroupDefault), leaves: truth{primary + "groupSet": ec2sim.SecurityGroupDefault}, repair: ec2v1.PlanActionInPlace,
		},
	},
	{
		field: "metadataOptions", action: ec2v1.PlanActionInPlace,
		from: withHops, launched: truth{"metadataOptions.httpPutResponseHopLimit": "1", "metadataOptions.httpTokens": "required"},
		to: func(s *specOf) {
			s.WithMetadataOptions(ec2v1ac.MetadataOptions().WithHTTPPutResponseHopLimit(3).WithHTTPTokens("optional"))
		},
		changed: truth{"metadataOptions.httpPutResponseHopLimit": "3", "metadataOptions.httpTokens": "optional"},
		drift:   &drift{does: setHops, leaves: truth{"metadataOptions.httpPutResponseHopLimit": "5"}, repair: ec2v1.PlanActionInPlace},
	},
	{
		field: "iamInstanceProfile", action: ec2v1.PlanActionInPlace,
		from: profiled(ec2sim.InstanceProfileName), launched: truth{"iamInstanceProfile": ec2sim.InstanceProfileName},
		to: profiled(ec2sim.OtherInstanceProfileName), changed: truth{"iamInstanceProfile": ec2sim.OtherInstanceProfileName},
		drift: &drift{does: takeProfile, leaves: truth{"iamInstanceProfile": ""}, repair: ec2v1.PlanActionInPlace},
	},
	{
		field: "disableAPITermination", action: ec2v1.PlanActionInPlace,
		from: func(s *specOf) { s.WithDisableAPITermination(true) }, launched: truth{"disableApiTermination": "true"},
		to: func(s *specOf) { s.WithDisableAPITermination(false) }, changed: truth{"disableApiTermination": "false"},
		drift: &drift{does: setTerminationProtection(true), leaves: truth{"disableApiTermination": "true"}, repair: ec2v1.PlanActionInPlace, apart: true},
	},
	{
		field: "disableAPIStop", action: ec2v1.PlanActionInPlace,
		from: func(s *specOf) { s.WithDisableAPIStop(false) }, launched: truth{"disableApiStop": "false"},
		to: func(s *specOf) { s.WithDisableAPIStop(true) }, changed: truth{"disableApiStop": "true"},
		drift: &drift{does: setStopProtection(false), leaves: truth{"disableApiStop": "false"}, repair: ec2v1.PlanActionInPlace, apart: true},
	},
	{
		field: "shutdownBehavior", action: ec2v1.PlanActionInPlace,
		from: shutsDown("terminate"), launched: truth{"instanceInitiatedShutdownBehavior": "terminate"},
		to: shutsDown("stop"), changed: truth{"instanceInitiatedShutdownBehavior": "stop"},
		drift: &drift{
			does: setShutdownBehavior("terminate"), leaves: truth{"instanceInitiatedShutdownBehavior": "terminate"},
			repair: ec2v1.PlanActionInPlace, apart: true,
		},
	},
	{
		field: "sourceDestCheck", later: "ModifyNetworkInterfaceAttribute", action: ec2v1.PlanActionInPlace,
		from: func(s *specOf) { s.WithSourceDestCheck(false) }, launched: truth{primary + "sourceDestCheck": "false"},
		to: func(s *specOf) { s.WithSourceDestCheck(true) }, changed: truth{primary + "sourceDestCheck": "true"},
		drift: &drift{does: setSourceDestCheck(false), leaves: truth{primary + "sourceDestCheck": "false"}, repair: ec2v1.PlanActionInPlace},
	},
	{
		field: "monitoring", action: ec2v1.PlanActionInPlace,
		from: func(s *specOf) { s.WithMonitoring(true) }, launched: truth{"monitoring": "true"},
		to: func(s *specOf) { s.WithMonitoring(false) }, changed: truth{"monitoring": "false"},
		drift: &drift{does: monitor, leaves: truth{"monitoring": "true"}, repair: ec2v1.PlanActionInPlace},
	},
	{
		field: "maintenance", later: "ModifyInstanceMaintenanceOptions", action: ec2v1.PlanActionInPlace,
		from: maintained("disabled", "disabled"), launched: truth{"maintenanceOptions.autoRecovery": "disabled", "maintenanceOptions.rebootMigration": "disabled"},
		to: maintained("default", "default"), changed: truth{"maintenanceOptions.autoRecovery": "default", "maintenanceOptions.rebootMigration": "default"},
		drift: &drift{does: disableRecovery, leaves: truth{"maintenanceOptions.autoRecovery": "disabled"}, repair: ec2v1.PlanActionInPlace},
	},
	{
		field: "creditSpecification", action: ec2v1.PlanActionInPlace,
		from: withCredits("standard"), launched: truth{"creditSpecification.cpuCredits": "standard"},
		to: withCredits("unlimited"), changed: truth{"creditSpecification.cpuCredits": "unlimited"},
		drift: &drift{does: setCredits("standard"), leaves: truth{"creditSpecification.cpuCredits": "standard"}, repair: ec2v1.PlanActionInPlace, apart: true},
	},
	{
		field: "tags", action: ec2v1.PlanActionInPlace,
		from: tagged("red"), launched: truth{"tag.team": "red"}, to: tagged("blue"), changed: truth{"tag.team": "blue"},
		drift: &drift{does: setTag("team", "green"), leaves: truth{"tag.team": "green"}, repair: ec2v1.PlanActionInPlace},
	},
	{
		field: "privateDNSNameOptions", part: "records", action: ec2v1.PlanActionInPlace,
		from: func(s *specOf) {
			s.WithPrivateDNSNameOptions(ec2v1ac.PrivateDNSNameOptions().WithEnableResourceNameDNSARecord(true))
		},
		launched: truth{"privateDnsNameOptions.enableResourceNameDnsARecord": "true"},
		to: func(s *specOf) {
			s.WithPrivateDNSNameOptions(ec2v1ac.PrivateDNSNameOptions().WithEnableResourceNameDNSARecord(false).WithEnableResourceNameDNSAAAARecord(true))
		},
		changed: truth{"privateDnsNameOptions.enableResourceNameDnsARecord": "false", "privateDnsNameOptions.enableResourceNameDnsAAAARecord": "true"},
		drift:   &drift{does: answerByName, leaves: truth{"privateDnsNameOptions.enableResourceNameDnsARecord": "true"}, repair: ec2v1.PlanActionInPlace},
	},
	{
		field: "networkInterfaces", part: "groups", later: "ModifyNetworkInterfaceAttribute", action: ec2v1.PlanActionInPlace, needs: []func(*specOf){bareNetwork},
		from:     interfaces(onlyInterface().WithSecurityGroupIDs(ec2sim.SecurityGroupWeb).WithSourceDestCheck(false)),
		launched: truth{primary + "groupSet": ec2sim.SecurityGroupWeb, primary + "sourceDestCheck": "false"},
		to:       interfaces(onlyInterface().WithSecurityGroupIDs(ec2sim.SecurityGroupDefault, ec2sim.SecurityGroupWeb).WithSourceDestCheck(true)),
		changed:  truth{primary + "groupSet": ec2sim.SecurityGroupDefault + " " + ec2sim.SecurityGroupWeb, primary + "sourceDestCheck": "true"},
		drift: &drift{
			does: setGroups(ec2sim.SecurityGroupDefault), leaves: truth{primary + "groupSet": ec2sim.SecurityGroupDefault}, repair: ec2v1.PlanActionInPlace,
		},
	},
	{
		field: "blockDevices", part: "size", action: ec2v1.PlanActionInPlace, oneWay: "volumes do not shrink",
		from: devices(dataVolume(5)), launched: truth{onData + "volumeSize": "5"},
		to: devices(dataVolume(6)), changed: truth{onData + "volumeSize": "6"},
		drift: &drift{
			does: changeVolume(dataDevice, 7, 0), leaves: truth{onData + "volumeSize": "7"}, repair: ec2v1.PlanActionNone, apart: true,
		},
	},
	{
		field: "blockDevices", part: "performance", action: ec2v1.PlanActionInPlace, oneWay: "EBS takes four changes of a volume a day",
		from:     devices(dataVolume(20).WithType("gp2")),
		launched: truth{onData + "volumeType": "gp2"},
		to:       devices(dataVolume(20).WithType("gp3").WithIOPS(4000).WithThroughputMiBps(200)),
		changed:  truth{onData + "volumeType": "gp3", onData + "iops": "4000", onData + "throughput": "200"},
		drift: &drift{
			does: changeVolume(dataDevice, 0, 5000), leaves: truth{onData + "iops": "5000"}, repair: ec2v1.PlanActionInPlace, apart: true,
			noIgnore: "by the size, since EBS takes four changes of a volume a day",
		},
	},
	{
		field: "blockDevices", part: "deleteOnTermination", action: ec2v1.PlanActionInPlace,
		from: devices(dataVolume(5).WithDeleteOnTermination(false)), launched: truth{onData + "deleteOnTermination": "false"},
		to: devices(dataVolume(5).WithDeleteOnTermination(true)), changed: truth{onData + "deleteOnTermination": "true"},
		drift: &drift{does: keepVolume(dataDevice), leaves: truth{onData + "deleteOnTermination": "false"}, repair: ec2v1.PlanActionInPlace},
	},
}

var stopStartRows = []fieldRow{
	{
		field: "privateDNSNameOptions", part: "hostname", action: ec2v1.PlanActionStopStart,
		from: hostnames("resource-name"), launched: truth{"privateDnsNameOptions.hostnameType": "resource-name"},
		to: hostnames("ip-name"), changed: truth{"privateDnsNameOptions.hostnameType": "ip-name"},
		drift: &drift{
			does: nameByID, leaves: truth{"privateDnsNameOptions.hostnameType": "resource-name"}, stopped: true, repair: ec2v1.PlanActionStopStart,
		},
	},
	{
		field: "instanceType", action: ec2v1.PlanActionStopStart,
		from: typed("t3.micro"), launched: truth{"instanceType": "t3.micro"}, to: typed("t3.small"), changed: truth{"instanceType": "t3.small"},
		drift: &drift{does: setType("t3.medium"), leaves: truth{"instanceType": "t3.medium"}, stopped: true, repair: ec2v1.PlanActionStopStart},
	},
	{
		field: "cpuOptions", part: "cores", action: ec2v1.PlanActionStopStart, needs: []func(*specOf){typed(ec2sim.TypeWithCores)},
		from: cores(2, 2), launched: truth{"cpuOptions.coreCount": "2", "cpuOptions.threadsPerCore": "2"},
		to: cores(4, 1), changed: truth{"cpuOptions.coreCount": "4", "cpuOptions.threadsPerCore": "1"},
		drift: &drift{
			does: setCores(2, 1), leaves: truth{"cpuOptions.coreCount": "2", "cpuOptions.threadsPerCore": "1"}, stopped: true,
			repair: ec2v1.PlanActionStopStart,
		},
	},
	{
		field: "cpuOptions", part: "nested virtualization", action: ec2v1.PlanActionStopStart, needs: []func(*specOf){typed("m8i.large")},
		from: nested("disabled"), launched: truth{"cpuOptions.nestedVirtualization": "disabled"},
		to: nested("enabled"), changed: truth{"cpuOptions.nestedVirtualization": "enabled"},
		drift: &drift{does: endNesting, leaves: truth{"cpuOptions.nestedVirtualization": "disabled"}, stopped: true, repair: ec2v1.PlanActionStopStart},
	},
	{
		field: "ebsOptimized", action: ec2v1.PlanActionStopStart,
		from: func(s *specOf) { s.WithEBSOptimized(true) }, launched: truth{"ebsOptimized": "true"},
		to: func(s *specOf) { s.WithEBSOptimized(false) }, changed: truth{"ebsOptimized": "false"},
		drift: &drift{does: optimize, leaves: truth{"ebsOptimized": "true"}, stopped: true, repair: ec2v1.PlanActionStopStart},
	},
	{
		field: "placement", part: "group", action: ec2v1.PlanActionStopStart,
		from:     placed(ec2v1ac.Placement().WithGroupName(ec2sim.GroupSpread)),
		launched: truth{"placement.groupName": ec2sim.GroupSpread},
		to:       placed(ec2v1ac.Placement().WithGroupID(ec2sim.GroupPartitionID).WithPartitionNumber(2)),
		changed:  truth{"placement.groupName": ec2sim.GroupPartition, "placement.partitionNumber": "2"},
		drift: &drift{
			does: setPartition(3), leaves: truth{"placement.partitionNumber": "3"}, stopped: true, repair: ec2v1.PlanActionStopStart,
		},
	},
	{
		field: "placement", part: "tenancy", action: ec2v1.PlanActionStopStart,
		from:     placed(ec2v1ac.Placement().WithTenancy("dedicated")),
		launched: truth{"placement.tenancy": "dedicated"},
		to:       placed(ec2v1ac.Placement().WithTenancy("host").WithHostID(ec2sim.HostA).WithAffinity("host")),
		changed:  truth{"placement.tenancy": "host", "placement.hostId": ec2sim.HostA, "placement.affinity": "host"},
		drift:    &drift{does: looseAffinity, leaves: truth{"placement.affinity": "default"}, stopped: true, repair: ec2v1.PlanActionStopStart},
	},
	{
		field: "capacityReservation", part: "preference", action: ec2v1.PlanActionStopStart,
		from: reserved(ec2v1ac.CapacityReservation().WithPreference("none")), launched: truth{reservationName + "preference": "none"},
		to: reserved(ec2v1ac.CapacityReservation().WithPreference("open")), changed: truth{reservationName + "preference": "open"},
		drift: &drift{does: reserveNothing, leaves: truth{reservationName + "preference": "none"}, stopped: true, repair: ec2v1.PlanActionStopStart},
	},
	{
		field: "capacityReservation", part: "one", action: ec2v1.PlanActionStopStart, needs: []func(*specOf){typed("m5.large")},
		from: reserved(ec2v1ac.CapacityReservation().WithPreference("open")), launched: truth{reservationName + "id": ""},
		to:      reserved(ec2v1ac.CapacityReservation().WithID(ec2sim.CapacityReservationA)),
		changed: truth{reservationName + "id": ec2sim.CapacityReservationA},
		drift: &drift{
			does: reserveNothing, leaves: truth{reservationName + "id": ""}, stopped: true, repair: ec2v1.PlanActionStopStart,
		},
	},
	{
		field: "userData", action: ec2v1.PlanActionStopStart,
		from: inline("first"), launched: truth{"userData": sha256Of("first")}, to: inline("second"), changed: truth{"userData": sha256Of("second")},
		drift: &drift{does: setUserData("third"), leaves: truth{"userData": sha256Of("third")}, stopped: true, repair: ec2v1.PlanActionStopStart, apart: true},
	},
}

var replaceRows = []fieldRow{
	{
		field: "launchTemplate", action: ec2v1.PlanActionReplace,
		from: template("1"), launched: truth{"metadataOptions.httpPutResponseHopLimit": "3", "keyName": ""},
		to: template("2"), changed: truth{"keyName": ec2sim.KeyPairName, "metadataOptions.httpPutResponseHopLimit": "2"},
		noDrift: notTold + ", nor what becomes of the template later",
	},
	{
		field: "image", part: "id", action: ec2v1.PlanActionReplace,
		from: func(*specOf) {}, launched: truth{"imageId": ec2sim.ImageAL2023},
		to: imaged, changed: truth{"imageId": ec2sim.ImageAL2023Next}, noDrift: noCall,
	},
	{
		field: "image", part: "SSM parameter", action: ec2v1.PlanActionReplace, needs: []func(*specOf){typed("t3.micro")},
		from:     func(s *specOf) { s.Image = ec2v1ac.Image().WithID(ec2sim.ImageAL2023Next) },
		launched: truth{"imageId": ec2sim.ImageAL2023Next},
		to:       func(s *specOf) { s.Image = ec2v1ac.Image().WithSSMParameter(ec2sim.ParameterAL2023) },
		changed:  truth{"imageId": ec2sim.ImageAL2023}, noDrift: noCall,
	},
	{
		field: "subnetID", action: ec2v1.PlanActionReplace,
		from: subnetted(ec2sim.SubnetA), launched: truth{primary + "subnetId": ec2sim.SubnetA},
		to: subnetted(ec2sim.SubnetB), changed: truth{primary + "subnetId": ec2sim.SubnetB}, noDrift: noCall,
	},
	{
		field: "privateIPAddress", action: ec2v1.PlanActionReplace,
		from: addressed("10.0.1.17"), launched: truth{"privateIpAddress": "10.0.1.17"},
		to: addressed("10.0.1.18"), changed: truth{"privateIpAddress": "10.0.1.18"}, noDrift: noCall,
	},
	{
		field: "ipv6AddressCount", action: ec2v1.PlanActionReplace, needs: []func(*specOf){subnetted(ec2sim.SubnetIPv6A)},
		from: func(s *specOf) { s.WithIPv6AddressCount(1) }, launched: truth{primary + "ipv6AddressCount": "1"},
		to: func(s *specOf) { s.WithIPv6AddressCount(2) }, changed: truth{primary + "ipv6AddressCount": "2"},
		noDrift: "it says how many addresses a launch asks for, and EC2 does not tell that",
	},
	{
		field: "associatePublicIPAddress", action: ec2v1.PlanActionReplace,
		from: func(s *specOf) { s.WithAssociatePublicIPAddress(false) }, launched: truth{"associatePublicIpAddress": "false"},
		to: func(s *specOf) { s.WithAssociatePublicIPAddress(true) }, changed: truth{"associatePublicIpAddress": "true"},
		noDrift: notTold + ": an address may be one that somebody has associated",
	},
	{
		field: "networkInterfaces", part: "all else", action: ec2v1.PlanActionReplace, needs: []func(*specOf){bareNetwork},
		from: interfaces(onlyInterface().WithDescription("first")), launched: truth{primary + "description": "first", "networkInterfaceSet.1.subnetId": ""},
		to:      interfaces(onlyInterface().WithDescription("second"), anInterface(1).WithSubnetID(ec2sim.SubnetA)),
		changed: truth{primary + "description": "second", "networkInterfaceSet.1.subnetId": ec2sim.SubnetA},
		noDrift: "it is compared with what the instance was launched with",
	},
	{
		field: "blockDevices", part: "all else", action: ec2v1.PlanActionReplace,
		from: devices(dataVolume(5).WithEncrypted(false)), launched: truth{onData + "encrypted": "false"},
		to: devices(dataVolume(5).WithEncrypted(true)), changed: truth{onData + "encrypted": "true"}, noDrift: noCall,
	},
	{
		field: "keyName", action: ec2v1.PlanActionReplace,
		from: keyed(ec2sim.KeyPairName), launched: truth{"keyName": ec2sim.KeyPairName},
		to: keyed(otherKeyPair), changed: truth{"keyName": otherKeyPair}, noDrift: noCall,
	},
	{
		field: "marketOptions", part: "market", action: ec2v1.PlanActionReplace,
		from: func(*specOf) {}, launched: truth{"spotOptions.type": ""},
		to: spotFor("0.05"), changed: truth{"spotOptions.type": "one-time"}, noDrift: noCall,
	},
	{
		field: "marketOptions", part: "price", action: ec2v1.PlanActionReplace,
		from: spotFor("0.05"), launched: truth{"spotOptions.maxPrice": "0.05"},
		to: spotFor("0.06"), changed: truth{"spotOptions.maxPrice": "0.06"}, noDrift: noCall,
	},
	{
		field: "hibernation", action: ec2v1.PlanActionReplace, needs: []func(*specOf){devices(ec2v1ac.BlockDevice().WithDeviceName(rootDevice).WithEncrypted(true))},
		from: hibernating(true), launched: truth{"hibernationOptions.configured": "true"},
		to: hibernating(false), changed: truth{"hibernationOptions.configured": "false"}, noDrift: noCall,
	},
	{
		field: "enclave", action: ec2v1.PlanActionReplace,
		from: enclaved(true), launched: truth{"enclaveOptions.enabled": "true"}, to: enclaved(false), changed: truth{"enclaveOptions.enabled": "false"},
		drift: &drift{does: allowEnclaves, leaves: truth{"enclaveOptions.enabled": "true"}, stopped: true, repair: ec2v1.PlanActionReplace},
	},
	{
		field: "licenses", action: ec2v1.PlanActionReplace,
		from: licensed(license), launched: truth{"licenseSet": license},
		to: licensed(license, otherLicense), changed: truth{"licenseSet": license + " " + otherLicense}, noDrift: noCall,
	},
	{
		field: "cpuOptions", part: "AMD SEV-SNP", action: ec2v1.PlanActionReplace, needs: []func(*specOf){typed("m6a.large")},
		from: confidential("enabled"), launched: truth{"cpuOptions.amdSevSnp": "enabled"},
		to: confidential("disabled"), changed: truth{"cpuOptions.amdSevSnp": "disabled"}, noDrift: noCall,
	},
	{
		field: "placement", part: "zone", action: ec2v1.PlanActionReplace, needs: []func(*specOf){func(s *specOf) { s.SubnetID = nil }},
		from:     placed(ec2v1ac.Placement().WithAvailabilityZone(simRegion + "a")),
		launched: truth{"placement.availabilityZone": simRegion + "a"},
		to:       placed(ec2v1ac.Placement().WithAvailabilityZone(simRegion + "b")),
		changed:  truth{"placement.availabilityZone": simRegion + "b"}, noDrift: noCall,
	},
}
