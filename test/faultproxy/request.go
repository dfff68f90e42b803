// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// Request is a request as the client sent it, with its whole body.
type Request struct {
	*http.Request
	// Content is the body.
	Content []byte
	// Change is what [Options.Changes] said of it.
	Change string
}

// read reads the whole request. Only then does net/http notice a client that goes away while it is held.
func read(r *http.Request, changes func(Request) string) (Request, error) {
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return Request{}, fmt.Errorf("reading the request's body: %w", err)
	}
	out := Request{Request: r, Content: content}
	if changes != nil {
		out.Change = changes(out)
	}
	return out, nil
}

// forward is the request that the server gets.
func (r Request) forward() *http.Request {
	out := r.WithContext(r.Context())
	if len(r.Content) > 0 {
		out.Body = io.NopCloser(bytes.NewReader(r.Content))
	} else {
		out.Body = http.NoBody
	}
	out.ContentLength = int64(len(r.Content))
	return out
}
