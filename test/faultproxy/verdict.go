// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"net/http"
	"strconv"
	"time"
)

// Verdict is what becomes of a request or of an answer. The zero value lets it pass.
type Verdict struct {
	kind       verdictKind
	status     int
	retryAfter time.Duration
}

type verdictKind int

const (
	pass verdictKind = iota
	hold
	cut
	answer
)

// Pass lets it pass.
func Pass() Verdict { return Verdict{} }

// Hold never answers: the client waits until it gives up, ends, or the proxy is closed.
func Hold() Verdict { return Verdict{kind: hold} }

// Cut breaks the connection, or over HTTP/2 the stream, without an answer.
func Cut() Verdict { return Verdict{kind: cut} }

// Answer answers in the server's place. A pause is told in Retry-After, in whole seconds; none is told when it is 0.
func Answer(status int, retryAfter time.Duration) Verdict {
	return Verdict{kind: answer, status: status, retryAfter: retryAfter}
}

// carryOut ends a request that does not pass. It does not return when the connection is to be cut.
func (v Verdict) carryOut(w http.ResponseWriter, r *http.Request) {
	switch v.kind {
	case answer:
		v.write(w)
	case hold:
		<-r.Context().Done()
		abort()
	case pass, cut:
		abort()
	}
}

// write writes the answer.
func (v Verdict) write(w http.ResponseWriter) {
	if v.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(v.retryAfter.Seconds())))
	}
	http.Error(w, http.StatusText(v.status), v.status)
}

// abort is how net/http is told to break off without an answer.
func abort() { panic(http.ErrAbortHandler) }
