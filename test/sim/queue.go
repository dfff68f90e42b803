// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"reflect"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// gatedQueue is controller-runtime's queue, from which a worker takes a key only when the scheduler lets it: else it would depend on chance
// whether a worker takes a key before or after it is added once more.
type gatedQueue struct {
	priorityqueue.PriorityQueue[reconcile.Request]

	process *process
	name    string
}

// GetWithPriority implements priorityqueue.PriorityQueue.
func (q *gatedQueue) GetWithPriority() (item reconcile.Request, priority int, shutdown bool) {
	waits := &parked{process: q.process, system: queues, what: q.name, ready: func() bool { return q.Len() > 0 }}
	if _, err := q.process.world.gate.stop(context.Background(), waits); err != nil {
		return reconcile.Request{}, 0, true
	}
	return q.PriorityQueue.GetWithPriority()
}

// Get implements workqueue.TypedInterface.
func (q *gatedQueue) Get() (item reconcile.Request, shutdown bool) {
	item, _, shutdown = q.GetWithPriority()
	return item, shutdown
}

// gateQueue gives a controller such a queue, and one worker: a queue with a key that another worker has would seem to have something to
// take. Controllers are of a type that is internal to controller-runtime, and these options do not come from the manager: the exported
// fields are set as they would be by options. Other runnables have none.
func (p *process) gateQueue(r manager.Runnable) {
	value := reflect.ValueOf(r)
	if value.Kind() != reflect.Pointer || value.Elem().Kind() != reflect.Struct {
		return
	}
	if field := value.Elem().FieldByName("NewQueue"); field.IsValid() {
		field.Set(reflect.ValueOf(p.newQueue))
		value.Elem().FieldByName("MaxConcurrentReconciles").SetInt(1)
	}
}

// newQueue makes a controller's queue. It has no name, since a named one counts its items' waiting twice a second.
func (p *process) newQueue(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	inner := priorityqueue.New("", func(o *priorityqueue.Opts[reconcile.Request]) { o.RateLimiter = limiter })
	return &gatedQueue{PriorityQueue: inner, process: p, name: name}
}
