// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// transport carries the requests of one user's clients to the server, in the caller's goroutine.
type transport struct {
	server *Server
	user   string
}

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	status, answer, err := t.server.handle(r.Context(), t.user, r, body)
	if err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	out := &http.Response{
		StatusCode: status.code, Status: strconv.Itoa(status.code) + " " + http.StatusText(status.code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(answer)), ContentLength: int64(len(answer)), Request: r,
	}
	if status.retryAfter > 0 {
		out.Header.Set("Retry-After", strconv.Itoa(status.retryAfter))
	}
	return out, nil
}

func bodyOf(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	if err := errors.Join(err, r.Body.Close()); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	return body, nil
}

// answered is the head of an answer. retryAfter is in seconds.
type answered struct{ code, retryAfter int }

// handle has a request intercepted, served and recorded, and returns the answer, or an error of the connection.
func (s *Server) handle(ctx context.Context, user string, r *http.Request, body []byte) (answered, []byte, error) {
	c, bad := s.newCall(user, r, body)
	var verdict Verdict
	if s.options.Intercept != nil {
		verdict = s.options.Intercept(c.Request)
	}
	record := Record{Request: c.Request, Time: time.Now(), Body: body}
	if verdict.Refuse != nil {
		record.Fault = verdict.Refuse
		s.record(record)
		return failed(verdict.Refuse)
	}
	if err := ctx.Err(); err != nil {
		record.Fault = err
		s.record(record)
		return answered{}, nil, err
	}
	answer, at := s.answer(ctx, c, bad, &record)
	if verdict.After != nil {
		if fault := verdict.After(record); fault != nil {
			s.fault(at, fault)
			return failed(fault)
		}
	}
	return succeeded(answer, record.Err, c.Verb)
}

// answer serves a call, and records it at an index. bad is why it cannot be served.
func (s *Server) answer(ctx context.Context, c *call, bad error, record *Record) (any, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var answer any
	record.Err = bad
	if bad == nil {
		answer, record.Err = s.serve(ctx, c)
	}
	record.Request, record.Changed = c.Request, c.changed
	if item := s.objects[objectKey{kind: c.kind, NamespacedName: c.Key()}]; item != nil && c.Writes() && record.Err == nil {
		record.ResourceVersion = versionText(item.version)
	}
	s.records = append(s.records, *record)
	return answer, len(s.records) - 1
}

func (s *Server) record(r Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, r)
}

// fault adds to a record what the client got instead of the answer.
func (s *Server) fault(at int, fault error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[at].Fault = fault
}

// failed is an error of a Verdict as the client gets it.
func failed(err error) (answered, []byte, error) {
	known, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok {
		return answered{}, nil, err
	}
	return encoded(known)
}

func succeeded(answer any, err error, verb string) (answered, []byte, error) {
	if err != nil {
		return encoded(err)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return encoded(fmt.Errorf("encoding the answer: %w", err))
	}
	if verb == VerbCreate {
		return answered{code: http.StatusCreated}, text, nil
	}
	return answered{code: http.StatusOK}, text, nil
}

func encoded(err error) (answered, []byte, error) {
	status := statusOf(err)
	text, err := json.Marshal(status)
	if err != nil {
		return answered{}, nil, fmt.Errorf("encoding an error: %w", err)
	}
	out := answered{code: int(status.Code)}
	if status.Details != nil {
		out.retryAfter = int(status.Details.RetryAfterSeconds)
	}
	return out, text, nil
}
