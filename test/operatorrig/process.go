// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package operatorrig

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// stopTimeout is how long an operator may take to end when it is asked to.
	stopTimeout = 30 * time.Second
	// shown is how many lines of its log a failed test shows.
	shown = 60
)

// Settings are what an operator is started with.
type Settings struct {
	// Namespaces that it watches.
	Namespaces []string
	// EC2 is the URL of the simulated EC2.
	EC2 string
	// Flags are more of them.
	Flags []string
	// Server is the API server's URL and Authority vouches for it, as PEM, where the operator is to reach it another way than the suite does.
	Server    string
	Authority []byte
	// Troubled: what the operator works with is made to fail, so that it may log errors.
	Troubled bool
}

// Process is a running operator.
type Process struct {
	t    *testing.T
	cmd  *exec.Cmd
	log  Log
	done chan struct{}
	err  error
	// marks are what its log must not have.
	marks []string
}

// Start starts an operator. It is stopped when the test is over, and fails it when it has panicked or
// logged an error.
func (o *Operator) Start(t *testing.T, s Settings) *Process {
	t.Helper()
	kubeconfig, err := o.kubeconfigFor(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{
		"--kubeconfig", kubeconfig,
		"--leader-elect=false",
		"--metrics-bind-address", "0",
		"--health-probe-bind-address", "0",
		"--watch-namespaces", strings.Join(s.Namespaces, ","),
	}, s.Flags...)
	p := &Process{t: t, cmd: exec.Command(o.binary, args...), done: make(chan struct{}), marks: []string{"panic"}}
	if !s.Troubled {
		p.marks = append(p.marks, `"level":"ERROR"`)
	}
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	p.cmd.Env = append(os.Environ(),
		"AWS_ENDPOINT_URL="+s.EC2, "AWS_REGION=eu-central-1",
		"AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=secret",
		"AWS_EC2_METADATA_DISABLED=true",
	)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(p.Stop)
	return p
}

// endingMark is the first thing that controller-runtime logs once it was asked to end.
const endingMark = "Stopping and waiting for"

// Kill ends the operator without a chance to do anything more.
func (p *Process) Kill() {
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.done
}

// Stop asks the operator to end, and fails the test when it does not end well or has not been well.
func (p *Process) Stop() {
	select {
	case <-p.done:
	default:
		p.end()
	}
	if p.t.Failed() {
		p.t.Logf("The operator's log, its end:\n%s", p.LogTail(shown))
	}
	log := withoutCanceledEvents(p.log.String())
	for _, mark := range p.marks {
		if strings.Contains(log, mark) && !p.t.Failed() {
			p.t.Errorf("the operator logged %s:\n%s", mark, p.LogTail(shown))
		}
	}
}

// withoutCanceledEvents leaves out what client-go logs as an error of an event that was being written when the operator was asked to end:
// controller-runtime does not wait for events then.
func withoutCanceledEvents(log string) string {
	_, ending, found := strings.Cut(log, endingMark)
	if !found {
		return log
	}
	kept := strings.Builder{}
	kept.WriteString(log[:len(log)-len(ending)])
	for line := range strings.Lines(ending) {
		if !strings.Contains(line, "Unable to write event") || !strings.Contains(line, "context canceled") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func (p *Process) end() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		if p.err != nil {
			p.t.Errorf("the operator ended with: %v", p.err)
		}
	case <-time.After(stopTimeout):
		p.t.Errorf("the operator did not end within %s", stopTimeout)
		p.Kill()
	}
}

// Running tells whether the operator still runs.
func (p *Process) Running() error {
	select {
	case <-p.done:
		return errors.Join(errors.New("the operator has ended"), p.err)
	default:
		return nil
	}
}

// LogTail is the end of the operator's log.
func (p *Process) LogTail(lines int) string {
	return p.log.Tail(lines)
}
