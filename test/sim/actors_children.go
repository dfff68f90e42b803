// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// drawChild names something that may be a child of some object, or be in its way.
func (w *world) drawChild() client.Object {
	meta := metav1.ObjectMeta{Namespace: namespace, Name: w.pick("x", "y")}
	if w.random.IntN(2) == 0 {
		meta.Name = "svc-" + meta.Name
		return &corev1.Service{ObjectMeta: meta}
	}
	meta.Name = "map-" + meta.Name
	return &corev1.ConfigMap{ObjectMeta: meta}
}

// obstruct makes something of a child's name that nobody controls, or that something else does.
func (w *world) obstruct(string) error {
	obj := w.drawChild()
	switch obj := obj.(type) {
	case *corev1.Service:
		obj.Spec.Ports = []corev1.ServicePort{{Name: w.pick("http", "web"), Port: int32(80 + 8000*w.random.IntN(2))}}
	case *corev1.ConfigMap:
		obj.Data = map[string]string{"note": "a user's"}
	}
	if w.random.IntN(2) == 0 {
		landlord, err := w.landlord()
		if err != nil {
			return err
		}
		obj.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: landlord.Name, UID: landlord.UID, Controller: new(true)}})
	}
	return w.user.Create(context.Background(), obj, client.FieldOwner("tenant"))
}

// landlord is an object that controls others.
func (w *world) landlord() (*corev1.ConfigMap, error) {
	out := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "landlord"}}
	err := w.user.Create(context.Background(), out)
	if apierrors.IsAlreadyExists(err) {
		err = w.user.Get(context.Background(), client.ObjectKeyFromObject(out), out)
	}
	return out, err
}

// clearWay deletes something of a child's name, a child among them.
func (w *world) clearWay(string) error {
	return client.IgnoreNotFound(w.user.Delete(context.Background(), w.drawChild()))
}

// takeChild takes a field of a child that is there.
func (w *world) takeChild(string) error {
	service := &corev1.Service{}
	key := types.NamespacedName{Namespace: namespace, Name: "svc-" + w.pick("x", "y")}
	if err := w.user.Get(context.Background(), key, service); err != nil {
		return err
	}
	if c := metav1.GetControllerOf(service); c == nil || c.Kind != instanceKind.Kind {
		return nil
	}
	config := corev1ac.Service(key.Name, namespace).WithUID(service.UID).
		WithSpec(corev1ac.ServiceSpec().WithPorts(corev1ac.ServicePort().WithPort(80).WithTargetPort(intstr.FromInt32(9999))))
	return w.user.Apply(context.Background(), config, client.FieldOwner(thief), client.ForceOwnership)
}

// disown takes the owners of a child away.
func (w *world) disown(string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": nil}})
	if err != nil {
		return err
	}
	return w.user.Patch(context.Background(), w.drawChild(), client.RawPatch(types.MergePatchType, patch), client.FieldOwner("editor"))
}
