// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func defaultService(s *corev1.Service) {
	defaultAffinity(&s.Spec)
	if s.Spec.Type == "" {
		s.Spec.Type = corev1.ServiceTypeClusterIP
	}
	for i := range s.Spec.Ports {
		p := &s.Spec.Ports[i]
		if p.Protocol == "" {
			p.Protocol = corev1.ProtocolTCP
		}
		if p.TargetPort == intstr.FromInt32(0) || p.TargetPort == intstr.FromString("") {
			p.TargetPort = intstr.FromInt32(p.Port)
		}
	}
	if external(s) && s.Spec.ExternalTrafficPolicy == "" {
		s.Spec.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyCluster
	}
	if s.Spec.InternalTrafficPolicy == nil && s.Spec.Type != corev1.ServiceTypeExternalName {
		s.Spec.InternalTrafficPolicy = new(corev1.ServiceInternalTrafficPolicyCluster)
	}
	if s.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.AllocateLoadBalancerNodePorts == nil {
		s.Spec.AllocateLoadBalancerNodePorts = new(true)
	}
}

func defaultAffinity(spec *corev1.ServiceSpec) {
	if spec.SessionAffinity == "" {
		spec.SessionAffinity = corev1.ServiceAffinityNone
	}
	switch c := spec.SessionAffinityConfig; {
	case spec.SessionAffinity == corev1.ServiceAffinityNone:
		spec.SessionAffinityConfig = nil
	case c == nil || c.ClientIP == nil || c.ClientIP.TimeoutSeconds == nil:
		spec.SessionAffinityConfig = &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: new(corev1.DefaultClientIPServiceAffinitySeconds)}}
	}
}

// external tells whether a Service can be reached from outside of the cluster.
func external(s *corev1.Service) bool {
	return hasNodePorts(s) || (s.Spec.Type == corev1.ServiceTypeClusterIP && len(s.Spec.ExternalIPs) > 0)
}

func hasNodePorts(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort || s.Spec.Type == corev1.ServiceTypeLoadBalancer
}

func headless(s *corev1.Service) bool {
	return len(s.Spec.ClusterIPs) == 1 && s.Spec.ClusterIPs[0] == corev1.ClusterIPNone
}

// allotNew gives a new Service its address and ports, as kube-apiserver does with one family of addresses, IPv4.
func allotNew(s *Server, obj client.Object) error {
	service, ok := obj.(*corev1.Service)
	if !ok {
		return fmt.Errorf("%T is no Service", obj)
	}
	if service.Spec.ClusterIP != "" && len(service.Spec.ClusterIPs) == 0 {
		service.Spec.ClusterIPs = []string{service.Spec.ClusterIP}
	}
	if wantsNodePorts(service) {
		twinNodePorts(service.Spec.Ports, s.nextNodePort)
	}
	s.allot(service)
	return nil
}

// allotChanged keeps what a Service has been given, and gives what it comes to need.
func allotChanged(s *Server, obj, old client.Object) error {
	service, ok := obj.(*corev1.Service)
	before, also := old.(*corev1.Service)
	if !ok || !also {
		return fmt.Errorf("%T is no Service", obj)
	}
	if service.Spec.ClusterIP == "" {
		service.Spec.ClusterIP = before.Spec.ClusterIP
	}
	if len(service.Spec.ClusterIPs) == 0 {
		service.Spec.ClusterIPs = slices.Clone(before.Spec.ClusterIPs)
	}
	if service.Spec.ClusterIP != before.Spec.ClusterIP && slices.Equal(service.Spec.ClusterIPs, before.Spec.ClusterIPs) {
		service.Spec.ClusterIPs = []string{service.Spec.ClusterIP}
	}
	if service.Spec.IPFamilyPolicy == nil {
		service.Spec.IPFamilyPolicy = before.Spec.IPFamilyPolicy
	}
	if hasNodePorts(service) && hasNodePorts(before) {
		keepNodePorts(service.Spec.Ports, before.Spec.Ports)
	}
	s.allot(service)
	return nil
}

// keepNodePorts gives ports without a nodePort the one that the port of their name had.
func keepNodePorts(ports, old []corev1.ServicePort) {
	var used []int32
	had := map[string]int32{}
	for _, p := range old {
		had[p.Name] = p.NodePort
		if slices.ContainsFunc(ports, func(q corev1.ServicePort) bool { return q.NodePort == p.NodePort }) {
			used = append(used, p.NodePort)
		}
	}
	for i := range ports {
		if ports[i].NodePort == 0 && !slices.Contains(used, had[ports[i].Name]) {
			ports[i].NodePort = had[ports[i].Name]
		}
	}
}

// allot gives a Service what it lacks.
func (s *Server) allot(service *corev1.Service) {
	spec := &service.Spec
	allotFamilies(spec, headless(service) && len(spec.Selector) == 0)
	if spec.ClusterIP == "" && len(spec.ClusterIPs) == 0 {
		spec.ClusterIP = s.nextClusterIP()
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	for i := range spec.Ports {
		if spec.Ports[i].NodePort == 0 && wantsNodePorts(service) {
			spec.Ports[i].NodePort = s.nextNodePort()
		}
	}
}

func wantsNodePorts(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort || (s.Spec.Type == corev1.ServiceTypeLoadBalancer && *s.Spec.AllocateLoadBalancerNodePorts)
}

// allotFamilies: what leads to endpoints of somebody else's making, without an address, may have any family.
func allotFamilies(spec *corev1.ServiceSpec, anyFamily bool) {
	if spec.IPFamilyPolicy == nil {
		spec.IPFamilyPolicy = new(corev1.IPFamilyPolicySingleStack)
		if anyFamily {
			spec.IPFamilyPolicy = new(corev1.IPFamilyPolicyRequireDualStack)
		}
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol}
		if anyFamily && *spec.IPFamilyPolicy != corev1.IPFamilyPolicySingleStack {
			spec.IPFamilies = append(spec.IPFamilies, corev1.IPv6Protocol)
		}
	}
}

// twinNodePorts gives ports of one number the same nodePort, as kube-apiserver does in a new Service, for those of two
// protocols.
func twinNodePorts(ports []corev1.ServicePort, next func() int32) {
	for i := range ports {
		if ports[i].NodePort != 0 {
			continue
		}
		twin := slices.IndexFunc(ports, func(q corev1.ServicePort) bool { return q.Port == ports[i].Port && q.NodePort != 0 })
		if twin >= 0 {
			ports[i].NodePort = ports[twin].NodePort
		} else {
			ports[i].NodePort = next()
		}
	}
}

func serviceRules() rules {
	return rules{
		names:          metavalidation.NameIsDNSLabel,
		prepareNew:     on(func(s *corev1.Service) { s.Status = corev1.ServiceStatus{} }),
		prepareChanged: onTwo(prepareService),
		check:          checking(checkService),
		putCreates:     true,
	}
}

func serviceStatusRules() rules {
	return rules{prepareChanged: onTwo(func(s, old *corev1.Service) { s.Spec = old.Spec }), putCreates: true}
}

// prepareService drops what the type that a Service had needed and its new type does not.
func prepareService(s, old *corev1.Service) {
	s.Status = old.Status
	if hasNodePorts(old) && !hasNodePorts(s) && noNewNodePorts(s, old) {
		for i := range s.Spec.Ports {
			s.Spec.Ports[i].NodePort = 0
		}
	}
	if s.Spec.Type != corev1.ServiceTypeLoadBalancer && old.Spec.Type == corev1.ServiceTypeLoadBalancer &&
		ptr.Equal(s.Spec.AllocateLoadBalancerNodePorts, old.Spec.AllocateLoadBalancerNodePorts) {
		s.Spec.AllocateLoadBalancerNodePorts = nil
	}
	if external(old) && !external(s) && s.Spec.ExternalTrafficPolicy == old.Spec.ExternalTrafficPolicy {
		s.Spec.ExternalTrafficPolicy = ""
	}
	if s.Spec.Type != corev1.ServiceTypeLoadBalancer {
		s.Status.LoadBalancer = corev1.LoadBalancerStatus{}
	}
}

func noNewNodePorts(s, old *corev1.Service) bool {
	return !slices.ContainsFunc(s.Spec.Ports, func(p corev1.ServicePort) bool {
		return p.NodePort != 0 && !slices.ContainsFunc(old.Spec.Ports, func(q corev1.ServicePort) bool { return q.NodePort == p.NodePort })
	})
}

func checkService(s, old *corev1.Service) field.ErrorList {
	spec := field.NewPath("spec")
	var errs field.ErrorList
	if len(s.Spec.Ports) == 0 && !headless(s) {
		errs = append(errs, field.Required(spec.Child("ports"), ""))
	}
	if len(s.Spec.ClusterIPs) == 0 && s.Spec.ClusterIP != "" {
		errs = append(errs, field.Required(spec.Child("clusterIPs"), ""))
	}
	if hasNodePorts(s) && headless(s) {
		errs = append(errs, field.Invalid(spec.Child("clusterIPs").Index(0), s.Spec.ClusterIPs[0], fmt.Sprintf("may not be set to 'None' for %s services", s.Spec.Type)))
	}
	if old != nil && len(old.Spec.ClusterIPs) > 0 && (len(s.Spec.ClusterIPs) == 0 || s.Spec.ClusterIPs[0] != old.Spec.ClusterIPs[0]) {
		errs = append(errs, field.Invalid(spec.Child("clusterIPs").Index(0), s.Spec.ClusterIPs, "may not change once set"))
	}
	if types := []corev1.ServiceType{corev1.ServiceTypeClusterIP, corev1.ServiceTypeExternalName, corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort}; !slices.Contains(types, s.Spec.Type) {
		errs = append(errs, field.NotSupported(spec.Child("type"), s.Spec.Type, types))
	}
	return append(errs, checkServicePorts(s.Spec, spec.Child("ports"))...)
}

var protocols = []corev1.Protocol{corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP}

// portKey is what must be there once, as it is written in errors.
type portKey struct {
	Name        string
	Protocol    corev1.Protocol
	AppProtocol *string
	Port        int32
	TargetPort  intstr.IntOrString
	NodePort    int32
}

func checkServicePorts(spec corev1.ServiceSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	taken := map[portKey]bool{}
	for i, p := range spec.Ports {
		at := path.Index(i)
		errs = append(errs, checkPortName(p.Name, len(spec.Ports) > 1, names, at.Child("name"))...)
		for _, message := range validation.IsValidPortNum(int(p.Port)) {
			errs = append(errs, field.Invalid(at.Child("port"), p.Port, message))
		}
		if !slices.Contains(protocols, p.Protocol) {
			errs = append(errs, field.NotSupported(at.Child("protocol"), p.Protocol, protocols))
		}
		errs = append(errs, checkTargetPort(p.TargetPort, at.Child("targetPort"))...)
		if spec.Type == corev1.ServiceTypeClusterIP && p.NodePort != 0 {
			errs = append(errs, field.Forbidden(at.Child("nodePort"), "may not be used when `type` is 'ClusterIP'"))
		}
		for _, key := range []portKey{{Protocol: p.Protocol, Port: p.Port}, {Protocol: p.Protocol, NodePort: p.NodePort}} {
			switch {
			case !taken[key] || key == portKey{Protocol: p.Protocol}:
			case key.Port == 0:
				errs = append(errs, field.Duplicate(at.Child("nodePort"), key.NodePort))
			default:
				errs = append(errs, field.Duplicate(at, key))
			}
			taken[key] = true
		}
	}
	return errs
}

func checkPortName(name string, needed bool, seen map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch {
	case name == "" && needed:
		return field.ErrorList{field.Required(path, "")}
	case name == "":
		return nil
	}
	for _, message := range validation.IsDNS1123Label(name) {
		errs = append(errs, field.Invalid(path, name, message))
	}
	if seen[name] {
		errs = append(errs, field.Duplicate(path, name))
	}
	seen[name] = true
	return errs
}

func checkTargetPort(port intstr.IntOrString, path *field.Path) field.ErrorList {
	messages := validation.IsValidPortNum(int(port.IntVal))
	var value any = port.IntVal
	if port.Type == intstr.String {
		messages, value = validation.IsValidPortName(port.StrVal), port.StrVal
	}
	var errs field.ErrorList
	for _, message := range messages {
		errs = append(errs, field.Invalid(path, value, message))
	}
	return errs
}
