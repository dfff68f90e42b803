// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"reflect"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

const (
	us    = Manager("us")
	user  = Manager("user")
	other = Manager("other")
)

type specConfig = *ec2v1ac.EC2InstanceSpecApplyConfiguration

func web() instanceConfig { return ec2v1ac.EC2Instance("web", "shop") }

func tag(key, value string) *ec2v1ac.TagApplyConfiguration {
	return ec2v1ac.Tag().WithKey(key).WithValue(value)
}

// usersSpec is what the user applies in every test of this file.
func usersSpec() specConfig {
	return ec2v1ac.EC2InstanceSpec().WithImage(ec2v1ac.Image().WithID("ami-0123456789abcdef0")).WithInstanceType("t3.micro").
		WithTags(tag("stage", "test")).WithSecurityGroupIDs("sg-00000001", "sg-00000002")
}

// ourMain and ourStatus are what we apply in every test of this file: all that an intent can hold.
func ourMain() instanceConfig {
	return web().WithFinalizers("example.com/us").WithAnnotations(map[string]string{"example.com/us": "1"}).
		WithSpec(ec2v1ac.EC2InstanceSpec().WithTags(tag("a", "1"), tag("b", "")).WithSecurityGroupIDs("sg-00000002", "sg-00000003").
			WithSuspend(false).WithMetadataOptions(ec2v1ac.MetadataOptions().WithHTTPPutResponseHopLimit(2)))
}

func ourStatus() instanceConfig {
	at := metav1.NewTime(time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC))
	return web().WithStatus(ec2v1ac.EC2InstanceStatus().
		WithConditions(metav1ac.Condition().WithType("Ready").WithStatus(metav1.ConditionTrue).WithReason("Running").WithMessage("").
			WithObservedGeneration(1).WithLastTransitionTime(at)).
		WithObservedGeneration(1).WithInstanceID("i-1").WithAddresses("10.0.0.1", "10.0.0.2").WithLaunchTime(at).
		WithNetworkInterfaces(ec2v1ac.NetworkInterfaceStatus().WithID("eni-1").WithDeviceIndex(0)))
}

func main(m Manager, c instanceConfig) Intent { return Intent{Config: c, Manager: m} }

func status(m Manager, c instanceConfig) Intent {
	return Intent{Config: c, Manager: m, Subresource: SubresourceStatus}
}

func forced(in Intent) Intent {
	in.Force = true
	return in
}

// TestNoOp: the user has applied a spec, we have applied our part of it and the status; then what?
func TestNoOp(t *testing.T) {
	for _, test := range []struct {
		says string
		// before are intents applied after ours.
		before []Intent
		intent Intent
		want   bool
	}{
		{"the same again", nil, main(us, ourMain()), true},
		{"the same again, forced", nil, forced(main(us, ourMain())), true},
		{"the same status again", nil, status(us, ourStatus()), true},
		{"the same status again, forced", nil, forced(status(us, ourStatus())), true},
		{"the user's again", nil, main(user, web().WithSpec(usersSpec())), true},
		{"nothing, of a manager that has nothing", nil, main(other, web()), true},
		{"no status, of a manager that has none", nil, status(other, web()), true},

		{"after another manager set other fields", []Intent{
			main(other, web().WithLabels(map[string]string{"x": "y"}).WithSpec(ec2v1ac.EC2InstanceSpec().WithKeyName("k").WithTags(tag("z", "9")))),
		}, main(us, ourMain()), true},
		{"after another manager set other conditions", []Intent{
			status(other, web().WithStatus(ec2v1ac.EC2InstanceStatus().WithConditions(metav1ac.Condition().WithType("Compliant").WithStatus("True")))),
		}, status(us, ourStatus()), true},
		{"after another manager set the same value", []Intent{
			main(other, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithTags(tag("a", "1")))),
		}, main(us, ourMain()), true},

		{"another value", nil, main(us, changed(func(s specConfig) { s.Tags[0].WithValue("2") })), false},
		{"an empty value for one", nil, main(us, changed(func(s specConfig) { s.Tags[0].WithValue("") })), false},
		{"a value for an empty one", nil, main(us, changed(func(s specConfig) { s.Tags[1].WithValue("2") })), false},
		{"a new item", nil, main(us, changed(func(s specConfig) { s.WithTags(tag("c", "3")) })), false},
		{"an item less", nil, main(us, changed(func(s specConfig) { s.Tags = s.Tags[:1] })), false},
		{"items in another order", nil, main(us, changed(func(s specConfig) { s.Tags[0], s.Tags[1] = s.Tags[1], s.Tags[0] })), false},
		{"a new element", nil, main(us, changed(func(s specConfig) { s.WithSecurityGroupIDs("sg-00000004") })), false},
		{"an element less", nil, main(us, changed(func(s specConfig) { s.SecurityGroupIDs = s.SecurityGroupIDs[1:] })), false},
		{"elements in another order", nil, main(us, changed(func(s specConfig) {
			s.SecurityGroupIDs[0], s.SecurityGroupIDs[1] = s.SecurityGroupIDs[1], s.SecurityGroupIDs[0]
		})), false},
		{"true for false", nil, main(us, changed(func(s specConfig) { s.WithSuspend(true) })), false},
		{"unset for false", nil, main(us, changed(func(s specConfig) { s.Suspend = nil })), false},
		{"another number", nil, main(us, changed(func(s specConfig) { s.MetadataOptions.WithHTTPPutResponseHopLimit(3) })), false},
		{"no finalizer", nil, main(us, func() instanceConfig { c := ourMain(); c.Finalizers = nil; return c }()), false},
		{"another annotation", nil, main(us, ourMain().WithAnnotations(map[string]string{"example.com/us": "2"})), false},
		{"nothing any more", nil, main(us, web()), false},
		{"no status any more", nil, status(us, web()), false},
		{"another address first", nil, status(us, func() instanceConfig {
			c := ourStatus()
			c.Status.Addresses = []string{"10.0.0.2", "10.0.0.1"}
			return c
		}()), false},

		{"another manager's value: to be owned too", nil, main(us, changed(func(s specConfig) { s.WithInstanceType("t3.micro") })), false},
		{"our value, of another manager: to be owned too", nil, main(other, ourMain()), false},
		{"our value, of ourselves in the status", nil, status(us, ourMain()), false},
		{"another manager's field, taken", nil, forced(main(us, changed(func(s specConfig) { s.WithInstanceType("t3.large") }))), false},
		{"another manager's field, refused", nil, main(us, changed(func(s specConfig) { s.WithInstanceType("t3.large") })), false},
		{"our value, taken by another manager: refused", []Intent{
			forced(main(other, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithTags(tag("a", "9"))))),
		}, main(us, ourMain()), false},
		{"our value, taken by another manager: taken back", []Intent{
			forced(main(other, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithTags(tag("a", "9"))))),
		}, forced(main(us, ourMain())), false},
		{"our order, changed by another manager", []Intent{
			main(other, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithSecurityGroupIDs("sg-00000003", "sg-00000002"))),
		}, main(us, ourMain()), false},

		{"a status in the object's own intent is ignored", nil, main(us, ourMain().WithStatus(ec2v1ac.EC2InstanceStatus().WithInstanceID("i-2"))), true},
		{"an unknown kind of endpoint", nil, Intent{Config: ourMain(), Manager: us, Subresource: "scale"}, false},
		{"the object's fields in the status' intent are ignored", nil, status(us, ourStatus().WithSpec(ec2v1ac.EC2InstanceSpec().WithInstanceType("t3.large")).WithLabels(map[string]string{"x": "y"})), true},
		{"what only the API server sets", nil, main(us, ourMain().WithCreationTimestamp(metav1.Now()).WithGeneration(7)), true},
		{"a time of deletion, which is refused", nil, main(us, ourMain().WithDeletionTimestamp(metav1.Now())), false},
		{"the same key twice", nil, main(us, changed(func(s specConfig) { s.WithTags(tag("a", "1")) })), false},
	} {
		t.Run(test.says, func(t *testing.T) {
			w := newWorld(t)
			for _, in := range append([]Intent{main(user, web().WithSpec(usersSpec())), main(us, ourMain()), status(us, ourStatus())}, test.before...) {
				w.mustApply(in)
			}
			if got := w.noOp(w.live(), w.raw(), test.intent); got != test.want {
				t.Errorf("a no-op: %t, want %t, on\n%v", got, test.want, w.raw().Object)
			}
		})
	}
}

// changed is our intent with another spec.
func changed(change func(specConfig)) instanceConfig {
	c := ourMain()
	change(c.Spec)
	return c
}

// TestNoOpNeedsCertainty: our own intent again, on an object that does not tell enough of itself.
func TestNoOpNeedsCertainty(t *testing.T) {
	for _, test := range []struct {
		says   string
		change func(*ec2v1.EC2Instance)
		intent instanceConfig
		want   bool
		unsafe Reason
	}{
		{"as it is", func(*ec2v1.EC2Instance) {}, ourMain(), true, ""},
		{"with its uid", func(o *ec2v1.EC2Instance) { o.UID = "u-1" }, ourMain().WithUID("u-1"), true, ""},
		{"with its uid and version", func(o *ec2v1.EC2Instance) { o.UID, o.ResourceVersion = "u-1", "7" }, ourMain().WithUID("u-1").WithResourceVersion("7"), true, ""},
		{"another version", func(o *ec2v1.EC2Instance) { o.UID, o.ResourceVersion = "u-1", "7" }, ourMain().WithUID("u-1").WithResourceVersion("6"), false, ReasonGuarded},
		{"another uid", func(o *ec2v1.EC2Instance) { o.UID = "u-2" }, ourMain().WithUID("u-1"), false, ReasonOtherObject},
		{"another name", func(o *ec2v1.EC2Instance) { o.Name = "db" }, ourMain(), false, ReasonOtherObject},
		{"another namespace", func(o *ec2v1.EC2Instance) { o.Namespace = "lab" }, ourMain(), false, ReasonOtherObject},
		{"without managedFields", func(o *ec2v1.EC2Instance) { o.ManagedFields = nil }, ourMain(), false, ReasonNoManagedFields},
		{"with empty managedFields", func(o *ec2v1.EC2Instance) { o.ManagedFields = []metav1.ManagedFieldsEntry{} }, ourMain(), false, ReasonNoManagedFields},
		{"with managedFields of another version", func(o *ec2v1.EC2Instance) {
			o.ManagedFields[0].APIVersion = "ec2.fieldowner.dev/v1beta1"
		}, ourMain(), false, ReasonOtherAPIVersion},
		{"with managedFields that nobody can read", func(o *ec2v1.EC2Instance) {
			o.ManagedFields[0].FieldsV1 = metav1.NewFieldsV1(`{"k:nope":{}}`)
		}, ourMain(), false, ReasonUnreadable},
		{"without our entry in managedFields", func(o *ec2v1.EC2Instance) {
			o.ManagedFields = slices.DeleteFunc(o.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return e.Manager == string(us) })
		}, ourMain(), false, ""},
		{"at other times", func(o *ec2v1.EC2Instance) {
			for i := range o.ManagedFields {
				o.ManagedFields[i].Time = nil
			}
		}, ourMain(), true, ""},
		{"with managedFields in another order", func(o *ec2v1.EC2Instance) {
			o.ManagedFields[0], o.ManagedFields[1] = o.ManagedFields[1], o.ManagedFields[0]
		}, ourMain(), true, ""},
		{"with our value changed behind managedFields", func(o *ec2v1.EC2Instance) { o.Spec.Suspend = new(true) }, ourMain(), false, ""},
		{"an intent of another version", func(*ec2v1.EC2Instance) {}, ourMain().WithAPIVersion("ec2.fieldowner.dev/v1beta1"), false, ReasonOtherAPIVersion},
		{"an intent of another kind", func(*ec2v1.EC2Instance) {}, ourMain().WithKind("EC2Account"), false, ReasonOtherObject},
	} {
		t.Run(test.says, func(t *testing.T) {
			w := newWorld(t)
			w.mustApply(main(user, web().WithSpec(usersSpec())))
			w.mustApply(main(us, ourMain()))
			live := w.live()
			test.change(live)
			got, err := w.predictor.Predict(live, main(us, test.intent))
			if err != nil {
				t.Fatal(err)
			}
			if got.Unsafe != test.unsafe || got.NoOp != test.want {
				t.Errorf("a no-op: %t, unsafe %q, want %t, %q", got.NoOp, got.Unsafe, test.want, test.unsafe)
			}
		})
	}
}

// TestDeletion: an object on its way out is written to without a second thought, its status is not.
func TestNoOpOfADeletedObject(t *testing.T) {
	w := newWorld(t)
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	w.mustApply(main(us, ourMain()))
	w.mustApply(status(us, ourStatus()))
	live := w.live()
	live.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	for _, test := range []struct {
		in   Intent
		want Reason
	}{{main(us, ourMain()), ReasonDeleting}, {status(us, ourStatus()), ""}} {
		got, err := w.predictor.Predict(live, test.in)
		if err != nil || got.Unsafe != test.want || got.NoOp != (test.want == "") {
			t.Errorf("%q: a no-op: %t, unsafe %q (%v)", test.in.Subresource, got.NoOp, got.Unsafe, err)
		}
	}
}

// TestNoOpOfUnknownKinds: kinds that the scheme or the schema does not know are sent, and so is what is not cached.
func TestNoOpOfUnknownKinds(t *testing.T) {
	w := newWorld(t)
	object := func(apiVersion, kind string) *unstructured.Unstructured {
		out := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
		out.SetName("web")
		out.SetNamespace("shop")
		return out
	}
	owned := []metav1.ManagedFieldsEntry{{
		Manager: "us", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{}`),
	}}
	gadget := object("v1", "Gadget")
	gadget.SetManagedFields(owned)
	for _, test := range []struct {
		want Reason
		live client.Object
	}{
		{ReasonUnreadable, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", ManagedFields: owned}}},
		{ReasonUnknownKind, gadget},
		{ReasonNotCached, nil},
	} {
		in := Intent{Config: client.ApplyConfigurationFromUnstructured(object("v1", "Gadget")), Manager: us}
		got, err := w.predictor.Predict(test.live, in)
		if err != nil || got.Unsafe != test.want || got.NoOp || got.Object != nil {
			t.Errorf("a no-op: %t, unsafe %q, want %q (%v)", got.NoOp, got.Unsafe, test.want, err)
		}
		same(t, []int{0, 0, 0}, []int{got.Added.Size(), got.Removed.Size(), got.Modified.Size()})
	}
}

// TestNoOpWhileTheSchemaDiffers: nothing is skipped until the schemas are the same again.
func TestNoOpWhileTheSchemaDiffers(t *testing.T) {
	w := newWorld(t)
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	for _, differs := range []bool{true, false} {
		w.predictor.SchemaDiffers(gvk.GroupKind(), differs)
		if got := w.predicts(w.live(), main(user, web().WithSpec(usersSpec()))); got == differs {
			t.Errorf("while the schema differs (%t), a no-op: %t", differs, got)
		}
	}
}

// TestLossyTypes: the types of this operator keep what was written to them.
func TestLossyTypes(t *testing.T) {
	for obj, want := range map[client.Object]bool{
		&ec2v1.EC2Instance{}: false, &ec2v1.EC2Account{}: false, &corev1.Service{}: false, &corev1.ConfigMap{}: false,
		&discoveryv1.EndpointSlice{}: false, &corev1.Pod{}: true,
	} {
		if got := lossy(reflect.TypeOf(obj)); got != want {
			t.Errorf("%T is lossy: %t", obj, got)
		}
	}
}
