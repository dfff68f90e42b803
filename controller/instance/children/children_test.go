// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package children

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

const testUID = "5a1c2b8e-0000-4000-8000-000000000001"

// given is one thing that is so of a parent.
type given func(*Parent)

// parentOf is an EC2Instance that exposes port 80 and connects, whose instance serves; and what else is given.
func parentOf(all ...given) Parent {
	p := Parent{
		Namespace: "team", Name: "web-1", UID: testUID,
		Expose:     &ec2v1.Expose{ServiceName: "web", Type: ec2v1.ExposeClusterIP, Ports: []ec2v1.ExposePort{{Name: "http", Port: 80, Protocol: ec2v1.ExposeTCP}}},
		Connection: &ec2v1.Connection{ConfigMapName: "web-connection"},
		Instance: Instance{
			ID: "i-1", Region: "eu-central-1", Zone: "eu-central-1a", PrivateIPv4: "10.0.0.7", PublicIPv4: "192.0.2.7",
			PrivateDNS: "ip-10-0-0-7.internal", PublicDNS: "ec2-192-0-2-7.example.com", Serving: true,
		},
	}
	for _, g := range all {
		g(&p)
	}
	return p
}

func noInstance(p *Parent) { p.Instance = Instance{} }

func notServing(p *Parent) { p.Instance.Serving = false }

func deleting(p *Parent) { p.Deleting = true }

func ending(p *Parent) { p.Instance.Ending, p.Instance.Serving = true, false }

func named(name string) given { return func(p *Parent) { p.Name = name } }

func ipv6(addresses ...string) given { return func(p *Parent) { p.Instance.IPv6 = addresses } }

func exposing(e ec2v1.Expose) given { return func(p *Parent) { p.Expose = &e } }

// encoded is what would be sent, as a value that can be compared.
func encoded(t *testing.T, config any) any {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, string(text))
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	var out any
	if err := yaml.UnmarshalStrict([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// head is the beginning of every child.
func head(name, moreLabels string) string {
	return `
metadata:
  name: ` + name + `
  namespace: team
  labels:
    app.kubernetes.io/managed-by: ec2-operator
    ec2.fieldowner.dev/name: web-1
    ec2.fieldowner.dev/uid: ` + testUID + moreLabels + `
  ownerReferences:
    - {apiVersion: ec2.fieldowner.dev/v1, kind: EC2Instance, name: web-1, uid: ` + testUID + `, controller: true, blockOwnerDeletion: true}
`
}

func TestService(t *testing.T) {
	for _, test := range []struct {
		says  string
		given []given
		spec  string
	}{
		{"one port leads to the same port", nil, `{type: ClusterIP, ports: [{name: http, port: 80, protocol: TCP, targetPort: 80}]}`},
		{
			"ports are sorted by number and protocol",
			[]given{exposing(ec2v1.Expose{ServiceName: "web", Type: ec2v1.ExposeNodePort, Ports: []ec2v1.ExposePort{
				{Name: "https", Port: 443, Protocol: ec2v1.ExposeTCP, TargetPort: 8443},
				{Name: "dns", Port: 53, Protocol: ec2v1.ExposeUDP},
				{Name: "dns-tcp", Port: 53, Protocol: ec2v1.ExposeTCP},
			}})},
			`{type: NodePort, ports: [
				{name: dns-tcp, port: 53, protocol: TCP, targetPort: 53}, {name: dns, port: 53, protocol: UDP, targetPort: 53},
				{name: https, port: 443, protocol: TCP, targetPort: 8443}]}`,
		},
		{
			"an object of before the defaults",
			[]given{exposing(ec2v1.Expose{ServiceName: "web", Ports: []ec2v1.ExposePort{{Name: "a", Port: 1}}})},
			`{type: ClusterIP, ports: [{name: a, port: 1, protocol: TCP, targetPort: 1}]}`,
		},
		{"it is there without an instance", []given{noInstance}, `{type: ClusterIP, ports: [{name: http, port: 80, protocol: TCP, targetPort: 80}]}`},
	} {
		t.Run(test.says, func(t *testing.T) {
			want := parsed(t, "apiVersion: v1\nkind: Service\nspec: "+strings.ReplaceAll(test.spec, "\t", " ")+head("web", ""))
			if diff := cmp.Diff(want, encoded(t, parentOf(test.given...).Service())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

const sliceLabels = `
    endpointslice.kubernetes.io/managed-by: ec2-operator.fieldowner.dev
    kubernetes.io/service-name: web`

func TestSlice(t *testing.T) {
	http := []corev1.ServicePort{{Name: "http", Port: 80, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(8080), NodePort: 30080}}
	endpoint := func(address, conditions string) string {
		return `[{addresses: ["` + address + `"], zone: eu-central-1a, conditions: ` + conditions + `,
		  targetRef: {apiVersion: ec2.fieldowner.dev/v1, kind: EC2Instance, namespace: team, name: web-1, uid: ` + testUID + `}}]`
	}
	const (
		ready      = `{ready: true, serving: true, terminating: false}`
		unready    = `{ready: false, serving: false, terminating: false}`
		lastServes = `{ready: false, serving: true, terminating: true}`
		ended      = `{ready: false, serving: false, terminating: true}`
		httpPort   = `[{name: http, port: 8080, protocol: TCP}]`
	)
	for _, test := range []struct {
		says             string
		family           Family
		given            []given
		ports            []corev1.ServicePort
		endpoints, leads string
	}{
		{"it serves: ready", IPv4, nil, http, endpoint("10.0.0.7", ready), httpPort},
		{"it does not serve: not ready", IPv4, []given{notServing}, http, endpoint("10.0.0.7", unready), httpPort},
		{"its object is being deleted: it may serve to the end", IPv4, []given{deleting}, http, endpoint("10.0.0.7", lastServes), httpPort},
		{"it shuts down", IPv4, []given{ending}, http, endpoint("10.0.0.7", ended), httpPort},
		{"there is none: no endpoint", IPv4, []given{noInstance}, http, ``, httpPort},
		{"it has no address of the family", IPv6, nil, http, ``, httpPort},
		{
			"the first address of the family, in canonical form", IPv6, []given{ipv6("not-an-address", "10.0.0.9", "::ffff:10.0.0.9", "2001:DB8:0::1", "2001:db8::2")},
			http, endpoint("2001:db8::1", ready), httpPort,
		},
		{
			"ports of others lead to the instance, too, unless their target is a name", IPv4, nil,
			append([]corev1.ServicePort{
				{Name: "metrics", Port: 9090, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(9100), AppProtocol: new("http")},
				{Name: "by-name", Port: 70, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromString("gopher")},
				{Name: "defaulted", Port: 71},
			}, http...),
			endpoint("10.0.0.7", ready),
			`[{name: defaulted, port: 71, protocol: TCP}, {name: http, port: 8080, protocol: TCP}, {name: metrics, port: 9100, protocol: TCP, appProtocol: http}]`,
		},
		{"no port", IPv4, nil, nil, endpoint("10.0.0.7", ready), ``},
	} {
		t.Run(test.says, func(t *testing.T) {
			text := "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: " + string(test.family.Type) + head("web"+test.family.Suffix, sliceLabels)
			if test.endpoints != "" {
				text += "\nendpoints: " + strings.ReplaceAll(test.endpoints, "\t", " ")
			}
			if test.leads != "" {
				text += "\nports: " + test.leads
			}
			if diff := cmp.Diff(parsed(t, text), encoded(t, parentOf(test.given...).Slice(test.family, test.ports))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHasAddress(t *testing.T) {
	p := parentOf(ipv6("2001:db8::1"))
	if !p.HasAddress(IPv4) || !p.HasAddress(IPv6) || parentOf().HasAddress(IPv6) || parentOf(noInstance).HasAddress(IPv4) {
		t.Error("addresses are not told from none")
	}
}

func TestConfigMap(t *testing.T) {
	for _, test := range []struct {
		says  string
		given []given
		data  string
	}{
		{
			"everything", []given{ipv6("2001:db8::2", "2001:db8::1", "2001:db8::2")},
			`{instanceID: i-1, region: eu-central-1, availabilityZone: eu-central-1a, privateIPAddress: 10.0.0.7, publicIPAddress: 192.0.2.7,
			  ipv6Addresses: "2001:db8::1,2001:db8::2", privateDNSName: ip-10-0-0-7.internal, publicDNSName: ec2-192-0-2-7.example.com}`,
		},
		{
			"what is not known has no key", []given{func(p *Parent) { p.Instance = Instance{ID: "i-1", PrivateIPv4: "10.0.0.7"} }},
			`{instanceID: i-1, privateIPAddress: 10.0.0.7}`,
		},
		{"nothing is known", []given{noInstance}, ``},
	} {
		t.Run(test.says, func(t *testing.T) {
			text := "apiVersion: v1\nkind: ConfigMap" + head("web-connection", "")
			if test.data != "" {
				text += "\ndata: " + strings.ReplaceAll(test.data, "\t", " ")
			}
			if diff := cmp.Diff(parsed(t, text), encoded(t, parentOf(test.given...).ConfigMap())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingIsMadeThatSpecDoesNotAskFor(t *testing.T) {
	p := parentOf(func(p *Parent) { p.Expose, p.Connection = nil, nil })
	if p.Service() != nil || p.Slice(IPv4, nil) != nil || p.ConfigMap() != nil {
		t.Error("children are made of nothing")
	}
}

func TestALongNameIsNoLabel(t *testing.T) {
	for length, fits := range map[int]bool{63: true, 64: false} {
		name := strings.Repeat("a", length)
		labels := parentOf(named(name)).Service().Labels
		if got, there := labels[ec2v1.LabelName]; there != fits || (fits && got != name) {
			t.Errorf("a name of %d characters gives the labels %v", length, labels)
		}
		if labels[ec2v1.LabelUID] != testUID {
			t.Errorf("labels are %v", labels)
		}
	}
}
