// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoac "k8s.io/client-go/applyconfigurations"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/applyconfig"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

type instanceConfig = *ec2v1ac.EC2InstanceApplyConfiguration

// world is one object on a server, and our door to it.
type world struct {
	t         rapid.TB
	server    *server
	client    client.Client
	applier   *Applier
	predictor *Predictor
	clock     *clocktesting.FakePassiveClock
	metrics   *prometheus.Registry
}

// someTime is when the clocks of the tests start.
var someTime = time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)

// newWorld is a world of EC2Instances.
func newWorld(t rapid.TB) *world { return newWorldOf(t, gvk) }

// newWorldOf is a world of one kind, ours or a built-in one.
func newWorldOf(t rapid.TB, kind schema.GroupVersionKind) *world {
	t.Helper()
	w := &world{
		t: t, predictor: newPredictor(t), clock: clocktesting.NewFakePassiveClock(someTime), metrics: prometheus.NewRegistry(),
		server: &server{kind: kind},
	}
	w.server.converter = w.predictor.mergers.converterOf(kind)
	metrics, err := NewMetrics(w.metrics)
	if err != nil {
		t.Fatal(err)
	}
	w.client = w.server.client(w.predictor.scheme)
	w.applier = New(w.client, w.predictor, WithClock(w.clock), WithMetrics(metrics))
	return w
}

// newPredictor knows our kinds and the built-in ones, as the operator's does.
func newPredictor(t rapid.TB) *Predictor {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{ec2v1.AddToScheme, corev1.AddToScheme, discoveryv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return NewPredictor(scheme, applyconfig.NewTypeConverter(scheme), clientgoac.NewTypeConverter(scheme))
}

func (s *server) client(scheme *runtime.Scheme) client.Client {
	return interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).Build(), interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
			return s.get(key, obj)
		},
		Apply: func(_ context.Context, _ client.WithWatch, config runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			o := &client.ApplyOptions{}
			return s.serve(config, "", o.ApplyOptions(opts))
		},
		SubResourceApply: func(_ context.Context, _ client.Client, sub string, config runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
			o := &client.SubResourceApplyOptions{}
			o.ApplyOpts(opts)
			return s.serve(config, sub, &o.ApplyOptions)
		},
		Patch: func(_ context.Context, _ client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			o := &client.PatchOptions{}
			return s.patch(obj, patch, o.ApplyOptions(opts))
		},
		Delete: func(_ context.Context, _ client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			o := &client.DeleteOptions{}
			return s.delete(obj, o.ApplyOptions(opts))
		},
	})
}

// live is the object as a cache of Go types has it.
func (w *world) live() *ec2v1.EC2Instance {
	w.t.Helper()
	obj := &ec2v1.EC2Instance{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(w.raw().Object, obj); err != nil {
		w.t.Fatal(err)
	}
	return obj
}

// read is the object as a cache of another Go type has it.
func (w *world) read(out client.Object) {
	w.t.Helper()
	if err := into(w.raw(), out); err != nil {
		w.t.Fatal(err)
	}
}

// raw is the same as a cache of unstructured objects has it.
func (w *world) raw() *unstructured.Unstructured {
	w.t.Helper()
	if w.server.object == nil {
		w.t.Fatal("there is no object")
	}
	return w.server.object.DeepCopy()
}

// apply sends an intent's copy, whatever it changes.
func (w *world) apply(in Intent) error {
	w.t.Helper()
	return classify(in.Manager, w.request(in), nil, nil)
}

// request is the same, with the API server's own answer.
func (w *world) request(in Intent) error {
	w.t.Helper()
	return w.applier.request(context.Background(), in, copyOf(w.t, in.Config))
}

// tryApply takes a conflict for an answer.
func (w *world) tryApply(in Intent) {
	w.t.Helper()
	if err := w.apply(in); err != nil && !IsOwnershipConflict(err) && !IsGone(err) {
		w.t.Fatal(err)
	}
}

func (w *world) mustApply(in Intent) {
	w.t.Helper()
	if err := w.apply(in); err != nil {
		w.t.Fatal(err)
	}
}

// noOp is the prediction, which must not depend on the cache's kind, nor change what it is given.
func (w *world) noOp(live *ec2v1.EC2Instance, raw *unstructured.Unstructured, in Intent) bool {
	w.t.Helper()
	body, err := in.body()
	if err != nil {
		w.t.Fatal(err)
	}
	copies := []any{live.DeepCopy(), raw.DeepCopy(), body.DeepCopy()}
	typed, untyped := w.predicts(live, in), w.predicts(raw, in)
	if typed != untyped {
		w.t.Errorf("a no-op by the Go type: %t, by the unstructured object: %t", typed, untyped)
	}
	after, err := in.body()
	if err != nil {
		w.t.Fatal(err)
	}
	same(w.t, copies, []any{live, raw, after})
	return typed
}

// predicts tells whether an intent is predicted to change nothing. One that the merge code refuses is not.
func (w *world) predicts(live client.Object, in Intent) bool {
	w.t.Helper()
	p, err := w.predictor.Predict(live, in)
	return err == nil && p.NoOp
}

// copyOf is for intents that are used again: an apply puts the answer in their place.
func copyOf(t rapid.TB, config runtime.ApplyConfiguration) runtime.ApplyConfiguration {
	t.Helper()
	if u, ok := config.(runtime.Unstructured); ok {
		return client.ApplyConfigurationFromUnstructured((&unstructured.Unstructured{Object: u.UnstructuredContent()}).DeepCopy())
	}
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	out, ok := reflect.TypeAssert[runtime.ApplyConfiguration](reflect.New(reflect.TypeOf(config).Elem()))
	if !ok {
		t.Fatalf("%T is no apply configuration", config)
	}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func same(t rapid.TB, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}
