// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"net/http"
	"testing"
)

// TestHalfOpen: what is there stays and carries nothing any more, in either direction; what is new works when it may.
func TestHalfOpen(t *testing.T) {
	inEachWay(t, func(t *testing.T, o Options, _ string) {
		t.Helper()
		r := newRig(t, o)
		lines := r.watch()
		r.hears(lines, "before", true)
		r.must(http.MethodGet, "/before", "")
		heard := len(r.backend.heard())

		r.proxy.FreezeNew(true)
		if n := r.proxy.Freeze(); n == 0 {
			t.Error("no connection was frozen")
		}
		r.hears(lines, "lost", false)
		r.unanswered(http.MethodPost, "/on-an-old-connection", "x")
		r.client.CloseIdleConnections()
		fresh := *r
		fresh.client = clientOf(r.proxy)
		fresh.unanswered(http.MethodPost, "/on-a-new-connection", "x")
		if now := r.backend.heard(); len(now) != heard {
			t.Errorf("the server heard %q", now[heard:])
		}

		r.proxy.FreezeNew(false)
		fresh.client = clientOf(r.proxy)
		fresh.must(http.MethodGet, "/after", "")
		if n := r.proxy.Connections(); n < 3 {
			t.Errorf("%d connections were counted: an old one, one that was born frozen, and a new one", n)
		}
		r.hears(lines, "lost too", false)
		fresh.hears(fresh.watch(), "after", true)
	})
}
