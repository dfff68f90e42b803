// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"maps"
	"slices"
)

// EC2Actions are the actions of EC2 that are served.
func EC2Actions() []string { return slices.Sorted(maps.Keys(services[serviceEC2].actions)) }
