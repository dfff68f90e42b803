// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

func TestLaunchToDeletion(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.spec().WithTags(ec2v1ac.Tag().WithKey("team").WithValue("shop")))
	obj := r.waitRunning("web")
	i := r.one(obj)
	if i.Tags["team"] != "shop" || i.Tags[ec2v1.TagName] != "web" || i.Tags["Name"] == "" {
		t.Errorf("the instance's tags are %v", i.Tags)
	}
	if len(r.requests().With("get")) != 0 {
		t.Errorf("the operator read EC2Instances past its cache: %v", r.requests().With("get"))
	}
	r.delete("web")
	r.waitGone("web")
	if live := r.live(obj); len(live) != 0 {
		t.Errorf("left in EC2: %+v", live)
	}
}

func TestPowerState(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.spec())
	first := r.one(r.waitRunning("web"))
	r.apply("web", r.spec().WithPowerState(ec2v1.PowerStateStopped))
	r.waitFor("web", ec2v1.ConditionReady, metav1.ConditionTrue, ec2v1.ReasonStopped)
	r.apply("web", r.spec().WithPowerState(ec2v1.PowerStateRunning))
	if again := r.one(r.waitRunning("web")); again.ID != first.ID {
		t.Errorf("the instance was replaced: %s, then %s", first.ID, again.ID)
	}
}

func TestStoppedOutsideIsStarted(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.spec())
	i := r.one(r.waitRunning("web"))
	r.must(r.sim.Stop(i.ID))
	r.eventually("waiting for the start", func() error {
		if r.sim.Counts().Calls["StartInstances"] == 0 {
			return errNotYet
		}
		return nil
	})
	r.waitRunning("web")
}

func TestTerminatedOutside(t *testing.T) {
	t.Run("Always", func(t *testing.T) {
		r := newRig(t)
		startOperator(r)
		r.apply("web", r.spec())
		first := r.one(r.waitRunning("web"))
		r.must(r.sim.Terminate(first.ID))
		r.eventually("waiting for another instance", func() error {
			if r.get("web").Status.InstanceID == first.ID {
				return errNotYet
			}
			return nil
		})
		obj := r.waitRunning("web")
		r.one(obj)
		if obj.Status.Launch.Attempt != 2 || obj.Status.Launch.Reason != "Terminated" {
			t.Errorf("status.launch is %+v", obj.Status.Launch)
		}
		if r.launched() != 2 {
			t.Errorf("%d instances were launched, not 2", r.launched())
		}
	})
	t.Run("Never", func(t *testing.T) {
		r := newRig(t)
		startOperator(r)
		r.apply("web", r.spec().WithRecreatePolicy(ec2v1.RecreateNever))
		r.must(r.sim.Terminate(r.one(r.waitRunning("web")).ID))
		r.waitFor("web", ec2v1.ConditionStalled, metav1.ConditionTrue, ec2v1.ReasonTerminated)
		if r.launched() != 1 {
			t.Errorf("%d instances were launched, not 1", r.launched())
		}
		r.delete("web")
		r.waitGone("web")
	})
}

func TestDeletionPolicies(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("retained", r.spec().WithDeletionPolicy(ec2v1.DeletionRetain))
	r.apply("stopped", r.spec().WithDeletionPolicy(ec2v1.DeletionStop))
	retained, stopped := r.waitRunning("retained"), r.waitRunning("stopped")
	r.delete("retained")
	r.delete("stopped")
	r.waitGone("retained")
	r.waitGone("stopped")
	for obj, want := range map[*ec2v1.EC2Instance][]string{retained: {"running"}, stopped: {"stopping", "stopped"}} {
		live := r.live(obj)
		if len(live) != 1 || (live[0].State != want[0] && live[0].State != want[len(want)-1]) {
			t.Errorf("%s left %+v in EC2, not one that is %v", obj.Name, live, want)
		}
	}
}

func TestSuspend(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("asleep", r.spec().WithSuspend(true))
	r.waitFor("asleep", ec2v1.ConditionLaunched, metav1.ConditionFalse, ec2v1.ReasonSuspended)
	r.apply("web", r.spec())
	r.waitRunning("web")
	calls := r.sim.Counts().Calls["CreateTags"]
	r.apply("web", r.spec().WithSuspend(true).WithTags(ec2v1ac.Tag().WithKey("a").WithValue("b")))
	r.waitFor("web", ec2v1.ConditionSynced, metav1.ConditionFalse, ec2v1.ReasonSuspended)
	if r.launched() != 1 || r.sim.Counts().Calls["CreateTags"] != calls {
		t.Errorf("a suspended object was acted upon: %+v", r.sim.Counts().Calls)
	}
	r.delete("web")
	r.waitGone("web")
	r.delete("asleep")
	r.waitGone("asleep")
}

func TestEditThatNeedsAnotherInstanceIsTold(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.spec())
	r.waitRunning("web")
	r.apply("web", r.spec().WithImage(ec2v1ac.Image().WithID(ec2sim.ImageAL2023Next)).WithInstanceType("t3.small"))
	obj := r.waitFor("web", ec2v1.ConditionSynced, metav1.ConditionFalse, ec2v1.ReasonReplacementRequired)
	if len(obj.Status.Plan) != 2 || obj.Status.Plan[0].Field != "image" || obj.Status.Plan[1].Field != "instanceType" {
		t.Errorf("status.plan is %+v", obj.Status.Plan)
	}
	r.apply("web", r.spec())
	r.waitFor("web", ec2v1.ConditionSynced, metav1.ConditionTrue, ec2v1.ReasonInSync)
}
