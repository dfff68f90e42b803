// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// wakes lets through the changes of an object that a pass may have to answer at once: of spec, deletion, finalizers,
// labels and our annotations. Our own writes of status are not among them.
func wakes() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld == nil || e.ObjectNew == nil || matters(e.ObjectOld, e.ObjectNew)
	}}
}

func matters(before, after client.Object) bool {
	return before.GetUID() != after.GetUID() ||
		before.GetGeneration() != after.GetGeneration() ||
		!before.GetDeletionTimestamp().Equal(after.GetDeletionTimestamp()) ||
		!slices.Equal(before.GetFinalizers(), after.GetFinalizers()) ||
		!maps.Equal(before.GetLabels(), after.GetLabels()) ||
		annotation(before, ec2v1.AnnotationLaunch) != annotation(after, ec2v1.AnnotationLaunch) ||
		annotation(before, ec2v1.AnnotationReconcileRequestedAt) != annotation(after, ec2v1.AnnotationReconcileRequestedAt)
}

// disowned wakes the object, in a while, when who owns what is ours has changed. Not at once: a second operator, such
// as a leader that was thought to be gone, has our managers' names, and if the two saw different worlds, each write of
// one would wake the other.
func disowned() handler.EventHandler {
	return handler.Funcs{UpdateFunc: func(_ context.Context, e event.UpdateEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		if e.ObjectOld != nil && e.ObjectNew != nil && isDisowned(e.ObjectOld, e.ObjectNew) {
			queue.AddAfter(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e.ObjectNew)}, takenBackAfter)
		}
	}}
}

// overwritten wakes the object, in a while, when another process of ours has told something else in status, such as a leader that was
// thought to be gone and has woken up with an old view. Nothing else would tell of it. Not at once, for the same reason as disowned.
func overwritten(foreign func(client.Object) bool) handler.EventHandler {
	return handler.Funcs{UpdateFunc: func(_ context.Context, e event.UpdateEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		before, ok := e.ObjectOld.(*ec2v1.EC2Instance)
		after, isInstance := e.ObjectNew.(*ec2v1.EC2Instance)
		if ok && isInstance && !equality.Semantic.DeepEqual(ourStatus(before), ourStatus(after)) && foreign(after) {
			queue.AddAfter(reconcile.Request{NamespacedName: keyOf(after)}, overwrittenAfter)
		}
	}}
}

// ourStatus is the status without the conditions of others.
func ourStatus(obj *ec2v1.EC2Instance) ec2v1.EC2InstanceStatus {
	status := obj.Status
	status.Conditions = slices.DeleteFunc(slices.Clone(status.Conditions), func(c metav1.Condition) bool { return !slices.Contains(ourConditions, c.Type) })
	return status
}

// isDisowned tells whether one of our managers owns less than before, or nobody owns what may be ours.
func isDisowned(before, after client.Object) bool {
	return ownershipLost(before.GetManagedFields(), after.GetManagedFields()) || (apply.Inherited(after) && !apply.Inherited(before))
}

func annotation(obj client.Object, key string) string { return obj.GetAnnotations()[key] }

// ownershipLost tells whether one of our managers owns less than before: somebody has taken a field, or we
// have given it up.
func ownershipLost(before, after []metav1.ManagedFieldsEntry) bool {
	for _, b := range before {
		if !ours(b) {
			continue
		}
		i := slices.IndexFunc(after, func(a metav1.ManagedFieldsEntry) bool {
			return a.Manager == b.Manager && a.Operation == b.Operation && a.Subresource == b.Subresource
		})
		if i < 0 || lessThan(after[i], b) {
			return true
		}
	}
	return false
}

func ours(e metav1.ManagedFieldsEntry) bool {
	return e.Operation == metav1.ManagedFieldsOperationApply &&
		(e.Manager == string(apply.ManagerInstance) || e.Manager == string(apply.ManagerInstanceLifecycle))
}

// lessThan tells whether an entry lacks a field of an earlier one. What cannot be read counts as lost, since
// a needless pass does no harm.
func lessThan(after, before metav1.ManagedFieldsEntry) bool {
	a, errA := apply.FieldsOf(after)
	b, errB := apply.FieldsOf(before)
	if errA != nil || errB != nil {
		return true
	}
	return !b.Difference(a).Empty()
}
