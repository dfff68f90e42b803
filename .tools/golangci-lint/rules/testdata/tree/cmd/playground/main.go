// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Command playground stands for what may use everything that is put together.
package main

import (
	_ "github.com/fieldowner/ec2-operator/controller/operator" // passes
	_ "github.com/fieldowner/ec2-operator/test/ec2sim"         // passes
)

func main() {}
