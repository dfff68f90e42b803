// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Times of a server's life.
const (
	// headerTimeout keeps half-open connections from piling up.
	headerTimeout = 10 * time.Second
	// shutdownTimeout is how long calls may still run when the server ends.
	shutdownTimeout = 5 * time.Second
)

// Serve serves on the listener until the context ends, and then lets running calls
// finish. It closes the listener.
func (s *Sim) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: headerTimeout}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}

// Server is a simulator that listens.
type Server struct {
	// URL is the endpoint for SDK clients, such as http://127.0.0.1:41234.
	URL    string
	cancel context.CancelFunc
	done   chan error
}

// Listen starts to serve on a TCP address; "127.0.0.1:0" takes any free port.
func (s *Sim) Listen(address string) (*Server, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	server := &Server{URL: "http://" + l.Addr().String(), cancel: cancel, done: make(chan error, 1)}
	go func() { server.done <- s.Serve(ctx, l) }()
	return server, nil
}

// Close stops the server and waits until it has. It must be called once.
func (s *Server) Close() error {
	s.cancel()
	return <-s.done
}

// TB is the part of testing.TB that StartTest needs.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
	Cleanup(func())
}

// StartTest serves a simulator on a free loopback port for the length of a test.
func StartTest(t TB, o Options) (sim *Sim, url string) {
	t.Helper()
	sim = New(o)
	server, err := sim.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatalf("Starting ec2sim: %v", err)
		return sim, ""
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("Stopping ec2sim: %v", err)
		}
	})
	return sim, server.URL
}
