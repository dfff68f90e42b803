// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

const (
	secondManager    = "costs"
	thief            = "thief"
	foreignCondition = "Audited"
	foreignFinalizer = "example.com/audit"
	// nameWithSecret is the object whose user data is in a Secret.
	nameWithSecret = "c"
	secretName     = "boot"
)

// action is something that somebody other than the operator does.
type action struct {
	name string
	do   func(w *world, name string) error
	// weight is how often it is taken, among the others.
	weight int
}

// actions are all that users, a second manager, thieves, other controllers and a hand in EC2's console do. Each may find nothing to do.
var actions = []action{
	{"create or edit", func(w *world, name string) error { return w.applyAsUser(name, w.drawSpec(name)) }, 12},
	{"edit", func(w *world, name string) error { return w.applyIfThere(name, w.drawSpec(name)) }, 5},
	{"tag as a second manager", func(w *world, name string) error {
		return w.applyAs(name, secondManager, ec2v1ac.EC2InstanceSpec().WithTags(ec2v1ac.Tag().WithKey("cost-center").WithValue(w.pick("4711", "4712"))))
	}, 2},
	{"give the second manager's tag up", func(w *world, name string) error { return w.applyAs(name, secondManager, nil) }, 1},
	{"contest the user's tag", (*world).contestTag, 1},
	{"delete", (*world).deleteAsUser, 2},
	{"delete in the foreground", deletedBy(metav1.DeletePropagationForeground), 1},
	{"delete and orphan", deletedBy(metav1.DeletePropagationOrphan), 1},
	{"delete and create at once", (*world).deleteAndCreate, 2},
	{"replace without the operator's annotation", (*world).replaceWithoutIntent, 1},
	{"replace", (*world).replace, 1},
	{"terminate in the console", (*world).terminateInConsole, 2},
	{"stop in the console", (*world).stopInConsole, 1},
	{"start in the console", (*world).startInConsole, 1},
	{"tag in the console", (*world).tagInConsole, 2},
	{"add a finalizer and a label", (*world).audit, 1},
	{"take the finalizer and the label back", (*world).unaudit, 2},
	{"set a condition", (*world).setCondition, 1},
	{"take a field of status", (*world).takeStatus, 1},
	{"empty the status", (*world).emptyStatus, 1},
	{"own the operator's finalizer, too", (*world).shareFinalizer, 1},
	{"give the operator's finalizer up", func(w *world, name string) error { return w.applyAs(name, restorer, nil) }, 2},
	{"forge a launch intent", (*world).forgeIntent, 1},
	{"give the forged intent up", func(w *world, name string) error { return w.applyAs(name, forger, nil) }, 2},
	{"clear managedFields", (*world).clearManagedFields, 1},
	{"make something of a child's name", (*world).obstruct, 2},
	{"delete something of a child's name", (*world).clearWay, 2},
	{"take a field of a child", (*world).takeChild, 1},
	{"take a child's owner away", (*world).disown, 1},
	{"write the secret", (*world).writeSecret, 2},
	{"delete the secret", (*world).deleteSecret, 1},
}

// names of the objects: few, so that they are deleted and made again.
var names = []string{"a", "b", nameWithSecret}

func (w *world) pick(of ...string) string { return of[w.random.IntN(len(of))] }

// drawSpec is all that the user says: image, type and user data never change. The subnet, and with it the zone, seldom does: what lives
// stays where it is, and what is launched next is launched there.
func (w *world) drawSpec(name string) *ec2v1ac.EC2InstanceSpecApplyConfiguration {
	spec := ec2v1ac.EC2InstanceSpec().
		WithImage(ec2v1ac.Image().WithID(ec2sim.ImageAL2023)).WithInstanceType("t3.micro").
		WithSubnetID(ec2sim.SubnetA).WithSecurityGroupIDs(ec2sim.SecurityGroupDefault)
	if w.random.IntN(2) == 0 {
		spec.WithTags(ec2v1ac.Tag().WithKey("team").WithValue(w.pick("red", "blue")))
	}
	if w.random.IntN(4) == 0 {
		spec.WithPowerState(ec2v1.PowerStateStopped)
	}
	if w.random.IntN(20) == 0 {
		spec.WithSuspend(true)
	}
	if w.random.IntN(4) == 0 {
		spec.WithExpose(ec2v1ac.Expose().WithServiceName("svc-" + w.pick("x", "y")).WithPorts(ec2v1ac.ExposePort().WithName("http").WithPort(80)))
	}
	if name == nameWithSecret {
		spec.WithUserData(ec2v1ac.UserData().WithSecretKeyRef(ec2v1ac.KeyReference().WithName(secretName).WithKey("script")))
	}
	switch w.random.IntN(8) {
	case 0:
		spec.WithDeletionPolicy(ec2v1.DeletionRetain)
	case 1:
		spec.WithDeletionPolicy(ec2v1.DeletionStop)
	case 2:
		spec.WithRecreatePolicy(ec2v1.RecreateNever)
	}
	if w.random.IntN(4) == 0 {
		spec.WithSubnetID(ec2sim.SubnetB)
	}
	w.drawChanges(spec)
	if w.random.IntN(4) == 0 {
		spec.WithConnection(ec2v1ac.Connection().WithConfigMapName("map-" + w.pick("x", "y")))
	}
	if w.short() {
		w.drawFallbacks(spec)
	}
	return spec
}

// drawChanges draws what an instance can be changed in, and how far the operator may go for it.
func (w *world) drawChanges(spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) {
	if w.random.IntN(3) == 0 {
		spec.WithInstanceType("t3.small")
	}
	if w.random.IntN(3) == 0 {
		spec.WithSecurityGroupIDs(ec2sim.SecurityGroupWeb)
	}
	if w.random.IntN(4) == 0 {
		spec.WithIAMInstanceProfile(ec2v1ac.IAMInstanceProfile().WithName(w.pick(ec2sim.InstanceProfileName, ec2sim.OtherInstanceProfileName)))
	}
	if w.random.IntN(4) == 0 {
		spec.WithImage(ec2v1ac.Image().WithID(ec2sim.ImageAL2023Next))
	}
	switch w.random.IntN(4) {
	case 0:
		spec.WithUpdatePolicy(ec2v1ac.UpdatePolicy().WithAllow(ec2v1.UpdateStopStart))
	case 1:
		spec.WithUpdatePolicy(ec2v1ac.UpdatePolicy().WithAllow(ec2v1.UpdateReplace))
	}
}

func (w *world) get(name string) (*ec2v1.EC2Instance, error) {
	obj := &ec2v1.EC2Instance{}
	err := w.user.Get(context.Background(), instanceKey(name), obj)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // There is none.
	}
	return obj, err
}

func (w *world) applyAsUser(name string, spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) error {
	config := ec2v1ac.EC2Instance(name, namespace).WithSpec(spec)
	return w.user.Apply(context.Background(), config, client.FieldOwner(userName), client.ForceOwnership)
}

func (w *world) applyIfThere(name string, spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) error {
	obj, err := w.get(name)
	if err != nil || obj == nil {
		return err
	}
	return w.applyAsUser(name, spec)
}

// applyAs applies a part as another manager, to an object that is there.
func (w *world) applyAs(name, manager string, spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) error {
	obj, err := w.get(name)
	if err != nil || obj == nil {
		return err
	}
	config := ec2v1ac.EC2Instance(name, namespace).WithUID(obj.UID)
	if spec != nil {
		config.WithSpec(spec)
	}
	return w.user.Apply(context.Background(), config, client.FieldOwner(manager))
}

func (w *world) deleteAsUser(name string) error {
	obj := &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	return client.IgnoreNotFound(w.user.Delete(context.Background(), obj))
}

// drawAction draws an action by the weights.
func (w *world) drawAction() action {
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	dice := w.random.IntN(total)
	for _, a := range actions {
		if dice -= a.weight; dice < 0 {
			return a
		}
	}
	panic("the weights do not add up")
}

// act has somebody do something.
func (w *world) act() error {
	a, name := w.drawAction(), names[w.random.IntN(len(names))]
	w.trace("somebody: %s %s", a.name, name)
	err := a.do(w, name)
	switch {
	case err == nil, apierrors.IsConflict(err), apierrors.IsInvalid(err), apierrors.IsNotFound(err), apierrors.IsAlreadyExists(err):
		return nil // Users are refused like everybody.
	default:
		return fmt.Errorf("%s %s at %s: %w", a.name, name, time.Now().UTC().Format(time.TimeOnly), err)
	}
}
