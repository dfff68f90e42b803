// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// exitWithParentEnv has the servers of `make controlplane` end themselves when
// this process dies without having stopped them (kill -9, a test's timeout).
// Other builds of the programs do not know it.
const exitWithParentEnv = "CONTROLPLANE_EXIT_WITH_PARENT"

// inheritExitWithParent sets it for all children. envtest starts its programs
// with this process's environment and offers no other way in.
var inheritExitWithParent = sync.OnceValue(func() error {
	return os.Setenv(exitWithParentEnv, "1")
})

// process is a child process that runs until it is stopped.
type process struct {
	name string
	cmd  *exec.Cmd
	// ended is closed once the process is over and reaped.
	ended chan struct{}
}

// startProcess starts a program that writes its output to log. It runs until it
// is stopped, also when ctx ends.
func startProcess(ctx context.Context, name, path string, args []string, log *os.File) (*process, error) {
	p := &process{name: name, cmd: exec.CommandContext(context.WithoutCancel(ctx), path, args...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = ownProcessGroup()
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // alive tells how it ended
	}()
	return p, nil
}

// alive says whether the process is still running, and if not, how it ended.
func (p *process) alive() error {
	select {
	case <-p.ended:
		return fmt.Errorf("%s ended on its own: %s", p.name, p.cmd.ProcessState)
	default:
		return nil
	}
}

// stop asks the process to end and waits until it has. After the grace period
// it is killed. A process that had ended before is an error: what it was there
// for has not been done.
func (p *process) stop(grace time.Duration) error {
	if err := p.alive(); err != nil {
		return err
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return errors.Join(fmt.Errorf("stopping %s: %w", p.name, err), p.kill())
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	select {
	case <-p.ended:
		return nil
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("%s did not end within %s and was killed", p.name, grace), p.kill())
	}
}

// kill ends the process at once and waits until it is gone.
func (p *process) kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("killing %s: %w", p.name, err)
	}
	<-p.ended
	return nil
}
