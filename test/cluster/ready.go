// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// readyPollInterval is how often the start looks whether the cluster is usable:
// a small part of what the start takes.
const readyPollInterval = 50 * time.Millisecond

// waitUntilUsable waits for what the cluster makes by itself and tests rely on:
// the default namespace, and its ServiceAccount as the sign that the controllers
// are at work.
func (c *Cluster) waitUntilUsable(ctx context.Context) error {
	clients, err := c.clients()
	if err != nil {
		return err
	}
	var last error
	err = wait.PollUntilContextTimeout(ctx, readyPollInterval, startTimeout, true, func(ctx context.Context) (bool, error) {
		if c.options.WithoutControllers {
			_, last = clients.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
			return last == nil, nil
		}
		if err := c.controllers.alive(); err != nil {
			return false, c.data.explain(controllerManagerProgram, err)
		}
		_, last = clients.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return last == nil, nil
	})
	switch {
	case err == nil:
		return nil
	case last != nil:
		return fmt.Errorf("waiting for the default namespace: %w (%w)", err, last)
	}
	return fmt.Errorf("waiting for the default namespace: %w", err)
}
