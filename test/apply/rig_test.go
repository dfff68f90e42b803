// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/applyconfig"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/operator"
	"github.com/fieldowner/ec2-operator/test/apply/intents"
)

const namespace = "default"

// The managers of these tests.
const (
	a, b, c = apply.Manager("a"), apply.Manager("b"), apply.Manager("c")

	editor = client.FieldOwner("editor")
)

// rig is one object, which may not exist, and the ways to it.
type rig struct {
	t         rapid.TB
	name      string
	client    client.Client
	applier   *apply.Applier
	predictor *apply.Predictor
}

func newRig(t rapid.TB, name string) *rig {
	t.Helper()
	return newRigAs(t, name, shared.RESTConfig())
}

func newRigAs(t rapid.TB, name string, cfg *rest.Config) *rig {
	t.Helper()
	scheme, err := operator.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	k8s, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	predictor := apply.NewPredictor(scheme, applyconfig.NewTypeConverter(scheme))
	return &rig{t: t, name: name, client: k8s, predictor: predictor, applier: apply.New(k8s, predictor)}
}

// nameFor makes an object's name of a test's.
func nameFor(t *testing.T) string {
	t.Helper()
	return strings.ToLower(strings.NewReplacer("/", "-", "_", "-", ",", "", ":", "", "'", "", ";", "").Replace(t.Name()))
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) key() client.ObjectKey { return client.ObjectKey{Namespace: namespace, Name: r.name} }

// config is an empty intent for the object.
func (r *rig) config() intents.Config { return ec2v1ac.EC2Instance(r.name, namespace) }

// live is the object, or nil where there is none.
func (r *rig) live() *ec2v1.EC2Instance {
	r.t.Helper()
	obj := &ec2v1.EC2Instance{}
	err := r.client.Get(context.Background(), r.key(), obj)
	if apierrors.IsNotFound(err) {
		return nil
	}
	r.must(err)
	return obj
}

// raw is the object as the API server has it.
func (r *rig) raw() *unstructured.Unstructured {
	r.t.Helper()
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(ec2v1.SchemeGroupVersion.WithKind("EC2Instance"))
	r.must(r.client.Get(context.Background(), r.key(), obj))
	return obj
}

// main and status complete intents: on the object, either may create; a status is guarded by the live version unless it has one.
func (r *rig) main(m apply.Manager, config intents.Config) apply.Intent {
	return apply.Intent{Config: config, Manager: m, Create: true}
}

func (r *rig) status(m apply.Manager, config intents.Config) apply.Intent {
	r.t.Helper()
	if config.ResourceVersion == nil {
		config.WithResourceVersion("1")
		if live := r.live(); live != nil {
			config.WithResourceVersion(live.ResourceVersion)
		}
	}
	return apply.Intent{Config: config, Manager: m, Subresource: apply.SubresourceStatus}
}

func forced(in apply.Intent) apply.Intent {
	in.Force = true
	return in
}

// send sends an intent whatever is predicted, and holds the prediction to what happens: nothing changes, not even the
// resourceVersion, if and only if that was predicted, from a Go type and from an unstructured object.
func (r *rig) send(in apply.Intent) (apply.Result, error) {
	r.t.Helper()
	before := r.live()
	predicted := before != nil && r.predicts(before, in)
	text := pretty(r.t, in.Config)
	result, err := r.applier.Apply(context.Background(), nil, in)
	if before == nil {
		return result, err
	}
	after := r.live()
	nothing := err == nil && after != nil && after.ResourceVersion == before.ResourceVersion
	if nothing != predicted {
		r.t.Fatalf("predicted to change nothing: %t, changed nothing: %t (%v)\nbefore %s\n%s applied, force %t, %s\nafter %s",
			predicted, nothing, err, pretty(r.t, before), in.Manager, in.Force, text, pretty(r.t, after))
	}
	return result, err
}

func (r *rig) predicts(live *ec2v1.EC2Instance, in apply.Intent) bool {
	r.t.Helper()
	body := r.body(in.Config)
	typed, untyped := r.predictor.NoOp(live, body, in), r.predictor.NoOp(r.raw(), body, in)
	if typed != untyped {
		r.t.Fatalf("predicted to change nothing from a Go type: %t, from an unstructured object: %t", typed, untyped)
	}
	return typed
}

// body is an intent as it is sent.
func (r *rig) body(config runtime.ApplyConfiguration) *unstructured.Unstructured {
	r.t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(config)
	r.must(err)
	return &unstructured.Unstructured{Object: content}
}

// create has manager m create the object. A creation drops status, and with it the default that the CRD gives it, so the API server
// stores that with the next write, whatever it is: with this one.
func (r *rig) create(m apply.Manager, config func() intents.Config) {
	r.t.Helper()
	r.must(r.client.Apply(context.Background(), config(), client.FieldOwner(m)))
	r.must(r.client.Apply(context.Background(), config(), client.FieldOwner(m)))
}

// These send an intent and say what is to come of it.

func (r *rig) changes(in apply.Intent) {
	r.t.Helper()
	before := r.live()
	result, err := r.send(in)
	r.must(err)
	if after := r.live(); after != nil && before != nil && after.ResourceVersion == before.ResourceVersion {
		r.t.Fatal("the object did not change")
	}
	if result.UID == "" || result.ResourceVersion == "" || result.Outcome != apply.Changed {
		r.t.Fatalf("the result is %+v", result)
	}
}

func (r *rig) changesNothing(in apply.Intent) {
	r.t.Helper()
	before := r.live()
	result, err := r.send(in)
	r.must(err)
	if result.ResourceVersion != before.ResourceVersion {
		r.t.Fatalf("the object changed from version %s to %s", before.ResourceVersion, result.ResourceVersion)
	}
}

func (r *rig) conflicts(in apply.Intent, want ...apply.Conflict) {
	r.t.Helper()
	_, err := r.send(in)
	conflict, ok := errors.AsType[*apply.ConflictError](err)
	if !ok {
		r.t.Fatalf("the error is %v, want an ownership conflict", err)
	}
	if apply.IsStale(err) || apply.IsGone(err) {
		r.t.Errorf("%v is of two kinds", err)
	}
	r.same(want, conflict.Conflicts)
}

func (r *rig) stale(in apply.Intent) {
	r.t.Helper()
	if _, err := r.send(in); !apply.IsStale(err) || apply.IsGone(err) || apply.IsOwnershipConflict(err) {
		r.t.Fatalf("the error is %v, want a stale one", err)
	}
}

func (r *rig) gone(in apply.Intent) {
	r.t.Helper()
	if _, err := r.send(in); !apply.IsGone(err) || apply.IsStale(err) || apply.IsOwnershipConflict(err) {
		r.t.Fatalf("the error is %v, want that the object is gone", err)
	}
}

// refused wants an error of no kind of ours, with some words.
func (r *rig) refused(in apply.Intent, words string) {
	r.t.Helper()
	_, err := r.send(in)
	if err == nil || apply.IsGone(err) || apply.IsStale(err) || apply.IsOwnershipConflict(err) || !strings.Contains(err.Error(), words) {
		r.t.Fatalf("the error is %v, want one with %q", err, words)
	}
}

func (r *rig) same(want, got any) {
	r.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Fatalf("differs (-want +got):\n%s", diff)
	}
}

// owners are the managers of a field, sorted, each with its operation, and with the subresource where there is one.
func (r *rig) owners(path ...any) []string {
	r.t.Helper()
	wanted, err := fieldpath.MakePath(path...)
	r.must(err)
	var out []string
	for _, e := range r.live().ManagedFields {
		if setOf(r.t, e).Has(wanted) {
			out = append(out, strings.TrimSuffix(fmt.Sprintf("%s(%s)/%s", e.Manager, e.Operation, e.Subresource), "/"))
		}
	}
	slices.Sort(out)
	return out
}

// owned are the fields of a manager, sorted.
func (r *rig) owned(m apply.Manager) []string {
	r.t.Helper()
	var out []string
	for _, e := range r.live().ManagedFields {
		if e.Manager == string(m) {
			for path := range setOf(r.t, e).All() {
				out = append(out, path.String())
			}
		}
	}
	slices.Sort(out)
	return out
}

func setOf(t rapid.TB, e metav1.ManagedFieldsEntry) *fieldpath.Set {
	t.Helper()
	set := &fieldpath.Set{}
	if err := set.FromJSON(e.FieldsV1.GetRawReader()); err != nil {
		t.Fatal(err)
	}
	return set
}

func pretty(t rapid.TB, config any) string {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
