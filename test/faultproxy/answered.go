// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
)

// requestKey is where a forwarded request keeps what it came from.
type requestKey struct{}

// errLost says that an answer is not to be delivered.
var errLost = errors.New("the answer is lost")

// keep is the request that the server gets, which still knows what it came from.
func keep(r Request) *http.Request {
	out := r.forward()
	return out.WithContext(context.WithValue(out.Context(), requestKey{}, r))
}

// answered decides about the answer to a request, before anything of it has been sent.
func (p *Proxy) answered(given *http.Response) error {
	request, ok := given.Request.Context().Value(requestKey{}).(Request)
	succeeded := given.StatusCode >= http.StatusOK && given.StatusCode < http.StatusMultipleChoices
	if !ok || request.Change == "" || !succeeded || p.options.Changed == nil {
		return nil
	}
	verdict := p.options.Changed(request)
	switch verdict.kind {
	case hold:
		<-request.Context().Done()
		return errLost
	case cut:
		return errLost
	case answer:
		replace(given, verdict)
	case pass:
	}
	return nil
}

// replace puts another answer in the place of the server's.
func replace(given *http.Response, v Verdict) {
	recorder := httptest.NewRecorder()
	v.write(recorder)
	_ = given.Body.Close() // It is not wanted.
	given.StatusCode, given.Status, given.Header = v.status, "", recorder.Header()
	given.Body, given.ContentLength = io.NopCloser(bytes.NewReader(recorder.Body.Bytes())), int64(recorder.Body.Len())
}
