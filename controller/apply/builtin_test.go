// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	discoveryv1ac "k8s.io/client-go/applyconfigurations/discovery/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func ownedByWeb() *metav1ac.OwnerReferenceApplyConfiguration {
	return metav1ac.OwnerReference().WithAPIVersion(version1).WithKind("EC2Instance").WithName("web").WithUID("u-0").WithController(true).WithBlockOwnerDeletion(true)
}

func service() *corev1ac.ServiceApplyConfiguration {
	return corev1ac.Service("web", "shop").WithLabels(map[string]string{"a": "b"}).WithOwnerReferences(ownedByWeb()).
		WithSpec(corev1ac.ServiceSpec().WithType(corev1.ServiceTypeNodePort).WithPorts(
			corev1ac.ServicePort().WithName("http").WithPort(80).WithProtocol(corev1.ProtocolTCP).WithTargetPort(intstr.FromInt32(8080)),
			corev1ac.ServicePort().WithName("dns").WithPort(53).WithProtocol(corev1.ProtocolUDP).WithTargetPort(intstr.FromString("dns")),
		))
}

func slice(endpoints bool) *discoveryv1ac.EndpointSliceApplyConfiguration {
	out := discoveryv1ac.EndpointSlice("web", "shop").WithOwnerReferences(ownedByWeb()).WithAddressType(discoveryv1.AddressTypeIPv4)
	if !endpoints {
		return out
	}
	return out.WithPorts(discoveryv1ac.EndpointPort().WithName("http").WithPort(8080).WithProtocol(corev1.ProtocolTCP)).
		WithEndpoints(discoveryv1ac.Endpoint().WithAddresses("10.0.0.7").WithZone("eu-central-1a").
			WithConditions(discoveryv1ac.EndpointConditions().WithReady(true).WithServing(true).WithTerminating(false)).
			WithTargetRef(corev1ac.ObjectReference().WithKind("EC2Instance").WithName("web").WithUID("u-0")))
}

// TestBuiltInKinds: what we have applied is predicted to change nothing, by an object that is read into its Go type
// and that has all the defaults of the API server; and anything else is predicted to change something.
func TestBuiltInKinds(t *testing.T) {
	for _, test := range []struct {
		says           string
		config, change runtime.ApplyConfiguration
		live           client.Object
		// defaults fills in what the API server fills in.
		defaults func(client.Object)
	}{
		{
			"a Service", service(), service().WithSpec(corev1ac.ServiceSpec().WithType(corev1.ServiceTypeClusterIP)), &corev1.Service{},
			func(o client.Object) {
				spec := &o.(*corev1.Service).Spec //nolint:forcetypeassert // It is one.
				spec.ClusterIP, spec.ClusterIPs = "10.96.0.7", []string{"10.96.0.7"}
				spec.IPFamilies, spec.IPFamilyPolicy = []corev1.IPFamily{corev1.IPv4Protocol}, new(corev1.IPFamilyPolicySingleStack)
				spec.SessionAffinity, spec.InternalTrafficPolicy = corev1.ServiceAffinityNone, new(corev1.ServiceInternalTrafficPolicyCluster)
				spec.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyCluster
				for i := range spec.Ports {
					spec.Ports[i].NodePort = 30080 + int32(i)
				}
			},
		},
		{
			"a Service's ports in another order", service(), func() *corev1ac.ServiceApplyConfiguration {
				c := service()
				c.Spec.Ports[0], c.Spec.Ports[1] = c.Spec.Ports[1], c.Spec.Ports[0]
				return c
			}(), &corev1.Service{}, func(client.Object) {},
		},
		{"an EndpointSlice", slice(true), slice(false), &discoveryv1.EndpointSlice{}, func(client.Object) {}},
		{"an EndpointSlice without endpoints", slice(false), slice(true), &discoveryv1.EndpointSlice{}, func(client.Object) {}},
		{
			"a ConfigMap", corev1ac.ConfigMap("web", "shop").WithData(map[string]string{"a": "", "b": "2"}),
			corev1ac.ConfigMap("web", "shop").WithData(map[string]string{"a": "", "b": ""}), &corev1.ConfigMap{}, func(client.Object) {},
		},
		{
			"a ConfigMap without data", corev1ac.ConfigMap("web", "shop"),
			corev1ac.ConfigMap("web", "shop").WithData(map[string]string{"a": ""}), &corev1.ConfigMap{}, func(client.Object) {},
		},
	} {
		t.Run(test.says, func(t *testing.T) {
			body, err := bodyOf(test.config)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorldOf(t, body.GroupVersionKind())
			w.mustApply(Intent{Config: test.config, Manager: us})
			w.mustApply(Intent{Config: labelled(body, "theirs"), Manager: other})
			w.read(test.live)
			test.defaults(test.live)
			again := Intent{Config: copyOf(t, test.config), Manager: us}
			for _, in := range []Intent{again, forced(again)} {
				got, err := w.predictor.Predict(test.live, in)
				if err != nil || !got.NoOp || got.Unsafe != "" {
					t.Errorf("the same again is no no-op: unsafe %q, added %v, removed %v, modified %v (%v)", got.Unsafe, got.Added, got.Removed, got.Modified, err)
				}
			}
			if w.predicts(test.live, Intent{Config: test.change, Manager: us}) {
				t.Error("a change is predicted to be none")
			}
			empty := len(body.Object) == len(identityOf(body).Object)
			if w.predicts(test.live, Intent{Config: identified(body), Manager: us}) != empty {
				t.Errorf("giving all up is predicted to change something: %t", empty)
			}
		})
	}
}

// lossyPod is for a kind whose Go type does not keep what was written.
func lossyPod(t *testing.T, w *world) {
	t.Helper()
	config := corev1ac.Pod("web", "shop").WithLabels(map[string]string{"a": "b"})
	pods := newWorldOf(t, corev1.SchemeGroupVersion.WithKind("Pod"))
	pods.mustApply(Intent{Config: config, Manager: us})
	pod := &corev1.Pod{}
	pods.read(pod)
	in := Intent{Config: config, Manager: us}
	for range 2 { // The second time the answer is remembered.
		if got, err := w.predictor.Predict(pod, in); err != nil || got.Unsafe != ReasonLossyType || got.NoOp || got.Object == nil {
			t.Errorf("unsafe %q, a no-op: %t (%v)", got.Unsafe, got.NoOp, err)
		}
	}
	if !w.predicts(pods.raw(), in) {
		t.Error("the object as it was written is no no-op")
	}
}

func labelled(of *unstructured.Unstructured, label string) runtime.ApplyConfiguration {
	u := identityOf(of)
	u.SetLabels(map[string]string{label: "x"})
	return client.ApplyConfigurationFromUnstructured(u)
}

func identified(of *unstructured.Unstructured) runtime.ApplyConfiguration {
	return client.ApplyConfigurationFromUnstructured(identityOf(of))
}

// TestAnUnstructuredObjectIsNotLossy, whatever its kind.
func TestAnUnstructuredObjectIsNotLossy(t *testing.T) {
	p := newPredictor(t)
	if p.isLossy(&unstructured.Unstructured{}) || p.isLossy(&metav1.PartialObjectMetadata{}) || !p.isLossy(&corev1.Pod{}) {
		t.Error("what is lossy is told wrongly")
	}
}
