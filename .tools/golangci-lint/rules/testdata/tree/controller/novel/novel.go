// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package novel stands for a new reconciler that has no rule yet.
package novel

import _ "github.com/fieldowner/ec2-operator/controller/apply" // want "depguard: .*rule of its own"
