// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"strings"
)

// theme is a group of rows.
type theme struct {
	title string
	// about is what the group is about, in a sentence or two for docs/ownership.md.
	about string
	rows  []row
}

// row is one scenario: given a state, operations one after the other.
type row struct {
	// says names what the row shows.
	says string
	// of is the kind of the row's object; EC2Instance unless it is set.
	of *kind
	// given is what has been done before. Without any there is no object.
	given []action
	then  []step
	// alone rows change what other rows rely on.
	alone bool
}

// kindOf is the kind of the row's object.
func (r row) kindOf() *kind {
	if r.of == nil {
		return instances
	}
	return r.of
}

// step is one operation and what comes of it. Its fields stand in the order of a sentence, and rows write them without names.
type step struct {
	do action
	// value says what becomes of the object: one of the effects below, or YAML that the object holds afterwards, or both. YAML names only
	// some of the object's fields; lists are whole; the word (absent) stands for a field that is not there. Where there is no effect the
	// content has changed. Where there is a conflict nothing has.
	value string
	// owners says, in parts that ";" separates,
	//
	//	PATH: OWNER, OWNER	who owns a field, and nobody else; "nobody" for none
	//	MANAGER has PATH …	all that a manager owns, by its leaves; "nothing" for none
	//
	// A path is written as in conflicts. An owner is a manager's name, with the operation and the subresource in brackets unless it is the
	// owner by Apply through the object's own endpoint: `kubectl-edit (Update)`, `ec2-instance (Apply, status)`.
	owners string
	// conflict says why the operation was refused; empty, it was accepted. A conflict of ownership is written as in owners: PATH: OWNER.
	// Anything else is the HTTP status and some of the API server's words: "422 spec: Required value".
	conflict string
}

// The effects of an operation that is accepted.
const (
	created    = "created"
	gone       = "gone"
	unchanged  = "unchanged"
	onlyOwners = "only owners change"
	// rewritten is an object that is stored again without any difference that can be seen, but for its resourceVersion.
	rewritten = "only the resourceVersion changes"
)

// ok is the conflict of an operation that is accepted, and none what is not told of value or owners.
const (
	ok   = ""
	none = ""
)

// effectOf splits a step's value into the effect and the YAML.
func effectOf(value string) (effect, fields string) {
	for _, effect := range []string{created, gone, unchanged, onlyOwners, rewritten} {
		if rest, found := strings.CutPrefix(value, effect); found {
			return effect, strings.TrimPrefix(rest, ", ")
		}
	}
	return "", value
}
