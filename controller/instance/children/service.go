// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package children

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// Service is the Service that spec.expose asks for, without a guard; nil when it asks for none. It has no selector,
// so Kubernetes' own controllers put no endpoints behind it.
func (p Parent) Service() *corev1ac.ServiceApplyConfiguration {
	if p.Expose == nil {
		return nil
	}
	return corev1ac.Service(p.Expose.ServiceName, p.Namespace).
		WithLabels(p.labels()).
		WithOwnerReferences(p.owner()).
		WithSpec(corev1ac.ServiceSpec().
			WithType(serviceType(p.Expose.Type)).
			WithPorts(servicePorts(p.Expose.Ports)...))
}

func serviceType(t ec2v1.ExposeType) corev1.ServiceType {
	return corev1.ServiceType(cmp.Or(t, ec2v1.ExposeClusterIP))
}

// servicePorts are sorted, so that the same ports in another order are no change. A port and protocol are there at
// most once, since they are what Kubernetes knows a Service's port by.
func servicePorts(ports []ec2v1.ExposePort) []*corev1ac.ServicePortApplyConfiguration {
	ports = slices.Clone(ports)
	for i := range ports {
		ports[i].Protocol = cmp.Or(ports[i].Protocol, ec2v1.ExposeTCP)
		ports[i].TargetPort = cmp.Or(ports[i].TargetPort, ports[i].Port)
	}
	slices.SortFunc(ports, func(a, b ec2v1.ExposePort) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Protocol, b.Protocol), strings.Compare(a.Name, b.Name))
	})
	ports = slices.CompactFunc(ports, func(a, b ec2v1.ExposePort) bool { return a.Port == b.Port && a.Protocol == b.Protocol })
	out := make([]*corev1ac.ServicePortApplyConfiguration, 0, len(ports))
	for _, port := range ports {
		out = append(out, corev1ac.ServicePort().
			WithName(port.Name).
			WithPort(port.Port).
			WithProtocol(corev1.Protocol(port.Protocol)).
			WithTargetPort(intstr.FromInt32(port.TargetPort)))
	}
	return out
}

// PortsOf are the ports of a Service in the words of its type, as an apply was answered.
func PortsOf(service *corev1ac.ServiceApplyConfiguration) []corev1.ServicePort {
	if service.Spec == nil {
		return nil
	}
	out := make([]corev1.ServicePort, 0, len(service.Spec.Ports))
	for _, port := range service.Spec.Ports {
		out = append(out, corev1.ServicePort{
			Name: value(port.Name), Port: value(port.Port), Protocol: value(port.Protocol), TargetPort: value(port.TargetPort),
			AppProtocol: port.AppProtocol,
		})
	}
	return out
}

// value is what a pointer points at, or nothing.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
