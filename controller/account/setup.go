// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// +kubebuilder:rbac:groups=ec2.fieldowner.dev,resources=ec2accounts,verbs=get;list;watch
// +kubebuilder:rbac:groups=ec2.fieldowner.dev,resources=ec2accounts/status,verbs=patch

// workers is enough for many accounts: a pass makes at most one call, with a deadline.
const workers = 4

// SetupWithManager registers the controller: it is woken by edits, and once the account has been listed.
func (r *Reconciler) SetupWithManager(mgr manager.Manager) error {
	return builder.ControllerManagedBy(mgr).
		Named("ec2account").
		For(&ec2v1.EC2Account{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesRawSource(source.Func(r.watchEC2)).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(r)
}

func (r *Reconciler) watchEC2(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	r.Observer.OnSynced(func(s observer.Scope) { queue.Add(requestFor(s.Account)) })
	return nil
}
