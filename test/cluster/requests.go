// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"slices"
	"time"
)

// Request is one request that the API server has answered or begun to answer.
type Request struct {
	// ID is the API server's own name for the request.
	ID string
	// User is who sent it, such as system:serviceaccount:NAMESPACE:NAME, or whom
	// the sender impersonated.
	User string
	// UserAgent is what the client calls itself.
	UserAgent string

	// Verb is the API's: get, list, watch, create, update, patch, delete or
	// deletecollection. A server-side apply is a patch. For what is not a
	// resource, such as /readyz, it is the HTTP method in lower case.
	Verb string
	// Group is the resource's API group; the core group is empty.
	Group string
	// Resource is the plural, such as configmaps. Empty for what is none.
	Resource string
	// Subresource is such as status, or empty.
	Subresource string
	// Namespace is empty for what is not in a namespace.
	Namespace string
	// Name is empty for lists and for watches of many. A creation has its name in
	// the body, which is not read when the request is refused before that: then
	// it is empty too.
	Name string
	// URI is the path and query as the client sent them.
	URI string

	// FieldManager is the one that the client named; empty when it named none.
	FieldManager string
	// Force says that an apply was to take fields from other managers.
	Force bool
	// DryRun says that nothing was to be stored.
	DryRun bool

	// Code is the HTTP status of the answer. For a watch it is there from the
	// watch's beginning.
	Code int
	// Time is when the request came in.
	Time time.Time
}

// String is one line for failing tests to show.
func (r Request) String() string {
	return fmt.Sprintf("%s %s %s -> %d (%s, %s)", r.Time.Format(time.RFC3339Nano), r.Verb, r.URI, r.Code, r.User, r.UserAgent)
}

// writeVerbs are those that ask for a change.
var writeVerbs = []string{"create", "update", "patch", "delete", "deletecollection"}

// asides says what does not count as a write, by API group and resource. An
// empty resource stands for all of the group.
var asides = map[string][]string{
	"":                      {"events"},
	"events.k8s.io":         {"events"},
	"coordination.k8s.io":   {"leases"},
	"authentication.k8s.io": {""}, // reviews: created to be answered, never stored
	"authorization.k8s.io":  {""},
}

// IsWrite says whether the request asked to change what users see: a create,
// update, patch (so also an apply) or delete of an object, whether or not it
// succeeded, and also as a dry run. Leases, events, tokens and access reviews do
// not count.
func (r Request) IsWrite() bool {
	if r.Resource == "" || !slices.Contains(writeVerbs, r.Verb) {
		return false
	}
	if r.Group == "" && r.Resource == "serviceaccounts" && r.Subresource == "token" {
		return false
	}
	aside := asides[r.Group]
	return !slices.Contains(aside, r.Resource) && !slices.Contains(aside, "")
}

// Requests are requests in the order in which they were recorded.
type Requests []Request

// Writes are those for which IsWrite is true.
func (rs Requests) Writes() Requests { return rs.Where(Request.IsWrite) }

// By are those of one user.
func (rs Requests) By(user string) Requests {
	return rs.Where(func(r Request) bool { return r.User == user })
}

// Of are those about one kind of resource, its subresources included.
func (rs Requests) Of(group, resource string) Requests {
	return rs.Where(func(r Request) bool { return r.Group == group && r.Resource == resource })
}

// In are those in one namespace.
func (rs Requests) In(namespace string) Requests {
	return rs.Where(func(r Request) bool { return r.Namespace == namespace })
}

// With are those with one of the verbs.
func (rs Requests) With(verbs ...string) Requests {
	return rs.Where(func(r Request) bool { return slices.Contains(verbs, r.Verb) })
}

// Where are those for which keep returns true.
func (rs Requests) Where(keep func(Request) bool) Requests {
	var kept Requests
	for _, r := range rs {
		if keep(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

// ServiceAccountUser is the name under which a ServiceAccount's requests are
// recorded.
func ServiceAccountUser(namespace, name string) string {
	return "system:serviceaccount:" + namespace + ":" + name
}
