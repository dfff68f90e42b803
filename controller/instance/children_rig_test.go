// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// selecting reads as the cache does, which of the kinds of children has only those that bear our label.
type selecting struct{ client.Reader }

func isChild(obj runtime.Object) bool {
	switch obj.(type) {
	case *corev1.Service, *discoveryv1.EndpointSlice, *corev1.ConfigMap:
		return true
	default:
		return false
	}
}

func (s selecting) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if err := s.Reader.Get(ctx, key, obj, opts...); err != nil {
		return err
	}
	if isChild(obj) && obj.GetLabels()[ec2v1.LabelManagedBy] != ec2v1.ManagedByOperator {
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	return nil
}

func (s selecting) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if err := s.Reader.List(ctx, list, opts...); err != nil {
		return err
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return err
	}
	return meta.SetList(list, slices.DeleteFunc(items, func(item runtime.Object) bool {
		obj, ok := item.(client.Object)
		return ok && isChild(item) && obj.GetLabels()[ec2v1.LabelManagedBy] != ec2v1.ManagedByOperator
	}))
}

// identityOf is whose apply configuration it is.
func identityOf(config runtime.ApplyConfiguration) *metav1.PartialObjectMetadata {
	text, err := json.Marshal(config)
	if err != nil {
		panic(err)
	}
	object := &metav1.PartialObjectMetadata{}
	if err := json.Unmarshal(text, object); err != nil {
		panic(err)
	}
	return object
}

// written is how a write is told: the lifecycle part of the object, or the kind and name of a child.
func written(config runtime.ApplyConfiguration) string {
	object := identityOf(config)
	if object.Kind == "EC2Instance" {
		return "lifecycle"
	}
	return object.Kind + " " + object.Name
}

// finish does what the API server does after an apply and the fake one does not, and puts it into the answer: an
// object that was just made gets a uid, and nobody becomes the owner of status.
func (r *rig) finish(ctx context.Context, c client.Client, answer runtime.ApplyConfiguration) error {
	object := identityOf(answer)
	live, err := c.Scheme().New(object.GroupVersionKind())
	if err != nil {
		return err
	}
	applied, ok := live.(client.Object)
	if !ok {
		return nil
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(object), applied); err != nil {
		return client.IgnoreNotFound(err) // It has given its last finalizer up.
	}
	if applied.GetUID() == "" {
		r.made++
		applied.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", r.made)))
	}
	entries := applied.GetManagedFields()
	for i := range entries {
		if entries[i].Subresource != "" {
			continue
		}
		fields := map[string]any{}
		if err := json.Unmarshal(entries[i].FieldsV1.GetRawBytes(), &fields); err != nil {
			return err
		}
		delete(fields, "f:status")
		text, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		entries[i].FieldsV1 = metav1.NewFieldsV1(string(text))
	}
	applied.SetManagedFields(entries)
	if err := c.Update(ctx, applied); err != nil {
		return err
	}
	applied.GetObjectKind().SetGroupVersionKind(object.GroupVersionKind())
	text, err := json.Marshal(applied)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// remove is a deletion by the operator, or by a test.
func (r *rig) remove(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
	if err := c.Delete(ctx, obj, opts...); err != nil {
		return err
	}
	if isChild(obj) {
		r.writes = append(r.writes, "delete "+obj.GetName())
	}
	return nil
}

// exposed has spec ask for a Service and a ConfigMap.
func exposed(s *ec2v1.EC2InstanceSpec) {
	s.Expose = &ec2v1.Expose{
		ServiceName: "web", Type: ec2v1.ExposeClusterIP,
		Ports: []ec2v1.ExposePort{{Name: "http", Port: 80, Protocol: ec2v1.ExposeTCP, TargetPort: 8080}},
	}
	s.Connection = &ec2v1.Connection{ConfigMapName: "web-connection"}
}

// addressed gives the instance of the number addresses, as EC2 does.
func (r *rig) addressed(n int64) {
	r.ec2.set(func() {
		i := r.ec2.instances[instanceID(n)]
		i.PrivateIP, i.PublicIP, i.Zone = "10.0.0.7", "192.0.2.7", testRegion+"a"
		r.ec2.instances[i.ID] = i
	})
}

// passing has the status checks of the instance of the number pass.
func (r *rig) passing(n int64) {
	r.ec2.set(func() {
		ok := cloud.Check{Result: cloud.CheckOK}
		r.ec2.statuses[instanceID(n)] = cloud.InstanceStatus{System: ok, Instance: ok}
	})
}

// runExposed brings the object's first instance, with its children, to running and reachable.
func (r *rig) runExposed() {
	r.Helper()
	r.edit(exposed)
	r.until("the instance is launched", readyIs(ec2v1.ReasonStarting))
	r.addressed(1)
	r.passing(1)
	r.ec2.becomes(instanceID(1), cloud.StateRunning)
	r.until("the instance runs", readyIs(ec2v1.ReasonRunning))
	r.until("the endpoint is ready", func(*ec2v1.EC2Instance) bool { return r.endpoints() == "10.0.0.7 ready: http/8080" })
	r.writes, r.events = nil, nil
	r.ec2.taken()
}

// child reads a child, as the API server has it; false when it is not there.
func (r *rig) child(name string, into client.Object) bool {
	r.Helper()
	err := r.client.Get(r.Context(), client.ObjectKey{Namespace: "team", Name: name}, into)
	if client.IgnoreNotFound(err) != nil {
		r.Fatal(err)
	}
	return err == nil
}

// lagging is a cache that still shows an old ConfigMap.
type lagging struct {
	client.Reader
	old *corev1.ConfigMap
}

func (l lagging) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if into, ok := obj.(*corev1.ConfigMap); ok && key.Name == l.old.Name {
		l.old.DeepCopyInto(into)
		return nil
	}
	return l.Reader.Get(ctx, key, obj, opts...)
}

func (l lagging) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if into, ok := list.(*corev1.ConfigMapList); ok {
		into.Items = []corev1.ConfigMap{*l.old.DeepCopy()}
		return nil
	}
	return l.Reader.List(ctx, list, opts...)
}

// endpoints tells in a few words what the IPv4 slice says.
func (r *rig) endpoints() string {
	r.Helper()
	slice := &discoveryv1.EndpointSlice{}
	if !r.child("web-ipv4", slice) {
		return "no slice"
	}
	var words []string
	for _, e := range slice.Endpoints {
		words = append(words, e.Addresses...)
		for word, is := range map[string]*bool{"ready": e.Conditions.Ready, "serving": e.Conditions.Serving, "terminating": e.Conditions.Terminating} {
			if *is && (word != "serving" || !*e.Conditions.Ready) {
				words = append(words, word)
			}
		}
	}
	slices.Sort(words)
	var ports []string
	for _, port := range slice.Ports {
		ports = append(ports, *port.Name+"/"+strconv.Itoa(int(*port.Port)))
	}
	return strings.Join(words, " ") + ": " + strings.Join(ports, " ")
}

func (r *rig) connection() map[string]string {
	r.Helper()
	config := &corev1.ConfigMap{}
	if !r.child("web-connection", config) {
		return nil
	}
	return config.Data
}

func (r *rig) expectConnection(want map[string]string) {
	r.Helper()
	if got := r.connection(); !maps.Equal(got, want) {
		r.Errorf("the ConfigMap says %v, want %v", got, want)
	}
}

// change changes a child as a user does, and forgets that as a write.
func change[T client.Object](r *rig, name string, into T, how func(T)) {
	r.Helper()
	if !r.child(name, into) {
		r.Fatalf("%s is not there", name)
	}
	how(into)
	if err := r.client.Update(r.Context(), into, client.FieldOwner("user")); err != nil {
		r.Fatal(err)
	}
}

// exists makes an object as somebody else does.
func (r *rig) exists(obj client.Object) {
	r.Helper()
	if err := r.client.Create(r.Context(), obj, client.FieldOwner("somebody")); err != nil {
		r.Fatal(err)
	}
}

// gone deletes a child as somebody else does.
func (r *rig) gone(obj client.Object) {
	r.Helper()
	if err := r.client.Delete(r.Context(), obj); err != nil {
		r.Fatal(err)
	}
	r.writes = nil
}

// pass makes one pass.
func (r *rig) pass() {
	r.Helper()
	if _, err := r.reconcile(); err != nil {
		r.Fatal(err)
	}
}

// expectToComeBack makes one pass, which is to ask for another one soon.
func (r *rig) expectToComeBack(within time.Duration) {
	r.Helper()
	if after, err := r.reconcile(); err != nil || after == 0 || after > within {
		r.Errorf("comes back after %s, %v", after, err)
	}
}

// stalledOn tells whether the object is stalled for a reason, and Ready says so too.
func stalledOn(reason string) func(*ec2v1.EC2Instance) bool {
	return func(obj *ec2v1.EC2Instance) bool {
		stalled := meta.FindStatusCondition(obj.Status.Conditions, ec2v1.ConditionStalled)
		reconciling := meta.FindStatusCondition(obj.Status.Conditions, ec2v1.ConditionReconciling)
		return readyIs(reason)(obj) && stalled != nil && stalled.Reason == reason && reconciling == nil
	}
}

func team(name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "team", Name: name, Labels: labels}
}

func foreignService() *corev1.Service {
	return &corev1.Service{ObjectMeta: team("web", map[string]string{"app": "shop"}), Spec: corev1.ServiceSpec{
		Selector: map[string]string{"app": "shop"}, Ports: []corev1.ServicePort{{Name: "other", Port: 443, Protocol: corev1.ProtocolTCP}},
	}}
}

var errOther = errors.New("the API server is elsewhere")
