// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

const (
	service = "Service web"
	slice4  = "EndpointSlice web-ipv4"
	slice6  = "EndpointSlice web-ipv6"
	config  = "ConfigMap web-connection"
)

func TestChildrenFollowTheInstance(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.edit(exposed)
		r.until("the instance is launched", readyIs(ec2v1.ReasonStarting))
		r.expectWrites("lifecycle", service, slice4, config, "status")
		if got := r.endpoints(); got != ": http/8080" {
			t.Errorf("before there is an address: %s", got)
		}
		r.expectConnection(map[string]string{"instanceID": instanceID(1), "region": testRegion})

		r.addressed(1)
		r.ec2.becomes(instanceID(1), cloud.StateRunning)
		r.until("the instance runs", readyIs(ec2v1.ReasonRunning))
		r.expectWrites(slice4, config, "status")
		if got := r.endpoints(); got != "10.0.0.7: http/8080" {
			t.Errorf("before the checks pass: %s", got)
		}
		r.passing(1)
		r.until("the endpoint is ready", func(*ec2v1.EC2Instance) bool { return r.endpoints() == "10.0.0.7 ready: http/8080" })
		r.expectConnection(map[string]string{
			"instanceID": instanceID(1), "region": testRegion, "availabilityZone": testRegion + "a",
			"privateIPAddress": "10.0.0.7", "publicIPAddress": "192.0.2.7",
		})
		r.ec2.taken()
		r.writes = nil
		r.expectRest()

		r.edit(func(s *ec2v1.EC2InstanceSpec) { s.PowerState = ec2v1.PowerStateStopped })
		r.until("the instance is stopping", readyIs(ec2v1.ReasonStopping))
		if got := r.endpoints(); got != "10.0.0.7: http/8080" {
			t.Errorf("while it stops: %s", got)
		}
		r.ec2.becomes(instanceID(1), cloud.StateStopped)
		r.until("the instance is stopped", readyIs(ec2v1.ReasonStopped))
		r.ec2.taken()
		r.writes = nil
		r.expectRest()

		r.delete()
		r.until("the instance is terminating", readyIs(ec2v1.ReasonDeleting))
		if got := r.endpoints(); got != "10.0.0.7 terminating: http/8080" {
			t.Errorf("while it terminates: %s", got)
		}
		r.ec2.becomes(instanceID(1), cloud.StateTerminated)
		r.until("the object is gone", isGone)
		r.expectWrites(slice4, "status", "lifecycle")
	})
}

// A terminated instance is none: its addresses may be somebody else's by now.
func TestAReplacedInstanceIsReplacedInTheChildren(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.runExposed()
		r.ec2.becomes(instanceID(1), cloud.StateShuttingDown)
		r.until("it shuts down", readyIs(ec2v1.ReasonTerminating))
		if got := r.endpoints(); got != "10.0.0.7 terminating: http/8080" {
			t.Errorf("while it shuts down: %s", got)
		}
		r.ec2.becomes(instanceID(1), cloud.StateTerminated)
		r.until("another one is launched", func(o *ec2v1.EC2Instance) bool { return o.Status.InstanceID == instanceID(2) })
		if got := r.endpoints(); got != ": http/8080" {
			t.Errorf("the second has no address yet: %s", got)
		}
		r.expectConnection(map[string]string{"instanceID": instanceID(2), "region": testRegion})
	})
}

// A slice for IPv6 is made when there is an address, and stays from then on: somebody may have put a label on it.
func TestIPv6(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.runExposed()
		r.ec2.set(func() {
			i := r.ec2.instances[instanceID(1)]
			i.IPv6 = []string{"2001:db8::1"}
			r.ec2.instances[i.ID] = i
		})
		slice := &discoveryv1.EndpointSlice{}
		r.until("there is a slice", func(*ec2v1.EC2Instance) bool { return r.child("web-ipv6", slice) })
		if len(slice.Endpoints) != 1 || slice.AddressType != discoveryv1.AddressTypeIPv6 || slice.Endpoints[0].Addresses[0] != "2001:db8::1" {
			t.Errorf("got %+v", slice)
		}
		r.expectWrites(slice6, config, "status")
		r.ec2.set(func() {
			i := r.ec2.instances[instanceID(1)]
			i.IPv6 = nil
			r.ec2.instances[i.ID] = i
		})
		r.until("it is empty", func(*ec2v1.EC2Instance) bool {
			slice := &discoveryv1.EndpointSlice{}
			return r.child("web-ipv6", slice) && len(slice.Endpoints) == 0
		})
	})
}

// Whoever has the name keeps it, the other children are made, and somebody is told, once.
func TestANameThatSomebodyElseHas(t *testing.T) {
	controlled := func(s *corev1.Service) {
		s.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "shop", UID: otherUID, Controller: new(true)}}
	}
	for says, with := range map[string]func(*corev1.Service){
		"nobody's":                      func(*corev1.Service) {},
		"another controller's":          controlled,
		"with labels as ours has":       func(s *corev1.Service) { s.Labels[ec2v1.LabelManagedBy] = ec2v1.ManagedByOperator },
		"with our uid, and not of ours": func(s *corev1.Service) { s.Labels[ec2v1.LabelUID] = testUID },
	} {
		t.Run(says, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				foreign := foreignService()
				with(foreign)
				r.exists(foreign)
				r.edit(exposed)
				r.until("it is told", stalledOn(ec2v1.ReasonChildNotControlled))
				r.addressed(1)
				r.passing(1)
				r.ec2.becomes(instanceID(1), cloud.StateRunning)
				obj := r.until("the instance runs", func(o *ec2v1.EC2Instance) bool { return o.Status.State == "running" })
				if !stalledOn(ec2v1.ReasonChildNotControlled)(obj) {
					t.Errorf("conditions are %+v", obj.Status.Conditions)
				}
				if got := r.endpoints(); got != "no slice" {
					t.Errorf("the foreign Service leads to the instance: %s", got)
				}
				if r.connection()["privateIPAddress"] != "10.0.0.7" {
					t.Errorf("the ConfigMap says %v", r.connection())
				}
				r.writes = nil
				r.ec2.taken()
				r.expectRest()
				r.expectToComeBack(childAgain)
				after := &corev1.Service{}
				r.child("web", after)
				if diff := cmp.Diff(foreign, after); diff != "" {
					t.Errorf("the foreign Service was touched:\n%s", diff)
				}
				told := slices.DeleteFunc(slices.Clone(r.events), func(e string) bool { return !strings.HasPrefix(e, ec2v1.ReasonChildNotControlled) })
				if len(told) != 1 {
					t.Errorf("told %q", r.events)
				}

				r.gone(after)
				r.until("the name is free", readyIs(ec2v1.ReasonRunning))
				r.expectWrites(service, slice4, "status")
			})
		})
	}
}

// Slices that were made before a foreign Service took the name are given up: they would lead its clients astray.
func TestSlicesOfAServiceThatSomebodyTook(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.runExposed()
		ours := &corev1.Service{}
		r.child("web", ours)
		r.gone(ours)
		r.exists(foreignService())
		r.until("it is told", stalledOn(ec2v1.ReasonChildNotControlled))
		r.expectWrites("delete web-ipv4", "status")
	})
}

// What is taken from a child, or with it, comes back at the next pass, and what others add stays.
func TestWhatIsTakenFromAChildComesBack(t *testing.T) {
	for says, test := range map[string]struct {
		take   func(*rig)
		writes []string
	}{
		"the Service": {func(r *rig) { r.gone(&corev1.Service{ObjectMeta: team("web", nil)}) }, []string{service}},
		"the slice":   {func(r *rig) { r.gone(&discoveryv1.EndpointSlice{ObjectMeta: team("web-ipv4", nil)}) }, []string{slice4}},
		"our controller reference": {func(r *rig) {
			change(r, "web", &corev1.Service{}, func(s *corev1.Service) { s.OwnerReferences = nil })
		}, []string{service}},
		"our label, so that the cache loses it": {func(r *rig) {
			change(r, "web-connection", &corev1.ConfigMap{}, func(c *corev1.ConfigMap) { delete(c.Labels, ec2v1.LabelManagedBy) })
		}, []string{config}},
		"a port's target": {func(r *rig) {
			change(r, "web", &corev1.Service{}, func(s *corev1.Service) { s.Spec.Ports[0].TargetPort = intstr.FromInt32(1) })
		}, []string{service}},
		"the endpoint": {func(r *rig) {
			change(r, "web-ipv4", &discoveryv1.EndpointSlice{}, func(s *discoveryv1.EndpointSlice) { s.Endpoints = nil })
		}, []string{slice4}},
		"a value": {func(r *rig) {
			change(r, "web-connection", &corev1.ConfigMap{}, func(c *corev1.ConfigMap) { c.Data["instanceID"] = "i-0" })
		}, []string{config}},
	} {
		t.Run(says, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.runExposed()
				before := r.endpoints()
				connection := r.connection()
				change(r, "web", &corev1.Service{}, func(s *corev1.Service) {
					s.Labels["mine"], s.Annotations = "yes", map[string]string{"mine": "yes"}
				})
				test.take(r)
				r.pass()
				r.expectWrites(test.writes...)
				got := &corev1.Service{}
				if !r.child("web", got) || metav1.GetControllerOf(got) == nil || got.Spec.Ports[0].TargetPort.IntVal != 8080 {
					t.Errorf("the Service is %+v", got)
				}
				if says != "the Service" && (got.Labels["mine"] != "yes" || got.Annotations["mine"] != "yes") {
					t.Errorf("what the user added is gone: %v %v", got.Labels, got.Annotations)
				}
				if r.endpoints() != before {
					t.Errorf("endpoints are %s", r.endpoints())
				}
				r.expectConnection(connection)
				if took := `Service "web" .spec.ports[port=80,protocol="TCP"].targetPort (user (Update))`; says == "a port's target" &&
					!slices.ContainsFunc(r.events, func(e string) bool { return strings.Contains(e, took) }) {
					t.Errorf("told %q", r.events)
				}
				r.pass()
				r.expectWrites()
			})
		})
	}
}

// A port that a user adds to the Service itself stays, and leads to the instance.
func TestAUsersOwnPort(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.runExposed()
		change(r, "web", &corev1.Service{}, func(s *corev1.Service) {
			s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{Name: "metrics", Port: 9090, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromInt32(9100)})
		})
		r.pass()
		r.expectWrites(slice4)
		if got := r.endpoints(); got != "10.0.0.7 ready: http/8080 metrics/9100" {
			t.Errorf("endpoints are %s", got)
		}
		r.edit(func(s *ec2v1.EC2InstanceSpec) {
			s.Expose.Ports = append(s.Expose.Ports, ec2v1.ExposePort{Name: "https", Port: 443, Protocol: ec2v1.ExposeTCP})
		})
		r.pass()
		r.expectWrites(service, slice4, "status")
		if got := r.endpoints(); got != "10.0.0.7 ready: http/8080 https/443 metrics/9100" {
			t.Errorf("endpoints are %s", got)
		}
		r.pass()
		r.expectWrites()
	})
}

// dropped has spec ask for no children any more.
func dropped(s *ec2v1.EC2InstanceSpec) { s.Expose, s.Connection = nil, nil }

func TestChildrenThatSpecDrops(t *testing.T) {
	t.Run("nobody else has a part in them: deleted", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.runExposed()
			r.edit(dropped)
			r.pass()
			r.expectWrites("delete web", "delete web-ipv4", "delete web-connection", "status")
			if want := `ChildDeleted: Deleted Service "web", which spec no longer asks for`; !slices.Contains(r.events, want) {
				t.Errorf("told %q", r.events)
			}
			r.expectRest()
		})
	})
	t.Run("a user has a label in one: released to them", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.runExposed()
			change(r, "web-connection", &corev1.ConfigMap{}, func(c *corev1.ConfigMap) { c.Labels["mine"] = "yes" })
			r.edit(dropped)
			r.pass()
			r.expectWrites("delete web", "delete web-ipv4", config, "status")
			got := &corev1.ConfigMap{}
			if !r.child("web-connection", got) {
				t.Fatal("it is gone")
			}
			if diff := cmp.Diff(map[string]string{"mine": "yes"}, got.Labels); diff != "" || len(got.OwnerReferences)+len(got.Data) != 0 {
				t.Errorf("what is left of it is %+v", got)
			}
			r.expectRest()
		})
	})
	t.Run("a user has made one for us: left alone", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.runExposed()
			theirs := &corev1.ConfigMap{ObjectMeta: team("theirs", map[string]string{ec2v1.LabelManagedBy: ec2v1.ManagedByOperator})}
			theirs.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(r.get(), ec2v1.SchemeGroupVersion.WithKind("EC2Instance"))}
			r.exists(theirs)
			r.edit(dropped)
			r.pass()
			r.expectWrites("delete web", "delete web-ipv4", "delete web-connection", "status")
			if !r.child("theirs", &corev1.ConfigMap{}) {
				t.Error("a user's own object was given up")
			}
		})
	})
	t.Run("they are renamed", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.runExposed()
			r.edit(func(s *ec2v1.EC2InstanceSpec) { s.Expose.ServiceName = "shop" })
			r.pass()
			r.expectWrites("Service shop", "EndpointSlice shop-ipv4", "delete web", "delete web-ipv4", "status")
			r.expectRest()
		})
	})
}

// The garbage collector is at work on the children of an object that is being deleted, or leaves them to somebody.
func TestNothingIsMadeTakenBackOrGivenUpDuringDeletion(t *testing.T) {
	t.Run("children that spec asks for", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.runExposed()
			r.delete()
			r.gone(&corev1.Service{ObjectMeta: team("web", nil)})
			change(r, "web-connection", &corev1.ConfigMap{}, func(c *corev1.ConfigMap) { c.OwnerReferences, c.Data = nil, nil })
			r.until("the instance is terminating", readyIs(ec2v1.ReasonDeleting))
			r.expectWrites("status")
		})
	})
	t.Run("children that spec has dropped", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.runExposed()
			r.delete()
			r.edit(dropped)
			r.until("the instance is terminating", readyIs(ec2v1.ReasonDeleting))
			r.expectWrites("status")
		})
	})
}

// A child that is on its way out is waited for.
func TestAChildThatIsBeingDeleted(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.runExposed()
		change(r, "web", &corev1.Service{}, func(s *corev1.Service) { s.Finalizers = []string{"example.com/hold"} })
		going := &corev1.Service{}
		r.child("web", going)
		r.gone(going)
		r.edit(func(s *ec2v1.EC2InstanceSpec) { s.Expose.Ports[0].TargetPort = 8081 })
		r.pass()
		r.expectWrites("status")
		change(r, "web", &corev1.Service{}, func(s *corev1.Service) { s.Finalizers = nil })
		r.pass()
		r.expectWrites(service, slice4)
	})
	t.Run("and that spec drops", func(t *testing.T) {
		inBubble(t, func(r *rig) {
			r.runExposed()
			change(r, "web-connection", &corev1.ConfigMap{}, func(c *corev1.ConfigMap) { c.Finalizers = []string{"example.com/hold"} })
			r.gone(&corev1.ConfigMap{ObjectMeta: team("web-connection", nil)})
			r.edit(func(s *ec2v1.EC2InstanceSpec) { s.Connection = nil })
			r.pass()
			r.expectWrites("status")
			if len(r.events) != 0 {
				t.Errorf("told %q", r.events)
			}
		})
	})
}

// The API server refuses a child: the others are made, and the status tells, with what EC2 has accepted.
func TestAChildThatTheAPIServerRefuses(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.refuse = map[string]error{service: apierrors.NewForbidden(schema.GroupResource{Resource: "services"}, "web", errors.New("exceeded quota: few"))}
		r.edit(exposed)
		obj := r.until("it is told", stalledOn(ec2v1.ReasonChildRefused))
		r.expectWrites("lifecycle", config, "status")
		if obj.Status.InstanceID != instanceID(1) {
			t.Errorf("status is %+v", obj.Status)
		}
		told := slices.DeleteFunc(slices.Clone(r.events), func(e string) bool { return !strings.Contains(e, "exceeded quota: few") })
		if len(told) != 1 {
			t.Errorf("told %q", r.events)
		}
		r.expectToComeBack(childAgain)
		r.refuse = nil
		r.until("it is made", readyIs(ec2v1.ReasonStarting))
		r.expectWrites(service, slice4, "status")
	})
}

// Behind a Service that the API server does not let change, the addresses follow the instance.
func TestAddressesFollowBehindARefusedService(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.runExposed()
		r.refuse = map[string]error{service: apierrors.NewForbidden(schema.GroupResource{Resource: "services"}, "web", errors.New("exceeded quota: few"))}
		r.edit(func(s *ec2v1.EC2InstanceSpec) { s.Expose.Type = ec2v1.ExposeLoadBalancer })
		r.until("it is told", stalledOn(ec2v1.ReasonChildRefused))
		r.ec2.set(func() {
			i := r.ec2.instances[instanceID(1)]
			i.PrivateIP = "10.0.0.9"
			r.ec2.instances[i.ID] = i
		})
		r.until("the endpoint has the new address", func(*ec2v1.EC2Instance) bool { return strings.HasPrefix(r.endpoints(), "10.0.0.9 ready") })
	})
}

// What nobody expects is an error of the pass, and the status is written all the same.
func TestAChildThatCannotBeWritten(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.refuse = map[string]error{config: errOther}
		r.edit(exposed)
		for r.get().Status.InstanceID == "" {
			if _, err := r.reconcile(); err != nil && !errors.Is(err, errOther) {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		r.expectWrites("lifecycle", service, slice4, "status")
		if _, err := r.reconcile(); !errors.Is(err, errOther) {
			t.Errorf("the pass ended with %v", err)
		}
	})
}

// The cache has no say until it shows what was written last.
func TestAChildThatTheCacheShowsTooOld(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.runExposed()
		old := &corev1.ConfigMap{}
		r.child("web-connection", old)
		r.addressed(1)
		r.ec2.set(func() {
			i := r.ec2.instances[instanceID(1)]
			i.PublicIP = "192.0.2.8"
			r.ec2.instances[i.ID] = i
		})
		r.until("the new address is there", func(*ec2v1.EC2Instance) bool { return r.connection()["publicIPAddress"] == "192.0.2.8" })
		r.writes = nil
		r.operator.Reader = lagging{selecting{r.client}, old}
		r.expectToComeBack(time.Second)
		r.expectWrites()
		r.edit(func(s *ec2v1.EC2InstanceSpec) { s.Connection = nil })
		r.expectToComeBack(time.Second)
		r.expectWrites("status")
	})
}

// Between the look for a foreign object and the apply that would make ours, one came into being.
func TestANameThatIsTakenAtTheLastMoment(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.run()
		r.writes = nil
		r.edit(exposed)
		theirs := &corev1.ConfigMap{ObjectMeta: team("web-connection", nil), Data: map[string]string{"instanceID": "i-0"}}
		r.lastMoment = func(what string) {
			if what == config {
				r.exists(theirs)
				r.lastMoment = nil
			}
		}
		r.until("it is told", stalledOn(ec2v1.ReasonChildNotControlled))
		got := &corev1.ConfigMap{}
		r.child("web-connection", got)
		if diff := cmp.Diff(theirs, got); diff != "" {
			t.Errorf("it was touched:\n%s", diff)
		}
	})
}

// Trouble in EC2 that needs help is told first.
func TestOrphaned(t *testing.T) {
	stalled := condition(metav1.ConditionTrue, ec2v1.ReasonInvalidRequest, "EC2 says no")
	v := Verdict{Ready: condition(metav1.ConditionFalse, ec2v1.ReasonInvalidRequest, "EC2 says no"), Stalled: &stalled}
	got := v.orphaned(ec2v1.ReasonChildNotControlled, "taken")
	if got.Ready.Reason != ec2v1.ReasonInvalidRequest || got.Stalled.Message != "EC2 says no; taken" || got.Ready.Message != got.Stalled.Message {
		t.Errorf("got %+v, %+v", got.Ready, got.Stalled)
	}
	if stalled.Message != "EC2 says no" {
		t.Error("the verdict that was given was changed")
	}
	going := condition(metav1.ConditionTrue, ec2v1.ReasonStarting, "it starts")
	got = Verdict{Ready: condition(metav1.ConditionFalse, ec2v1.ReasonStarting, "it starts"), Reconciling: &going}.orphaned(ec2v1.ReasonChildNotControlled, "taken")
	if got.Ready.Reason != ec2v1.ReasonChildNotControlled || got.Stalled == nil || got.Reconciling != nil {
		t.Errorf("got %+v", got)
	}
}
