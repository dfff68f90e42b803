// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Configuration is all of an instance that was asked for or can be changed, in truth: by the names that EC2's answers have
// for it, such as metadataOptions.httpTokens or blockDeviceMapping./dev/xvda.volumeSize. Ids and addresses that EC2 chooses are not in
// it, and what was left to EC2 is there as what that is, so that two instances that are configured alike have the same. It is nil for an instance that EC2 does not have.
func (s *Sim) Configuration(id string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.regions {
		if i, ok := r.instances[id]; ok {
			return i.configuration(s.clock.Now())
		}
	}
	return nil
}

// configuration collects values under their names.
type configuration map[string]string

func (c configuration) set(name string, value any) { c[name] = fmt.Sprint(value) }

func (i *instance) configuration(now time.Time) configuration {
	c, s := configuration{}, &i.spec
	c.set("imageId", s.image.ID)
	c.set("instanceType", s.instanceType.Name)
	c.set("subnetId", i.subnet.ID)
	c.set("placement.availabilityZone", i.zone.Name)
	c.set("keyName", s.keyName)
	c.set("iamInstanceProfile", "")
	if s.profile != nil {
		c.set("iamInstanceProfile", s.profile.Name)
	}
	userData := sha256.Sum256(s.userData)
	c.set("userData", hex.EncodeToString(userData[:]))
	c.set("monitoring", s.monitoring)
	c.set("ebsOptimized", s.ebsOptimized)
	c.set("disableApiTermination", s.disableAPITermination)
	c.set("disableApiStop", s.disableAPIStop)
	c.set("instanceInitiatedShutdownBehavior", s.shutdownBehavior)
	c.addMetadata(s.metadata)
	c.addOptions(s)
	c.set("associatePublicIpAddress", i.wantsPublicIP())
	for n := range s.interfaces {
		c.addInterface(&s.interfaces[n])
	}
	for _, d := range s.devices {
		c.addDevice(d, now)
	}
	return c
}

func (c configuration) addMetadata(m metadataOptions) {
	c.set("metadataOptions.httpTokens", m.httpTokens)
	c.set("metadataOptions.httpPutResponseHopLimit", m.hopLimit)
	c.set("metadataOptions.httpEndpoint", m.httpEndpoint)
	c.set("metadataOptions.httpProtocolIpv6", m.httpProtocolIPv6)
	c.set("metadataOptions.instanceMetadataTags", m.instanceMetadataTags)
}

func (c configuration) addOptions(s *launchSpec) {
	p := s.position
	c.set("placement.groupName", p.groupName)
	c.set("placement.tenancy", p.tenancy)
	c.set("placement.affinity", cmp.Or(p.affinity, byDefault))
	c.set("placement.hostId", p.hostID)
	c.set("placement.groupId", p.groupID)
	c.set("placement.partitionNumber", p.partition)
	c.set("capacityReservationSpecification.preference", s.reservation.preference)
	c.set("capacityReservationSpecification.id", s.reservation.id)
	cpu := s.cpu.effective(s.instanceType)
	c.set("cpuOptions.coreCount", cpu.cores)
	c.set("cpuOptions.threadsPerCore", cpu.threads)
	c.set("cpuOptions.amdSevSnp", cmp.Or(cpu.sevSNP, disabled))
	c.set("cpuOptions.nestedVirtualization", cmp.Or(cpu.nested, disabled))
	c.set("creditSpecification.cpuCredits", s.credits)
	c.set("hibernationOptions.configured", s.hibernation)
	c.set("enclaveOptions.enabled", s.enclave)
	c.set("maintenanceOptions.autoRecovery", s.maintenance.autoRecovery)
	c.set("maintenanceOptions.rebootMigration", s.maintenance.rebootMigration)
	c.set("privateDnsNameOptions.hostnameType", s.dnsNames.hostnameType)
	c.set("privateDnsNameOptions.enableResourceNameDnsARecord", s.dnsNames.aRecord)
	c.set("privateDnsNameOptions.enableResourceNameDnsAAAARecord", s.dnsNames.aaaaRecord)
	licenses := slices.Sorted(slices.Values(s.licenses))
	c.set("licenseSet", strings.Join(licenses, " "))
	if s.spot == nil {
		return
	}
	c.set("spotOptions.type", s.spot.kind)
	c.set("spotOptions.instanceInterruptionBehavior", s.spot.behavior)
	c.set("spotOptions.maxPrice", s.spot.maxPrice)
}

func (c configuration) addInterface(n *networkInterface) {
	prefix := fmt.Sprintf("networkInterfaceSet.%d.", n.deviceIndex)
	groups := make([]string, 0, len(n.groups))
	for _, g := range n.groups {
		groups = append(groups, g.ID)
	}
	slices.Sort(groups)
	c.set(prefix+"groupSet", strings.Join(groups, " "))
	c.set(prefix+"subnetId", n.subnet.ID)
	c.set(prefix+"sourceDestCheck", n.sourceDestCheck)
	c.set(prefix+"deleteOnTermination", n.deleteOnTermination)
	c.set(prefix+"description", n.description)
	c.set(prefix+"ipv6AddressCount", len(n.ipv6))
	c.set(prefix+"networkCardIndex", n.cardIndex)
}

func (c configuration) addDevice(d blockDevice, now time.Time) {
	prefix := "blockDeviceMapping." + d.device + "."
	c.set(prefix+"deleteOnTermination", d.deleteOnTermination)
	if d.volume == nil {
		return
	}
	v := d.volume.at(now)
	c.set(prefix+"volumeSize", v.size)
	c.set(prefix+"volumeType", v.kind)
	c.set(prefix+"iops", v.iops)
	c.set(prefix+"throughput", v.throughput)
	c.set(prefix+"encrypted", v.encrypted)
	c.set(prefix+"kmsKeyId", v.kmsKeyID)
	c.set(prefix+"snapshotId", v.snapshotID)
}
