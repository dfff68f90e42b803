// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package children

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	discoveryv1ac "k8s.io/client-go/applyconfigurations/discovery/v1"
	"pgregory.net/rapid"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

func aPort(t *rapid.T) ec2v1.ExposePort {
	return ec2v1.ExposePort{
		Name:       rapid.StringMatching(`[a-c]`).Draw(t, "name"),
		Port:       rapid.Int32Range(1, 3).Draw(t, "port"),
		Protocol:   rapid.SampledFrom([]ec2v1.ExposeProtocol{"", ec2v1.ExposeTCP, ec2v1.ExposeUDP}).Draw(t, "protocol"),
		TargetPort: rapid.Int32Range(0, 2).Draw(t, "target"),
	}
}

func aServicePort(t *rapid.T) corev1.ServicePort {
	return corev1.ServicePort{
		Name:       rapid.StringMatching(`[a-c]?`).Draw(t, "name"),
		Port:       rapid.Int32Range(1, 3).Draw(t, "port"),
		Protocol:   rapid.SampledFrom([]corev1.Protocol{"", corev1.ProtocolTCP, corev1.ProtocolUDP}).Draw(t, "protocol"),
		TargetPort: rapid.SampledFrom([]intstr.IntOrString{{}, intstr.FromInt32(2), intstr.FromString("name")}).Draw(t, "target"),
	}
}

func anAddress(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "10.0.0.1", "10.0.0.2", "2001:db8::1", "2001:DB8::2", "fe80::1%eth0", "::ffff:10.0.0.1", "x"}).Draw(t, "address")
}

func aParent(t *rapid.T) Parent {
	p := Parent{
		Namespace: "team", Name: rapid.StringMatching(`[a-z]{1,100}`).Draw(t, "parent"),
		UID:      types.UID(rapid.StringMatching(`[0-9a-f]{8}`).Draw(t, "uid")),
		Deleting: rapid.Bool().Draw(t, "deleting"),
		Instance: Instance{
			ID: rapid.SampledFrom([]string{"", "i-1"}).Draw(t, "id"), Zone: rapid.SampledFrom([]string{"", "eu-central-1a"}).Draw(t, "zone"),
			PrivateIPv4: anAddress(t), PublicIPv4: anAddress(t), IPv6: rapid.SliceOfN(rapid.Custom(anAddress), 0, 4).Draw(t, "ipv6"),
			Serving: rapid.Bool().Draw(t, "serving"), Ending: rapid.Bool().Draw(t, "ending"),
		},
		Connection: &ec2v1.Connection{ConfigMapName: "connection"},
	}
	p.Expose = &ec2v1.Expose{
		ServiceName: "web", Type: rapid.SampledFrom([]ec2v1.ExposeType{"", ec2v1.ExposeLoadBalancer}).Draw(t, "type"),
		Ports: rapid.SliceOfN(rapid.Custom(aPort), 0, 6).Draw(t, "ports"),
	}
	return p
}

func bytesOf(t *rapid.T, configs ...any) string {
	t.Helper()
	out, err := json.Marshal(configs)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Whatever is given, lists are sorted and hold nothing twice, the same is built of the same in any order, and what
// was given is not changed.
func TestChildrenAreBuiltTheSameOfTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := aParent(t)
		ports := rapid.SliceOfN(rapid.Custom(aServicePort), 0, 6).Draw(t, "service ports")
		before := bytesOf(t, p, ports)
		build := func(p Parent, ports []corev1.ServicePort) string {
			return bytesOf(t, p.Service(), p.Slice(IPv4, ports), p.Slice(IPv6, ports), p.ConfigMap())
		}
		first := build(p, ports)
		if again := build(p, ports); again != first {
			t.Fatalf("built another time it differs:\n%s\n%s", first, again)
		}
		if bytesOf(t, p, ports) != before {
			t.Fatal("what was given was changed")
		}
		checkService(t, p)
		checkSlices(t, p, ports)
	})
}

func checkService(t *rapid.T, p Parent) {
	t.Helper()
	ports := PortsOf(p.Service())
	key := func(a, b corev1.ServicePort) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Protocol, b.Protocol))
	}
	if !slices.IsSortedFunc(ports, key) || len(slices.CompactFunc(slices.Clone(ports), func(a, b corev1.ServicePort) bool { return key(a, b) == 0 })) != len(ports) {
		t.Fatalf("the Service's ports are no sorted set: %+v", ports)
	}
	shuffled := p
	expose := *p.Expose
	expose.Ports = rapid.Permutation(p.Expose.Ports).Draw(t, "in another order")
	shuffled.Expose = &expose
	distinct := map[string]bool{}
	for _, port := range p.Expose.Ports {
		distinct[bytesOf(t, port.Port, cmp.Or(port.Protocol, ec2v1.ExposeTCP))] = true
	}
	if len(distinct) == len(p.Expose.Ports) && bytesOf(t, shuffled.Service()) != bytesOf(t, p.Service()) {
		t.Fatal("the order of ports makes a difference")
	}
}

func checkSlices(t *rapid.T, p Parent, ports []corev1.ServicePort) {
	t.Helper()
	for _, family := range []Family{IPv4, IPv6} {
		slice := p.Slice(family, ports)
		var names []string
		for _, port := range slice.Ports {
			names = append(names, *port.Name)
			if *port.Port < 1 || *port.Protocol == "" {
				t.Fatalf("a port leads nowhere: %s", bytesOf(t, port))
			}
		}
		if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Fatalf("the slice's ports are no sorted set: %v", names)
		}
		if len(slice.Endpoints) > 1 || (len(slice.Endpoints) == 1) != p.HasAddress(family) {
			t.Fatalf("%d endpoints", len(slice.Endpoints))
		}
		for _, e := range slice.Endpoints {
			checkEndpoint(t, family, e)
		}
	}
}

func checkEndpoint(t *rapid.T, family Family, e discoveryv1ac.EndpointApplyConfiguration) {
	t.Helper()
	if len(e.Addresses) != 1 {
		t.Fatalf("it has %d addresses: %s", len(e.Addresses), bytesOf(t, e))
	}
	at := e.Addresses[0]
	if a, err := netip.ParseAddr(at); err != nil || a.String() != at || !family.in(a) || a.IsLinkLocalUnicast() {
		t.Fatalf("no address of its family: %s", bytesOf(t, e))
	}
	if c := e.Conditions; *c.Ready != (*c.Serving && !*c.Terminating) {
		t.Fatalf("ready is not to serve and not to terminate: %s", bytesOf(t, e))
	}
}
