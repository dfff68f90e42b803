// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package children

import (
	"slices"
	"strings"

	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
)

// The keys of the ConfigMap are part of the API.
const (
	KeyInstanceID       = "instanceID"
	KeyRegion           = "region"
	KeyAvailabilityZone = "availabilityZone"
	KeyPrivateIPAddress = "privateIPAddress"
	KeyPublicIPAddress  = "publicIPAddress"
	KeyIPv6Addresses    = "ipv6Addresses"
	KeyPrivateDNSName   = "privateDNSName"
	KeyPublicDNSName    = "publicDNSName"
)

// ConfigMap is the ConfigMap that spec.connection asks for, without a guard; nil when it asks for none. What is not
// known has no key.
func (p Parent) ConfigMap() *corev1ac.ConfigMapApplyConfiguration {
	if p.Connection == nil {
		return nil
	}
	out := corev1ac.ConfigMap(p.Connection.ConfigMapName, p.Namespace).
		WithLabels(p.labels()).
		WithOwnerReferences(p.owner())
	if data := p.Instance.connection(); len(data) > 0 {
		out.WithData(data)
	}
	return out
}

func (i Instance) connection() map[string]string {
	data := map[string]string{}
	for key, value := range map[string]string{
		KeyInstanceID:       i.ID,
		KeyRegion:           i.Region,
		KeyAvailabilityZone: i.Zone,
		KeyPrivateIPAddress: i.PrivateIPv4,
		KeyPublicIPAddress:  i.PublicIPv4,
		KeyIPv6Addresses:    strings.Join(slices.Compact(slices.Sorted(slices.Values(i.IPv6))), ","),
		KeyPrivateDNSName:   i.PrivateDNS,
		KeyPublicDNSName:    i.PublicDNS,
	} {
		if value != "" {
			data[key] = value
		}
	}
	return data
}
