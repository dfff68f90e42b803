// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EC2Account is an AWS account as EC2Instances use it: credentials, Region and who may use them.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=ec2acct,categories=aws
// +kubebuilder:printcolumn:name="Account",type=string,JSONPath=`.status.accountID`
// +kubebuilder:printcolumn:name="Region",type=string,JSONPath=`.spec.region`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Role",type=string,JSONPath=`.spec.credentials.assumeRole.roleARN`,priority=1
type EC2Account struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is how the account is reached and who may use it.
	// +required
	Spec EC2AccountSpec `json:"spec,omitzero"`

	// status is what the operator knows of the account. Until the operator's first visit observedGeneration is -1,
	// so that tools which know kstatus do not take a new object for one that is ready.
	// +kubebuilder:default={"observedGeneration":-1}
	// +optional
	Status EC2AccountStatus `json:"status,omitzero"`
}

// EC2AccountList is a list of EC2Accounts.
//
// +kubebuilder:object:root=true
type EC2AccountList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []EC2Account `json:"items"`
}

// EC2AccountSpec is how an AWS account is reached and who may use it.
type EC2AccountSpec struct {
	// region is the AWS Region of EC2Instances that name none, such as eu-central-1. It cannot change, since
	// their instances could no longer be found.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]{2,4}(-[a-z]+)+-[0-9]+$')",message="must be an AWS Region such as eu-central-1"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="must not change after creation: instances launched there could no longer be found; create another EC2Account instead"
	// +required
	Region string `json:"region,omitempty"`

	// credentials are how the operator signs its calls. When they are not set the SDK's default chain is used.
	// They can change at any time.
	// +optional
	Credentials *Credentials `json:"credentials,omitempty"`

	// endpoints replace AWS's own, for VPC endpoints and emulators. They can change at any time.
	// +optional
	Endpoints *Endpoints `json:"endpoints,omitempty"`

	// allowedNamespaces selects by label the namespaces whose EC2Instances may use this account; {} selects
	// all. When it is not set they are the operator's own and those labeled
	// ec2.fieldowner.dev/account=NAME. It can change at any time.
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn', 'Exists', 'DoesNotExist'])",message="must use the operators In, NotIn, Exists and DoesNotExist",fieldPath=".matchExpressions"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, (e.operator in ['In', 'NotIn']) == (has(e.values) && e.values.size() > 0))",message="must give values with In and NotIn, and none with Exists and DoesNotExist",fieldPath=".matchExpressions"
	// +optional
	AllowedNamespaces *metav1.LabelSelector `json:"allowedNamespaces,omitempty"`

	// pollIntervalSeconds is how often all instances of this account are listed, in seconds, 10 to 3600; by
	// default 60. Instances in motion are looked at much more often. It can change at any time.
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=3600
	// +optional
	PollIntervalSeconds int32 `json:"pollIntervalSeconds,omitempty"`
}

// Credentials are how calls to AWS are signed. They are one choice and so have one owner: an applier that forces takes
// them whole.
//
// +structType=atomic
// +kubebuilder:validation:XValidation:rule="has(self.default) != has(self.assumeRole)",message="must set exactly one of default and assumeRole"
type Credentials struct {
	// default takes the credentials that the SDK finds in the operator's own environment: variables, IRSA, EKS
	// Pod Identity, a shared profile, or the instance's role.
	// +optional
	Default *DefaultCredentials `json:"default,omitempty"`

	// assumeRole takes on an IAM role with the operator's own credentials.
	// +optional
	AssumeRole *AssumeRoleCredentials `json:"assumeRole,omitempty"`
}

// DefaultCredentials has no settings: its presence is the choice.
type DefaultCredentials struct{}

// AssumeRoleCredentials take on an IAM role.
type AssumeRoleCredentials struct {
	// roleARN is the ARN of the role.
	// +kubebuilder:validation:MinLength=20
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^arn:[a-z0-9-]+:iam::[0-9]{12}:role/.+$')",message="must be the ARN of a role: arn:PARTITION:iam::ACCOUNT:role/NAME"
	// +required
	RoleARN string `json:"roleARN,omitempty"`

	// externalID is what the role's trust policy asks for, if it does.
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=1224
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9_+=,.@:/-]+$')",message="must be of letters, digits and _ + = , . @ : / -"
	// +optional
	ExternalID string `json:"externalID,omitempty"`

	// sessionTags are passed to the role's session, by key.
	// +listType=map
	// +listMapKey=key
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=50
	// +optional
	SessionTags []SessionTag `json:"sessionTags,omitempty"`
}

// SessionTag is a tag of a role's session.
type SessionTag struct {
	// key of the tag.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +required
	Key string `json:"key,omitempty"`

	// value of the tag; it may be empty.
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=256
	// +required
	Value *string `json:"value,omitempty"`
}

// Endpoints replace AWS's own. What is not set is taken from the SDK's environment, then from AWS.
type Endpoints struct {
	// ec2 is the URL of EC2's endpoint.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="isURL(self) && url(self).getScheme() in ['http', 'https'] && url(self).getHostname() != ''",message="must be an http or https URL with a host, such as https://ec2.eu-central-1.amazonaws.com"
	// +optional
	EC2 string `json:"ec2,omitempty"`

	// sts is the URL of STS's endpoint.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="isURL(self) && url(self).getScheme() in ['http', 'https'] && url(self).getHostname() != ''",message="must be an http or https URL with a host, such as https://ec2.eu-central-1.amazonaws.com"
	// +optional
	STS string `json:"sts,omitempty"`

	// ssm is the URL of Systems Manager's endpoint.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="isURL(self) && url(self).getScheme() in ['http', 'https'] && url(self).getHostname() != ''",message="must be an http or https URL with a host, such as https://ec2.eu-central-1.amazonaws.com"
	// +optional
	SSM string `json:"ssm,omitempty"`

	// sqs is the URL of SQS's endpoint.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="isURL(self) && url(self).getScheme() in ['http', 'https'] && url(self).getHostname() != ''",message="must be an http or https URL with a host, such as https://ec2.eu-central-1.amazonaws.com"
	// +optional
	SQS string `json:"sqs,omitempty"`
}

// EC2AccountStatus is what the operator knows of an account.
type EC2AccountStatus struct {
	// conditions of the account, by type: Ready and Throttled.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the generation of spec that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// accountID is the AWS account that the credentials belong to, 12 digits.
	// +kubebuilder:validation:MaxLength=12
	// +optional
	AccountID string `json:"accountID,omitempty"`

	// instances counts this cluster's instances in the account, by EC2's word for their state.
	// +listType=map
	// +listMapKey=state
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Instances []InstanceCount `json:"instances,omitempty"`
}

// InstanceCount counts instances in one state.
type InstanceCount struct {
	// state is EC2's word.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +required
	State string `json:"state,omitempty"`

	// count of the instances in that state.
	// +kubebuilder:validation:Minimum=0
	// +required
	Count *int32 `json:"count,omitempty"`
}
