// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var namespaces = schema.GroupResource{Resource: "namespaces"}

// checkNamespacePreconditions does the same as for other kinds, in other words.
func checkNamespacePreconditions(obj client.Object, options *metav1.DeleteOptions) error {
	only := options.Preconditions
	if only == nil {
		return nil
	}
	refuse := func(what string, wanted, got any) error {
		text := fmt.Sprintf("Precondition failed: %s in precondition: %v, %s in object meta: %v", what, wanted, what, got)
		return apierrors.NewConflict(namespaces, obj.GetName(), errors.New(text))
	}
	if only.UID != nil && *only.UID != obj.GetUID() {
		return refuse("UID", *only.UID, obj.GetUID())
	}
	if only.ResourceVersion != nil && *only.ResourceVersion != obj.GetResourceVersion() {
		return refuse("ResourceVersion", *only.ResourceVersion, obj.GetResourceVersion())
	}
	return nil
}

// terminateNamespace marks a namespace, whose content goes first: see CollectGarbage.
func (s *Server) terminateNamespace(c *call, key objectKey, item *stored, obj client.Object, options *metav1.DeleteOptions) error {
	if obj.GetDeletionTimestamp() != nil {
		return nil
	}
	obj.SetFinalizers(withCascade(obj.GetFinalizers(), options))
	obj.SetDeletionTimestamp(new(now()))
	if n, ok := obj.(*corev1.Namespace); ok {
		n.Status.Phase = corev1.NamespaceTerminating
	}
	_, err := s.put(c, key, item, obj)
	return err
}

// admitCreate is what the admission plugin NamespaceLifecycle does with a new object.
func (s *Server) admitCreate(c *call) error {
	if !c.kind.namespaced {
		return nil
	}
	item := s.objects[objectKey{kind: s.catalog.byKind[schema.GroupKind{Kind: "Namespace"}], NamespacedName: types.NamespacedName{Name: c.Namespace}}]
	if item == nil {
		return apierrors.NewNotFound(namespaces, c.Namespace)
	}
	if n, ok := item.loaded.(*corev1.Namespace); !ok || n.Status.Phase != corev1.NamespaceTerminating {
		return nil
	}
	err := apierrors.NewForbidden(c.kind.groupResource(), c.Name,
		fmt.Errorf("unable to create new content in namespace %s because it is being terminated", c.Namespace))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type: corev1.NamespaceTerminatingCause, Message: fmt.Sprintf("namespace %s is being terminated", c.Namespace), Field: "metadata.namespace",
	})
	return err
}

// admitDelete is what the same plugin does with a deletion.
func (s *Server) admitDelete(c *call) error {
	if c.kind.resource == namespaces.Resource && c.kind.gvk.Group == "" && slices.Contains(immortal, c.Name) {
		return apierrors.NewForbidden(namespaces, c.Name, fmt.Errorf("this namespace may not be deleted"))
	}
	return nil
}
