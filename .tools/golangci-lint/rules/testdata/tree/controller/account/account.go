// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package account stands for a reconciler.
package account

import "k8s.io/apimachinery/pkg/api/errors" // want "import[a]s: .*must be with alias .apierrors."

// Gone reports whether err says that an object is gone.
func Gone(err error) bool { return errors.IsNotFound(err) }
