// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package ec2sim stands for the simulator.
package ec2sim

import (
	"time"

	_ "k8s.io/apimachinery/pkg/types" // want "depguard: .*simulator knows nothing of the operator"
	_ "k8s.io/utils/clock"            // passes

	_ "github.com/fieldowner/ec2-operator/controller/cloud" // want "depguard: .*simulator knows nothing of the operator"
)

// Start is called by tests.
func Start() { time.Sleep(time.Millisecond) } // want "forbidigo: .*wait for the condition"
