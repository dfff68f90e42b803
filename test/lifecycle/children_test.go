// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	discoveryv1ac "k8s.io/client-go/applyconfigurations/discovery/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/cluster"
)

// pause is how long the operator is watched at rest with what a team has added to the children: one poll of the rig's
// account at least. TestCost watches it for longer.
const pause = 15 * time.Second

// TestChildren resolves what an API client sees behind the Service, from the first endpoint to the last.
func TestChildren(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.exposed("web"))
	first := r.one(r.waitRunning("web"))
	r.resolves("the first instance", "web", map[string][]string{"http": {first.PrivateIP + ":8080"}})
	r.connects(map[string]string{
		"instanceID": first.ID, "region": first.Region, "availabilityZone": first.Zone,
		"privateIPAddress": first.PrivateIP, "publicIPAddress": first.PublicIP,
	})
	for kind, allowed := range map[string]int{"services": 1, "endpointslices": 3, "configmaps": 2} {
		if writes := r.childRequests(kind).Writes(); len(writes) > allowed {
			t.Errorf("%d writes of %s: %v", len(writes), kind, writes)
		}
	}
	if writes := r.requests().Writes(); len(writes) > 4 {
		t.Errorf("%d writes of EC2Instances to Running and Reachable: %v", len(writes), writes)
	}

	r.usersTakePart()
	withMetrics := func(ip string) map[string][]string {
		return map[string][]string{"http": {ip + ":8080"}, "metrics": {ip + ":9100"}}
	}
	r.resolves("a user's own port", "web", withMetrics(first.PrivateIP))

	r.apply("web", r.exposed("web").WithPowerState(ec2v1.PowerStateStopped))
	r.resolves("a stopped instance", "web", map[string][]string{"http": nil, "metrics": nil})
	r.waitFor("web", ec2v1.ConditionReady, metav1.ConditionTrue, ec2v1.ReasonStopped)
	r.apply("web", r.exposed("web"))
	started := r.one(r.waitRunning("web"))
	r.resolves("the instance that was started again", "web", withMetrics(first.PrivateIP))
	if started.PublicIP == first.PublicIP {
		t.Fatalf("the public address %s is the same after a start", started.PublicIP)
	}
	r.connects(map[string]string{"instanceID": first.ID, "publicIPAddress": started.PublicIP})

	before := len(r.allRequests())
	idle(t, pause)
	if asked := r.askedSince(before); len(asked) != 0 {
		t.Errorf("%d requests at rest: %v", len(asked), asked)
	}

	r.must(r.sim.Terminate(first.ID))
	r.eventually("waiting for another instance", func() error {
		if r.get("web").Status.InstanceID == first.ID {
			return errNotYet
		}
		return nil
	})
	second := r.one(r.waitRunning("web"))
	if second.PrivateIP == first.PrivateIP {
		t.Fatalf("the second instance has the first one's address %s", first.PrivateIP)
	}
	r.resolves("the second instance", "web", withMetrics(second.PrivateIP))
	r.connects(map[string]string{"instanceID": second.ID, "privateIPAddress": second.PrivateIP, "publicIPAddress": second.PublicIP})
	r.usersPartIsThere()

	r.delete("web")
	r.resolves("a deleted instance", "web", map[string][]string{"http": nil, "metrics": nil})
	r.waitGone("web")
	for _, child := range []client.Object{
		&corev1.Service{ObjectMeta: r.named("web")}, &discoveryv1.EndpointSlice{ObjectMeta: r.named("web-ipv4")},
		&corev1.ConfigMap{ObjectMeta: r.named("web-connection")},
	} {
		r.waitCollected(child)
	}
}

// TestAServiceThatSomebodyElseHas: whoever has the name keeps it, with its clients; the rest is made, somebody is told, and it is mended when
// the name is free.
func TestAServiceThatSomebodyElseHas(t *testing.T) {
	r := newRig(t)
	foreign := &corev1.Service{ObjectMeta: r.named("web"), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "other", Port: 443}}}}
	r.must(r.client.Create(t.Context(), foreign))
	startOperator(r)
	r.apply("web", r.exposed("web"))
	obj := r.waitFor("web", ec2v1.ConditionStalled, metav1.ConditionTrue, ec2v1.ReasonChildNotControlled)
	r.waitFor("web", ec2v1.ConditionReady, metav1.ConditionFalse, ec2v1.ReasonChildNotControlled)
	r.connects(map[string]string{"instanceID": obj.Status.InstanceID})

	r.resolves("the foreign Service", "web", map[string][]string{"other": nil})
	after := &corev1.Service{}
	r.must(r.client.Get(t.Context(), client.ObjectKeyFromObject(foreign), after))
	if diff := cmp.Diff(foreign, after); diff != "" {
		t.Errorf("the foreign Service was touched:\n%s", diff)
	}
	if writes := slices.Concat(r.childRequests("services").Writes(), r.childRequests("endpointslices").Writes()); len(writes) != 0 {
		t.Errorf("the operator wrote %v", writes)
	}
	r.eventually("waiting for the event", func() error {
		if n := r.events("web", ec2v1.ReasonChildNotControlled); n != 1 {
			return fmt.Errorf("there are %d", n)
		}
		return nil
	})

	r.must(r.client.Delete(t.Context(), foreign))
	r.kubectlApply("nudge", `{"metadata": {"annotations": {"`+ec2v1.AnnotationReconcileRequestedAt+`": "now"}}}`)
	r.waitRunning("web")
	r.resolves("the Service that took its place", "web", map[string][]string{"http": {r.one(r.get("web")).PrivateIP + ":8080"}})
	if n := r.events("web", ec2v1.ReasonChildNotControlled); n != 1 {
		t.Errorf("it was told %d times", n)
	}
}

// TestChildrenThatAreTakenAndDropped: what others delete, take over or orphan comes back, and what spec no longer asks for goes, but for what
// others have a part in.
func TestChildrenThatAreTakenAndDropped(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.exposed("web"))
	i := r.one(r.waitRunning("web"))
	whole := map[string][]string{"http": {i.PrivateIP + ":8080"}}
	r.resolves("the instance", "web", whole)

	r.must(r.client.Delete(t.Context(), &corev1.Service{ObjectMeta: r.named("web")}))
	r.must(r.client.Delete(t.Context(), &discoveryv1.EndpointSlice{ObjectMeta: r.named("web-ipv4")}))
	r.resolves("what was deleted", "web", whole)
	r.must(r.client.Apply(t.Context(), discoveryv1ac.EndpointSlice("web-ipv4", r.namespace).WithAddressType(discoveryv1.AddressTypeIPv4).
		WithEndpoints(discoveryv1ac.Endpoint().WithAddresses("10.9.9.9")), client.FieldOwner("thief"), client.ForceOwnership))
	r.resolves("what was taken over", "web", whole)
	r.must(r.client.Apply(t.Context(), discoveryv1ac.EndpointSlice("web-ipv4", r.namespace), client.FieldOwner("thief")))
	r.orphan(&corev1.ConfigMap{}, "web-connection")

	r.must(r.client.Apply(t.Context(), corev1ac.ConfigMap("web-connection", r.namespace).WithData(map[string]string{"mine": "yes"}), client.FieldOwner("team")))
	uid := r.get("web").UID
	r.apply("web", r.spec())
	for _, child := range []client.Object{&corev1.Service{ObjectMeta: r.named("web")}, &discoveryv1.EndpointSlice{ObjectMeta: r.named("web-ipv4")}} {
		r.waitCollected(child)
	}
	r.eventually("waiting for the ConfigMap to be released", func() error {
		config := &corev1.ConfigMap{}
		r.must(r.client.Get(t.Context(), client.ObjectKey{Namespace: r.namespace, Name: "web-connection"}, config))
		if len(config.OwnerReferences) != 0 || config.Labels[ec2v1.LabelUID] == string(uid) || !maps.Equal(config.Data, map[string]string{"mine": "yes"}) {
			return fmt.Errorf("it is %+v", config)
		}
		return nil
	})
	r.one(r.waitRunning("web"))
}

// exposed is a spec that asks for a Service and a ConfigMap.
func (r *rig) exposed(name string) *ec2v1ac.EC2InstanceSpecApplyConfiguration {
	return r.spec().
		WithExpose(ec2v1ac.Expose().WithServiceName(name).WithPorts(ec2v1ac.ExposePort().WithName("http").WithPort(80).WithTargetPort(8080))).
		WithConnection(ec2v1ac.Connection().WithConfigMapName(name + "-connection"))
}

func (r *rig) named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: r.namespace, Name: name}
}

// endpoints are the addresses that each port of a Service leads to, as kube-proxy finds them: the ready endpoints of the slices that bear the
// Service's name, at the slice's port of the same name.
func (r *rig) endpoints(service string) (map[string][]string, error) {
	r.t.Helper()
	object := &corev1.Service{}
	if err := r.client.Get(r.t.Context(), client.ObjectKey{Namespace: r.namespace, Name: service}, object); err != nil {
		return nil, err
	}
	list := &discoveryv1.EndpointSliceList{}
	if err := r.client.List(r.t.Context(), list, client.InNamespace(r.namespace), client.MatchingLabels{discoveryv1.LabelServiceName: service}); err != nil {
		return nil, err
	}
	found := map[string][]string{}
	for _, port := range object.Spec.Ports {
		found[port.Name] = nil
	}
	for _, slice := range list.Items {
		for _, port := range slice.Ports {
			if _, known := found[*port.Name]; !known {
				continue
			}
			for _, endpoint := range slice.Endpoints {
				if endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready {
					found[*port.Name] = append(found[*port.Name], net.JoinHostPort(endpoint.Addresses[0], strconv.Itoa(int(*port.Port))))
				}
			}
		}
	}
	return found, nil
}

// resolves waits until a Service's ports lead to addresses.
func (r *rig) resolves(what, service string, want map[string][]string) {
	r.t.Helper()
	began := time.Now()
	r.eventually("resolving "+what, func() error {
		got, err := r.endpoints(service)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("(-want +got):\n%s", diff)
		}
		return nil
	})
	r.t.Logf("%s resolves to %v after %s", what, want, time.Since(began).Round(time.Millisecond))
}

// connects waits until the ConfigMap says, among other things, what is wanted.
func (r *rig) connects(want map[string]string) {
	r.t.Helper()
	r.eventually("waiting for the ConfigMap", func() error {
		config := &corev1.ConfigMap{}
		if err := r.client.Get(r.t.Context(), client.ObjectKey{Namespace: r.namespace, Name: "web-connection"}, config); err != nil {
			return err
		}
		for key, value := range want {
			if config.Data[key] != value {
				return fmt.Errorf("it says %v, not %s %q", config.Data, key, value)
			}
		}
		return nil
	})
}

// usersTakePart has a team add a label and an annotation to each child, and a port of its own to the Service.
func (r *rig) usersTakePart() {
	r.t.Helper()
	mine, owner := map[string]string{"mine": "yes"}, client.FieldOwner("team")
	r.must(r.client.Apply(r.t.Context(), corev1ac.Service("web", r.namespace).WithLabels(mine).WithAnnotations(mine).WithSpec(corev1ac.ServiceSpec().
		WithPorts(corev1ac.ServicePort().WithName("metrics").WithPort(9090).WithProtocol(corev1.ProtocolTCP).WithTargetPort(intstr.FromInt32(9100)))), owner))
	r.must(r.client.Apply(r.t.Context(), discoveryv1ac.EndpointSlice("web-ipv4", r.namespace).WithLabels(mine).WithAnnotations(mine), owner))
	r.must(r.client.Apply(r.t.Context(), corev1ac.ConfigMap("web-connection", r.namespace).WithLabels(mine).WithAnnotations(mine), owner))
}

// usersPartIsThere checks that all of that is still there.
func (r *rig) usersPartIsThere() {
	r.t.Helper()
	service, slice, config := &corev1.Service{}, &discoveryv1.EndpointSlice{}, &corev1.ConfigMap{}
	for name, child := range map[string]client.Object{"web": service, "web-ipv4": slice, "web-connection": config} {
		r.must(r.client.Get(r.t.Context(), client.ObjectKey{Namespace: r.namespace, Name: name}, child))
		if child.GetLabels()["mine"] != "yes" || child.GetAnnotations()["mine"] != "yes" {
			r.t.Errorf("the team's metadata of %s is gone: %v %v", name, child.GetLabels(), child.GetAnnotations())
		}
	}
	if !slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == "metrics" && p.Port == 9090 }) {
		r.t.Errorf("the team's port is gone: %+v", service.Spec.Ports)
	}
}

// askedSince are the operator's requests about this test since there were n, but for watches, which come to their end
// by themselves and are begun again.
func (r *rig) askedSince(n int) cluster.Requests {
	r.t.Helper()
	return r.allRequests()[n:].
		By(cluster.ServiceAccountUser(operatorNamespace, operatorAccount)).
		Where(func(q cluster.Request) bool { return q.Verb != "watch" })
}

// childRequests are the operator's requests about one kind of children in this test.
func (r *rig) childRequests(resource string) cluster.Requests {
	r.t.Helper()
	return r.allRequests()[r.before:].
		By(cluster.ServiceAccountUser(operatorNamespace, operatorAccount)).
		In(r.namespace).Where(func(q cluster.Request) bool { return q.Resource == resource })
}

// orphan takes our reference away from a child, and waits until it is back.
func (r *rig) orphan(child client.Object, name string) {
	r.t.Helper()
	key := client.ObjectKey{Namespace: r.namespace, Name: name}
	r.must(r.client.Get(r.t.Context(), key, child))
	r.must(r.client.Patch(r.t.Context(), child, client.RawPatch("application/merge-patch+json", []byte(`{"metadata": {"ownerReferences": null}}`))))
	r.eventually("waiting for the reference to come back", func() error {
		r.must(r.client.Get(r.t.Context(), key, child))
		if controller := metav1.GetControllerOf(child); controller == nil || controller.Name != "web" {
			return errNotYet
		}
		return nil
	})
}

// waitCollected waits until a child is gone.
func (r *rig) waitCollected(child client.Object) {
	r.t.Helper()
	r.eventually("waiting for "+child.GetName()+" to be gone", func() error {
		err := r.client.Get(r.t.Context(), client.ObjectKeyFromObject(child), child)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil {
			err = errNotYet
		}
		return err
	})
}

// events counts the events of an object with a reason.
func (r *rig) events(name, reason string) int {
	r.t.Helper()
	out, err := shared.Kubectl(r.t.Context(), "get", "events", "--namespace", r.namespace, "--field-selector", "involvedObject.name="+name+",reason="+reason, "-o", "name")
	r.must(err)
	return len(strings.Fields(string(out)))
}
