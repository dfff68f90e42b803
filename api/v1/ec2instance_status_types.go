// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EC2InstanceStatus is what the operator knows of an instance. It is computed whole at each pass; nothing in it
// changes by itself.
type EC2InstanceStatus struct {
	// conditions of the instance, by type: Ready, Launched, Synced, Reachable, and Reconciling, Stalled or Contested
	// while True. Other controllers have types of their own.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the generation of spec that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// instanceID is EC2's id of the instance.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	InstanceID string `json:"instanceID,omitempty"`

	// arn of the instance.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	ARN string `json:"arn,omitempty"`

	// state is EC2's word for the instance's state: pending, running, stopping, stopped, shutting-down or
	// terminated.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	State string `json:"state,omitempty"`

	// stateReason is EC2's reason for the latest change of state.
	// +optional
	StateReason *StateReason `json:"stateReason,omitempty"`

	// imageID is the image that the instance was launched from; for an SSM parameter, what it resolved to.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	ImageID string `json:"imageID,omitempty"`

	// instanceType is the instance's type in EC2.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	InstanceType string `json:"instanceType,omitempty"`

	// subnetID is the instance's subnet.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	SubnetID string `json:"subnetID,omitempty"`

	// vpcID is the instance's VPC.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	VPCID string `json:"vpcID,omitempty"`

	// availabilityZone is the instance's Availability Zone.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	AvailabilityZone string `json:"availabilityZone,omitempty"`

	// privateIPAddress is the instance's primary private IPv4 address.
	// +kubebuilder:validation:MaxLength=45
	// +optional
	PrivateIPAddress string `json:"privateIPAddress,omitempty"`

	// publicIPAddress is the instance's public IPv4 address; another one after each start, unless it is an
	// Elastic IP address.
	// +kubebuilder:validation:MaxLength=45
	// +optional
	PublicIPAddress string `json:"publicIPAddress,omitempty"`

	// ipv6Addresses are the instance's IPv6 addresses.
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=45
	// +optional
	IPv6Addresses []string `json:"ipv6Addresses,omitempty"`

	// privateDNSName is the instance's DNS name inside its VPC.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	PrivateDNSName string `json:"privateDNSName,omitempty"`

	// publicDNSName is the instance's public DNS name.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	PublicDNSName string `json:"publicDNSName,omitempty"`

	// addresses are the IP addresses that a Service would use for the instance: IPv4 first, private first.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=45
	// +optional
	Addresses []string `json:"addresses,omitempty"`

	// securityGroupIDs are the security groups of the instance.
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=32
	// +optional
	SecurityGroupIDs []string `json:"securityGroupIDs,omitempty"`

	// networkInterfaces are the instance's network interfaces, by id.
	// +listType=map
	// +listMapKey=id
	// +kubebuilder:validation:MaxItems=32
	// +optional
	NetworkInterfaces []NetworkInterfaceStatus `json:"networkInterfaces,omitempty"`

	// volumes are the instance's EBS volumes, by device name.
	// +listType=map
	// +listMapKey=deviceName
	// +kubebuilder:validation:MaxItems=64
	// +optional
	Volumes []VolumeStatus `json:"volumes,omitempty"`

	// iamInstanceProfileARN is the ARN of the instance's IAM instance profile.
	// +kubebuilder:validation:MaxLength=2048
	// +optional
	IAMInstanceProfileARN string `json:"iamInstanceProfileARN,omitempty"`

	// launchTime is when EC2 launched, or last started, the instance.
	// +optional
	LaunchTime *metav1.Time `json:"launchTime,omitempty"`

	// launch tells the launch that the instance came from, or that is under way.
	// +optional
	Launch *LaunchStatus `json:"launch,omitempty"`

	// managedTagKeys are the keys of the tags that the operator has put on the instance, and so removes when
	// they leave spec. Tags of others are never removed.
	// +listType=set
	// +kubebuilder:validation:MaxItems=50
	// +kubebuilder:validation:items:MaxLength=128
	// +optional
	ManagedTagKeys []string `json:"managedTagKeys,omitempty"`

	// managedSecurityGroupIDs are the security groups that the operator has put on the instance, and so removes
	// when they leave spec. Groups that others have added are never removed.
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=32
	// +optional
	ManagedSecurityGroupIDs []string `json:"managedSecurityGroupIDs,omitempty"`

	// lastRebootTime is when the operator last rebooted the instance on request.
	// +optional
	LastRebootTime *metav1.Time `json:"lastRebootTime,omitempty"`

	// plan lists where EC2 differs from spec and what is done about it, by field.
	// +listType=map
	// +listMapKey=field
	// +kubebuilder:validation:MaxItems=64
	// +optional
	Plan []PlannedChange `json:"plan,omitempty"`

	// statusChecks are the results of EC2's status checks. They are left out until there are results, some minutes
	// after a start, and while the instance does not run.
	// +optional
	StatusChecks *StatusChecks `json:"statusChecks,omitempty"`

	// scheduledEvents are the events that EC2 has scheduled for the instance, by code; of several with one code, the
	// earliest. Finished ones are left out.
	// +listType=map
	// +listMapKey=code
	// +kubebuilder:validation:MaxItems=16
	// +optional
	ScheduledEvents []ScheduledEvent `json:"scheduledEvents,omitempty"`
}

// StateReason is EC2's reason for a change of state.
type StateReason struct {
	// code of the reason, such as Client.UserInitiatedShutdown.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Code string `json:"code,omitempty"`

	// message is EC2's text.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`
}

// NetworkInterfaceStatus is a network interface of an instance.
type NetworkInterfaceStatus struct {
	// id of the network interface.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +required
	ID string `json:"id,omitempty"`

	// deviceIndex is the interface's place on the instance; 0 is the primary one.
	// +optional
	DeviceIndex *int32 `json:"deviceIndex,omitempty"`

	// subnetID is the interface's subnet.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	SubnetID string `json:"subnetID,omitempty"`

	// privateIPAddress is the interface's primary private IPv4 address.
	// +kubebuilder:validation:MaxLength=45
	// +optional
	PrivateIPAddress string `json:"privateIPAddress,omitempty"`

	// publicIPAddress is the public IPv4 address associated with the interface.
	// +kubebuilder:validation:MaxLength=45
	// +optional
	PublicIPAddress string `json:"publicIPAddress,omitempty"`

	// macAddress of the interface.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	MACAddress string `json:"macAddress,omitempty"`

	// securityGroupIDs are the interface's security groups.
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=32
	// +optional
	SecurityGroupIDs []string `json:"securityGroupIDs,omitempty"`
}

// VolumeStatus is an EBS volume of an instance.
type VolumeStatus struct {
	// deviceName of the volume on the instance, such as /dev/xvda.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +required
	DeviceName string `json:"deviceName,omitempty"`

	// volumeID is EC2's id of the volume.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	VolumeID string `json:"volumeID,omitempty"`

	// deleteOnTermination tells whether EC2 deletes the volume with the instance.
	// +optional
	DeleteOnTermination *bool `json:"deleteOnTermination,omitempty"`
}

// LaunchStatus tells a launch.
type LaunchStatus struct {
	// attempt counts the launches of this object from 1; each makes at most one instance.
	// +kubebuilder:validation:Minimum=1
	// +optional
	Attempt int64 `json:"attempt,omitempty"`

	// clientToken is the token that makes EC2 launch once for this attempt.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	ClientToken string `json:"clientToken,omitempty"`

	// at is when the launch was decided.
	// +optional
	At *metav1.Time `json:"at,omitempty"`

	// reason of the launch: Created, or Terminated when the instance before was terminated by somebody else,
	// or Replaced when spec was changed in what needs a new instance and updatePolicy allows that,
	// or SpecChanged when the launch before was never accepted and spec has changed since,
	// or CapacityFallback when EC2 had no capacity for the launch before and this one is for another instance type or
	// subnet of spec.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Reason string `json:"reason,omitempty"`
}

// PlannedChange is one difference between spec and EC2.
type PlannedChange struct {
	// field of spec that differs, such as instanceType.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +required
	Field string `json:"field,omitempty"`

	// current is EC2's value, shortened where long.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Current string `json:"current,omitempty"`

	// desired is spec's value, shortened where long.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Desired string `json:"desired,omitempty"`

	// action that would bring EC2 to spec: InPlace, StopStart, Replace, or None where there is none.
	// +optional
	Action PlanAction `json:"action,omitempty"`

	// state of the change: Pending, Blocked or Failed.
	// +optional
	State PlanState `json:"state,omitempty"`

	// message says why, and what would help.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`
}

// PlanAction is how a difference is brought to spec.
// +kubebuilder:validation:Enum=InPlace;StopStart;Replace;None
type PlanAction string

// The plan actions, from the least to the most disruptive.
const (
	PlanActionNone      PlanAction = "None"
	PlanActionInPlace   PlanAction = "InPlace"
	PlanActionStopStart PlanAction = "StopStart"
	PlanActionReplace   PlanAction = "Replace"
)

// PlanState is how far a planned change is.
// +kubebuilder:validation:Enum=Pending;Blocked;Failed
type PlanState string

// The plan states.
const (
	PlanStatePending PlanState = "Pending"
	PlanStateBlocked PlanState = "Blocked"
	PlanStateFailed  PlanState = "Failed"
)

// StatusChecks are the results of EC2's status checks: ok, impaired, initializing, insufficient-data or
// not-applicable.
type StatusChecks struct {
	// system is the check of the host and the network.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	System string `json:"system,omitempty"`

	// instance is the check of the instance's own reachability.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	Instance string `json:"instance,omitempty"`

	// attachedEBS is the check of the attached EBS volumes.
	// +kubebuilder:validation:MaxLength=32
	// +optional
	AttachedEBS string `json:"attachedEBS,omitempty"`
}

// ScheduledEvent is an event that EC2 has scheduled for an instance.
type ScheduledEvent struct {
	// code of the event, such as instance-retirement.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +required
	Code string `json:"code,omitempty"`

	// description is EC2's text.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Description string `json:"description,omitempty"`

	// notBefore is the earliest start of the event.
	// +optional
	NotBefore *metav1.Time `json:"notBefore,omitempty"`

	// notAfter is the latest end of the event.
	// +optional
	NotAfter *metav1.Time `json:"notAfter,omitempty"`
}
