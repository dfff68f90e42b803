// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func defaultEndpointSlice(e *discoveryv1.EndpointSlice) {
	for i := range e.Ports {
		if e.Ports[i].Name == nil {
			e.Ports[i].Name = new("")
		}
		if e.Ports[i].Protocol == nil {
			e.Ports[i].Protocol = new(corev1.ProtocolTCP)
		}
	}
}

// dropEmptyLists: what is stored does not tell an empty list from none.
func dropEmptyLists(e *discoveryv1.EndpointSlice) {
	if len(e.Endpoints) == 0 {
		e.Endpoints = nil
	}
	if len(e.Ports) == 0 {
		e.Ports = nil
	}
	for i := range e.Endpoints {
		if len(e.Endpoints[i].Addresses) == 0 {
			e.Endpoints[i].Addresses = nil
		}
	}
}

func endpointSliceRules() rules {
	return rules{
		names:          metavalidation.NameIsDNSSubdomain,
		prepareNew:     on(func(e *discoveryv1.EndpointSlice) { e.Generation = 1; dropTopology(e) }),
		prepareChanged: onTwo(prepareEndpointSlice),
		check:          checking(checkEndpointSlice),
	}
}

// prepareEndpointSlice counts changes of labels and of anything but metadata.
func prepareEndpointSlice(e, old *discoveryv1.EndpointSlice) {
	a, b := *e, *old
	a.ObjectMeta, b.ObjectMeta = metav1.ObjectMeta{}, metav1.ObjectMeta{}
	if !equality.Semantic.DeepEqual(a, b) || !equality.Semantic.DeepEqual(e.Labels, old.Labels) {
		e.Generation = old.Generation + 1
	}
	dropTopology(e)
}

func dropTopology(e *discoveryv1.EndpointSlice) {
	for i := range e.Endpoints {
		e.Endpoints[i].DeprecatedTopology = nil
	}
}

var addressTypes = []discoveryv1.AddressType{discoveryv1.AddressTypeFQDN, discoveryv1.AddressTypeIPv4, discoveryv1.AddressTypeIPv6}

func checkEndpointSlice(e, old *discoveryv1.EndpointSlice) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("addressType")
	switch {
	case e.AddressType == "":
		errs = append(errs, field.Required(path, ""))
	case !slices.Contains(addressTypes, e.AddressType):
		errs = append(errs, field.NotSupported(path, e.AddressType, addressTypes))
	}
	if old != nil && e.AddressType != old.AddressType {
		errs = append(errs, field.Invalid(path, nil, metavalidation.FieldImmutableErrorMsg))
	}
	errs = append(errs, checkEndpointPorts(e.Ports, field.NewPath("ports"))...)
	if old != nil && equality.Semantic.DeepEqual(e.Endpoints, old.Endpoints) {
		return errs
	}
	for i, endpoint := range e.Endpoints {
		errs = append(errs, checkAddresses(endpoint.Addresses, e.AddressType, field.NewPath("endpoints").Index(i).Child("addresses"))...)
	}
	return errs
}

func checkEndpointPorts(ports []discoveryv1.EndpointPort, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, p := range ports {
		at := path.Index(i)
		if *p.Name != "" {
			for _, message := range validation.IsDNS1123Label(*p.Name) {
				errs = append(errs, field.Invalid(at.Child("name"), *p.Name, message))
			}
		}
		if seen[*p.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), p.Name))
		}
		seen[*p.Name] = true
		if !slices.Contains(protocols, *p.Protocol) {
			errs = append(errs, field.NotSupported(at.Child("protocol"), *p.Protocol, protocols))
		}
	}
	return errs
}

func checkAddresses(addresses []string, family discoveryv1.AddressType, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(addresses) == 0 {
		errs = append(errs, field.Required(path, ""))
	}
	for i, address := range addresses {
		parsed, err := netip.ParseAddr(address)
		switch {
		case family == discoveryv1.AddressTypeFQDN:
			errs = append(errs, validation.IsFullyQualifiedDomainName(path.Index(i), address)...)
		case family != discoveryv1.AddressTypeIPv4 && family != discoveryv1.AddressTypeIPv6:
		case err != nil:
			errs = append(errs, field.Invalid(path.Index(i), address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)").WithOrigin("format=ip-sloppy"))
		case family == discoveryv1.AddressTypeIPv4 && !parsed.Is4():
			errs = append(errs, field.Invalid(path, address, "must be an IPv4 address"))
		case family == discoveryv1.AddressTypeIPv6 && !parsed.Is6():
			errs = append(errs, field.Invalid(path, address, "must be an IPv6 address"))
		}
	}
	return errs
}
