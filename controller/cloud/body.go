// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"io"
	"net/http"
)

// plainBodies hides the WriteTo method of request bodies from net/http. smithy-go 1.28.9 closes a request's body as soon as
// the response begins, and the body's WriteTo then fails with io.EOF. Where a near server answers before net/http has seen
// the end of the body, net/http takes that for a failed write and breaks the connection in the middle of a long response.
type plainBodies struct{ client HTTPClient }

// Do sends the request.
func (p plainBodies) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r = r.Clone(r.Context())
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return p.client.Do(r)
}
