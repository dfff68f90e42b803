// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

// The options of an instance that a launch sets, EC2 reports and a call may change. In a launch and in a change the zero
// value of a member leaves it to EC2, or as it is.

// CPUOptions are the CPU's cores and features.
type CPUOptions struct {
	// CoreCount is the number of cores.
	CoreCount int32
	// ThreadsPerCore is 1 or 2.
	ThreadsPerCore int32
	// AMDSEVSNP is enabled or disabled. It can be set at launch only.
	AMDSEVSNP string
	// NestedVirtualization is enabled or disabled.
	NestedVirtualization string
}

// Placement is where an instance runs.
type Placement struct {
	// AvailabilityZone can be set at launch only.
	AvailabilityZone string
	// Tenancy is default, dedicated or host.
	Tenancy string
	// GroupName is the placement group's name; it excludes GroupID.
	GroupName string
	// GroupID is the placement group's id.
	GroupID string
	// PartitionNumber is the partition of a partition placement group.
	PartitionNumber int32
	// HostID is the dedicated host; it excludes HostResourceGroupARN.
	HostID string
	// HostResourceGroupARN is the host resource group.
	HostResourceGroupARN string
	// Affinity is default or host.
	Affinity string
}

// CapacityReservation says which capacity reservation an instance runs in.
type CapacityReservation struct {
	// Preference is open, none or capacity-reservations-only.
	Preference string
	// ID of one reservation; it excludes ResourceGroupARN.
	ID string
	// ResourceGroupARN is the resource group of reservations.
	ResourceGroupARN string
}

// MaintenanceOptions say what EC2 does about failures and planned maintenance.
type MaintenanceOptions struct {
	// AutoRecovery is default or disabled.
	AutoRecovery string
	// RebootMigration is default or disabled. RunInstances does not take it.
	RebootMigration string
}

// PrivateDNSNameOptions say which names an instance has in its VPC.
type PrivateDNSNameOptions struct {
	// HostnameType is ip-name or resource-name.
	HostnameType string
	// ARecord says whether the resource name has an A record: true, false or "" for EC2's choice.
	ARecord string
	// AAAARecord says whether the resource name has an AAAA record: true, false or "" for EC2's choice.
	AAAARecord string
}

// SpotOptions are those of a Spot Instance.
type SpotOptions struct {
	// MaxPrice is the most to pay for an hour, in US dollars; "" is the On-Demand price.
	MaxPrice string
	// RequestType is one-time or persistent.
	RequestType string
	// InterruptionBehavior is terminate, stop or hibernate.
	InterruptionBehavior string
}
