// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// stopTimeout is how long an operator may take to end when it is asked to.
const stopTimeout = 30 * time.Second

// operatorProcess is a running operator.
type operatorProcess struct {
	t    *testing.T
	cmd  *exec.Cmd
	log  *lockedBuffer
	done chan struct{}
	err  error
}

// startOperator starts an operator for the rig's namespace and its simulated EC2.
func startOperator(r *rig, flags ...string) *operatorProcess {
	r.t.Helper()
	args := append([]string{
		"--kubeconfig", kubeconfig,
		"--leader-elect=false",
		"--metrics-bind-address", "0",
		"--health-probe-bind-address", "0",
		"--watch-namespaces", r.namespace,
	}, flags...)
	p := &operatorProcess{t: r.t, cmd: exec.Command(binary, args...), log: &lockedBuffer{}, done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.Env = append(os.Environ(),
		"AWS_ENDPOINT_URL="+r.ec2URL, "AWS_REGION=eu-central-1",
		"AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=secret",
		"AWS_EC2_METADATA_DISABLED=true",
	)
	if err := p.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	r.t.Cleanup(p.stop)
	return p
}

// kill ends the operator without a chance to do anything more.
func (p *operatorProcess) kill() {
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.done
}

// stop asks the operator to end, and fails the test when it does not end well.
func (p *operatorProcess) stop() {
	select {
	case <-p.done:
	default:
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.done:
			if p.err != nil {
				p.t.Errorf("the operator ended with: %v", p.err)
			}
		case <-time.After(stopTimeout):
			p.t.Errorf("the operator did not end within %s", stopTimeout)
			p.kill()
		}
	}
	if p.t.Failed() {
		p.t.Logf("The operator's log, its end:\n%s", p.log.tail(60))
	}
	for _, mark := range []string{"panic", `"level":"ERROR"`} {
		if strings.Contains(p.log.String(), mark) && !p.t.Failed() {
			p.t.Errorf("the operator logged %s:\n%s", mark, p.log.tail(60))
		}
	}
}

// running tells whether the operator still runs.
func (p *operatorProcess) running() error {
	select {
	case <-p.done:
		return errors.Join(errors.New("the operator has ended"), p.err)
	default:
		return nil
	}
}

// lockedBuffer is a log that is read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *lockedBuffer) tail(lines int) string {
	all := strings.Split(strings.TrimSpace(b.String()), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
