// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

// The elements of an instance that tell its launchOptions.

type xmlPlacement struct {
	AvailabilityZone   string `xml:"availabilityZone"`
	AvailabilityZoneID string `xml:"availabilityZoneId"`
	Affinity           string `xml:"affinity,omitempty"`
	GroupName          string `xml:"groupName"`
	GroupID            string `xml:"groupId,omitempty"`
	PartitionNumber    int    `xml:"partitionNumber,omitempty"`
	HostID             string `xml:"hostId,omitempty"`
	Tenancy            string `xml:"tenancy"`
}

type xmlOptions struct {
	CapacityReservationID string                `xml:"capacityReservationId,omitempty"`
	CapacityReservation   xmlReservationTarget  `xml:"capacityReservationSpecification"`
	CPUOptions            xmlCPUOptions         `xml:"cpuOptions"`
	EnclaveOptions        xmlEnclaveOptions     `xml:"enclaveOptions"`
	HibernationOptions    xmlHibernationOptions `xml:"hibernationOptions"`
	MaintenanceOptions    xmlMaintenanceOptions `xml:"maintenanceOptions"`
	PrivateDNSNameOptions xmlDNSNameOptions     `xml:"privateDnsNameOptions"`
	Licenses              []xmlLicense          `xml:"licenseSet>item"`
}

type xmlReservationTarget struct {
	Preference string                 `xml:"capacityReservationPreference,omitempty"`
	Target     *xmlReservationTargets `xml:"capacityReservationTarget"`
}

type xmlReservationTargets struct {
	ID string `xml:"capacityReservationId"`
}

type xmlCPUOptions struct {
	CoreCount            int    `xml:"coreCount"`
	ThreadsPerCore       int    `xml:"threadsPerCore"`
	AMDSEVSNP            string `xml:"amdSevSnp,omitempty"`
	NestedVirtualization string `xml:"nestedVirtualization,omitempty"`
}

type xmlEnclaveOptions struct {
	Enabled bool `xml:"enabled"`
}

type xmlHibernationOptions struct {
	Configured bool `xml:"configured"`
}

type xmlMaintenanceOptions struct {
	AutoRecovery    string `xml:"autoRecovery"`
	RebootMigration string `xml:"rebootMigration"`
}

type xmlDNSNameOptions struct {
	HostnameType string `xml:"hostnameType"`
	ARecord      bool   `xml:"enableResourceNameDnsARecord"`
	AAAARecord   bool   `xml:"enableResourceNameDnsAAAARecord"`
}

type xmlLicense struct {
	ARN string `xml:"licenseConfigurationArn"`
}

func (v view) placementXML() xmlPlacement {
	p := v.spec.position
	return xmlPlacement{
		AvailabilityZone: v.zone.Name, AvailabilityZoneID: v.zone.ID, Affinity: p.affinity, GroupName: p.groupName, GroupID: p.groupID,
		PartitionNumber: p.partition, HostID: p.hostID, Tenancy: p.tenancy,
	}
}

func (v view) optionsXML() xmlOptions {
	s := v.spec
	out := xmlOptions{
		CapacityReservationID: s.reservedIn,
		CapacityReservation:   xmlReservationTarget{Preference: s.reservation.preference},
		CPUOptions:            s.cpu.effective(s.instanceType).xml(),
		EnclaveOptions:        xmlEnclaveOptions{s.enclave},
		HibernationOptions:    xmlHibernationOptions{s.hibernation},
		MaintenanceOptions:    xmlMaintenanceOptions{s.maintenance.autoRecovery, s.maintenance.rebootMigration},
		PrivateDNSNameOptions: xmlDNSNameOptions{s.dnsNames.hostnameType, s.dnsNames.aRecord, s.dnsNames.aaaaRecord},
	}
	if s.reservation.id != "" { // Then EC2 tells no preference (API reference, CapacityReservationSpecificationResponse).
		out.CapacityReservation = xmlReservationTarget{Target: &xmlReservationTargets{s.reservation.id}}
	}
	for _, arn := range s.licenses {
		out.Licenses = append(out.Licenses, xmlLicense{arn})
	}
	return out
}

func (o cpuOptions) xml() xmlCPUOptions { return xmlCPUOptions{o.cores, o.threads, o.sevSNP, o.nested} }
