// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package operator stands for the composition, the only one that knows all.
package operator

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"

	_ "github.com/fieldowner/ec2-operator/controller/account" // passes
	_ "github.com/fieldowner/ec2-operator/controller/apply"   // passes
	_ "github.com/fieldowner/ec2-operator/controller/cloud"   // passes
)

// Compose composes, and writes though it may not.
func Compose(ctx context.Context, writer client.Writer, object client.Object) error {
	return errors.Join(writer.Create(ctx, object)) // want "onedoor: Create writes to Kubernetes"
}
