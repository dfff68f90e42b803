// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package cluster

import "syscall"

// ownProcessGroup changes nothing where there are no process groups.
func ownProcessGroup() *syscall.SysProcAttr { return nil }
