// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package instance stands for a reconciler that does all that it must not.
package instance

import (
	_ "github.com/aws/aws-sdk-go-v2/service/ec2" // want "depguard: .*only door to AWS"
	_ "k8s.io/client-go/kubernetes"              // want "depguard: .*use the manager's client"

	_ "github.com/fieldowner/ec2-operator/controller/account"  // want "depguard: .*never another reconciler"
	_ "github.com/fieldowner/ec2-operator/controller/apply"    // passes
	_ "github.com/fieldowner/ec2-operator/controller/cloud"    // passes
	_ "github.com/fieldowner/ec2-operator/controller/operator" // want "depguard: .*never another reconciler or operator"
	_ "github.com/fieldowner/ec2-operator/test/ec2sim"         // want "depguard: .*for tests and the playground only"
)
