// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stack

import (
	"fmt"
	"os"
	"syscall"
)

// lockFile locks the file for as long as it is open, or fails if somebody else has.
// The system drops the lock of a process that dies.
func lockFile(file *os.File) error {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("locking: %w", err)
	}
	return nil
}

// ownProcessGroup keeps a terminal's Ctrl-C from the operator: it is stopped first, and
// in order.
func ownProcessGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
