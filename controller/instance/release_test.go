// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// end deletes the object and has EC2 terminate its instance: the finalizer is left to be given up.
func (r *rig) end() {
	r.Helper()
	r.delete()
	r.until("the instance is terminating", readyIs(ec2v1.ReasonDeleting))
	r.ec2.becomes(instanceID(1), cloud.StateTerminated)
	r.ec2.taken()
	r.writes = nil
}

// Somebody may have edited the object since its release was decided: it is decided again.
func TestAReleaseIsNotWrittenOnAnotherVersion(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.run()
		r.end()
		r.meanwhile = func() { r.edit(func(s *ec2v1.EC2InstanceSpec) { s.DeletionPolicy = ec2v1.DeletionStop }) }
		obj := r.until("the finalizer is to be given up", func(*ec2v1.EC2Instance) bool { return r.meanwhile == nil })
		r.expectWrites()
		if obj == nil || !slices.Contains(obj.Finalizers, ec2v1.InstanceFinalizer) {
			r.Errorf("got %+v", obj)
		}
		r.until("the object is gone", isGone)
	})
}

// Server-side apply gives up only what is one's own. Once that has been done, and the finalizer is another manager's, asking
// again would change nothing: it is told who is to do something.
func TestAFinalizerThatOnlyAnotherManagerOwnsIsNotGivenUpAgain(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.run()
		theirs := ec2v1ac.EC2Instance("web-1", "team").WithFinalizers(ec2v1.InstanceFinalizer)
		if err := r.client.Apply(r.Context(), theirs, client.FieldOwner("another")); err != nil {
			r.Fatal(err)
		}
		r.end()
		obj := r.get()
		obj.ManagedFields = slices.DeleteFunc(obj.ManagedFields, func(e metav1.ManagedFieldsEntry) bool {
			return e.Manager == string(apply.ManagerInstanceLifecycle)
		})
		r.update(obj)
		r.lastMoment = func(what string) { r.Errorf("sent %s", what) }
		r.until("it is told that the finalizer is held", readyIs(ec2v1.ReasonOwnershipConflict))
		r.expectWrites("status")
		r.expectRest()
	})
}
