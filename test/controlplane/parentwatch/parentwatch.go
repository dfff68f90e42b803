// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package parentwatch ends a server when the process that started it is gone.
// A test run that is killed cannot stop its servers; without this they would
// stay behind, and each holds some hundred MB.
package parentwatch

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// Env is the environment variable that asks for the watch: 1 means yes,
	// anything else no.
	Env = "CONTROLPLANE_EXIT_WITH_PARENT"

	// pollInterval is how often a server looks for its parent. A signal on the
	// parent's death (PR_SET_PDEATHSIG) exists on Linux only, and there it
	// fires when the parent's *thread* ends, which for a Go program may be at
	// any time. Asking for the parent's id costs one system call.
	pollInterval = time.Second

	// gracePeriod is how long a server may take to end by itself once the
	// parent is gone. kube-apiserver waits for requests in flight, and nobody
	// is left who would care.
	gracePeriod = 10 * time.Second
)

// Start watches the parent process in the background, if the environment asks
// for it, and ends this process soon after the parent's death: as by SIGTERM,
// and by force when that takes more than ten seconds.
func Start() {
	if os.Getenv(Env) != "1" {
		return
	}
	parent := os.Getppid()
	go func() {
		waitForNewParent(parent, os.Getppid, pollInterval)
		// The reader of stderr is often the dead parent; that nobody gets to
		// see this is no reason to stay.
		_, _ = fmt.Fprintf(os.Stderr, "%s: the parent process is gone, ending too\n", filepath.Base(os.Args[0]))
		terminateSelf()
	}()
}

// waitForNewParent returns once getppid answers something other than parent:
// an orphan is handed over to init or to a subreaper.
func waitForNewParent(parent int, getppid func() int, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for getppid() == parent {
		<-ticker.C
	}
}

func terminateSelf() {
	time.AfterFunc(gracePeriod, func() { os.Exit(1) })
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(syscall.SIGTERM)
	}
	if err != nil {
		os.Exit(1)
	}
}
