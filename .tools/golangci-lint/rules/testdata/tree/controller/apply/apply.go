// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package apply stands for the only door to Kubernetes writes: here they pass.
package apply

import (
	"context"
	"fmt"

	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Send writes.
func Send(ctx context.Context, writer client.Writer, intent *corev1ac.ConfigMapApplyConfiguration, options ...client.ApplyOption) error {
	if err := writer.Apply(ctx, intent, options...); err != nil {
		return fmt.Errorf("applying: %w", err)
	}

	return nil
}
