// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EC2Instance is an instance in Amazon EC2: the operator launches it exactly once, keeps it as spec says and
// terminates it, by default, when the object is deleted.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=ec2i,categories=aws
// +kubebuilder:printcolumn:name="Instance",type=string,JSONPath=`.status.instanceID`
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.instanceType`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Synced",type=string,JSONPath=`.status.conditions[?(@.type=="Synced")].status`,priority=1
// +kubebuilder:printcolumn:name="Reachable",type=string,JSONPath=`.status.conditions[?(@.type=="Reachable")].status`,priority=1
// +kubebuilder:printcolumn:name="Zone",type=string,JSONPath=`.status.availabilityZone`,priority=1
// +kubebuilder:printcolumn:name="Private-IP",type=string,JSONPath=`.status.privateIPAddress`,priority=1
// +kubebuilder:printcolumn:name="Public-IP",type=string,JSONPath=`.status.publicIPAddress`,priority=1
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.status.imageID`,priority=1
// +kubebuilder:printcolumn:name="Account",type=string,JSONPath=`.spec.accountRef.name`,priority=1
type EC2Instance struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the instance shall be. No controller changes it, except a governance policy that says so.
	// +required
	Spec EC2InstanceSpec `json:"spec,omitzero"`

	// status is what the operator knows of the instance. Until the operator's first visit observedGeneration is -1,
	// so that tools which know kstatus do not take a new object for one that is ready.
	// +kubebuilder:default={"observedGeneration":-1}
	// +optional
	Status EC2InstanceStatus `json:"status,omitzero"`
}

// EC2InstanceList is a list of EC2Instances.
//
// +kubebuilder:object:root=true
type EC2InstanceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []EC2Instance `json:"items"`
}

// EC2InstanceSpec is what an instance shall be. What is not set is left to the launch template, where one is named, and
// otherwise to EC2; it is never drift.
//
// +kubebuilder:validation:XValidation:rule="has(self.image) || has(self.launchTemplate) || has(self.adopt)",message="must set image unless launchTemplate or adopt is set",fieldPath=".image"
// +kubebuilder:validation:XValidation:rule="has(self.instanceType) || has(self.launchTemplate) || has(self.adopt)",message="must set instanceType unless launchTemplate or adopt is set",fieldPath=".instanceType"
// +kubebuilder:validation:XValidation:rule="!has(self.networkInterfaces) || ![has(self.subnetID), has(self.securityGroupIDs), has(self.privateIPAddress), has(self.ipv6AddressCount), has(self.associatePublicIPAddress), has(self.sourceDestCheck)].exists(x, x)",message="must not be set beside subnetID, securityGroupIDs, privateIPAddress, ipv6AddressCount, associatePublicIPAddress or sourceDestCheck: set them in the network interface with deviceIndex 0",fieldPath=".networkInterfaces"
// +kubebuilder:validation:XValidation:rule="!has(self.marketOptions) || !has(self.disableAPITermination) || !self.disableAPITermination",message="must not be true with marketOptions: EC2 does not protect Spot Instances",fieldPath=".disableAPITermination"
// +kubebuilder:validation:XValidation:rule="!has(self.marketOptions) || !has(self.disableAPIStop) || !self.disableAPIStop",message="must not be true with marketOptions: EC2 does not protect Spot Instances",fieldPath=".disableAPIStop"
// +kubebuilder:validation:XValidation:rule="!has(self.hibernation) || !has(self.hibernation.configured) || !self.hibernation.configured || !has(self.enclave) || !has(self.enclave.enabled) || !self.enclave.enabled",message="must not be true with hibernation.configured true: EC2 allows one of the two",fieldPath=".enclave.enabled"
// +kubebuilder:validation:XValidation:rule="!has(self.hibernation) || !has(self.hibernation.configured) || !self.hibernation.configured || !has(self.marketOptions) || !has(self.marketOptions.spotOptions) || !has(self.marketOptions.spotOptions.interruptionBehavior) || self.marketOptions.spotOptions.interruptionBehavior == 'hibernate'",message="must be hibernate, or not be set, with hibernation.configured true: EC2's rule",fieldPath=".marketOptions.spotOptions.interruptionBehavior"
// +kubebuilder:validation:XValidation:rule="!has(self.hibernation) || !has(self.hibernation.configured) || !self.hibernation.configured || !has(self.marketOptions) || (has(self.marketOptions.spotOptions) && has(self.marketOptions.spotOptions.requestType) && self.marketOptions.spotOptions.requestType == 'persistent') || has(self.launchTemplate)",message="must be persistent with hibernation.configured true: EC2's rule",fieldPath=".marketOptions.spotOptions.requestType"
// +kubebuilder:validation:XValidation:rule="!(has(self.marketOptions) && !has(self.launchTemplate) && !has(self.adopt) && !(has(self.marketOptions.spotOptions) && has(self.marketOptions.spotOptions.requestType) && self.marketOptions.spotOptions.requestType == 'persistent')) || !has(self.deletionPolicy) || self.deletionPolicy != 'Stop'",message="must not be Stop with a one-time Spot request, whose instance EC2 does not stop: set marketOptions.spotOptions.requestType to persistent",fieldPath=".deletionPolicy"
// +kubebuilder:validation:XValidation:rule="!(has(self.marketOptions) && !has(self.launchTemplate) && !has(self.adopt) && !(has(self.marketOptions.spotOptions) && has(self.marketOptions.spotOptions.requestType) && self.marketOptions.spotOptions.requestType == 'persistent')) || !has(self.powerState) || self.powerState == 'Running'",message="must be Running with a one-time Spot request, whose instance EC2 does not stop: set marketOptions.spotOptions.requestType to persistent",fieldPath=".powerState"
// +kubebuilder:validation:XValidation:rule="!has(self.instanceTypeFallbacks) || has(self.instanceType)",message="must be set with instanceTypeFallbacks",fieldPath=".instanceType"
// +kubebuilder:validation:XValidation:rule="!has(self.instanceTypeFallbacks) || !has(self.instanceType) || !(self.instanceType in self.instanceTypeFallbacks)",message="must not hold instanceType itself",fieldPath=".instanceTypeFallbacks"
// +kubebuilder:validation:XValidation:rule="!has(self.subnetFallbacks) || has(self.subnetID)",message="must be set with subnetFallbacks",fieldPath=".subnetID"
// +kubebuilder:validation:XValidation:rule="!has(self.subnetFallbacks) || !has(self.subnetID) || !(self.subnetID in self.subnetFallbacks)",message="must not hold subnetID itself",fieldPath=".subnetFallbacks"
// +kubebuilder:validation:XValidation:rule="!has(self.subnetFallbacks) || !has(self.privateIPAddress)",message="must not be set with subnetFallbacks: an address is of one subnet",fieldPath=".privateIPAddress"
// +kubebuilder:validation:XValidation:rule="!has(self.subnetFallbacks) || !has(self.placement) || !has(self.placement.availabilityZone)",message="must not be set with subnetFallbacks: each subnet is in a zone of its own",fieldPath=".placement.availabilityZone"
// +kubebuilder:validation:XValidation:rule="!has(self.powerState) || self.powerState != 'Hibernated' || has(self.launchTemplate) || has(self.adopt) || (has(self.hibernation) && has(self.hibernation.configured) && self.hibernation.configured)",message="must be Running or Stopped unless hibernation.configured is true",fieldPath=".powerState"
// +kubebuilder:validation:XValidation:rule="has(self.adopt) == has(oldSelf.adopt) && (!has(self.adopt) || self.adopt.instanceID == oldSelf.adopt.instanceID)",message="must not set, change or remove adopt after creation: create another EC2Instance instead",fieldPath=".adopt"
// +kubebuilder:validation:XValidation:rule="has(self.region) == has(oldSelf.region) && (!has(self.region) || self.region == oldSelf.region)",message="must not set, change or remove region after creation: create another EC2Instance instead",fieldPath=".region"
type EC2InstanceSpec struct {
	// accountRef names the EC2Account whose credentials are used. It defaults to the account named "default"
	// and cannot change.
	// +kubebuilder:default={name: "default"}
	// +kubebuilder:validation:XValidation:rule="self.name == oldSelf.name",message="must not change after creation: create another EC2Instance instead",fieldPath=".name"
	// +optional
	AccountRef AccountReference `json:"accountRef,omitzero"`

	// region is the AWS Region, such as eu-central-1. It defaults to the account's region and cannot change,
	// be added or be removed.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]{2,4}(-[a-z]+)+-[0-9]+$')",message="must be an AWS Region such as eu-central-1"
	// +optional
	Region string `json:"region,omitempty"`

	// launchTemplate is an EC2 launch template. What it says is used where spec says nothing, and is not drift. A
	// change needs a new instance.
	// +optional
	LaunchTemplate *LaunchTemplate `json:"launchTemplate,omitempty"`

	// image is the Amazon Machine Image to launch from. It must be set unless launchTemplate or adopt is;
	// the template's image is the default then. A change needs a new instance.
	// +optional
	Image Image `json:"image,omitzero"`

	// instanceType is EC2's instance type, such as t3.micro. It must be set unless launchTemplate or
	// adopt is; the template's type is the default then. A change needs the instance stopped.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9-]+[.][a-z0-9-]+$')",message="must be an EC2 instance type such as t3.micro"
	// +optional
	InstanceType string `json:"instanceType,omitempty"`

	// instanceTypeFallbacks are the instance types to launch with, in this order, while EC2 has no capacity for
	// instanceType in any of the subnets, 1 to 8. Without subnetFallbacks that is the one subnet. An instance of
	// one of them is no drift. They can change at any time, for later launches.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.all(t, self.exists_one(u, u == t))",message="must hold each instance type once"
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^[a-z0-9-]+[.][a-z0-9-]+$')",message="must be an EC2 instance type such as t3.micro"
	// +optional
	InstanceTypeFallbacks []string `json:"instanceTypeFallbacks,omitempty"`

	// subnetID is the subnet of the instance's first network interface. When it is not set EC2 chooses a
	// default subnet of the default VPC. A change needs a new instance.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^subnet-[0-9a-f]{8,17}$')",message="must be a subnet id: subnet- and 8 to 17 hexadecimal digits"
	// +optional
	SubnetID string `json:"subnetID,omitempty"`

	// subnetFallbacks are the subnets to launch in, in this order, while EC2 has no capacity where subnetID is, 1 to
	// 8. Each instance type is tried in all of them before the next type is. An instance in one of them is no drift.
	// They can change at any time, for later launches.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.all(s, self.exists_one(t, t == s))",message="must hold each subnet once"
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^subnet-[0-9a-f]{8,17}$')",message="must be a subnet id: subnet- and 8 to 17 hexadecimal digits"
	// +optional
	SubnetFallbacks []string `json:"subnetFallbacks,omitempty"`

	// securityGroupIDs are the security groups of the instance's first network interface, at most 16. When none
	// is set EC2 uses the VPC's default group. They can change at any time.
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:XValidation:rule="self.matches('^sg-[0-9a-f]{8,17}$')",message="must be a security group id: sg- and 8 to 17 hexadecimal digits"
	// +optional
	SecurityGroupIDs []string `json:"securityGroupIDs,omitempty"`

	// privateIPAddress is the primary private IPv4 address, from the subnet's range. By default EC2 chooses one. A
	// change needs a new instance.
	// +kubebuilder:validation:MinLength=7
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:XValidation:rule="self.matches('^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])([.]|$)){4}$') && !self.endsWith('.')",message="must be an IPv4 address such as 10.0.1.17"
	// +optional
	PrivateIPAddress string `json:"privateIPAddress,omitempty"`

	// ipv6AddressCount is how many IPv6 addresses, from the subnet's range, the instance's first network interface
	// gets, 1 to 128; the instance type may allow fewer. By default the subnet decides. A change needs a new
	// instance.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=128
	// +optional
	IPv6AddressCount int32 `json:"ipv6AddressCount,omitempty"`

	// associatePublicIPAddress says whether the instance's first network interface gets a public IPv4 address. By
	// default the subnet decides. A change needs a new instance.
	// +optional
	AssociatePublicIPAddress *bool `json:"associatePublicIPAddress,omitempty"`

	// sourceDestCheck has EC2 drop what is neither from nor for the instance, on its first network interface. It
	// must be false for an instance that routes or translates addresses. EC2's default is true. It is set right
	// after the launch and can change at any time.
	// +optional
	SourceDestCheck *bool `json:"sourceDestCheck,omitempty"`

	// networkInterfaces are the instance's network interfaces, by device index, 1 to 16, in the place of subnetID,
	// securityGroupIDs, privateIPAddress, ipv6AddressCount, associatePublicIPAddress and sourceDestCheck. By default
	// there is one. A change needs a new instance, but for their securityGroupIDs and sourceDestCheck.
	// +listType=map
	// +listMapKey=deviceIndex
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.exists(n, n.deviceIndex == 0)",message="must hold the primary network interface, whose deviceIndex is 0"
	// +kubebuilder:validation:XValidation:rule="self.size() == 1 || self.all(n, !has(n.associatePublicIPAddress))",message="must hold one network interface only when that sets associatePublicIPAddress: EC2's rule"
	// +optional
	NetworkInterfaces []NetworkInterface `json:"networkInterfaces,omitempty"`

	// privateDNSNameOptions say which names the instance has in its VPC. By default the subnet decides. Unless a
	// member says otherwise they can change at any time.
	// +optional
	PrivateDNSNameOptions *PrivateDNSNameOptions `json:"privateDNSNameOptions,omitempty"`

	// placement says where the instance runs. By default EC2 chooses. Unless a member says otherwise a change
	// needs the instance stopped.
	// +optional
	Placement *Placement `json:"placement,omitempty"`

	// capacityReservation says whether, and in which, Capacity Reservation the instance runs. By default it runs in
	// any open one that matches. A change needs the instance stopped.
	// +optional
	CapacityReservation *CapacityReservation `json:"capacityReservation,omitempty"`

	// marketOptions make the instance a Spot Instance. By default it is an On-Demand Instance. A change needs a new
	// instance.
	// +optional
	MarketOptions *MarketOptions `json:"marketOptions,omitempty"`

	// cpuOptions are the CPU's cores and features. By default the instance type decides. Unless a member says
	// otherwise a change needs the instance stopped.
	// +optional
	CPUOptions *CPUOptions `json:"cpuOptions,omitempty"`

	// creditSpecification is how an instance of a burstable type (T family) pays for CPU beyond its baseline. EC2's
	// default is standard for T2 and unlimited for later ones. It can change at any time.
	// +optional
	CreditSpecification *CreditSpecification `json:"creditSpecification,omitempty"`

	// ebsOptimized gives the instance a throughput of its own to its volumes, where the instance type does not do
	// so anyway. EC2's default is that of the type. A change needs the instance stopped.
	// +optional
	EBSOptimized *bool `json:"ebsOptimized,omitempty"`

	// monitoring turns on detailed monitoring: metrics each minute instead of each five minutes. EC2's default is
	// false. It can change at any time.
	// +optional
	Monitoring *bool `json:"monitoring,omitempty"`

	// maintenance says what EC2 does about failures and planned maintenance. It can change at any time.
	// +optional
	Maintenance *Maintenance `json:"maintenance,omitempty"`

	// hibernation says whether the instance can hibernate. A change needs a new instance.
	// +optional
	Hibernation *Hibernation `json:"hibernation,omitempty"`

	// enclave says whether the instance can run Nitro Enclaves. A change needs a new instance.
	// +optional
	Enclave *Enclave `json:"enclave,omitempty"`

	// licenses are License Manager's license configurations for the instance, by ARN, 1 to 16. A change needs a new
	// instance.
	// +listType=map
	// +listMapKey=configurationARN
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Licenses []License `json:"licenses,omitempty"`

	// disableAPITermination protects the instance from being terminated, by the operator, too. EC2's default is
	// false. It can change at any time.
	// +optional
	DisableAPITermination *bool `json:"disableAPITermination,omitempty"`

	// disableAPIStop protects the instance from being stopped and terminated, by the operator, too. EC2's default is
	// false. It can change at any time.
	// +optional
	DisableAPIStop *bool `json:"disableAPIStop,omitempty"`

	// shutdownBehavior says what becomes of the instance when its own operating system shuts down: stop (EC2's
	// default) or terminate. It can change at any time.
	// +kubebuilder:validation:Enum=stop;terminate
	// +optional
	ShutdownBehavior string `json:"shutdownBehavior,omitempty"`

	// blockDevices are the instance's volumes, by device name, 1 to 32, in the place of those that the image names
	// for the same devices. Unless a member says otherwise a change needs a new instance.
	// +listType=map
	// +listMapKey=deviceName
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +optional
	BlockDevices []BlockDevice `json:"blockDevices,omitempty"`

	// keyName is the name of the EC2 key pair for SSH. A change needs a new instance.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +optional
	KeyName string `json:"keyName,omitempty"`

	// iamInstanceProfile is the IAM instance profile whose role the instance gets. It can change at any time.
	// +optional
	IAMInstanceProfile *IAMInstanceProfile `json:"iamInstanceProfile,omitempty"`

	// userData is given to the instance at its first boot, byte for byte. A change needs the instance stopped.
	// +optional
	UserData *UserData `json:"userData,omitempty"`

	// tags are the instance's tags, by key. They can change at any time. EC2 allows 50, of which the operator
	// needs four for the instance's identity and one for Name unless it is among these.
	// +listType=map
	// +listMapKey=key
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=46
	// +kubebuilder:validation:XValidation:rule="self.size() <= 45 || self.exists(t, t.key == 'Name')",message="must hold at most 45 tags, or 46 with Name among them: EC2 allows 50 and the operator adds its own"
	// +optional
	Tags []Tag `json:"tags,omitempty"`

	// propagateTags puts the instance's tags, the operator's among them, also on the volumes and network interfaces
	// that its launch makes. It defaults to false and can change at any time, for later launches: what exists keeps
	// the tags that it has.
	// +optional
	PropagateTags *bool `json:"propagateTags,omitempty"`

	// metadataOptions are the options of the instance metadata service (IMDS). They can change at any time.
	// +kubebuilder:default={httpTokens: "required"}
	// +optional
	MetadataOptions MetadataOptions `json:"metadataOptions,omitzero"`

	// powerState is the power state to keep the instance in: Running (the default), Stopped or Hibernated, for which
	// hibernation.configured must be true. It can change at any time.
	// +kubebuilder:default=Running
	// +optional
	PowerState PowerState `json:"powerState,omitempty"`

	// rebootRequestedAt reboots the instance once, if it runs and the time is later than status.lastRebootTime. It
	// can change at any time.
	// +optional
	RebootRequestedAt *metav1.Time `json:"rebootRequestedAt,omitempty"`

	// recreatePolicy says what happens when the instance was terminated by somebody else: Always (the default)
	// launches another one, after a pause that grows; Never leaves it at that. It can change at any time.
	// +kubebuilder:default=Always
	// +optional
	RecreatePolicy RecreatePolicy `json:"recreatePolicy,omitempty"`

	// deletionPolicy says what happens to the instance when this object is deleted: Terminate (the default),
	// Stop, or Retain, which leaves it as it is. It can change at any time.
	// +kubebuilder:default=Terminate
	// +optional
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// protectionPolicy says what the deletion of this object does about an instance that is protected from being
	// terminated or stopped: Respect (the default) waits until somebody lifts the protection; Lift lifts it. It can
	// change at any time.
	// +kubebuilder:default=Respect
	// +optional
	ProtectionPolicy ProtectionPolicy `json:"protectionPolicy,omitempty"`

	// managementPolicy is Manage (the default) or Observe: the operator reads and reports, and never changes
	// anything in EC2, also when this object is deleted. It can change at any time.
	// +kubebuilder:default=Manage
	// +optional
	ManagementPolicy ManagementPolicy `json:"managementPolicy,omitempty"`

	// adopt takes over an instance that exists instead of launching one. It cannot change, be added or be removed.
	// +optional
	Adopt *Adopt `json:"adopt,omitempty"`

	// updatePolicy says how disruptive a change of the instance may be that is made without asking. It can change at
	// any time.
	// +kubebuilder:default={allow: "InPlace"}
	// +optional
	UpdatePolicy UpdatePolicy `json:"updatePolicy,omitzero"`

	// ignore names what other tools may add to the instance. It can change at any time.
	// +optional
	Ignore *Ignore `json:"ignore,omitempty"`

	// suspend keeps the operator, while true, from changing anything in EC2 for this object; it goes on
	// observing, and deletion still works. It defaults to false and can change at any time.
	// +optional
	Suspend *bool `json:"suspend,omitempty"`

	// expose makes a Service that leads to the instance, with the EndpointSlices that it needs. An endpoint is
	// ready while the instance runs and is reachable. It can change, be added or be removed at any time; the
	// Service is deleted with this object, and when expose is removed.
	// +optional
	Expose *Expose `json:"expose,omitempty"`

	// connection makes a ConfigMap that tells where the instance is: its id, addresses, names and zone. It can
	// change, be added or be removed at any time; the ConfigMap is deleted with this object, and when connection
	// is removed.
	// +optional
	Connection *Connection `json:"connection,omitempty"`
}

// AccountReference names an EC2Account.
type AccountReference struct {
	// name of the EC2Account. It defaults to "default" and cannot change.
	// +kubebuilder:default="default"
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be an object's name: lower case letters, digits, - and . , with a letter or digit at each end"
	// +optional
	Name string `json:"name,omitempty"`
}

// Image is an Amazon Machine Image, by id or by the SSM parameter that names it.
// It is one choice and so has one owner: an applier that forces takes it whole.
//
// +structType=atomic
// +kubebuilder:validation:XValidation:rule="has(self.id) != has(self.ssmParameter)",message="must set exactly one of id and ssmParameter"
type Image struct {
	// id of the image, such as ami-0123456789abcdef0.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^ami-[0-9a-f]{8,17}$')",message="must be an image id: ami- and 8 to 17 hexadecimal digits"
	// +optional
	ID string `json:"id,omitempty"`

	// ssmParameter is the name of the Systems Manager parameter that holds the image id, such as
	// /aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64. It is resolved once per launch and
	// the result is in status.imageID; a later change of the parameter's value changes nothing here.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9_.:/-]+$')",message="must be the name of a Systems Manager parameter: letters, digits and _ . - / :"
	// +optional
	SSMParameter string `json:"ssmParameter,omitempty"`
}

// IAMInstanceProfile is an IAM instance profile, by name or by ARN.
// It is one choice and so has one owner: an applier that forces takes it whole.
//
// +structType=atomic
// +kubebuilder:validation:XValidation:rule="has(self.name) != has(self.arn)",message="must set exactly one of name and arn"
type IAMInstanceProfile struct {
	// name of the instance profile.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9+=,.@_-]+$')",message="must be the name of an instance profile: letters, digits and + = , . @ _ -"
	// +optional
	Name string `json:"name,omitempty"`

	// arn of the instance profile.
	// +kubebuilder:validation:MinLength=20
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:[a-z0-9-]+:iam::[0-9]{12}:instance-profile/.+$')",message="must be the ARN of an instance profile: arn:PARTITION:iam::ACCOUNT:instance-profile/NAME"
	// +optional
	ARN string `json:"arn,omitempty"`
}

// UserData is where an instance's user data comes from. EC2 takes at most 16384 bytes.
// It is one choice and so has one owner: an applier that forces takes it whole.
//
// +structType=atomic
// +kubebuilder:validation:XValidation:rule="[has(self.inline), has(self.secretKeyRef), has(self.configMapKeyRef)].filter(x, x).size() == 1",message="must set exactly one of inline, secretKeyRef and configMapKeyRef"
type UserData struct {
	// inline is the user data itself, as text.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=16384
	// +kubebuilder:validation:XValidation:rule="bytes(self).size() <= 16384",message="must be at most 16384 bytes: EC2's limit"
	// +optional
	Inline string `json:"inline,omitempty"`

	// secretKeyRef is the key of a Secret in the same namespace whose bytes are the user data.
	// +optional
	SecretKeyRef *KeyReference `json:"secretKeyRef,omitempty"`

	// configMapKeyRef is the key of a ConfigMap in the same namespace whose bytes are the user data.
	// +optional
	ConfigMapKeyRef *KeyReference `json:"configMapKeyRef,omitempty"`
}

// KeyReference is a key of a Secret or ConfigMap in the object's own namespace. It is not corev1's
// SecretKeySelector, whose defaulted name inside an atomic struct makes two appliers of the same value conflict.
type KeyReference struct {
	// name of the Secret or ConfigMap.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be an object's name: lower case letters, digits, - and . , with a letter or digit at each end"
	// +required
	Name string `json:"name,omitempty"`

	// key whose value is taken.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-._a-zA-Z0-9]+$')",message="must be a key of a Secret or ConfigMap: letters, digits and - . _"
	// +required
	Key string `json:"key,omitempty"`
}

// Tag is a tag of an instance.
type Tag struct {
	// key of the tag; case-sensitive.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="!self.lowerAscii().startsWith('aws:')",message="must not begin with aws: which AWS keeps for itself"
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('ec2.fieldowner.dev/')",message="must not begin with ec2.fieldowner.dev/ which the operator keeps for the instance's identity"
	// +required
	Key string `json:"key,omitempty"`

	// value of the tag; it may be empty.
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=256
	// +required
	Value *string `json:"value,omitempty"`
}

// MetadataOptions are the options of the instance metadata service. What is not set is EC2's to choose and is
// never drift.
type MetadataOptions struct {
	// httpTokens is required (the default: IMDSv2 only) or optional.
	// +kubebuilder:default=required
	// +kubebuilder:validation:Enum=required;optional
	// +optional
	HTTPTokens string `json:"httpTokens,omitempty"`

	// httpEndpoint is enabled or disabled.
	// +kubebuilder:validation:Enum=enabled;disabled
	// +optional
	HTTPEndpoint string `json:"httpEndpoint,omitempty"`

	// httpPutResponseHopLimit is how many network hops the answer to a token request may take, 1 to 64.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	// +optional
	HTTPPutResponseHopLimit *int32 `json:"httpPutResponseHopLimit,omitempty"`

	// httpProtocolIPv6 is enabled or disabled: the service's IPv6 endpoint.
	// +kubebuilder:validation:Enum=enabled;disabled
	// +optional
	HTTPProtocolIPv6 string `json:"httpProtocolIPv6,omitempty"`

	// instanceMetadataTags can only be disabled: EC2 refuses tags with a slash in their key while an instance can
	// read its tags from the metadata service, and the keys of the instance's identity have one.
	// +kubebuilder:validation:Enum=enabled;disabled
	// +kubebuilder:validation:XValidation:rule="self != 'enabled'",message="must be disabled: EC2 refuses keys with a slash, which the tags of the instance's identity have, while its tags are in its metadata"
	// +optional
	InstanceMetadataTags string `json:"instanceMetadataTags,omitempty"`
}
