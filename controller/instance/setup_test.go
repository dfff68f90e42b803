// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestChildrenWakeInAWhile: whatever happens to a child, so that two operators that see different worlds do not wake
// each other without a pause. Of a child that the cache no longer shows, only the writes are forgotten.
func TestChildrenWakeInAWhile(t *testing.T) {
	add := func(queue workqueue.TypedRateLimitingInterface[reconcile.Request]) { queue.Add(reconcile.Request{}) }
	var forgotten []types.UID
	h := childHandler{
		EventHandler: handler.Funcs{
			CreateFunc: func(_ context.Context, _ event.CreateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
				add(q)
			},
			UpdateFunc: func(_ context.Context, _ event.UpdateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
				add(q)
			},
			DeleteFunc: func(_ context.Context, _ event.DeleteEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
				add(q)
			},
		},
		forget: func(uid types.UID) { forgotten = append(forgotten, uid) },
	}
	child := &corev1.Service{}
	child.UID = "u-1"
	queue := &delayed{}
	h.Create(t.Context(), event.CreateEvent{Object: child}, queue)
	h.Update(t.Context(), event.UpdateEvent{ObjectOld: child, ObjectNew: child}, queue)
	h.Delete(t.Context(), event.DeleteEvent{Object: child}, queue)
	if want := slices.Repeat([]time.Duration{takenBackAfter}, 3); !slices.Equal(queue.after, want) {
		t.Errorf("wakes after %v, want %v", queue.after, want)
	}
	if !slices.Equal(forgotten, []types.UID{"u-1"}) {
		t.Errorf("forgets %v", forgotten)
	}
}
