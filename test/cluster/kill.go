// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	// reapPollInterval is how often the end of a killed program is looked for. It
	// takes a millisecond.
	reapPollInterval = time.Millisecond

	// portPause is how long a restart waits for a port that somebody has taken
	// while its program was away: mostly a connection that goes elsewhere.
	portPause = time.Second
)

// killable is a program of envtest that can be killed and started again, with the
// same data, port and certificates.
type killable struct {
	name string
	// turn is held by whoever kills, starts or stops the program.
	turn sync.Mutex
	// killed says that the program is away.
	killed bool
}

// KillEtcd ends etcd at once, as a power failure does but for what the disk has
// not been told to keep. The API server stays and answers with errors.
func (c *Cluster) KillEtcd() error {
	return c.etcdLife.kill(func() (*exec.Cmd, error) { return commandOf(c.etcd) })
}

// StartEtcd starts a killed etcd with the data that it left, and returns when it
// can be used.
func (c *Cluster) StartEtcd() error {
	return c.etcdLife.start(c, c.runEtcd, func() error { return c.etcd.Stop() })
}

// KillAPIServer ends the API server at once: watches break, and a request that
// was under way may have been carried out or not.
func (c *Cluster) KillAPIServer() error {
	return c.apiServerLife.kill(func() (*exec.Cmd, error) { return commandOf(c.apiServer) })
}

// StartAPIServer starts a killed API server and returns when it is well. All
// users and tokens are as good as before. It needs etcd, and gives up after some
// time without.
func (c *Cluster) StartAPIServer() error {
	return c.apiServerLife.start(c, c.runAPIServer, func() error { return c.apiServer.Stop() })
}

func (k *killable) kill(find func() (*exec.Cmd, error)) error {
	k.turn.Lock()
	defer k.turn.Unlock()
	if k.killed {
		return fmt.Errorf("killing %s: it has been killed already", k.name)
	}
	command, err := find()
	if err != nil {
		return fmt.Errorf("killing %s: %w", k.name, err)
	}
	if err := endAtOnce(command.Process); err != nil {
		return fmt.Errorf("killing %s: %w", k.name, err)
	}
	k.killed = true
	return nil
}

func (k *killable) start(c *Cluster, run, cleanUp func() error) error {
	k.turn.Lock()
	defer k.turn.Unlock()
	if !k.killed {
		return fmt.Errorf("starting %s again: it has not been killed", k.name)
	}
	for attempt := 1; ; attempt++ {
		err := run()
		if err == nil {
			k.killed = false
			return nil
		}
		err = errors.Join(err, cleanUp())
		if attempt == startAttempts || !errors.Is(err, errPortTaken) {
			return err
		}
		c.say("Waiting for the port of %s", k.name)
		<-time.After(portPause)
	}
}

// stop stops the program unless it is away.
func (k *killable) stop(stop func() error) error {
	k.turn.Lock()
	defer k.turn.Unlock()
	if k.killed {
		return nil
	}
	if err := stop(); err != nil {
		return fmt.Errorf("stopping %s: %w", k.name, err)
	}
	return nil
}

// endAtOnce kills a process that somebody else waits for, and returns when they
// have been told of its end.
func endAtOnce(process *os.Process) error {
	if err := process.Kill(); err != nil {
		return fmt.Errorf("sending the signal: %w", err)
	}
	err := wait.PollUntilContextTimeout(context.Background(), reapPollInterval, stopTimeout, true, func(context.Context) (bool, error) {
		return errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the end: %w", err)
	}
	return nil
}

// errUnlikeEnvtest says that envtest has changed.
var errUnlikeEnvtest = errors.New("envtest does not keep its process where it used to")

// commandOf finds the running command of a program of envtest, which can stop it
// in good order only and does not tell its process.
func commandOf[P envtest.Etcd | envtest.APIServer](program *P) (*exec.Cmd, error) {
	state := reflect.ValueOf(program).Elem().FieldByName("processState")
	if state.Kind() != reflect.Pointer || state.IsNil() {
		return nil, errUnlikeEnvtest
	}
	command := state.Elem().FieldByName("Cmd")
	if !command.IsValid() || command.Type() != reflect.TypeFor[*exec.Cmd]() || command.IsNil() {
		return nil, errUnlikeEnvtest
	}
	return (*exec.Cmd)(command.UnsafePointer()), nil
}
