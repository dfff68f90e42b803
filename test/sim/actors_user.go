// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// deletedBy deletes with what is to become of the children.
func deletedBy(policy metav1.DeletionPropagation) func(*world, string) error {
	return func(w *world, name string) error {
		obj := &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
		return client.IgnoreNotFound(w.user.Delete(context.Background(), obj, client.PropagationPolicy(policy)))
	}
}

// deleteAndCreate does not wait for the deletion: what is applied then edits the object that is being deleted, unless it is gone.
func (w *world) deleteAndCreate(name string) error {
	if err := w.deleteAsUser(name); err != nil {
		return err
	}
	return w.applyAsUser(name, w.drawSpec(name))
}

// replaceWithoutIntent updates the object (PUT) as a user does who does not know the operator's annotation.
func (w *world) replaceWithoutIntent(name string) error {
	obj, err := w.get(name)
	if err != nil || obj == nil {
		return err
	}
	delete(obj.Annotations, ec2v1.AnnotationLaunch)
	return w.user.Update(context.Background(), obj, client.FieldOwner("replacer"))
}

// replace updates the object (PUT) with nothing but its spec, as kubectl replace does.
func (w *world) replace(name string) error {
	obj, err := w.get(name)
	if err != nil || obj == nil {
		return err
	}
	next := &ec2v1.EC2Instance{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, ResourceVersion: obj.ResourceVersion}, Spec: obj.Spec,
	}
	return w.user.Update(context.Background(), next, client.FieldOwner("replacer"))
}

// writeSecret makes the Secret, or another one of it.
func (w *world) writeSecret(string) error {
	value := fmt.Sprintf("#!/bin/sh\necho hushhush-%d\n", w.random.IntN(1000))
	out := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: secretName}, Data: map[string][]byte{"script": []byte(value)}}
	err := w.user.Create(context.Background(), out)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	if err := w.user.Get(context.Background(), client.ObjectKeyFromObject(out), out); err != nil {
		return err
	}
	out.Data = map[string][]byte{"script": []byte(value)}
	w.rewritten = true
	return w.user.Update(context.Background(), out)
}

func (w *world) deleteSecret(string) error {
	w.rewritten = true
	return client.IgnoreNotFound(w.user.Delete(context.Background(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: secretName}}))
}
