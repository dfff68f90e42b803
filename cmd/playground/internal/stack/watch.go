// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

const (
	// healthPoll is how often the API server is asked for its health.
	healthPoll = 2 * time.Second
	// healthTimeout is for one answer; a busy machine takes a second.
	healthTimeout = 10 * time.Second
	// healthFailures is how many answers in a row may be missing.
	healthFailures = 3
)

// Watch gives a context that ends when a part ends on its own, with that as its cause.
func (s *Stack) Watch(ctx context.Context) (context.Context, context.CancelFunc, error) {
	clients, err := kubernetes.NewForConfig(s.Cluster.RESTConfig())
	if err != nil {
		return nil, nil, fmt.Errorf("making a client of the API server: %w", err)
	}
	ready := func(ctx context.Context) error {
		return clients.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	}
	watched, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-s.operator.ended:
			cancel(s.operator.failure())
		case <-watched.Done():
		}
	}()
	go func() {
		err := untilUnhealthy(watched, ready)
		if err != nil {
			cancel(fmt.Errorf("the control plane is not well: %w; etcd: %s; kube-apiserver: %s",
				err, tailOf(s.controlPlaneLog("etcd")), tailOf(s.controlPlaneLog("kube-apiserver"))))
		}
	}()
	return watched, func() { cancel(nil) }, nil
}

func (s *Stack) controlPlaneLog(program string) string {
	return s.options.Folder.Join("control-plane/" + program + ".log")
}

// untilUnhealthy asks again and again. It returns the last failure when too many have
// come in a row, and nothing when the context ends.
func untilUnhealthy(ctx context.Context, ask func(context.Context) error) error {
	failures := 0
	var last error
	_ = wait.PollUntilContextCancel(ctx, healthPoll, true, func(ctx context.Context) (bool, error) {
		limited, cancel := context.WithTimeout(ctx, healthTimeout)
		defer cancel()
		if last = ask(limited); last == nil {
			failures = 0
			return false, nil
		}
		failures++
		return failures == healthFailures, nil
	}) // it ends with the context, or with the condition
	select {
	case <-ctx.Done():
		return nil
	default:
		return last
	}
}
