// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1

// Expose has the operator keep a Service that leads to the instance. The Service has no selector: the operator keeps an
// EndpointSlice for each family of the instance's addresses beside it.
type Expose struct {
	// serviceName is the name of the Service, and the beginning of its EndpointSlices' names. A Service of that
	// name that is not this object's is left alone, and Ready says so. It can change at any time; the Service of
	// the old name is then given up.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="must be a Service's name: lower case letters, digits and -, with a letter first and a letter or digit last"
	// +required
	ServiceName string `json:"serviceName,omitempty"`

	// ports of the Service, by name, 1 to 32. They can change at any time. Ports that others add to the Service
	// itself stay, and lead to the instance, too, if their targetPort is a number.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(p, self.exists_one(q, q.port == p.port && q.protocol == p.protocol))",message="must use each port at most once for a protocol"
	// +required
	Ports []ExposePort `json:"ports,omitempty"`

	// type of the Service: ClusterIP (the default), NodePort or LoadBalancer. It can change at any time.
	// +kubebuilder:default=ClusterIP
	// +optional
	Type ExposeType `json:"type,omitempty"`
}

// ExposePort is a port of the Service.
type ExposePort struct {
	// name of the port.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="must be a port's name: lower case letters, digits and -, with a letter or digit at each end"
	// +required
	Name string `json:"name,omitempty"`

	// port that the Service listens at, 1 to 65535. It can change at any time.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +required
	Port int32 `json:"port,omitempty"`

	// protocol is TCP (the default), UDP or SCTP. It can change at any time.
	// +kubebuilder:default=TCP
	// +optional
	Protocol ExposeProtocol `json:"protocol,omitempty"`

	// targetPort is the port that the instance listens at, 1 to 65535; by default the same as port. It can change
	// at any time.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	// +optional
	TargetPort int32 `json:"targetPort,omitempty"`
}

// ExposeType is a type of Service.
// +kubebuilder:validation:Enum=ClusterIP;NodePort;LoadBalancer
type ExposeType string

// The types of Service.
const (
	ExposeClusterIP    ExposeType = "ClusterIP"
	ExposeNodePort     ExposeType = "NodePort"
	ExposeLoadBalancer ExposeType = "LoadBalancer"
)

// ExposeProtocol is a protocol of a Service's port.
// +kubebuilder:validation:Enum=TCP;UDP;SCTP
type ExposeProtocol string

// The protocols of a Service's port.
const (
	ExposeTCP  ExposeProtocol = "TCP"
	ExposeUDP  ExposeProtocol = "UDP"
	ExposeSCTP ExposeProtocol = "SCTP"
)

// Connection has the operator keep a ConfigMap with what a client needs to reach the instance: instanceID, region,
// availabilityZone, privateIPAddress, publicIPAddress, ipv6Addresses (with a comma between them), privateDNSName and
// publicDNSName. A key whose value is not known is absent.
type Connection struct {
	// configMapName is the name of the ConfigMap. A ConfigMap of that name that is not this object's is left
	// alone, and Ready says so. It can change at any time; the ConfigMap of the old name is then given up.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be an object's name: lower case letters, digits, - and . , with a letter or digit at each end"
	// +required
	ConfigMapName string `json:"configMapName,omitempty"`
}
