// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"time"
)

// Transport is a way to the simulator without a network: an http.RoundTripper for
// an http.Client, usable in testing/synctest bubbles.
func (s *Sim) Transport() http.RoundTripper { return transport{s} }

type transport struct{ sim *Sim }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	defer func() { _ = r.Body.Close() }()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if strings.HasPrefix(r.URL.Path, ControlPrefix) {
		return t.controlTrip(r)
	}
	reply, err := t.sim.handle(r)
	if err != nil {
		if ctxErr := r.Context().Err(); ctxErr != nil {
			return nil, ctxErr
		}
		return nil, io.EOF // what net/http reports for a connection that breaks
	}
	// The date is the client's time, not the simulator's: the SDK compares it with
	// its own clock to detect skew.
	header := http.Header{"Date": {time.Now().UTC().Format(http.TimeFormat)}}
	setHeader(header, reply)
	return response(r, reply.Status, header, reply.Body), nil
}

func (t transport) controlTrip(r *http.Request) (*http.Response, error) {
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	t.sim.control.ServeHTTP(w, r)
	return response(r, w.status, w.header, w.body), nil
}

// recorder is an http.ResponseWriter in memory.
type recorder struct {
	header http.Header
	status int
	body   []byte
}

func (r *recorder) Header() http.Header    { return r.header }
func (r *recorder) WriteHeader(status int) { r.status = status }
func (r *recorder) Write(p []byte) (int, error) {
	r.body = append(r.body, p...)
	return len(p), nil
}

func response(r *http.Request, status int, header http.Header, body []byte) *http.Response {
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}
