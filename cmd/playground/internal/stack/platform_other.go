// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package stack

import (
	"os"
	"syscall"
)

// lockFile locks nothing where there is no flock: two sessions then get in each
// other's way.
func lockFile(*os.File) error { return nil }

// ownProcessGroup changes nothing where there are no process groups.
func ownProcessGroup() *syscall.SysProcAttr { return nil }
