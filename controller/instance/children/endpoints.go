// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package children

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	discoveryv1ac "k8s.io/client-go/applyconfigurations/discovery/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// Family is a family of addresses. An EndpointSlice holds those of one.
type Family struct {
	// Type is the slices' addressType, and Suffix the end of their names.
	Type   discoveryv1.AddressType
	Suffix string
	// in tells whether an address is of the family.
	in func(netip.Addr) bool
	// of are the addresses of an instance that may be of the family.
	of func(Instance) []string
}

// The families.
var (
	IPv4 = Family{
		Type: discoveryv1.AddressTypeIPv4, Suffix: "-ipv4", in: netip.Addr.Is4,
		of: func(i Instance) []string { return []string{i.PrivateIPv4} },
	}
	IPv6 = Family{
		Type: discoveryv1.AddressTypeIPv6, Suffix: "-ipv6", in: func(a netip.Addr) bool { return a.Is6() && !a.Is4In6() },
		of: func(i Instance) []string { return i.IPv6 },
	}
)

// SliceName is the name of a family's EndpointSlice.
func SliceName(service string, family Family) string { return service + family.Suffix }

// HasAddress tells whether the instance has an address of a family, and so an endpoint in its slice.
func (p Parent) HasAddress(family Family) bool { return address(p.Instance, family) != "" }

// Slice is the EndpointSlice of one family behind the Service, without a guard. ports are those of the Service as it
// is, so that ports which others have added to it lead to the instance, too. Without an instance it has no
// endpoints.
func (p Parent) Slice(family Family, ports []corev1.ServicePort) *discoveryv1ac.EndpointSliceApplyConfiguration {
	if p.Expose == nil {
		return nil
	}
	labels := p.labels()
	labels[discoveryv1.LabelServiceName] = p.Expose.ServiceName
	labels[discoveryv1.LabelManagedBy] = ec2v1.EndpointSliceManager
	slice := discoveryv1ac.EndpointSlice(SliceName(p.Expose.ServiceName, family), p.Namespace).
		WithLabels(labels).
		WithOwnerReferences(p.owner()).
		WithAddressType(family.Type).
		WithPorts(slicePorts(ports)...)
	if at := address(p.Instance, family); at != "" {
		slice.WithEndpoints(p.endpoint(at))
	}
	return slice
}

// endpoint is the instance behind one address. Serving is what EC2 says of it; as with Pods, an endpoint that is
// terminating is not ready, while it may serve until it has ended.
func (p Parent) endpoint(at string) *discoveryv1ac.EndpointApplyConfiguration {
	terminating := p.Deleting || p.Instance.Ending
	endpoint := discoveryv1ac.Endpoint().
		WithAddresses(at).
		WithConditions(discoveryv1ac.EndpointConditions().
			WithReady(p.Instance.Serving && !terminating).
			WithServing(p.Instance.Serving).
			WithTerminating(terminating)).
		WithTargetRef(corev1ac.ObjectReference().
			WithAPIVersion(ec2v1.SchemeGroupVersion.String()).
			WithKind(kindParent).
			WithNamespace(p.Namespace).
			WithName(p.Name).
			WithUID(p.UID))
	if p.Instance.Zone != "" {
		endpoint.WithZone(p.Instance.Zone)
	}
	return endpoint
}

// address is the first address of a family that an endpoint may have, in canonical form. An endpoint has one:
// Kubernetes gives no meaning to further ones.
func address(i Instance, family Family) string {
	for _, text := range family.of(i) {
		if a, err := netip.ParseAddr(text); err == nil && family.in(a) && a.IsGlobalUnicast() {
			return a.String()
		}
	}
	return ""
}

// slicePorts lead each port of the Service to its target. A target that is a name would be looked up in a Pod's
// containers: there are none, so such a port leads nowhere.
func slicePorts(ports []corev1.ServicePort) []*discoveryv1ac.EndpointPortApplyConfiguration {
	ports = slices.Clone(ports)
	ports = slices.DeleteFunc(ports, func(port corev1.ServicePort) bool { return port.TargetPort.Type != intstr.Int })
	slices.SortFunc(ports, func(a, b corev1.ServicePort) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Port, b.Port), cmp.Compare(a.Protocol, b.Protocol))
	})
	ports = slices.CompactFunc(ports, func(a, b corev1.ServicePort) bool { return a.Name == b.Name })
	out := make([]*discoveryv1ac.EndpointPortApplyConfiguration, 0, len(ports))
	for _, port := range ports {
		to := discoveryv1ac.EndpointPort().
			WithName(port.Name).
			WithProtocol(cmp.Or(port.Protocol, corev1.ProtocolTCP)).
			WithPort(cmp.Or(port.TargetPort.IntVal, port.Port))
		if port.AppProtocol != nil {
			to.WithAppProtocol(*port.AppProtocol)
		}
		out = append(out, to)
	}
	return out
}
