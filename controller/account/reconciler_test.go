// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/applyconfig"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

var errUnknown = errors.New("unknown")

// rig is a reconciler of the account "shop", with an observer that is not started and so never has listed.
type rig struct {
	*Reconciler
	t        *testing.T
	client   client.Client
	sessions *fakeSessions
	clock    *clocktesting.FakePassiveClock
	// refusal is what the API server answers to the next applies.
	refusal error
	applied int
}

func newRig(t *testing.T, objects ...client.Object) *rig {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := ec2v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, sessions: &fakeSessions{session: &fakeSession{}}, clock: clocktesting.NewFakePassiveClock(start)}
	converter := applyconfig.NewTypeConverter(scheme)
	r.client = fake.NewClientBuilder().WithScheme(scheme).WithTypeConverters(converter).WithReturnManagedFields().
		WithObjects(objects...).WithStatusSubresource(&ec2v1.EC2Account{}).WithInterceptorFuncs(interceptor.Funcs{
		SubResourceApply: func(ctx context.Context, c client.Client, sub string, config runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
			r.applied++
			if r.refusal != nil {
				return r.refusal
			}
			return c.SubResource(sub).Apply(ctx, config, opts...)
		},
	}).Build()
	r.Reconciler = &Reconciler{
		Reader: r.client, Applier: apply.New(r.client, apply.NewPredictor(scheme, converter)), Sessions: r.sessions,
		Observer: observer.New(observer.Options{}), Clock: r.clock,
	}
	return r
}

// pass makes one pass and returns when to come back.
func (r *rig) pass() time.Duration {
	r.t.Helper()
	result, err := r.Reconcile(r.t.Context(), requestFor("shop"))
	if err != nil {
		r.t.Fatal(err)
	}
	same(r.t, reconcile.Result{RequeueAfter: result.RequeueAfter}, result)
	return result.RequeueAfter
}

func (r *rig) ready() *metav1.Condition {
	r.t.Helper()
	obj := &ec2v1.EC2Account{}
	if err := r.client.Get(r.t.Context(), client.ObjectKey{Name: "shop"}, obj); err != nil {
		r.t.Fatal(err)
	}
	return meta.FindStatusCondition(obj.Status.Conditions, ec2v1.ConditionReady)
}

// polled is an account that is listed twice a minute.
func polled() *ec2v1.EC2Account {
	out := newAccount(1, "u")
	out.Spec.PollIntervalSeconds = 30
	return out
}

func TestAPassTellsReady(t *testing.T) {
	r := newRig(t, polled())
	// Counts are read once each poll.
	same(t, 30*time.Second, r.pass())
	if c := r.ready(); c == nil || c.Status != metav1.ConditionTrue {
		t.Errorf("Ready is %+v", c)
	}
	same(t, 1, r.applied)
	// The next check of the credentials comes before the next poll.
	r.clock.SetTime(start.Add(authAgain - time.Second))
	same(t, time.Second, r.pass())
	same(t, 1, r.sessions.session.asked)
}

// TestEveryPassComesBack: a check that falls due in the very moment of a pass is made, not lost.
func TestEveryPassComesBack(t *testing.T) {
	r := newRig(t, polled())
	for _, later := range []time.Duration{0, authAgain - 1, authAgain, authAgain + 1} {
		r.clock.SetTime(start.Add(later))
		if after := r.pass(); after <= 0 {
			t.Errorf("after %s the pass does not come back", later)
		}
	}
	same(t, 2, r.sessions.session.asked)
}

func TestAPassThatFindsTheAccountUnusable(t *testing.T) {
	refused := failure(cloud.ClassInvalid)
	for _, test := range []struct {
		says   string
		spoil  func(*fakeSessions)
		reason string
		after  time.Duration
	}{
		{"no session", func(s *fakeSessions) { s.err = refused }, ec2v1.ReasonInvalidRequest, cloud.ClassInvalid.Backoff(1)},
		{"no session, for an unknown cause", func(s *fakeSessions) { s.err = errUnknown }, ec2v1.ReasonEC2Unavailable, cloud.ClassTransient.Backoff(1)},
		{"no credentials", func(s *fakeSessions) { s.session.err = failure(cloud.ClassCredentials) }, ec2v1.ReasonCredentialsInvalid, cloud.ClassCredentials.Backoff(1)},
	} {
		t.Run(test.says, func(t *testing.T) {
			r := newRig(t, polled())
			test.spoil(r.sessions)
			same(t, test.after, r.pass())
			if c := r.ready(); c == nil || c.Status != metav1.ConditionFalse || c.Reason != test.reason {
				t.Errorf("Ready is %+v, want False with %s", c, test.reason)
			}
		})
	}
}

// TestAnAccountThatIsGone is forgotten everywhere.
func TestAnAccountThatIsGone(t *testing.T) {
	r := newRig(t, polled())
	r.pass()
	if err := r.client.Delete(t.Context(), polled()); err != nil {
		t.Fatal(err)
	}
	same(t, time.Duration(0), r.pass())
	same(t, []string{"shop"}, r.sessions.forgotten)
	if last := r.checks.get("shop"); last != (check{}) {
		t.Errorf("its latest check is still %+v", last)
	}
	old := polled()
	old.ResourceVersion = "1"
	if !r.Applier.Fresh(old) {
		t.Error("the applier still waits for a write to an account that is gone")
	}
}

// TestWhatTheAPIServerAnswers: a pass that came too late is made again or left at that; other failures are errors.
func TestWhatTheAPIServerAnswers(t *testing.T) {
	resource := schema.GroupResource{Group: ec2v1.GroupName, Resource: "ec2accounts"}
	for _, test := range []struct {
		says   string
		answer error
		after  time.Duration
		fails  bool
	}{
		{"stale", apierrors.NewConflict(resource, "shop", errors.New("modified")), apply.CacheLag, false},
		{"gone", apierrors.NewNotFound(resource, "shop"), 0, false},
		{"forbidden", apierrors.NewForbidden(resource, "shop", errors.New("no")), 0, true},
	} {
		t.Run(test.says, func(t *testing.T) {
			r := newRig(t, polled())
			r.refusal = test.answer
			result, err := r.Reconcile(t.Context(), requestFor("shop"))
			if (err != nil) != test.fails || (err != nil && !errors.Is(err, test.answer)) {
				t.Errorf("the error is %v", err)
			}
			same(t, test.after, result.RequeueAfter)
		})
	}
}

// TestAPassWaitsForTheCache to have its own writes.
func TestAPassWaitsForTheCache(t *testing.T) {
	r := newRig(t, polled())
	stale := &ec2v1.EC2Account{}
	if err := r.client.Get(t.Context(), client.ObjectKey{Name: "shop"}, stale); err != nil {
		t.Fatal(err)
	}
	r.pass()
	r.Reader = interceptor.NewClient(fake.NewFakeClient(), interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
			into, ok := obj.(*ec2v1.EC2Account)
			if !ok {
				return errUnknown
			}
			stale.DeepCopyInto(into)
			return nil
		},
	})
	same(t, apply.CacheLag, r.pass())
	same(t, 1, r.applied)
}
