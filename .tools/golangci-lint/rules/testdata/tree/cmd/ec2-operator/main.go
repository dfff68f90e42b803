// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Command ec2-operator stands for the operator's main.
package main

import (
	_ "github.com/fieldowner/ec2-operator/controller/apply"    // want "depguard: .*only controller/operator knows the parts"
	_ "github.com/fieldowner/ec2-operator/controller/operator" // passes
	_ "github.com/fieldowner/ec2-operator/test/ec2sim"         // want "depguard: .*for tests and the playground only"
)

func main() {}
