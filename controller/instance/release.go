// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// release gives up the finalizer and with it, usually, the object. It is guarded by the resourceVersion that it was decided
// on: somebody may have changed deletionPolicy since.
func (p *pass) release(ctx context.Context) (time.Duration, error) {
	table, err := apply.Ownership(p.obj)
	if err != nil {
		return 0, fmt.Errorf("telling who owns the finalizer: %w", err)
	}
	switch {
	case finalizerIsNobodys(p.obj, table):
		return apply.CacheLag, p.claim(ctx)
	case len(table.Of(string(apply.ManagerInstanceLifecycle))) == 0:
		return p.held(ctx) // It was given up before, and is somebody else's, too.
	}
	config := ec2v1ac.EC2Instance(p.obj.Name, p.obj.Namespace).WithUID(p.obj.UID).WithResourceVersion(p.version)
	result, err := p.Applier.Apply(ctx, p.obj, apply.Intent{Config: config, Manager: apply.ManagerInstanceLifecycle})
	if err != nil {
		return 0, fmt.Errorf("releasing the finalizer: %w", err)
	}
	if result.Outcome == apply.Skipped || slices.Contains(config.Finalizers, ec2v1.InstanceFinalizer) {
		return p.held(ctx)
	}
	p.Applier.Forget(p.obj.UID)
	if p.actor.view != nil {
		for _, e := range p.in.Entries {
			if !e.State.Live() || e.Gone {
				p.actor.view.Drop(e.ID)
			}
		}
	}
	p.record([]Event{normal("Released", "Finished deletion of this object: deletionPolicy %s", p.obj.Spec.DeletionPolicy)})
	return 0, nil
}

// finalizerPath is the finalizer in managedFields.
var finalizerPath = fieldpath.MakePathOrDie("metadata", "finalizers", value.NewValueInterface(ec2v1.InstanceFinalizer))

// finalizerIsNobodys tells whether the finalizer is there and nobody owns it, since managedFields were cleared: then
// nobody can give it up, either.
func finalizerIsNobodys(obj *ec2v1.EC2Instance, table apply.Table) bool {
	return slices.Contains(obj.Finalizers, ec2v1.InstanceFinalizer) &&
		!slices.ContainsFunc(table.At(finalizerPath), func(o apply.Owner) bool { return !o.Nobody() })
}

// claim makes the finalizer, which is there, ours, so that the next pass can give it up.
func (p *pass) claim(ctx context.Context) error {
	config := ec2v1ac.EC2Instance(p.obj.Name, p.obj.Namespace).WithUID(p.obj.UID).WithFinalizers(ec2v1.InstanceFinalizer)
	if _, err := p.Applier.Apply(ctx, p.obj, apply.Intent{Config: config, Manager: apply.ManagerInstanceLifecycle}); err != nil {
		return fmt.Errorf("claiming the finalizer: %w", err)
	}
	return nil
}

// held tells that the finalizer stays because another manager owns it too: server-side apply gives up only what
// is one's own.
func (p *pass) held(ctx context.Context) (time.Duration, error) {
	f := learn(p.in)
	plan := f.plan()
	plan.Verdict = f.stalled(ec2v1.ReasonOwnershipConflict, fmt.Sprintf(
		"Nothing is left to do in EC2, and another field manager owns finalizer %s too (see metadata.managedFields): remove the finalizer by hand",
		ec2v1.InstanceFinalizer))
	return accountAgain, p.applyStatus(ctx, plan)
}
