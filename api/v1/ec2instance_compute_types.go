// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1

// LaunchTemplate is an EC2 launch template, by id or by name.
// It is one choice and so has one owner: an applier that forces takes it whole.
//
// +structType=atomic
// +kubebuilder:validation:XValidation:rule="has(self.id) != has(self.name)",message="must set exactly one of id and name"
type LaunchTemplate struct {
	// id of the launch template, such as lt-0123456789abcdef0.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^lt-[0-9a-f]{8,17}$')",message="must be a launch template id: lt- and 8 to 17 hexadecimal digits"
	// +optional
	ID string `json:"id,omitempty"`

	// name of the launch template.
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9()./_-]+$')",message="must be the name of a launch template: letters, digits and ( ) . / _ -"
	// +optional
	Name string `json:"name,omitempty"`

	// version of the launch template: a number, $Default or $Latest; by default the template's default version. It
	// is resolved to a number once per launch; what $Default and $Latest become later changes nothing here.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^([1-9][0-9]*|[$]Default|[$]Latest)$')",message="must be a version's number, $Default or $Latest"
	// +optional
	Version string `json:"version,omitempty"`
}

// Placement says where an instance runs. Its members depend on each other and so have one owner: an applier that forces
// takes them whole. What is not set is EC2's to choose and is never drift.
//
// +structType=atomic
// +kubebuilder:validation:XValidation:rule="!has(self.groupName) || !has(self.groupID)",message="must set at most one of groupName and groupID"
// +kubebuilder:validation:XValidation:rule="!has(self.partitionNumber) || has(self.groupName) || has(self.groupID)",message="must set groupName or groupID with partitionNumber"
// +kubebuilder:validation:XValidation:rule="!has(self.hostID) || !has(self.hostResourceGroupARN)",message="must set at most one of hostID and hostResourceGroupARN"
// +kubebuilder:validation:XValidation:rule="![has(self.hostID), has(self.hostResourceGroupARN), has(self.affinity)].exists(x, x) || (has(self.tenancy) && self.tenancy == 'host')",message="must be host with hostID, hostResourceGroupARN and affinity",fieldPath=".tenancy"
type Placement struct {
	// availabilityZone is the zone, such as eu-central-1a; it must be that of the subnet, where one is set. A change
	// needs a new instance.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]{2,4}(-[a-z]+)+-[0-9]+([a-z]|(-[a-z0-9]+)+)$')",message="must be an Availability Zone such as eu-central-1a"
	// +optional
	AvailabilityZone string `json:"availabilityZone,omitempty"`

	// tenancy is default (shared hardware), dedicated (hardware of the account's own) or host (a Dedicated Host).
	// EC2's default is the VPC's. A change needs the instance stopped; EC2 does not change host to another.
	// +kubebuilder:validation:Enum=default;dedicated;host
	// +optional
	Tenancy string `json:"tenancy,omitempty"`

	// groupName is the name of a placement group. It excludes groupID. A change needs the instance stopped.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +optional
	GroupName string `json:"groupName,omitempty"`

	// groupID is the id of a placement group, for one that another account shares. It excludes groupName. A change
	// needs the instance stopped.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^pg-[0-9a-f]{8,17}$')",message="must be a placement group id: pg- and 8 to 17 hexadecimal digits"
	// +optional
	GroupID string `json:"groupID,omitempty"`

	// partitionNumber is the partition of a placement group that has partitions, 1 to 7. A change needs the instance
	// stopped.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=7
	// +optional
	PartitionNumber int32 `json:"partitionNumber,omitempty"`

	// hostID is a Dedicated Host. It excludes hostResourceGroupARN. A change needs the instance stopped.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^h-[0-9a-f]{8,17}$')",message="must be a Dedicated Host's id: h- and 8 to 17 hexadecimal digits"
	// +optional
	HostID string `json:"hostID,omitempty"`

	// hostResourceGroupARN is a resource group of Dedicated Hosts. It excludes hostID. A change needs the instance
	// stopped.
	// +kubebuilder:validation:MinLength=20
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:[a-z0-9-]+:resource-groups:[a-z0-9-]+:[0-9]{12}:group/.+$')",message="must be the ARN of a resource group: arn:PARTITION:resource-groups:REGION:ACCOUNT:group/NAME"
	// +optional
	HostResourceGroupARN string `json:"hostResourceGroupARN,omitempty"`

	// affinity is host, which keeps a stopped instance on its Dedicated Host, or default (EC2's default), which does
	// not. A change needs the instance stopped.
	// +kubebuilder:validation:Enum=default;host
	// +optional
	Affinity string `json:"affinity,omitempty"`
}

// CapacityReservation says whether, and in which, Capacity Reservation an instance runs.
// It is one choice and so has one owner: an applier that forces takes it whole.
//
// +structType=atomic
// +kubebuilder:validation:XValidation:rule="!has(self.id) || !has(self.resourceGroupARN)",message="must set at most one of id and resourceGroupARN"
// +kubebuilder:validation:XValidation:rule="!(has(self.id) || has(self.resourceGroupARN)) || !has(self.preference) || self.preference == 'capacity-reservations-only'",message="must be capacity-reservations-only, or not be set, with id and resourceGroupARN: EC2's rule",fieldPath=".preference"
type CapacityReservation struct {
	// preference is open (EC2's default: any open one that matches, else none), none, or capacity-reservations-only:
	// without one the launch fails.
	// +kubebuilder:validation:Enum=open;none;capacity-reservations-only
	// +optional
	Preference string `json:"preference,omitempty"`

	// id of the one reservation to run in. It excludes resourceGroupARN.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^cr-[0-9a-f]{8,17}$')",message="must be a Capacity Reservation's id: cr- and 8 to 17 hexadecimal digits"
	// +optional
	ID string `json:"id,omitempty"`

	// resourceGroupARN is the resource group of reservations to run in. It excludes id.
	// +kubebuilder:validation:MinLength=20
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:[a-z0-9-]+:resource-groups:[a-z0-9-]+:[0-9]{12}:group/.+$')",message="must be the ARN of a resource group: arn:PARTITION:resource-groups:REGION:ACCOUNT:group/NAME"
	// +optional
	ResourceGroupARN string `json:"resourceGroupARN,omitempty"`
}

// MarketOptions say how an instance is bought.
// They are one choice and so have one owner: an applier that forces takes them whole.
//
// +structType=atomic
type MarketOptions struct {
	// marketType is spot: spare capacity that EC2 may take back.
	// +kubebuilder:validation:Enum=spot
	// +required
	MarketType string `json:"marketType,omitempty"`

	// spotOptions are the details of a Spot Instance.
	// +optional
	SpotOptions *SpotOptions `json:"spotOptions,omitempty"`
}

// SpotOptions are the details of a Spot Instance. What is not set is EC2's to choose.
//
// +kubebuilder:validation:XValidation:rule="!has(self.requestType) || self.requestType != 'persistent' || (has(self.interruptionBehavior) && self.interruptionBehavior in ['stop', 'hibernate'])",message="must be stop or hibernate with requestType persistent: EC2's rule",fieldPath=".interruptionBehavior"
// +kubebuilder:validation:XValidation:rule="!has(self.interruptionBehavior) || self.interruptionBehavior == 'terminate' || (has(self.requestType) && self.requestType == 'persistent')",message="must be persistent with interruptionBehavior stop or hibernate: EC2's rule",fieldPath=".requestType"
type SpotOptions struct {
	// maxPrice is the most to pay for an hour, in US dollars, more than 0.001, such as 0.05. By default it is the
	// On-Demand price. EC2 advises against it: it makes interruptions more frequent.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?$') && double(self) > 0.001",message="must be a price in US dollars of more than 0.001, such as 0.05"
	// +optional
	MaxPrice string `json:"maxPrice,omitempty"`

	// requestType is one-time (EC2's default) or persistent: EC2 starts the instance again after an interruption.
	// The operator cancels a persistent request before it terminates the instance: EC2 would launch another one.
	// +kubebuilder:validation:Enum=one-time;persistent
	// +optional
	RequestType string `json:"requestType,omitempty"`

	// interruptionBehavior is what EC2 does when it takes the capacity back: terminate (EC2's default), stop or
	// hibernate.
	// +kubebuilder:validation:Enum=terminate;stop;hibernate
	// +optional
	InterruptionBehavior string `json:"interruptionBehavior,omitempty"`
}

// CPUOptions are an instance's CPU cores and features. What is not set is the instance type's to choose and is never
// drift.
// +kubebuilder:validation:XValidation:rule="has(self.coreCount) == has(self.threadsPerCore)",message="must set both coreCount and threadsPerCore, or none of them: EC2's rule"
type CPUOptions struct {
	// coreCount is the number of CPU cores, 1 to 1024; the instance type says which numbers it allows. It comes with
	// threadsPerCore. A change needs the instance stopped.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	// +optional
	CoreCount int32 `json:"coreCount,omitempty"`

	// threadsPerCore is 1, which turns multithreading off, or 2. It comes with coreCount. A change needs the instance
	// stopped.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2
	// +optional
	ThreadsPerCore int32 `json:"threadsPerCore,omitempty"`

	// amdSEVSNP is enabled or disabled (EC2's default): AMD's encrypted memory. A change needs a new instance.
	// +kubebuilder:validation:Enum=enabled;disabled
	// +optional
	AMDSEVSNP string `json:"amdSEVSNP,omitempty"`

	// nestedVirtualization is enabled or disabled (EC2's default). A change needs the instance stopped.
	// +kubebuilder:validation:Enum=enabled;disabled
	// +optional
	NestedVirtualization string `json:"nestedVirtualization,omitempty"`
}

// CreditSpecification is how an instance of a burstable type pays for CPU beyond its baseline.
type CreditSpecification struct {
	// cpuCredits is standard, which slows the instance down once its credits are used up, or unlimited, which charges
	// for more. It can change at any time.
	// +kubebuilder:validation:Enum=standard;unlimited
	// +required
	CPUCredits string `json:"cpuCredits,omitempty"`
}

// Maintenance says what EC2 does about failures and planned maintenance. What is not set is EC2's to choose and is never
// drift.
type Maintenance struct {
	// autoRecovery is default, which has EC2 recover the instance from a failure of its hardware, or disabled. It can
	// change at any time.
	// +kubebuilder:validation:Enum=default;disabled
	// +optional
	AutoRecovery string `json:"autoRecovery,omitempty"`

	// rebootMigration is default, which has EC2 move the instance when it reboots for a scheduled event, or disabled.
	// It is set right after the launch and can change at any time.
	// +kubebuilder:validation:Enum=default;disabled
	// +optional
	RebootMigration string `json:"rebootMigration,omitempty"`
}

// Hibernation says whether an instance can hibernate.
type Hibernation struct {
	// configured prepares the instance for hibernation; its root volume must be encrypted and hold its memory. It
	// excludes enclave. EC2's default is false. A change needs a new instance.
	// +optional
	Configured *bool `json:"configured,omitempty"`
}

// Enclave says whether an instance can run Nitro Enclaves.
type Enclave struct {
	// enabled lets the instance run Nitro Enclaves. It excludes hibernation. EC2's default is false. A change needs a
	// new instance.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
}

// License is a license configuration that an instance uses.
type License struct {
	// configurationARN is the ARN of License Manager's license configuration.
	// +kubebuilder:validation:MinLength=20
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:[a-z0-9-]+:license-manager:[a-z0-9-]+:[0-9]{12}:license-configuration[:/].+$')",message="must be the ARN of a license configuration: arn:PARTITION:license-manager:REGION:ACCOUNT:license-configuration:ID"
	// +required
	ConfigurationARN string `json:"configurationARN,omitempty"`
}
