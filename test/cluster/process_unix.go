// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cluster

import "syscall"

// ownProcessGroup keeps a terminal's Ctrl-C from a child: the cluster stops its
// programs itself, in order.
func ownProcessGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
