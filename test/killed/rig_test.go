// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package killed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/operator"
	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/operatorrig"
)

const (
	// patience is how long anything may take before the test gives up on it: generous, since nothing waits for it to pass, and
	// longer than EC2's consistency window.
	patience = 8 * time.Minute
	// glance is how often a condition is looked at, and a refused write made again.
	glance = 100 * time.Millisecond
	// answer is how long a request may take: without etcd, the API server lets it wait for long.
	answer = 10 * time.Second

	human = client.FieldOwner("user")
)

// errNotYet says that what is waited for has not happened.
var errNotYet = errors.New("not yet")

// rig is one namespace with an account in a Region of its own: EC2 limits launches by account and Region.
type rig struct {
	client    client.Client
	namespace string
	region    string
	sim       *ec2sim.Sim
}

// regions are as many as there are rigs at most.
var regions = []string{"eu-central-1", "eu-west-1", "us-east-1", "us-west-2"}

func newRig(t *testing.T, n int, sim *ec2sim.Sim) *rig {
	t.Helper()
	scheme, err := operator.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(shared.RESTConfig(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("%s-%d", strings.ToLower(t.Name()), n)
	r := &rig{client: c, namespace: name, region: regions[n], sim: sim}
	must(t, c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}))
	must(t, c.Apply(t.Context(), ec2v1ac.EC2Account(name).WithSpec(ec2v1ac.EC2AccountSpec().
		WithRegion(r.region).WithPollIntervalSeconds(10).
		WithAllowedNamespaces(metav1ac.LabelSelector().WithMatchLabels(map[string]string{corev1.LabelMetadataName: name}))), human))
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// spec is a spec that the simulated EC2 takes.
func (r *rig) spec() *ec2v1ac.EC2InstanceSpecApplyConfiguration {
	return ec2v1ac.EC2InstanceSpec().
		WithAccountRef(ec2v1ac.AccountReference().WithName(r.namespace)).
		WithImage(ec2v1ac.Image().WithID(ec2sim.ImageAL2023)).
		WithInstanceType("t3.micro").WithSubnetID(ec2sim.SubnetA).WithSecurityGroupIDs(ec2sim.SecurityGroupDefault)
}

// insist does something to the API server until it succeeds, as users do while it is away.
func insist(ctx context.Context, what string, do func(ctx context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, glance, patience, true, func(ctx context.Context) (bool, error) {
		attempt, cancel := context.WithTimeout(ctx, answer)
		defer cancel()
		last = do(attempt)
		if apierrors.IsInvalid(last) || apierrors.IsBadRequest(last) {
			return false, last
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w: %w", what, err, last)
	}
	return nil
}

// apply applies an object and returns its uid. An object that must be there already is named by its uid.
func (r *rig) apply(ctx context.Context, name string, uid types.UID, spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) (types.UID, error) {
	var written types.UID
	err := insist(ctx, "applying "+name, func(ctx context.Context) error {
		config := ec2v1ac.EC2Instance(name, r.namespace).WithSpec(spec)
		if uid != "" {
			config.WithUID(uid)
		}
		if err := r.client.Apply(ctx, config, human); err != nil {
			return err
		}
		written = *config.UID
		return nil
	})
	return written, err
}

func (r *rig) delete(ctx context.Context, name string, uid types.UID) error {
	return insist(ctx, "deleting "+name, func(ctx context.Context) error {
		obj := &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: r.namespace}}
		return client.IgnoreNotFound(r.client.Delete(ctx, obj, client.Preconditions{UID: &uid}))
	})
}

// get returns the object, or nil when there is none.
func (r *rig) get(ctx context.Context, name string) (*ec2v1.EC2Instance, error) {
	var obj *ec2v1.EC2Instance
	err := insist(ctx, "reading "+name, func(ctx context.Context) error {
		obj = &ec2v1.EC2Instance{}
		err := r.client.Get(ctx, client.ObjectKey{Namespace: r.namespace, Name: name}, obj)
		if apierrors.IsNotFound(err) {
			obj, err = nil, nil
		}
		return err
	})
	return obj, err
}

// list returns the objects by name.
func (r *rig) list(ctx context.Context) (map[string]*ec2v1.EC2Instance, error) {
	list := &ec2v1.EC2InstanceList{}
	if err := r.client.List(ctx, list, client.InNamespace(r.namespace)); err != nil {
		return nil, err
	}
	out := map[string]*ec2v1.EC2Instance{}
	for i := range list.Items {
		out[list.Items[i].Name] = &list.Items[i]
	}
	return out, nil
}

// eventually waits until check returns nothing to complain of, and returns how long that took.
func eventually(t *testing.T, what string, check func(ctx context.Context) error) time.Duration {
	t.Helper()
	began, last := time.Now(), errNotYet
	err := wait.PollUntilContextTimeout(t.Context(), glance, patience, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("%s: %v: %v", what, err, last)
	}
	return time.Since(began)
}

// has tells whether an object has a condition with a status and a reason, for its present generation.
func has(obj *ec2v1.EC2Instance, condition string, status metav1.ConditionStatus, reason string) error {
	c := meta.FindStatusCondition(obj.Status.Conditions, condition)
	if c == nil || c.Status != status || c.Reason != reason || c.ObservedGeneration != obj.Generation {
		return fmt.Errorf("%s: %s is not %s (%s): generation %d, conditions %+v", obj.Name, condition, status, reason, obj.Generation, obj.Status.Conditions)
	}
	return nil
}

// settled tells whether an object has its one live instance, in the power state that spec asks for, and says so.
func settled(obj *ec2v1.EC2Instance, live []ec2sim.Instance) error {
	state, reason := "running", ec2v1.ReasonRunning
	if obj.Spec.PowerState == ec2v1.PowerStateStopped {
		state, reason = "stopped", ec2v1.ReasonStopped
	}
	if err := has(obj, ec2v1.ConditionReady, metav1.ConditionTrue, reason); err != nil {
		return err
	}
	if state == "running" {
		if err := has(obj, ec2v1.ConditionReachable, metav1.ConditionTrue, ec2v1.ReasonChecksPassed); err != nil {
			return err
		}
	}
	if len(live) != 1 || live[0].ID != obj.Status.InstanceID || live[0].State != state {
		return fmt.Errorf("%s records %q, to be %s, and EC2 has %s", obj.Name, obj.Status.InstanceID, state, describe(live))
	}
	return nil
}

// accountSettled tells whether the account's status counts what there is: until then there is a write to come. What has been
// terminated is counted for as long as an object needs it, which is not told here.
func (r *rig) accountSettled(ctx context.Context) error {
	account := &ec2v1.EC2Account{}
	if err := r.client.Get(ctx, client.ObjectKey{Name: r.namespace}, account); err != nil {
		return err
	}
	counted, truth := map[string]int32{}, map[string]int32{}
	for _, c := range account.Status.Instances {
		if c.State != terminated && c.Count != nil {
			counted[c.State] = *c.Count
		}
	}
	for _, i := range r.instances() {
		if i.State != terminated {
			truth[i.State]++
		}
	}
	if !maps.Equal(counted, truth) {
		return fmt.Errorf("account %s counts %v, and there are %v", r.namespace, counted, truth)
	}
	return nil
}

// terminated is EC2's word.
const terminated = "terminated"

// instances are all that were ever launched in the rig's Region.
func (r *rig) instances() []ec2sim.Instance {
	var out []ec2sim.Instance
	for _, i := range r.sim.Instances() {
		if i.Region == r.region {
			out = append(out, i)
		}
	}
	return out
}

// restful fails unless the operators write nothing for a while, of the resources that are named, or of all when none is.
func restful(t *testing.T, d time.Duration, resources ...string) {
	t.Helper()
	before := len(requests(t))
	pause(t.Context(), d)
	writes := requests(t)[before:].Writes().Where(func(r cluster.Request) bool {
		return len(resources) == 0 || slices.Contains(resources, r.Resource)
	})
	if len(writes) != 0 {
		t.Errorf("%d writes at rest, first: %v", len(writes), writes[:min(5, len(writes))])
	}
}

// requests are the operators' requests.
func requests(t *testing.T) cluster.Requests {
	t.Helper()
	all, err := shared.Requests()
	must(t, err)
	return all.By(operatorrig.User())
}
