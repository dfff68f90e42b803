// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// operatorStart is how long the operator may take to be ready: a second, and a
	// multiple of that on a busy machine.
	operatorStart = 2 * time.Minute

	// operatorStop is how long it may take to end before it is killed; it gives itself
	// 90 s for calls to EC2 that are under way.
	operatorStop = 100 * time.Second

	// readyPoll is how often readiness is looked at: a small part of what it takes.
	readyPoll = 100 * time.Millisecond

	// probeTimeout is for one look, which the operator answers within a second.
	probeTimeout = 5 * time.Second
)

// operator is the operator's process.
type operator struct {
	cmd    *exec.Cmd
	log    string
	readyz string
	// ended is closed once the process is over and reaped.
	ended chan struct{}
	// told is set once somebody knows how it ended: it need not be said twice.
	told atomic.Bool
}

// operatorSettings are all that the operator gets to know.
type operatorSettings struct {
	program, kubeconfig, log, home string
	namespace                      string
	probe                          string
	endpoint, region               string
}

func (s operatorSettings) args() []string {
	return []string{
		"--kubeconfig=" + s.kubeconfig,
		"--namespace=" + s.namespace,
		"--leader-elect",
		"--default-account",
		"--health-probe-bind-address=" + s.probe,
		"--metrics-bind-address=0", // nobody scrapes here
	}
}

// env is the whole environment, so that neither credentials nor settings of the
// person who runs this reach the operator: it must not find the way to AWS.
func (s operatorSettings) env() []string {
	return []string{
		"HOME=" + s.home,
		"PATH=" + os.Getenv("PATH"),
		"TMPDIR=" + os.TempDir(),
		"AWS_ENDPOINT_URL=" + s.endpoint,
		"AWS_REGION=" + s.region,
		"AWS_ACCESS_KEY_ID=playground",
		"AWS_SECRET_ACCESS_KEY=playground",
		"AWS_EC2_METADATA_DISABLED=true",
	}
}

// startOperator starts the program, which logs to a file of its own.
func startOperator(ctx context.Context, s operatorSettings) (*operator, error) {
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the operator's log: %w", err)
	}
	defer func() { _ = log.Close() }() // the process has its own
	o := &operator{
		// It ends when it is told to, in its turn, and not with the context.
		cmd: exec.CommandContext(context.WithoutCancel(ctx), s.program, s.args()...),
		log: s.log, readyz: "http://" + s.probe + "/readyz", ended: make(chan struct{}),
	}
	o.cmd.Stdout, o.cmd.Stderr = log, log
	o.cmd.Env = s.env()
	o.cmd.SysProcAttr = ownProcessGroup()
	if err := o.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the operator: %w", err)
	}
	go func() {
		defer close(o.ended)
		_ = o.cmd.Wait() // failure tells how it ended
	}()
	return o, nil
}

// waitReady returns when the operator says that it is ready.
func (o *operator) waitReady(ctx context.Context) error {
	err := wait.PollUntilContextTimeout(ctx, readyPoll, operatorStart, true, func(ctx context.Context) (bool, error) {
		select {
		case <-o.ended:
			return false, o.failure()
		default:
			return answersOK(ctx, o.readyz), nil
		}
	})
	switch {
	case err == nil:
		return nil
	case wait.Interrupted(err) && ctx.Err() == nil:
		return fmt.Errorf("the operator was not ready within %s; %s", operatorStart, tailOf(o.log))
	default:
		return fmt.Errorf("waiting for the operator: %w", err)
	}
}

func answersOK(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// failure says how a process that has ended did so. It must have ended.
func (o *operator) failure() error {
	o.told.Store(true)
	return fmt.Errorf("the operator ended on its own: %s; %s", o.cmd.ProcessState, tailOf(o.log))
}

// stop asks the operator to end and waits until it has. It fails when the operator
// had to be killed, or had ended before and nobody knows.
func (o *operator) stop() error {
	select {
	case <-o.ended:
		if o.told.Load() {
			return nil
		}
		return o.failure()
	default:
	}
	if err := o.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stopping the operator: %w", err)
	}
	select {
	case <-o.ended:
		if !o.cmd.ProcessState.Success() {
			return fmt.Errorf("the operator did not stop cleanly: %s; %s", o.cmd.ProcessState, tailOf(o.log))
		}
		return nil
	case <-time.After(operatorStop):
		_ = o.cmd.Process.Kill()
		<-o.ended
		return fmt.Errorf("the operator did not end within %s and was killed; %s", operatorStop, tailOf(o.log))
	}
}

// freeAddress is a loopback address that nobody listens on at the moment.
func freeAddress(ctx context.Context) (string, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("finding a free port: %w", err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return "", fmt.Errorf("freeing a port: %w", err)
	}
	return address, nil
}

// findProgram says how to get the operator when it is not there.
func findProgram(root string) (string, error) {
	path := filepath.Join(root, "bin", "ec2-operator")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("looking for the operator: %w; run `make build`", err)
	}
	return path, nil
}

// Logged says whether there is a log of the operator, and so something to keep.
func Logged(f *Folder) bool {
	_, err := os.Stat(f.Join(OperatorLogName))
	return err == nil
}
