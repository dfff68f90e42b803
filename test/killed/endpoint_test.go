// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package killed

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// endpoint is the way to a simulated EC2. When it is killed, the world behind it goes on, as EC2 does in an outage of its API.
type endpoint struct {
	sim     *ec2sim.Sim
	address string
	server  *http.Server
}

// newEndpoint makes an EC2 that is fast but behaves, and remembers what was terminated for as long as EC2 does.
func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	settings := ec2sim.Fast()
	settings.TerminatedVisibility = ec2sim.DefaultSettings().TerminatedVisibility
	settings.TerminatedTagVisibility = ec2sim.DefaultSettings().TerminatedTagVisibility
	e := &endpoint{sim: ec2sim.New(ec2sim.Options{Settings: &settings}), address: "127.0.0.1:0"}
	if err := e.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.kill() }) // It may have been killed already.
	return e
}

func (e *endpoint) url() string { return "http://" + e.address }

// start listens, the second time at the same port.
func (e *endpoint) start() error {
	if e.server != nil {
		return errors.New("EC2 listens already")
	}
	var listener net.Listener
	var last error
	err := wait.PollUntilContextTimeout(context.Background(), glance, patience, true, func(context.Context) (bool, error) {
		listener, last = net.Listen("tcp", e.address)
		return last == nil, nil
	})
	if err != nil {
		return errors.Join(err, last)
	}
	e.address = listener.Addr().String()
	server := &http.Server{Handler: e.sim, ReadHeaderTimeout: 10 * time.Second}
	e.server = server
	go func() { _ = server.Serve(listener) }() // It ends with an error, always.
	return nil
}

// kill breaks all connections. A call that is being handled may be carried out, without an answer.
func (e *endpoint) kill() error {
	if e.server == nil {
		return errors.New("EC2 does not listen")
	}
	err := e.server.Close()
	e.server = nil
	return err
}
