// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// TestInvalidRequestWaitsForAnEdit: EC2 refuses the request; nothing is asked again until spec is edited, and
// the edit is launched at once, since the refusal was certain.
func TestInvalidRequestWaitsForAnEdit(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.spec().WithImage(ec2v1ac.Image().WithID("ami-00000000000000000")))
	r.waitFor("web", ec2v1.ConditionStalled, metav1.ConditionTrue, ec2v1.ReasonInvalidRequest)
	if calls := r.sim.Counts().Calls["RunInstances"]; calls != 1 {
		t.Errorf("RunInstances was called %d times for an image that does not exist", calls)
	}
	r.apply("web", r.spec())
	obj := r.waitRunning("web")
	r.one(obj)
	if launch := obj.Status.Launch; launch.Attempt != 2 || launch.Reason != "SpecChanged" {
		t.Errorf("status.launch is %+v", launch)
	}
}

// TestCapacityComesBack: EC2 has no room at first.
func TestCapacityComesBack(t *testing.T) {
	r := newRig(t)
	_, err := r.sim.Inject(ec2sim.Fault{Action: "RunInstances", Times: 1, Error: &ec2sim.FaultError{Code: "InsufficientInstanceCapacity"}})
	r.must(err)
	startOperator(r)
	r.apply("web", r.spec())
	r.waitFor("web", ec2v1.ConditionLaunched, metav1.ConditionFalse, ec2v1.ReasonInsufficientCapacity)
	r.one(r.waitRunning("web"))
	if calls := r.sim.Counts().Calls["RunInstances"]; calls != 2 {
		t.Errorf("RunInstances was called %d times", calls)
	}
}

// TestDeletedWithoutAnInstance: deletion ends for an object whose launch EC2 has refused.
func TestDeletedWithoutAnInstance(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.spec().WithImage(ec2v1ac.Image().WithID("ami-00000000000000000")))
	r.waitFor("web", ec2v1.ConditionStalled, metav1.ConditionTrue, ec2v1.ReasonInvalidRequest)
	r.delete("web")
	r.waitGone("web")
}

// TestDeletedWhileLaunching: deletion right after the launch waits for the instance to be terminated.
func TestDeletedWhileLaunching(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.spec())
	r.eventually("waiting for the launch", func() error {
		if r.launched() == 0 {
			return errNotYet
		}
		return nil
	})
	r.delete("web")
	r.waitGone("web")
	if live := r.sim.Live(); len(live) != 0 {
		t.Errorf("left in EC2: %+v", live)
	}
}

// TestAccountNotAllowed: no call is made for a namespace that the account does not allow, and a label is
// enough to allow it.
func TestAccountNotAllowed(t *testing.T) {
	r := newRig(t)
	r.must(r.client.Apply(t.Context(), ec2v1ac.EC2Account(r.account).WithSpec(
		ec2v1ac.EC2AccountSpec().WithRegion("eu-central-1").WithPollIntervalSeconds(10)), user))
	startOperator(r)
	r.apply("web", r.spec())
	r.waitFor("web", ec2v1.ConditionLaunched, metav1.ConditionFalse, ec2v1.ReasonAccountNotAllowed)
	if r.sim.Counts().Calls["RunInstances"] != 0 {
		t.Error("an instance was launched for a namespace that is not allowed")
	}
	namespace := &corev1.Namespace{}
	r.must(r.client.Get(t.Context(), client.ObjectKey{Name: r.namespace}, namespace))
	before := namespace.DeepCopy()
	namespace.Labels[ec2v1.LabelAccount] = r.account
	r.must(r.client.Patch(t.Context(), namespace, client.MergeFrom(before)))
	r.waitRunning("web")
}

// TestAccountArrivesLater: an object that names an account which does not exist yet is launched once it does.
func TestAccountArrivesLater(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	later := r.account + "-later"
	r.apply("web", r.spec().WithAccountRef(ec2v1ac.AccountReference().WithName(later)))
	r.waitFor("web", ec2v1.ConditionLaunched, metav1.ConditionFalse, ec2v1.ReasonAccountNotFound)
	r.makeAccount(later)
	r.waitRunning("web")
}

// TestUserDataFromSecret: the bytes arrive as they are, and appear nowhere else.
func TestUserDataFromSecret(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	data := []byte("#!/bin/sh\necho hush-hush\x00\xff\n")
	r.apply("web", r.spec().WithUserData(ec2v1ac.UserData().WithSecretKeyRef(ec2v1ac.KeyReference().WithName("boot").WithKey("script"))))
	r.waitFor("web", ec2v1.ConditionLaunched, metav1.ConditionFalse, ec2v1.ReasonUserDataNotFound)
	r.must(r.client.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "boot", Namespace: r.namespace}, Data: map[string][]byte{"script": data},
	}))
	obj := r.waitRunning("web")
	sum := sha256.Sum256(data)
	if got := r.one(obj).UserDataSHA256; got != hex.EncodeToString(sum[:]) {
		t.Errorf("EC2 got user data with hash %s, not %x", got, sum)
	}
	raw, err := json.Marshal(obj)
	r.must(err)
	events, err := shared.Kubectl(t.Context(), "get", "events", "--namespace", r.namespace, "-o", "json")
	r.must(err)
	for where, text := range map[string]string{"the object": string(raw), "events": string(events)} {
		if strings.Contains(text, "hush") || strings.Contains(text, hex.EncodeToString(sum[:])) {
			t.Errorf("the user data shows in %s", where)
		}
	}
	if !strings.Contains(string(events), "Launched instance") {
		t.Errorf("no event tells of the launch: %s", events)
	}
}
