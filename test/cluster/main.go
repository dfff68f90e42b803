// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// exitInterrupted is what shells return for a command that Ctrl-C has ended.
const exitInterrupted = 130

// Main runs a package's tests with a cluster of their own and returns the exit
// code. It is for TestMain, and m is its *testing.M. use gets the cluster before
// the first test runs. The cluster is stopped when the tests are over and on
// Ctrl-C, and a cluster that was not well fails the tests.
func Main(m interface{ Run() int }, o Options, use func(*Cluster)) int {
	ctx, stopSignals := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stopSignals()
	c, err := Start(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	use(c)
	code := runUntil(ctx, m.Run)
	if err := c.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// runUntil runs the tests, but does not wait for them once ctx is over.
func runUntil(ctx context.Context, run func() int) int {
	code := make(chan int, 1)
	go func() { code <- run() }()
	select {
	case code := <-code:
		return code
	case <-ctx.Done():
		return exitInterrupted
	}
}
