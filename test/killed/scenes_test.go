// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package killed

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// moment is when, before the backup, a scene gets its object.
type moment int

const (
	// atWork: the operator has brought the object to rest.
	atWork moment = iota
	// withoutEC2: EC2 is away, so that what the operator has decided is written and not done.
	withoutEC2
	// withoutOperator: nobody has seen the object yet.
	withoutOperator
	// afterwards: the object is created after the backup.
	afterwards
)

// fate is what becomes of a scene's instance by the restore.
type fate string

const (
	// kept: the instance that lives when etcd is restored is the object's afterwards.
	kept fate = "kept"
	// another: the object's instance has been terminated since the backup, and another one is launched.
	another fate = "another"
	// none: there is no instance, and none is launched.
	none fate = "none"
)

// scene is what happens to one object around a backup.
type scene struct {
	name string
	// made says when the object is made, with the spec that before changes.
	made   moment
	before func(spec *ec2v1ac.EC2InstanceSpecApplyConfiguration)
	// deleted has the object deleted before the backup, while EC2 is away.
	deleted bool
	// unseen happens right after the backup, before an operator has seen the object.
	unseen func(ctx context.Context, r *rig, obj *ec2v1.EC2Instance) error
	// after happens after the backup, to the object with its instance; what it waits for comes second.
	after func(ctx context.Context, r *rig, obj *ec2v1.EC2Instance) error
	until func(ctx context.Context, r *rig, obj *ec2v1.EC2Instance) error

	// After the restore: the fate of the instance, whether the object is gone, what a condition says, the instance's state
	// and tags, and the attempt that launched it.
	fate      fate
	gone      bool
	condition condition
	state     string
	tags      map[string]string
	// unknown are tags of which the restored status does not say whose they are, so they stay; a process that has set them knows, and
	// may take them away.
	unknown map[string]string
	attempt int64
	// orphaned says that an instance lives of which the restored cluster has no object.
	orphaned bool
}

type condition struct {
	name   string
	status metav1.ConditionStatus
	reason string
}

var (
	runs    = condition{ec2v1.ConditionReady, metav1.ConditionTrue, ec2v1.ReasonRunning}
	isOff   = condition{ec2v1.ConditionReady, metav1.ConditionTrue, ec2v1.ReasonStopped}
	staysSo = condition{ec2v1.ConditionStalled, metav1.ConditionTrue, ec2v1.ReasonTerminated}
	differs = condition{ec2v1.ConditionSynced, metav1.ConditionFalse, ec2v1.ReasonReplacementRequired}
)

func never(spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) {
	spec.WithRecreatePolicy(ec2v1.RecreateNever)
}

func tagged(tags ...string) func(*ec2v1ac.EC2InstanceSpecApplyConfiguration) {
	return func(spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) {
		for i := 0; i < len(tags); i += 2 {
			spec.WithTags(ec2v1ac.Tag().WithKey(tags[i]).WithValue(tags[i+1]))
		}
	}
}

func otherImage(spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) {
	spec.WithImage(ec2v1ac.Image().WithID(ec2sim.ImageAL2023Next))
}

func powered(state ec2v1.PowerState) func(*ec2v1ac.EC2InstanceSpecApplyConfiguration) {
	return func(spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) { spec.WithPowerState(state) }
}

// scenes are the situations that a restore finds objects in.
func scenes() []scene {
	out := []scene{
		{name: "unchanged", fate: kept, condition: runs, attempt: 1},
		{name: "retagged", before: tagged("team", "a", "stage", "x"), after: edit(tagged("team", "b", "extra", "y")),
			fate: kept, condition: runs, attempt: 1, tags: map[string]string{"team": "a", "stage": "x"}, unknown: map[string]string{"extra": "y"}},
		{name: "stopped-since", after: edit(powered(ec2v1.PowerStateStopped)), fate: kept, condition: runs, state: "running", attempt: 1},
		{name: "started-since", before: powered(ec2v1.PowerStateStopped), after: edit(powered(ec2v1.PowerStateRunning)),
			fate: kept, condition: isOff, state: "stopped", attempt: 1},

		// The status that is restored names an instance that has been terminated since.
		{name: "recreated-since", after: terminate, until: hasAnother, fate: kept, condition: runs, attempt: 2},
		{name: "deleted-since", after: remove, until: isGone, fate: another, condition: runs, attempt: 2},
		{name: "deleted-since-never", before: never, after: remove, until: isGone, fate: none, condition: staysSo},
		{name: "retained-since", before: func(spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) { spec.WithDeletionPolicy(ec2v1.DeletionRetain) },
			after: remove, until: isGone, fate: kept, condition: runs, attempt: 1},
		{name: "replaced-since", after: replace, until: settledNow, fate: another, condition: runs, attempt: 2, orphaned: true},
		{name: "created-since", made: afterwards, gone: true, fate: none, orphaned: true},

		// The backup has an intent, and no instance.
		{name: "intended", made: withoutEC2, fate: kept, condition: runs, attempt: 1},
		{name: "intended-recreated", made: withoutEC2, after: terminate, until: hasAnother, fate: kept, condition: runs, attempt: 2},
		{name: "intended-terminated", made: withoutEC2, before: never, after: terminate, until: stalledNow, fate: none, condition: staysSo},
		{name: "deleting", deleted: true, until: isGone, gone: true, fate: none},

		// The backup has no intent either.
		{name: "undecided", made: withoutOperator, fate: kept, condition: runs, attempt: 1},
		{name: "undecided-recreated", made: withoutOperator, after: terminate, until: hasAnother, fate: kept, condition: runs, attempt: 2},
		{name: "undecided-terminated", made: withoutOperator, before: never, after: terminate, until: stalledNow, fate: none, condition: staysSo},
		{name: "undecided-deleted", made: withoutOperator, after: remove, until: isGone, fate: another, condition: runs, attempt: 2},
		// EC2 has launched another spec than the one that comes back.
		{name: "undecided-edited", made: withoutOperator, unseen: edit(otherImage), fate: kept, condition: differs, attempt: 1},
	}
	if *longFlag {
		out = append(out, scene{name: "recreated-and-deleted-since", after: inTurn(terminate, hasAnother, remove), until: isGone,
			fate: another, condition: runs, attempt: 3})
	}
	return out
}
