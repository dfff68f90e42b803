// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

func keyOf(obj *ec2v1.EC2Instance) types.NamespacedName {
	return types.NamespacedName{Namespace: obj.Namespace, Name: obj.Name}
}

// applyLifecycle applies the finalizer and the launch intent, guarded by the resourceVersion that they were decided on:
// two operators, or an edit in between, cannot make two intents of one attempt, and the status that this pass writes next
// is not put over one that it has not seen.
func (p *pass) applyLifecycle(ctx context.Context, plan Plan) error {
	if p.obj.DeletionTimestamp != nil || p.in.observes() {
		return nil
	}
	intent := intentOf(p.obj, p.Cluster)
	config := ec2v1ac.EC2Instance(p.obj.Name, p.obj.Namespace).WithUID(p.obj.UID).WithResourceVersion(p.version).
		WithFinalizers(ec2v1.InstanceFinalizer)
	if plan.writesIntent() {
		intent = plan.Intent
	}
	if intent == nil && plan.Instance == nil {
		return nil // Nothing is launched, and nothing is about to be.
	}
	if intent != nil {
		value, err := intent.encode()
		if err != nil {
			return err
		}
		config.WithAnnotations(map[string]string{ec2v1.AnnotationLaunch: value})
	}
	if plan.Step.launches() && plan.writesIntent() {
		return p.writeLaunch(ctx, plan, config)
	}
	return p.writeLifecycle(ctx, plan, config)
}

// writeLaunch applies an intent that a launch follows.
func (p *pass) writeLaunch(ctx context.Context, plan Plan, config *ec2v1ac.EC2InstanceApplyConfiguration) error {
	isNew := p.actor.memory.mistrust(plan.Intent)
	if err := p.writeLifecycle(ctx, plan, config); err != nil {
		return err
	}
	p.actor.memory.hold(plan.Step, plan.Intent, isNew, p.Clock.Now())
	return nil
}

func (p *pass) writeLifecycle(ctx context.Context, plan Plan, config *ec2v1ac.EC2InstanceApplyConfiguration) error {
	result, err := p.Applier.Apply(ctx, p.obj, apply.Intent{Config: config, Manager: apply.ManagerInstanceLifecycle})
	if err != nil {
		return fmt.Errorf("applying the finalizer and the launch intent: %w", err)
	}
	p.version = result.ResourceVersion
	if plan.writesIntent() {
		p.in.Object = withIntent(p.obj, config)
	}
	return nil
}

// withIntent is the object as it is after the intent was written.
func withIntent(obj *ec2v1.EC2Instance, answer *ec2v1ac.EC2InstanceApplyConfiguration) *ec2v1.EC2Instance {
	out := obj.DeepCopy()
	out.Annotations = answer.Annotations
	out.Finalizers = answer.Finalizers
	return out
}

// applyStatus applies the whole status, and records the plan's events once it is written. A status that this
// pass has written already is not written again.
func (p *pass) applyStatus(ctx context.Context, plan Plan) error {
	draft, text, err := p.draftStatus(plan)
	if err != nil {
		return err
	}
	if p.written == text {
		p.record(plan.Events)
		p.record(p.fights.events())
		return nil
	}
	result, err := p.Applier.Send(ctx, draft)
	if err != nil {
		return fmt.Errorf("applying the status: %w", err)
	}
	p.fights.add("", result.Taken, nil)
	if result.Outcome == apply.Changed {
		p.version, p.written = result.ResourceVersion, text
		p.record(plan.Events)
	}
	p.record(p.fights.events())
	return nil
}

// draftStatus drafts the whole status. What would be left to others is part of what it tells, so it is drafted
// again when there is such.
func (p *pass) draftStatus(plan Plan) (*apply.Draft, string, error) {
	draft, text, err := p.draftStatusOnce(plan)
	if err != nil || len(draft.Left) == 0 {
		return draft, text, err
	}
	p.fights.add("", nil, draft.Left)
	return p.draftStatusOnce(plan)
}

// draftStatusOnce returns the draft and the status as text.
func (p *pass) draftStatusOnce(plan Plan) (*apply.Draft, string, error) {
	plan.Verdict.Contested = p.fights.condition()
	status := buildStatus(p.in.Object, p.Cluster, plan, p.began)
	text, err := json.Marshal(status)
	if err != nil {
		return nil, "", fmt.Errorf("encoding the status: %w", err)
	}
	draft, err := p.Applier.Draft(p.obj, apply.Intent{
		Config:  ec2v1ac.EC2Instance(p.obj.Name, p.obj.Namespace).WithResourceVersion(p.version).WithStatus(status),
		Manager: apply.ManagerInstance, Subresource: apply.SubresourceStatus, Force: true,
	})
	if err != nil {
		return nil, "", fmt.Errorf("drafting the status: %w", err)
	}
	return draft, string(text), nil
}

func (p *pass) record(events []Event) {
	for _, e := range events {
		p.Events.Eventf(p.obj, nil, e.Type, e.Reason, actionReconcile, "%s", e.Note)
	}
}
