// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// Other managers: restorer owns the operator's finalizer, too, as what was restored from a backup does; forger writes launch intents;
// contender wants the user's fields.
const (
	restorer  = "restorer"
	forger    = "forger"
	contender = "contender"
)

func (w *world) audit(name string) error {
	obj, err := w.get(name)
	if err != nil || obj == nil || obj.DeletionTimestamp != nil {
		return err
	}
	config := ec2v1ac.EC2Instance(name, namespace).WithUID(obj.UID).WithFinalizers(foreignFinalizer).WithLabels(map[string]string{"audit": "on"})
	return w.user.Apply(context.Background(), config, client.FieldOwner("audit"), client.ForceOwnership)
}

func (w *world) unaudit(name string) error { return w.applyAs(name, "audit", nil) }

func (w *world) setCondition(name string) error {
	obj, err := w.get(name)
	if err != nil || obj == nil {
		return err
	}
	config := ec2v1ac.EC2Instance(name, namespace).WithResourceVersion(obj.ResourceVersion).WithStatus(ec2v1ac.EC2InstanceStatus().
		WithConditions(metav1ac.Condition().WithType(foreignCondition).WithStatus(metav1.ConditionTrue).WithReason("Audited").WithMessage("").
			WithLastTransitionTime(metav1.NewTime(obj.CreationTimestamp.Time))))
	return w.user.Status().Apply(context.Background(), config, client.FieldOwner("audit"), client.ForceOwnership)
}

func (w *world) takeStatus(name string) error {
	obj, err := w.get(name)
	if err != nil || obj == nil {
		return err
	}
	config := ec2v1ac.EC2Instance(name, namespace).WithResourceVersion(obj.ResourceVersion).WithStatus(ec2v1ac.EC2InstanceStatus().WithVPCID("vpc-00000000"))
	return w.user.Status().Apply(context.Background(), config, client.FieldOwner(thief), client.ForceOwnership)
}

// emptyStatus removes all of status by an update.
func (w *world) emptyStatus(name string) error {
	obj, err := w.get(name)
	if err != nil || obj == nil {
		return err
	}
	obj.Status = ec2v1.EC2InstanceStatus{}
	return w.user.Status().Update(context.Background(), obj, client.FieldOwner("editor"))
}

func (w *world) clearManagedFields(name string) error {
	obj, err := w.get(name)
	if err != nil || obj == nil {
		return err
	}
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata": {"managedFields": [{}]}}`))
	return w.user.Patch(context.Background(), obj, patch, client.FieldOwner("cleaner"))
}

// contestTag: another manager wants the user's tag to be another, by force or not.
func (w *world) contestTag(name string) error {
	obj, err := w.get(name)
	if err != nil || obj == nil {
		return err
	}
	config := ec2v1ac.EC2Instance(name, namespace).WithUID(obj.UID).
		WithSpec(ec2v1ac.EC2InstanceSpec().WithTags(ec2v1ac.Tag().WithKey("team").WithValue("green")))
	opts := []client.ApplyOption{client.FieldOwner(contender)}
	if w.random.IntN(2) == 0 {
		opts = append(opts, client.ForceOwnership)
	}
	return w.user.Apply(context.Background(), config, opts...)
}

// shareFinalizer: the operator cannot give up what another manager owns, too.
func (w *world) shareFinalizer(name string) error {
	obj, err := w.get(name)
	if err != nil || obj == nil || obj.DeletionTimestamp != nil {
		return err
	}
	config := ec2v1ac.EC2Instance(name, namespace).WithUID(obj.UID).WithFinalizers(ec2v1.InstanceFinalizer)
	return w.user.Apply(context.Background(), config, client.FieldOwner(restorer), client.ForceOwnership)
}

// forgeIntent writes a launch intent that is not the operator's: of an object of another cluster, or none at all.
func (w *world) forgeIntent(name string) error {
	obj, err := w.get(name)
	if err != nil || obj == nil {
		return err
	}
	value := w.pick("{", fmt.Sprintf(`{"uid":%q,"attempt":7,"token":"0123","hash":"","image":"","region":"eu-central-1","at":null,"reason":"Created"}`, obj.UID))
	config := ec2v1ac.EC2Instance(name, namespace).WithUID(obj.UID).WithAnnotations(map[string]string{ec2v1.AnnotationLaunch: value})
	return w.user.Apply(context.Background(), config, client.FieldOwner(forger), client.ForceOwnership)
}
