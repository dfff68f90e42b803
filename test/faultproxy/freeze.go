// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

// listener accepts connections that can be frozen.
type listener struct {
	net.Listener

	mu sync.Mutex
	// bornFrozen: connections that are made now never carry anything.
	bornFrozen bool
	conns      map[*conn]struct{}
	accepted   int
}

func newListener(l net.Listener) *listener {
	return &listener{Listener: l, conns: map[*conn]struct{}{}}
}

// Accept implements [net.Listener].
func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: accepted, listener: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	c.frozen.Store(l.bornFrozen)
	l.conns[c] = struct{}{}
	l.accepted++
	return c, nil
}

// freeze stops all connections that there are, and returns how many.
func (l *listener) freeze() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		c.frozen.Store(true)
	}
	return len(l.conns)
}

// closeAll breaks all connections that there are.
func (l *listener) closeAll() {
	l.mu.Lock()
	conns := slices.Collect(maps.Keys(l.conns))
	l.mu.Unlock()
	for _, c := range conns {
		_ = c.Close() // It is broken either way.
	}
}

// everAccepted is how many connections there have been.
func (l *listener) everAccepted() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.accepted
}

// freezeNew has connections that are made while it is on carry nothing.
func (l *listener) freezeNew(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bornFrozen = on
}

// conn is a connection that can become half-open: it stays, and neither side hears anything of the other any more.
type conn struct {
	net.Conn
	listener *listener
	frozen   atomic.Bool
	once     sync.Once
}

// Read implements [net.Conn]. What comes on a frozen connection is lost.
func (c *conn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err != nil || !c.frozen.Load() {
			return n, err
		}
	}
}

// Write implements [net.Conn]. What is sent on a frozen connection is taken and lost, as by a network that drops packets.
func (c *conn) Write(p []byte) (int, error) {
	if c.frozen.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.once.Do(func() {
		c.listener.mu.Lock()
		defer c.listener.mu.Unlock()
		delete(c.listener.conns, c)
	})
	return c.Conn.Close()
}
