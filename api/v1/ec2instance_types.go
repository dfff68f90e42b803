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

// EC2InstanceSpec is what an instance shall be.
//
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

	// image is the Amazon Machine Image to launch from. A change needs a new instance.
	// +required
	Image Image `json:"image,omitzero"`

	// instanceType is EC2's instance type, such as t3.micro. A change needs the instance stopped.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9-]+[.][a-z0-9-]+$')",message="must be an EC2 instance type such as t3.micro"
	// +required
	InstanceType string `json:"instanceType,omitempty"`

	// subnetID is the subnet of the instance's first network interface. When it is not set EC2 chooses a
	// default subnet of the default VPC. A change needs a new instance.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^subnet-[0-9a-f]{8,17}$')",message="must be a subnet id: subnet- and 8 to 17 hexadecimal digits"
	// +optional
	SubnetID string `json:"subnetID,omitempty"`

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

	// metadataOptions are the options of the instance metadata service (IMDS). They can change at any time.
	// +kubebuilder:default={httpTokens: "required"}
	// +optional
	MetadataOptions MetadataOptions `json:"metadataOptions,omitzero"`

	// powerState is the power state to keep the instance in: Running (the default) or Stopped. It can change at
	// any time.
	// +kubebuilder:default=Running
	// +optional
	PowerState PowerState `json:"powerState,omitempty"`

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

// PowerState is a power state to keep an instance in.
// +kubebuilder:validation:Enum=Running;Stopped
type PowerState string

// The power states.
const (
	PowerStateRunning PowerState = "Running"
	PowerStateStopped PowerState = "Stopped"
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
