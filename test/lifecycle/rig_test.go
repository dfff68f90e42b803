// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/operator"
	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

const (
	// patience is how long anything may take before the test gives up on it: generous, since nothing waits for
	// it to pass.
	patience = 2 * time.Minute
	// glance is how often a condition is looked at.
	glance = 50 * time.Millisecond

	user = client.FieldOwner("user")
)

// errNotYet says that what is waited for has not happened.
var errNotYet = errors.New("not yet")

// rig is one test's namespace, account and EC2.
type rig struct {
	t         *testing.T
	client    client.Client
	namespace string
	account   string
	sim       *ec2sim.Sim
	ec2URL    string
	// before is how many requests the API server had recorded when the test began.
	before int
}

// newRig makes a namespace and an account of its own, and an EC2 that is fast but behaves.
func newRig(t *testing.T, change ...func(*ec2sim.Settings)) *rig {
	t.Helper()
	settings := ec2sim.Fast()
	for _, f := range change {
		f(&settings)
	}
	sim, url := ec2sim.StartTest(t, ec2sim.Options{Settings: &settings})
	scheme, err := operator.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(shared.RESTConfig(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	r := &rig{t: t, client: c, namespace: name, account: name, sim: sim, ec2URL: url}
	r.must(c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}))
	r.makeAccount(name)
	r.before = len(r.allRequests())
	return r
}

// makeAccount makes an account that allows this test's namespace, for as long as the test runs.
func (r *rig) makeAccount(name string) {
	r.t.Helper()
	r.must(r.client.Apply(r.t.Context(), ec2v1ac.EC2Account(name).WithSpec(ec2v1ac.EC2AccountSpec().
		WithRegion("eu-central-1").WithPollIntervalSeconds(10).
		WithAllowedNamespaces(metav1ac.LabelSelector().WithMatchLabels(map[string]string{"kubernetes.io/metadata.name": r.namespace}))), user))
	r.t.Cleanup(func() {
		r.must(client.IgnoreNotFound(r.client.Delete(context.Background(), &ec2v1.EC2Account{ObjectMeta: metav1.ObjectMeta{Name: name}})))
	})
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// spec is a spec that the simulated EC2 takes.
func (r *rig) spec() *ec2v1ac.EC2InstanceSpecApplyConfiguration {
	return ec2v1ac.EC2InstanceSpec().
		WithAccountRef(ec2v1ac.AccountReference().WithName(r.account)).
		WithImage(ec2v1ac.Image().WithID(ec2sim.ImageAL2023)).
		WithInstanceType("t3.micro").
		WithSubnetID(ec2sim.SubnetA).
		WithSecurityGroupIDs(ec2sim.SecurityGroupDefault)
}

// apply applies an EC2Instance as a user.
func (r *rig) apply(name string, spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) {
	r.t.Helper()
	r.must(r.client.Apply(r.t.Context(), ec2v1ac.EC2Instance(name, r.namespace).WithSpec(spec), user))
}

func (r *rig) delete(name string) {
	r.t.Helper()
	r.must(r.client.Delete(r.t.Context(), &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: r.namespace}}))
}

func (r *rig) get(name string) *ec2v1.EC2Instance {
	r.t.Helper()
	obj := &ec2v1.EC2Instance{}
	r.must(r.client.Get(r.t.Context(), client.ObjectKey{Namespace: r.namespace, Name: name}, obj))
	return obj
}

// eventually waits until check returns nothing to complain of.
func (r *rig) eventually(what string, check func() error) {
	r.t.Helper()
	last := errNotYet
	err := wait.PollUntilContextTimeout(r.t.Context(), glance, patience, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		r.t.Fatalf("%s: %v: %v", what, err, last)
	}
}

// waitFor waits until an object has a condition with a status and a reason, for its present generation.
func (r *rig) waitFor(name, condition string, status metav1.ConditionStatus, reason string) *ec2v1.EC2Instance {
	r.t.Helper()
	var obj *ec2v1.EC2Instance
	r.eventually(fmt.Sprintf("waiting for %s %s=%s (%s)", name, condition, status, reason), func() error {
		obj = r.get(name)
		c := meta.FindStatusCondition(obj.Status.Conditions, condition)
		switch {
		case c == nil:
			return errNotYet
		case c.Status != status || c.Reason != reason || c.ObservedGeneration != obj.Generation:
			return fmt.Errorf("conditions are %+v", obj.Status.Conditions)
		}
		return nil
	})
	return obj
}

func (r *rig) waitRunning(name string) *ec2v1.EC2Instance {
	r.t.Helper()
	return r.waitFor(name, ec2v1.ConditionReady, metav1.ConditionTrue, ec2v1.ReasonRunning)
}

// waitReachable waits for the results of EC2's status checks: until they are told, an object is not at rest.
func (r *rig) waitReachable(name string) *ec2v1.EC2Instance {
	r.t.Helper()
	return r.waitFor(name, ec2v1.ConditionReachable, metav1.ConditionTrue, ec2v1.ReasonChecksPassed)
}

// waitCounted waits until the account tells of n running instances and of no others: it counts at its own pace.
func (r *rig) waitCounted(n int) {
	r.t.Helper()
	r.eventually(fmt.Sprintf("waiting for the account to count %d running instances", n), func() error {
		account := &ec2v1.EC2Account{}
		if err := r.client.Get(r.t.Context(), client.ObjectKey{Name: r.account}, account); err != nil {
			return err
		}
		counts := account.Status.Instances
		if len(counts) != 1 || counts[0].State != string(cloud.StateRunning) || *counts[0].Count != int32(n) {
			return fmt.Errorf("it counts %+v", counts)
		}
		return nil
	})
}

// waitGone waits until the object is gone.
func (r *rig) waitGone(name string) {
	r.t.Helper()
	r.eventually("waiting for "+name+" to be gone", func() error {
		obj := &ec2v1.EC2Instance{}
		err := r.client.Get(r.t.Context(), client.ObjectKey{Namespace: r.namespace, Name: name}, obj)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return fmt.Errorf("conditions are %+v", obj.Status.Conditions)
	})
}

// live are the simulator's live instances of an object, in truth.
func (r *rig) live(obj *ec2v1.EC2Instance) []ec2sim.Instance {
	var out []ec2sim.Instance
	for _, i := range r.sim.Instances() {
		if i.Live() && i.Tags[ec2v1.TagUID] == string(obj.UID) {
			out = append(out, i)
		}
	}
	return out
}

// one returns the object's only live instance.
func (r *rig) one(obj *ec2v1.EC2Instance) ec2sim.Instance {
	r.t.Helper()
	live := r.live(obj)
	if len(live) != 1 {
		r.t.Fatalf("%s has %d live instances, not one: %+v", obj.Name, len(live), live)
	}
	if obj.Status.InstanceID != live[0].ID {
		r.t.Fatalf("%s records instance %q and EC2 has %q", obj.Name, obj.Status.InstanceID, live[0].ID)
	}
	return live[0]
}

// launched counts the instances that were ever launched.
func (r *rig) launched() int { return r.sim.Counts().Launched }

func (r *rig) allRequests() cluster.Requests {
	r.t.Helper()
	all, err := shared.Requests()
	r.must(err)
	return all
}

// requests are the operator's requests about EC2Instances of this test.
func (r *rig) requests() cluster.Requests {
	r.t.Helper()
	return r.allRequests()[r.before:].
		By(cluster.ServiceAccountUser(operatorNamespace, operatorAccount)).
		In(r.namespace).Of(ec2v1.GroupName, "ec2instances")
}
