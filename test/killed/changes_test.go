// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package killed

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// What happens to a scene's object after the backup.

func edit(change func(*ec2v1ac.EC2InstanceSpecApplyConfiguration)) func(context.Context, *rig, *ec2v1.EC2Instance) error {
	return func(ctx context.Context, r *rig, obj *ec2v1.EC2Instance) error {
		spec := r.spec()
		change(spec)
		_, err := r.apply(ctx, obj.Name, obj.UID, spec)
		return err
	}
}

func terminate(_ context.Context, r *rig, obj *ec2v1.EC2Instance) error {
	return r.sim.Terminate(obj.Status.InstanceID)
}

func remove(ctx context.Context, r *rig, obj *ec2v1.EC2Instance) error {
	return r.delete(ctx, obj.Name, obj.UID)
}

// replace deletes the object and creates another one of the same name.
func replace(ctx context.Context, r *rig, obj *ec2v1.EC2Instance) error {
	if err := remove(ctx, r, obj); err != nil {
		return err
	}
	if err := isGone(ctx, r, obj); err != nil {
		return err
	}
	_, err := r.apply(ctx, obj.Name, "", r.spec())
	return err
}

// inTurn does one after the other.
func inTurn(all ...func(context.Context, *rig, *ec2v1.EC2Instance) error) func(context.Context, *rig, *ec2v1.EC2Instance) error {
	return func(ctx context.Context, r *rig, obj *ec2v1.EC2Instance) error {
		for _, do := range all {
			if err := do(ctx, r, obj); err != nil {
				return err
			}
		}
		return nil
	}
}

// What is waited for.

// stroll is how often an object is looked at: there are many, and the API server has other work.
const stroll = 5 * glance

// await waits until check, of the object as it is, returns nothing to complain of.
func await(ctx context.Context, r *rig, name string, check func(obj *ec2v1.EC2Instance) error) error {
	last := errNotYet
	err := wait.PollUntilContextTimeout(ctx, stroll, patience, true, func(ctx context.Context) (bool, error) {
		obj, err := r.get(ctx, name)
		if err == nil {
			last = check(obj)
		}
		return last == nil, err
	})
	if err != nil {
		return fmt.Errorf("waiting for %s: %w: %w", name, err, last)
	}
	return nil
}

func isGone(ctx context.Context, r *rig, obj *ec2v1.EC2Instance) error {
	return await(ctx, r, obj.Name, func(obj *ec2v1.EC2Instance) error {
		if obj != nil {
			return fmt.Errorf("it is still there: %+v", obj.Status.Conditions)
		}
		return nil
	})
}

func settledNow(ctx context.Context, r *rig, obj *ec2v1.EC2Instance) error {
	return await(ctx, r, obj.Name, func(obj *ec2v1.EC2Instance) error {
		if obj == nil {
			return errNotYet
		}
		return settled(obj, liveByUID(r.sim)[string(obj.UID)])
	})
}

func hasAnother(ctx context.Context, r *rig, before *ec2v1.EC2Instance) error {
	return await(ctx, r, before.Name, func(obj *ec2v1.EC2Instance) error {
		if obj == nil || obj.Status.InstanceID == before.Status.InstanceID {
			return errNotYet
		}
		return settled(obj, liveByUID(r.sim)[string(obj.UID)])
	})
}

func stalledNow(ctx context.Context, r *rig, obj *ec2v1.EC2Instance) error {
	return await(ctx, r, obj.Name, func(obj *ec2v1.EC2Instance) error {
		if obj == nil {
			return errNotYet
		}
		return has(obj, ec2v1.ConditionStalled, metav1.ConditionTrue, ec2v1.ReasonTerminated)
	})
}

func intended(ctx context.Context, r *rig, name string) error {
	return await(ctx, r, name, func(obj *ec2v1.EC2Instance) error {
		if obj == nil || obj.Annotations[ec2v1.AnnotationLaunch] == "" {
			return errNotYet
		}
		return nil
	})
}
