// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1

// NetworkInterface is a network interface of an instance: a new one, which goes with the instance unless
// deleteOnTermination says otherwise, or one that exists.
//
// +kubebuilder:validation:XValidation:rule="!has(self.networkInterfaceID) || ![has(self.subnetID), has(self.securityGroupIDs), has(self.privateIPAddress), has(self.ipv6AddressCount), has(self.associatePublicIPAddress), has(self.sourceDestCheck), has(self.deleteOnTermination), has(self.description)].exists(x, x)",message="must set nothing but deviceIndex and networkCardIndex beside networkInterfaceID: an existing network interface keeps what it has"
// +kubebuilder:validation:XValidation:rule="self.deviceIndex != 0 || !has(self.networkCardIndex) || self.networkCardIndex == 0",message="must be 0, or not be set, for the primary network interface, whose deviceIndex is 0: EC2's rule",fieldPath=".networkCardIndex"
type NetworkInterface struct {
	// deviceIndex is the network interface's place on the instance, 0 to 15; 0 is the primary one.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=15
	// +required
	DeviceIndex *int32 `json:"deviceIndex,omitempty"`

	// networkCardIndex is the network card of an instance type that has several, 0 (the default) to 63. A change
	// needs a new instance.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=63
	// +optional
	NetworkCardIndex *int32 `json:"networkCardIndex,omitempty"`

	// networkInterfaceID is an existing network interface, which outlives the instance. It excludes all that makes a
	// new one. A change needs a new instance.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^eni-[0-9a-f]{8,17}$')",message="must be a network interface id: eni- and 8 to 17 hexadecimal digits"
	// +optional
	NetworkInterfaceID string `json:"networkInterfaceID,omitempty"`

	// subnetID is the subnet. By default EC2 chooses a default subnet of the default VPC. A change needs a new
	// instance.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^subnet-[0-9a-f]{8,17}$')",message="must be a subnet id: subnet- and 8 to 17 hexadecimal digits"
	// +optional
	SubnetID string `json:"subnetID,omitempty"`

	// securityGroupIDs are the security groups, 1 to 16. By default EC2 uses the VPC's default group. They can
	// change at any time.
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

	// ipv6AddressCount is how many IPv6 addresses, from the subnet's range, the interface gets, 1 to 128; the
	// instance type may allow fewer. By default the subnet decides. A change needs a new instance.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=128
	// +optional
	IPv6AddressCount int32 `json:"ipv6AddressCount,omitempty"`

	// associatePublicIPAddress says whether the interface gets a public IPv4 address. It can be set only where there
	// is no other interface. By default the subnet decides. A change needs a new instance.
	// +optional
	AssociatePublicIPAddress *bool `json:"associatePublicIPAddress,omitempty"`

	// sourceDestCheck has EC2 drop what is neither from nor for the instance. EC2's default is true. It is set right
	// after the launch and can change at any time.
	// +optional
	SourceDestCheck *bool `json:"sourceDestCheck,omitempty"`

	// deleteOnTermination says whether the interface goes with the instance. EC2's default is true for a new one. A
	// change needs a new instance.
	// +optional
	DeleteOnTermination *bool `json:"deleteOnTermination,omitempty"`

	// description of the interface; by default it has none. A change needs a new instance.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +optional
	Description string `json:"description,omitempty"`
}

// PrivateDNSNameOptions say which names an instance has in its VPC. What is not set is the subnet's to choose and is
// never drift.
type PrivateDNSNameOptions struct {
	// hostnameType is ip-name, a name made of the IPv4 address, or resource-name, one made of the instance's id. A
	// change needs the instance stopped.
	// +kubebuilder:validation:Enum=ip-name;resource-name
	// +optional
	HostnameType string `json:"hostnameType,omitempty"`

	// enableResourceNameDNSARecord has the resource name answer with the IPv4 address. It can change at any time.
	// +optional
	EnableResourceNameDNSARecord *bool `json:"enableResourceNameDNSARecord,omitempty"`

	// enableResourceNameDNSAAAARecord has the resource name answer with the IPv6 address. It can change at any time.
	// +optional
	EnableResourceNameDNSAAAARecord *bool `json:"enableResourceNameDNSAAAARecord,omitempty"`
}
