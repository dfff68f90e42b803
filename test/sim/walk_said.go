// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"regexp"
	"strings"
)

// saidBy are the fields of spec that say what an instance is configured with, by its name in EC2 (ec2sim.Configuration); %s is a device or
// an index.
var saidBy = map[string][]string{
	"imageId":                           {"image.id", "image.ssmParameter"},
	"instanceType":                      {"instanceType"},
	"subnetId":                          {"subnetID", "networkInterfaces[0].subnetID", "placement.availabilityZone"},
	"associatePublicIpAddress":          {"associatePublicIPAddress", "networkInterfaces[0].associatePublicIPAddress"},
	"keyName":                           {"keyName"},
	"iamInstanceProfile":                {"iamInstanceProfile.name", "iamInstanceProfile.arn"},
	"userData":                          {"userData.inline", "userData.secretKeyRef.name", "userData.configMapKeyRef.name"},
	"monitoring":                        {"monitoring"},
	"ebsOptimized":                      {"ebsOptimized"},
	"disableApiTermination":             {"disableAPITermination"},
	"disableApiStop":                    {"disableAPIStop"},
	"instanceInitiatedShutdownBehavior": {"shutdownBehavior"},

	"metadataOptions.httpTokens":              {"metadataOptions.httpTokens"},
	"metadataOptions.httpPutResponseHopLimit": {"metadataOptions.httpPutResponseHopLimit"},
	"metadataOptions.httpEndpoint":            {"metadataOptions.httpEndpoint"},
	"metadataOptions.httpProtocolIpv6":        {"metadataOptions.httpProtocolIPv6"},
	"metadataOptions.instanceMetadataTags":    {"metadataOptions.instanceMetadataTags"},

	"placement.availabilityZone": {"placement.availabilityZone", "subnetID", "networkInterfaces[0].subnetID"},
	"placement.groupName":        {"placement.groupName", "placement.groupID"},
	"placement.tenancy":          {"placement.tenancy"},
	"placement.affinity":         {"placement.affinity"},
	"placement.hostId":           {"placement.hostID"},
	"placement.groupId":          {"placement.groupID", "placement.groupName"},
	"placement.partitionNumber":  {"placement.partitionNumber"},

	"capacityReservationSpecification.preference": {"capacityReservation.preference"},
	"capacityReservationSpecification.id":         {"capacityReservation.id"},

	"cpuOptions.coreCount":            {"cpuOptions.coreCount"},
	"cpuOptions.threadsPerCore":       {"cpuOptions.threadsPerCore"},
	"cpuOptions.amdSevSnp":            {"cpuOptions.amdSEVSNP"},
	"cpuOptions.nestedVirtualization": {"cpuOptions.nestedVirtualization"},

	"creditSpecification.cpuCredits":                        {"creditSpecification.cpuCredits"},
	"hibernationOptions.configured":                         {"hibernation.configured"},
	"enclaveOptions.enabled":                                {"enclave.enabled"},
	"maintenanceOptions.autoRecovery":                       {"maintenance.autoRecovery"},
	"maintenanceOptions.rebootMigration":                    {"maintenance.rebootMigration"},
	"privateDnsNameOptions.hostnameType":                    {"privateDNSNameOptions.hostnameType"},
	"privateDnsNameOptions.enableResourceNameDnsARecord":    {"privateDNSNameOptions.enableResourceNameDNSARecord"},
	"privateDnsNameOptions.enableResourceNameDnsAAAARecord": {"privateDNSNameOptions.enableResourceNameDNSAAAARecord"},
	"licenseSet":       {"licenses"},
	"spotOptions.type": {"marketOptions.marketType", "marketOptions.spotOptions.requestType"},
	"spotOptions.instanceInterruptionBehavior": {"marketOptions.spotOptions.interruptionBehavior"},
	"spotOptions.maxPrice":                     {"marketOptions.spotOptions.maxPrice"},

	"networkInterfaceSet.%s.groupSet":            {"networkInterfaces[%s].securityGroupIDs", "securityGroupIDs"},
	"networkInterfaceSet.%s.subnetId":            {"networkInterfaces[%s].subnetID", "subnetID"},
	"networkInterfaceSet.%s.sourceDestCheck":     {"networkInterfaces[%s].sourceDestCheck", "sourceDestCheck"},
	"networkInterfaceSet.%s.deleteOnTermination": {"networkInterfaces[%s].deleteOnTermination"},
	"networkInterfaceSet.%s.description":         {"networkInterfaces[%s].description"},
	"networkInterfaceSet.%s.ipv6AddressCount":    {"networkInterfaces[%s].ipv6AddressCount", "ipv6AddressCount"},
	"networkInterfaceSet.%s.networkCardIndex":    {"networkInterfaces[%s].networkCardIndex"},

	"blockDeviceMapping.%s.deleteOnTermination": {"blockDevices[%s].deleteOnTermination"},
	"blockDeviceMapping.%s.volumeSize":          {"blockDevices[%s].sizeGiB"},
	"blockDeviceMapping.%s.volumeType":          {"blockDevices[%s].type"},
	"blockDeviceMapping.%s.iops":                {"blockDevices[%s].iops"},
	"blockDeviceMapping.%s.throughput":          {"blockDevices[%s].throughputMiBps"},
	"blockDeviceMapping.%s.encrypted":           {"blockDevices[%s].encrypted"},
	"blockDeviceMapping.%s.kmsKeyId":            {"blockDevices[%s].kmsKeyID"},
	"blockDeviceMapping.%s.snapshotId":          {"blockDevices[%s].snapshotID"},
}

// partOf finds the device or the index in a name.
var partOf = regexp.MustCompile(`^(networkInterfaceSet|blockDeviceMapping)\.([^.]+)\.`)

// fieldsThatSay are the fields of spec that say a value.
func fieldsThatSay(name string) []string {
	found := partOf.FindStringSubmatch(name)
	if found == nil {
		return saidBy[name]
	}
	part := found[2]
	var out []string
	for _, path := range saidBy[strings.Replace(name, "."+part+".", ".%s.", 1)] {
		out = append(out, strings.ReplaceAll(path, "%s", part))
	}
	return out
}
