// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest" // want "depguard: .*use the manager's client"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// Embedding embeds the client, as most controllers do: the receiver's type is then not the client's.
type Embedding struct {
	client.Client
}

// Own is an interface of the package's own that a client satisfies.
type Own interface {
	Update(ctx context.Context, object client.Object, options ...client.UpdateOption) error
}

// Write writes in every way there is.
func (e *Embedding) Write(ctx context.Context, own Own, plain client.Client, request rest.Interface, object *corev1.ConfigMap) error {
	patch := client.MergeFrom(object)
	later := e.Delete // want "onedoor: Delete writes to Kubernetes"

	_, err := controllerutil.CreateOrUpdate(ctx, plain, object, func() error { return nil }) // want "onedoor: CreateOrUpdate writes to Kubernetes"

	return errors.Join(err,
		e.Create(ctx, object),                      // want "onedoor: Create writes to Kubernetes"
		own.Update(ctx, object),                    // want "onedoor: Update writes to Kubernetes"
		later(ctx, object),                         // want "onedoor: later writes to Kubernetes"
		plain.Patch(ctx, object, patch),            // want "onedoor: Patch writes to Kubernetes"
		plain.DeleteAllOf(ctx, object),             // want "onedoor: DeleteAllOf writes to Kubernetes"
		plain.Status().Update(ctx, object),         // want "onedoor: Update writes to Kubernetes"
		e.Status().Patch(ctx, object, patch),       // want "onedoor: Patch writes to Kubernetes"
		e.SubResource("scale").Update(ctx, object), // want "onedoor: Update writes to Kubernetes"
		e.Apply(ctx, nil),                          // want "onedoor: Apply writes to Kubernetes"
		e.Status().Apply(ctx, nil),                 // want "onedoor: Apply writes to Kubernetes"
		request.Delete().Do(ctx).Error(),           // want "onedoor: Delete writes to Kubernetes"
		e.Get(ctx, client.ObjectKeyFromObject(object), object),
		apply.Send(ctx, plain, nil),
	)
}
