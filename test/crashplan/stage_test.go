// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package crashplan

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
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
	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/faultproxy"
	"github.com/fieldowner/ec2-operator/test/operatorrig"
)

const (
	// patience is how long anything may take before the test gives up on it: generous, since nothing waits for it to pass.
	patience = 2 * time.Minute
	// glance is how often a condition is looked at.
	glance = 100 * time.Millisecond

	// pollSeconds is the account's: no list comes by chance in the middle of a scenario, and with it no count in the account's status.
	pollSeconds = 600

	user = client.FieldOwner("user")
	// web is the object that every scenario is about.
	web = "web"
)

// errNotYet says that what is waited for has not happened.
var errNotYet = errors.New("not yet")

// stages counts the stages of this suite: their names are short, unlike tests'.
var stages atomic.Int64

// stage is where one run happens: a namespace, an account and an EC2 of its own.
type stage struct {
	*testing.T
	// name is the namespace's and the account's.
	name   string
	sim    *ec2sim.Sim
	ec2URL string
	// spec is what the user has applied last.
	spec *ec2v1ac.EC2InstanceSpecApplyConfiguration
}

func newStage(t *testing.T) *stage {
	t.Helper()
	settings := ec2sim.Fast()
	// Status checks have results when a test wants them, and what has ended is shown for as long as any run takes.
	settings.InitializingDelay = time.Hour
	settings.TerminatedVisibility, settings.TerminatedTagVisibility = time.Hour, time.Hour
	sim, address := ec2sim.StartTest(t, ec2sim.Options{Settings: &settings})
	s := &stage{T: t, name: fmt.Sprintf("stage-%d", stages.Add(1)), sim: sim, ec2URL: address}
	s.must(k8s.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.name}}))
	s.allow(pollSeconds)
	s.spec = s.newSpec()
	return s
}

// allow applies the account.
func (s *stage) allow(pollSeconds int32) {
	s.Helper()
	s.must(k8s.Apply(s.Context(), ec2v1ac.EC2Account(s.name).WithSpec(ec2v1ac.EC2AccountSpec().
		WithRegion("eu-central-1").WithPollIntervalSeconds(pollSeconds).
		WithAllowedNamespaces(metav1ac.LabelSelector().WithMatchLabels(map[string]string{corev1.LabelMetadataName: s.name}))), user))
}

// newSpec is a spec that the simulated EC2 takes.
func (s *stage) newSpec() *ec2v1ac.EC2InstanceSpecApplyConfiguration {
	return ec2v1ac.EC2InstanceSpec().
		WithAccountRef(ec2v1ac.AccountReference().WithName(s.name)).
		WithImage(ec2v1ac.Image().WithID(ec2sim.ImageAL2023)).
		WithInstanceType("t3.micro").
		WithSubnetID(ec2sim.SubnetA).
		WithSecurityGroupIDs(ec2sim.SecurityGroupDefault)
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// rules decide what becomes of what an operator asks. Its methods are called by many goroutines at once.
type rules interface {
	asked(r faultproxy.Request) faultproxy.Verdict
	changed(r faultproxy.Request) faultproxy.Verdict
}

// process is an operator behind proxies.
type process struct {
	*operatorrig.Process
	api, ec2 *faultproxy.Proxy
}

// start starts an operator whose every request is decided upon, in this stage's namespace and account only.
func (s *stage) start(by rules, change ...func(*faultproxy.Options)) *process {
	s.Helper()
	api := faultproxy.Options{
		Target: shared.RESTConfig().Host, Transport: wayToAPI, TLS: true, Changes: faultproxy.KubernetesChanges, Changed: by.changed,
		Asked: func(r faultproxy.Request) faultproxy.Verdict {
			s.alone(r)
			return by.asked(r)
		},
	}
	for _, f := range change {
		f(&api)
	}
	p := &process{
		api: s.proxy(api),
		ec2: s.proxy(faultproxy.Options{Target: s.ec2URL, Changes: faultproxy.EC2Changes, Asked: by.asked, Changed: by.changed}),
	}
	p.Process = installed.Start(s.T, operatorrig.Settings{
		Namespaces: []string{s.name}, EC2: p.ec2.URL, Server: p.api.URL, Authority: p.api.Authority,
		Troubled: true, // Many operators share one machine, on which the API server may time out: what counts is how it ends.
	})
	return p
}

func (s *stage) proxy(o faultproxy.Options) *faultproxy.Proxy {
	s.Helper()
	p, err := faultproxy.Start(o)
	s.must(err)
	s.Cleanup(func() {
		if err := p.Close(); err != nil {
			s.Errorf("closing a proxy: %v", err)
		}
	})
	return p
}

// alone lets an operator see this stage's account and no other: accounts have no namespace, and each stage's operator would write the
// status of all, from an EC2 of its own.
func (s *stage) alone(r faultproxy.Request) {
	if strings.HasSuffix(r.URL.Path, "/ec2accounts") {
		query := r.URL.Query()
		query.Set("fieldSelector", "metadata.name="+s.name)
		r.URL.RawQuery = query.Encode()
	}
}

// apply applies the object as a user.
func (s *stage) apply() {
	s.Helper()
	s.applyTo(web, s.spec)
}

func (s *stage) applyTo(name string, spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) {
	s.Helper()
	s.must(k8s.Apply(s.Context(), ec2v1ac.EC2Instance(name, s.name).WithSpec(spec), user))
}

func (s *stage) delete() {
	s.Helper()
	s.must(k8s.Delete(s.Context(), &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{Name: web, Namespace: s.name}}))
}

// get returns an object, or nil when it is gone.
func (s *stage) get(name string) (*ec2v1.EC2Instance, error) {
	obj := &ec2v1.EC2Instance{}
	err := k8s.Get(s.Context(), client.ObjectKey{Namespace: s.name, Name: name}, obj)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return obj, err
}

// eventually waits until check returns nothing to complain of.
func (s *stage) eventually(what string, check func() error) {
	s.Helper()
	last := errNotYet
	err := wait.PollUntilContextTimeout(s.Context(), glance, patience, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		s.Fatalf("%s: %v: %v", what, err, last)
	}
}

// conditions tells what is missing until an object has conditions that are True, with these reasons, for its present generation.
func (s *stage) conditions(object string, reasons map[string]string) error {
	obj, err := s.get(object)
	if err != nil {
		return err
	}
	if obj == nil {
		return errors.New("the object is gone")
	}
	for name, reason := range reasons {
		c := meta.FindStatusCondition(obj.Status.Conditions, name)
		if c == nil || c.Status != metav1.ConditionTrue || c.Reason != reason || c.ObservedGeneration != obj.Generation {
			return fmt.Errorf("%s is not True (%s): %+v", name, reason, obj.Status.Conditions)
		}
	}
	return nil
}

// running tells what is missing until the instance runs.
func (s *stage) running() error { return s.runs(web) }

func (s *stage) runs(name string) error {
	return s.conditions(name, map[string]string{
		ec2v1.ConditionReady: ec2v1.ReasonRunning, ec2v1.ConditionSynced: ec2v1.ReasonInSync,
	})
}

// reachable tells what is missing until the status checks have results.
func (s *stage) reachable() error {
	return s.conditions(web, map[string]string{ec2v1.ConditionReachable: ec2v1.ReasonChecksPassed})
}

// stopped tells what is missing until the instance is stopped.
func (s *stage) stopped() error {
	return s.conditions(web, map[string]string{ec2v1.ConditionReady: ec2v1.ReasonStopped, ec2v1.ConditionSynced: ec2v1.ReasonInSync})
}

// gone tells what is missing until the object is gone.
func (s *stage) gone() error {
	obj, err := s.get(web)
	if obj != nil {
		return fmt.Errorf("it is there: %+v", obj.Status.Conditions)
	}
	return err
}
