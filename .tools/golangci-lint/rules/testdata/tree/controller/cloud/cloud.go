// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package cloud stands for the only door to AWS.
package cloud

import (
	_ "github.com/aws/aws-sdk-go-v2/service/ec2"  // passes
	_ "k8s.io/apimachinery/pkg/api/errors"        // want "depguard: .*writes nothing to Kubernetes"
	_ "k8s.io/apimachinery/pkg/types"             // passes
	_ "k8s.io/utils/clock"                        // passes
	_ "sigs.k8s.io/controller-runtime/pkg/client" // want "depguard: .*writes nothing to Kubernetes"

	_ "github.com/fieldowner/ec2-operator/controller/apply" // want "depguard: .*cloud knows no reconciler and nothing of apply"
)
