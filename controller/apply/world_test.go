// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/applyconfig"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

type instanceConfig = *ec2v1ac.EC2InstanceApplyConfiguration

// world is one EC2Instance on a server, and our door to it.
type world struct {
	t         rapid.TB
	server    *server
	applier   *Applier
	predictor *Predictor
}

func newWorld(t rapid.TB) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := ec2v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	converter := applyconfig.NewTypeConverter(scheme)
	s := &server{converter: converter}
	c := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).Build(), interceptor.Funcs{
		Apply: func(_ context.Context, _ client.WithWatch, config runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			o := &client.ApplyOptions{}
			return s.serve(config, "", o.ApplyOptions(opts))
		},
		SubResourceApply: func(_ context.Context, _ client.Client, sub string, config runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
			o := &client.SubResourceApplyOptions{}
			o.ApplyOpts(opts)
			return s.serve(config, sub, &o.ApplyOptions)
		},
	})
	predictor := NewPredictor(scheme, converter)
	return &world{t: t, server: s, predictor: predictor, applier: New(c, predictor)}
}

// serve answers in the intent's place, as clients do.
func (s *server) serve(config runtime.ApplyConfiguration, subresource string, o *client.ApplyOptions) error {
	body, err := Intent{Config: config}.body()
	if err != nil {
		return err
	}
	answer, err := s.apply(body, subresource, o.FieldManager, o.Force != nil && *o.Force)
	if err != nil {
		return err
	}
	into, ok := config.(instanceConfig)
	if !ok {
		return fmt.Errorf("a server of EC2Instances got a %T", config)
	}
	*into = ec2v1ac.EC2InstanceApplyConfiguration{}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(answer.Object, into)
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
	in.Config = copyOf(w.t, in.Config)
	return classify(in.Manager, w.applier.send(context.Background(), in))
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
	typed, untyped := w.predictor.NoOp(live, body, in), w.predictor.NoOp(raw, body, in)
	if typed != untyped {
		w.t.Errorf("a no-op by the Go type: %t, by the unstructured object: %t", typed, untyped)
	}
	same(w.t, copies, []any{live, raw, body})
	return typed
}

// copyOf is for intents that are used again: an apply puts the answer in their place.
func copyOf(t rapid.TB, config runtime.ApplyConfiguration) runtime.ApplyConfiguration {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	out := &ec2v1ac.EC2InstanceApplyConfiguration{}
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
