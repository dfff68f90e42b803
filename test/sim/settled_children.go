// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

var (
	serviceKind   = schema.GroupKind{Kind: "Service"}
	configMapKind = schema.GroupKind{Kind: "ConfigMap"}
	secretKind    = schema.GroupKind{Kind: "Secret"}
	sliceKind     = schema.GroupKind{Group: "discovery.k8s.io", Kind: "EndpointSlice"}
)

// childrenAsAsked: the children are there, and the object is Ready; or a name is somebody else's, and the object says that.
func (w *world) childrenAsAsked(obj *ec2v1.EC2Instance, i ec2sim.Instance) {
	free := true
	wanted := map[schema.GroupKind]string{}
	if e := obj.Spec.Expose; e != nil {
		wanted[serviceKind] = e.ServiceName
		free = w.exposedAsAsked(obj, e.ServiceName, i)
	}
	if c := obj.Spec.Connection; c != nil {
		wanted[configMapKind] = c.ConfigMapName
		free = w.connectedAsAsked(obj, c.ConfigMapName, i) && free
	}
	for _, kind := range []schema.GroupKind{serviceKind, configMapKind} {
		w.nothingLeft(obj, kind, wanted[kind])
	}
	w.tellsOfChildren(obj, free)
}

// exposedAsAsked checks the Service and its slice, and tells whether the names are free or the object's.
func (w *world) exposedAsAsked(obj *ec2v1.EC2Instance, name string, i ec2sim.Instance) (free bool) {
	svc := w.child(obj, serviceKind, name)
	if svc != nil && controllerOf(svc) != obj.UID {
		return false
	}
	w.exposed(obj, svc, i)
	slice := w.child(obj, sliceKind, name+"-ipv4")
	w.leads(obj, slice, i)
	return slice == nil || controllerOf(slice) == obj.UID
}

// connectedAsAsked checks the ConfigMap, and tells whether its name is free or the object's.
func (w *world) connectedAsAsked(obj *ec2v1.EC2Instance, name string, i ec2sim.Instance) (free bool) {
	m := w.child(obj, configMapKind, name)
	if m != nil && controllerOf(m) != obj.UID {
		return false
	}
	id := ""
	if m != nil {
		id, _, _ = unstructured.NestedString(m.Object, "data", "instanceID") // It may be absent.
	}
	w.judge.holds(childrenAsAsked, id == i.ID, "ConfigMap %s of %s leads to %q, and the instance is %s", name, obj.Name, id, i.ID)
	return true
}

// tellsOfChildren: the object is Ready, or says that somebody else has the name of a child.
func (w *world) tellsOfChildren(obj *ec2v1.EC2Instance, free bool) {
	ready := conditionOf(obj.Status.Conditions, ec2v1.ConditionReady)
	// Whether the instance has the user data that a Secret held which is gone, nobody knows.
	unknown := w.lacksSecret(obj) && ready != nil && ready.Reason == ec2v1.ReasonDependencyNotReady
	if free && !unknown && !w.annotationTaken(obj) {
		w.judge.holds(childrenAsAsked, ready != nil && ready.Status == metav1.ConditionTrue, "%s is not Ready at rest: %+v", obj.Name, obj.Status.Conditions)
	}
	if !free {
		w.judge.holds(childrenAsAsked, stalledFor(obj, ec2v1.ReasonChildNotControlled),
			"%s does not say that somebody has the name of its child: %+v", obj.Name, obj.Status.Conditions)
	}
}

func (w *world) child(obj *ec2v1.EC2Instance, kind schema.GroupKind, name string) *unstructured.Unstructured {
	return w.api.Object(kind, types.NamespacedName{Namespace: obj.Namespace, Name: name})
}

// exposed: the Service has the ports that spec says.
func (w *world) exposed(obj *ec2v1.EC2Instance, svc *unstructured.Unstructured, _ ec2sim.Instance) {
	if svc == nil {
		w.judge.holds(childrenAsAsked, false, "%s has no Service %s at rest: %+v", obj.Name, obj.Spec.Expose.ServiceName, obj.Status.Conditions)
		return
	}
	ports, _, _ := unstructured.NestedSlice(svc.Object, "spec", "ports") // Without ports there are none.
	for _, p := range obj.Spec.Expose.Ports {
		there := slices.ContainsFunc(ports, func(have any) bool {
			port, _ := have.(map[string]any)
			return port["port"] == int64(p.Port) && port["targetPort"] == int64(cmp.Or(p.TargetPort, p.Port)) && port["name"] == p.Name
		})
		w.judge.holds(childrenAsAsked, there, "Service %s has not port %s as asked: %v", svc.GetName(), p.Name, ports)
	}
}

// leads: the Service leads to the instance's address.
func (w *world) leads(obj *ec2v1.EC2Instance, slice *unstructured.Unstructured, i ec2sim.Instance) {
	if slice == nil {
		w.judge.holds(childrenAsAsked, false, "Service %s of %s has no EndpointSlice", obj.Spec.Expose.ServiceName, obj.Name)
		return
	}
	if controllerOf(slice) != obj.UID {
		return
	}
	endpoints, _, _ := unstructured.NestedSlice(slice.Object, "endpoints") // Without endpoints there are none.
	leads := len(endpoints) == 1
	for _, e := range endpoints {
		endpoint, _ := e.(map[string]any)
		addresses, _ := endpoint["addresses"].([]any)
		leads = leads && len(addresses) == 1 && addresses[0] == i.PrivateIP
	}
	w.judge.holds(childrenAsAsked, leads, "Service %s leads to %v, and instance %s is at %s", obj.Spec.Expose.ServiceName, endpoints, i.ID, i.PrivateIP)
}

// nothingLeft: a child that is asked for no longer is given up.
func (w *world) nothingLeft(obj *ec2v1.EC2Instance, kind schema.GroupKind, wanted string) {
	for _, u := range w.api.Objects(kind) {
		if controllerOf(u) != obj.UID || u.GetName() == wanted || u.GetNamespace() != obj.Namespace {
			continue
		}
		w.judge.holds(childrenAsAsked, !slices.ContainsFunc(u.GetManagedFields(), isOurs), "%s %s of %s is not given up", kind.Kind, u.GetName(), obj.Name)
	}
}
