// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (c canonical) template(p LaunchParameters) {
	c.text("launchTemplateID", p.LaunchTemplateID)
	c.text("launchTemplateName", p.LaunchTemplateName)
	c.text("launchTemplateVersion", p.LaunchTemplateVersion)
}

func (c canonical) network(p LaunchParameters) {
	c.text("privateIPAddress", p.PrivateIPAddress)
	c.number("ipv6AddressCount", p.IPv6AddressCount)
	c.text("associatePublicIPAddress", p.AssociatePublicIPAddress)
	each(c, p.NetworkInterfaces, canonical.networkInterface)
}

// networkInterface begins with a line that is always there, since 0 is a place like any other.
func (c canonical) networkInterface(n LaunchInterface) {
	c.text("networkInterface", strconv.Itoa(int(n.DeviceIndex)))
	c.number("networkInterface.networkCardIndex", n.NetworkCardIndex)
	c.text("networkInterface.networkInterfaceID", n.NetworkInterfaceID)
	c.text("networkInterface.subnetID", n.SubnetID)
	for _, id := range sortedSet(n.SecurityGroupIDs) {
		c.text("networkInterface.securityGroupID", id)
	}
	c.text("networkInterface.privateIPAddress", n.PrivateIPAddress)
	c.number("networkInterface.ipv6AddressCount", n.IPv6AddressCount)
	c.text("networkInterface.associatePublicIPAddress", n.AssociatePublicIPAddress)
	c.text("networkInterface.deleteOnTermination", n.DeleteOnTermination)
	c.text("networkInterface.description", n.Description)
}

func (c canonical) blockDevices(devices []BlockDevice) {
	each(c, devices, canonical.blockDevice)
}

// blockDevice begins with a line that is always there, so that what follows is of this device.
func (c canonical) blockDevice(b BlockDevice) {
	c.pair("blockDevice", "deviceName", b.DeviceName)
	c.number("blockDevice.sizeGiB", b.SizeGiB)
	c.text("blockDevice.type", b.Type)
	c.number("blockDevice.iops", b.IOPS)
	c.number("blockDevice.throughputMiBps", b.ThroughputMiBps)
	c.text("blockDevice.encrypted", b.Encrypted)
	c.text("blockDevice.kmsKeyID", b.KMSKeyID)
	c.text("blockDevice.snapshotID", b.SnapshotID)
	c.text("blockDevice.deleteOnTermination", b.DeleteOnTermination)
	c.yes("blockDevice.noDevice", b.NoDevice)
}

// each writes the elements of a set in the order of their texts, which is the same for every order of the set.
func each[E any](c canonical, set []E, write func(canonical, E)) {
	texts := make([]string, 0, len(set))
	for _, element := range set {
		var text strings.Builder
		write(canonical{&text}, element)
		texts = append(texts, text.String())
	}
	slices.Sort(texts)
	fmt.Fprint(c, strings.Join(texts, ""))
}

func (c canonical) privateDNSNameOptions(o PrivateDNSNameOptions) {
	c.text("hostnameType", o.HostnameType)
	c.text("resourceNameARecord", o.ARecord)
	c.text("resourceNameAAAARecord", o.AAAARecord)
}

func (c canonical) placement(o Placement) {
	c.text("placement.availabilityZone", o.AvailabilityZone)
	c.text("placement.tenancy", o.Tenancy)
	c.text("placement.groupName", o.GroupName)
	c.text("placement.groupID", o.GroupID)
	c.number("placement.partitionNumber", o.PartitionNumber)
	c.text("placement.hostID", o.HostID)
	c.text("placement.hostResourceGroupARN", o.HostResourceGroupARN)
	c.text("placement.affinity", o.Affinity)
}

func (c canonical) capacity(p LaunchParameters) {
	c.text("capacityReservation.preference", p.CapacityReservation.Preference)
	c.text("capacityReservation.id", p.CapacityReservation.ID)
	c.text("capacityReservation.resourceGroupARN", p.CapacityReservation.ResourceGroupARN)
	c.text("marketType", p.MarketType)
	c.text("spot.maxPrice", p.SpotOptions.MaxPrice)
	c.text("spot.requestType", p.SpotOptions.RequestType)
	c.text("spot.interruptionBehavior", p.SpotOptions.InterruptionBehavior)
}

func (c canonical) cpu(p LaunchParameters) {
	c.number("cpu.coreCount", p.CPUOptions.CoreCount)
	c.number("cpu.threadsPerCore", p.CPUOptions.ThreadsPerCore)
	c.text("cpu.amdSEVSNP", p.CPUOptions.AMDSEVSNP)
	c.text("cpu.nestedVirtualization", p.CPUOptions.NestedVirtualization)
	c.text("cpuCredits", p.CPUCredits)
}

func (c canonical) switches(p LaunchParameters) {
	c.text("ebsOptimized", p.EBSOptimized)
	c.text("monitoring", p.Monitoring)
	c.text("autoRecovery", p.AutoRecovery)
	c.text("hibernation", p.Hibernation)
	c.text("enclave", p.Enclave)
	for _, arn := range sortedSet(p.LicenseARNs) {
		c.text("licenseARN", arn)
	}
	c.text("disableAPITermination", p.DisableAPITermination)
	c.text("disableAPIStop", p.DisableAPIStop)
	c.text("shutdownBehavior", p.ShutdownBehavior)
}
