// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
	"github.com/fieldowner/ec2-operator/controller/instance/children"
)

// +kubebuilder:rbac:groups=ec2.fieldowner.dev,resources=ec2instances,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=ec2.fieldowner.dev,resources=ec2instances/status,verbs=patch
// +kubebuilder:rbac:groups=ec2.fieldowner.dev,resources=ec2accounts,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get
// +kubebuilder:rbac:groups="",resources=services;configmaps,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=discovery.k8s.io,resources=endpointslices,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=ec2.fieldowner.dev,resources=ec2instances/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// The indexes of the cache: the EC2Instances of an account, of a namespace, which may be one that is not
// watched, and that name an instance; and the children of an EC2Instance, by its uid.
const (
	accountIndex   = "spec.accountRef.name"
	namespaceIndex = "metadata.namespace"
	parentIndex    = "metadata.parentUID"
	adoptIndex     = "spec.adopt.instanceID"
)

var namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

// SetupWithManager registers the controller: it is woken by the object, by what EC2 shows of its instance, by
// its account, by its namespace's labels and by its children.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr manager.Manager, workers int) error {
	if err := r.index(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(namespaceKind)
	b := builder.ControllerManagedBy(mgr).
		Named("ec2instance").
		For(&ec2v1.EC2Instance{}, builder.WithPredicates(wakes())).
		Watches(&ec2v1.EC2Instance{}, disowned()).
		Watches(&ec2v1.EC2Instance{}, overwritten(r.Applier.Foreign)).
		Watches(&ec2v1.EC2Account{}, handler.EnqueueRequestsFromMapFunc(r.ofAccount), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(namespace, handler.EnqueueRequestsFromMapFunc(r.ofNamespace), builder.WithPredicates(predicate.LabelChangedPredicate{})).
		WatchesRawSource(source.Func(r.watchEC2)).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers})
	for _, kind := range childKinds() {
		b = b.Watches(kind, r.wakesParent(mgr))
	}
	return b.Complete(r)
}

// childKinds are the kinds of children.
func childKinds() []client.Object {
	return []client.Object{&corev1.Service{}, &discoveryv1.EndpointSlice{}, &corev1.ConfigMap{}}
}

// ChildrenInCache is what the cache is to hold of the kinds of children: those that bear our label.
func ChildrenInCache() map[client.Object]cache.ByObject {
	selector := labels.SelectorFromSet(labels.Set{ec2v1.LabelManagedBy: ec2v1.ManagedByOperator})
	out := map[client.Object]cache.ByObject{}
	for _, kind := range childKinds() {
		out[kind] = cache.ByObject{Label: selector}
	}
	return out
}

// childHandler wakes the controller of a child that changes, or did until it changed, in a while: what is taken from
// a child is taken back no sooner than what is taken from the object itself (see disowned). It forgets what was written
// to a child that the cache no longer shows.
type childHandler struct {
	handler.EventHandler
	forget func(types.UID)
}

// later is a queue to which everything is added after a while.
type later struct {
	workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// Add implements workqueue.TypedInterface.
func (l later) Add(r reconcile.Request) { l.AddAfter(r, takenBackAfter) }

// Create implements [handler.EventHandler].
func (h childHandler) Create(ctx context.Context, e event.CreateEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	h.EventHandler.Create(ctx, e, later{queue})
}

// Update implements [handler.EventHandler].
func (h childHandler) Update(ctx context.Context, e event.UpdateEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	h.EventHandler.Update(ctx, e, later{queue})
}

func (r *Reconciler) wakesParent(mgr manager.Manager) handler.EventHandler {
	return childHandler{
		EventHandler: handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(), &ec2v1.EC2Instance{}, handler.OnlyControllerOwner()),
		forget:       r.Applier.ForgetWrites,
	}
}

// Delete implements [handler.EventHandler].
func (h childHandler) Delete(ctx context.Context, e event.DeleteEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	h.forget(e.Object.GetUID())
	h.EventHandler.Delete(ctx, e, later{queue})
}

func (r *Reconciler) index(ctx context.Context, indexer client.FieldIndexer) error {
	byNamespace := func(obj client.Object) []string { return []string{obj.GetNamespace()} }
	err := errors.Join(
		indexer.IndexField(ctx, &ec2v1.EC2Instance{}, accountIndex, indexAccount),
		indexer.IndexField(ctx, &ec2v1.EC2Instance{}, namespaceIndex, byNamespace),
		indexer.IndexField(ctx, &ec2v1.EC2Instance{}, adoptIndex, indexAdopted),
	)
	for _, kind := range childKinds() {
		err = errors.Join(err, indexer.IndexField(ctx, kind, parentIndex, indexChild))
	}
	return err
}

func indexChild(obj client.Object) []string { return children.ParentsOf(obj) }

func indexAccount(obj client.Object) []string {
	i, ok := obj.(*ec2v1.EC2Instance)
	if !ok {
		return nil
	}
	return []string{accountName(i)}
}

// watchEC2 turns what the observer tells into keys.
func (r *Reconciler) watchEC2(ctx context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	r.Observer.OnChange(func(o cloud.Owner) {
		if len(r.Namespaces) > 0 && !slices.Contains(r.Namespaces, o.Namespace) {
			return // Another operator's; the account's instances are listed all together.
		}
		queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: o.Namespace, Name: o.Name}})
	})
	r.Observer.OnSynced(func(s observer.Scope) {
		for _, request := range r.requests(ctx, client.MatchingFields{accountIndex: s.Account}) {
			queue.Add(request)
		}
	})
	return nil
}

func (r *Reconciler) ofAccount(ctx context.Context, account client.Object) []reconcile.Request {
	return r.requests(ctx, client.MatchingFields{accountIndex: account.GetName()})
}

func (r *Reconciler) ofNamespace(ctx context.Context, namespace client.Object) []reconcile.Request {
	return r.requests(ctx, client.MatchingFields{namespaceIndex: namespace.GetName()})
}

func (r *Reconciler) requests(ctx context.Context, selector client.ListOption) []reconcile.Request {
	list := &ec2v1.EC2InstanceList{}
	if err := r.Reader.List(ctx, list, selector); err != nil {
		log.FromContext(ctx).Error(err, "Failed to list EC2Instances from the cache")
		return nil
	}
	out := make([]reconcile.Request, 0, len(list.Items))
	for i := range list.Items {
		out = append(out, reconcile.Request{NamespacedName: keyOf(&list.Items[i])})
	}
	return out
}
