// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1

// PowerState is a power state to keep an instance in.
// +kubebuilder:validation:Enum=Running;Stopped;Hibernated
type PowerState string

// The power states.
const (
	PowerStateRunning    PowerState = "Running"
	PowerStateStopped    PowerState = "Stopped"
	PowerStateHibernated PowerState = "Hibernated"
)

// RecreatePolicy says what follows when an instance was terminated by somebody else.
// +kubebuilder:validation:Enum=Always;Never
type RecreatePolicy string

// The recreate policies.
const (
	RecreateAlways RecreatePolicy = "Always"
	RecreateNever  RecreatePolicy = "Never"
)

// DeletionPolicy says what happens to the instance when its object is deleted.
// +kubebuilder:validation:Enum=Terminate;Stop;Retain
type DeletionPolicy string

// The deletion policies.
const (
	DeletionTerminate DeletionPolicy = "Terminate"
	DeletionStop      DeletionPolicy = "Stop"
	DeletionRetain    DeletionPolicy = "Retain"
)

// ProtectionPolicy says what deletion does about an instance that is protected.
// +kubebuilder:validation:Enum=Respect;Lift
type ProtectionPolicy string

// The protection policies.
const (
	ProtectionRespect ProtectionPolicy = "Respect"
	ProtectionLift    ProtectionPolicy = "Lift"
)

// ManagementPolicy says whether the operator changes anything in EC2.
// +kubebuilder:validation:Enum=Manage;Observe
type ManagementPolicy string

// The management policies.
const (
	ManagementManage  ManagementPolicy = "Manage"
	ManagementObserve ManagementPolicy = "Observe"
)

// Adopt names an instance to take over. It gets the tags of the instance's identity, unless managementPolicy is Observe.
type Adopt struct {
	// instanceID is the instance, in the account and Region of the object. It cannot change.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^i-[0-9a-f]{8,17}$')",message="must be an instance id: i- and 8 to 17 hexadecimal digits"
	// +required
	InstanceID string `json:"instanceID,omitempty"`
}

// UpdatePolicy says which steps may be taken, to make the instance what spec says, without asking. A change that needs
// more than is allowed is shown in status.plan, and Synced is False, until it is allowed or taken back.
type UpdatePolicy struct {
	// allow is the most disruptive step that may be taken without asking: InPlace (the default) changes the instance
	// while it runs; StopStart stops it for the change and starts it again, too; Replace, too, terminates it and
	// launches another one. It can change at any time.
	// +kubebuilder:default=InPlace
	// +kubebuilder:validation:Enum=InPlace;StopStart;Replace
	// +optional
	Allow UpdateAllowance `json:"allow,omitempty"`

	// overrides say otherwise for single fields, by field, 1 to 64. They can change at any time.
	// +listType=map
	// +listMapKey=field
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +optional
	Overrides []UpdateOverride `json:"overrides,omitempty"`
}

// UpdateAllowance is the most disruptive step that a change may take.
type UpdateAllowance string

// What a change may take. UpdateIgnore is for single fields.
const (
	UpdateIgnore    UpdateAllowance = "Ignore"
	UpdateInPlace   UpdateAllowance = "InPlace"
	UpdateStopStart UpdateAllowance = "StopStart"
	UpdateReplace   UpdateAllowance = "Replace"
)

// UpdateOverride says what a change of one field may take.
type UpdateOverride struct {
	// field is the name of a field of spec, such as instanceType or blockDevices. For tags and
	// powerState only Ignore has an effect, and for rebootRequestedAt and policies none.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z][a-zA-Z0-9]*$')",message="must be the name of a field of spec, such as instanceType"
	// +required
	Field string `json:"field,omitempty"`

	// allow is the most disruptive step that may be taken for the field: InPlace, StopStart or Replace as in
	// updatePolicy.allow; or Ignore: the field is used at launch, and a later difference is no drift.
	// +kubebuilder:validation:Enum=Ignore;InPlace;StopStart;Replace
	// +required
	Allow UpdateAllowance `json:"allow,omitempty"`
}

// Ignore names what other tools may add to the instance. It is neither taken away nor drift.
type Ignore struct {
	// tagPrefixes are the beginnings of the keys of tags that other tools may add, 1 to 32, such as
	// aws-backup: for all keys that begin with that. They can change at any time.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=128
	// +optional
	TagPrefixes []string `json:"tagPrefixes,omitempty"`

	// securityGroupIDs are the security groups that other tools may add, 1 to 16. They can change at any time.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^sg-[0-9a-f]{8,17}$')",message="must be a security group id: sg- and 8 to 17 hexadecimal digits"
	// +optional
	SecurityGroupIDs []string `json:"securityGroupIDs,omitempty"`
}
