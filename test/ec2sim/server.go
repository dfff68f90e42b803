// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// maxBody is far above any request that EC2 accepts.
const maxBody = 8 << 20

// errDropped says that the connection is to be broken instead of answered.
var errDropped = errors.New("connection dropped by a fault")

// ServeHTTP serves the AWS APIs, and the control endpoint below ControlPrefix.
func (s *Sim) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, ControlPrefix) {
		s.control.ServeHTTP(w, r)
		return
	}
	reply, err := s.handle(r)
	if err != nil {
		panic(http.ErrAbortHandler) // net/http's way to break a connection
	}
	setHeader(w.Header(), reply)
	w.WriteHeader(reply.Status)
	_, _ = w.Write(reply.Body) // a client that is gone needs no answer
}

func setHeader(h http.Header, reply wire.Reply) {
	h.Set("Content-Type", reply.ContentType)
	h.Set("X-Amzn-Requestid", reply.RequestID)
	h.Set("Cache-Control", "no-cache, no-store")
	h.Set("Server", "AmazonEC2")
}

// handle carries a request out. The error is errDropped or that of a client that left.
func (s *Sim) handle(r *http.Request) (wire.Reply, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return wire.Reply{}, err
	}
	x := s.begin(r, request{r.Header, r.URL.Query(), body})
	if err := s.wait(r.Context(), x); err != nil || x.call.effects.dropBefore {
		s.finish(x, OutcomeDropped, 0)
		return wire.Reply{}, errDropped
	}
	reply := s.perform(x)
	if x.call.effects.dropAfter {
		return wire.Reply{}, errDropped
	}
	return reply, nil
}
