// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// The verbs of requests. An apply is a patch to a real API server's authorization.
const (
	VerbGet    = "get"
	VerbList   = "list"
	VerbCreate = "create"
	VerbUpdate = "update"
	VerbPatch  = "patch"
	VerbApply  = "apply"
	VerbDelete = "delete"
)

// Request is what the server is asked to do.
type Request struct {
	// User whose client asks.
	User string
	Verb string
	Kind schema.GroupVersionKind
	// Subresource is empty for the object itself.
	Subresource string
	// Namespace is empty for kinds without one, and for lists over all. Name is empty for lists.
	Namespace, Name string
	// Manager is the field manager of a write: the one that the request names, or else the user.
	Manager string
	// Force of an apply, and whether nothing is to be stored.
	Force, DryRun bool
}

// Writes tells whether the request is more than a read.
func (r Request) Writes() bool { return r.Verb != VerbGet && r.Verb != VerbList }

// Key is the object's namespace and name.
func (r Request) Key() types.NamespacedName {
	return types.NamespacedName{Namespace: r.Namespace, Name: r.Name}
}

// Verdict is what becomes of a request. The zero Verdict lets it pass.
//
// An error that is an API status (apimachinery's api/errors) is the server's answer, with Retry-After where the status
// says so; the client may then try again by itself. Any other error is one of the connection, such as io.EOF or
// syscall.ECONNRESET.
type Verdict struct {
	// Refuse, unless it is nil, is what the client gets; nothing is done.
	Refuse error
	// After, unless it is nil, is called when the request has been served. If it returns an error, the client gets
	// that for an answer, although all is done.
	After func(Record) error
}

// Record is a request that was made, and what came of it.
type Record struct {
	Request

	// Time when it was made.
	Time time.Time
	// Body of a write, as it was sent. It is everybody's: do not change it.
	Body []byte
	// Changed: something was stored or deleted.
	Changed bool
	// ResourceVersion of the object afterwards, for a write that succeeded; empty when the object is gone.
	ResourceVersion string
	// Err is the server's answer where it is no success.
	Err error
	// Fault is what the client got instead of the answer.
	Fault error
}

// Records are the requests so far, in the order in which they were served.
func (s *Server) Records() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records)
}

// RecordsSince are the requests from the n-th on.
func (s *Server) RecordsSince(n int) []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records[min(n, len(s.records)):])
}
