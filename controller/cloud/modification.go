// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
)

// Modification is one change of an instance by one call: EC2 takes one attribute a call. It is a value without pointers, so that
// equal ones compare equal; what it holds is canonical (lists are sorted).
type Modification interface {
	// Action is EC2's name of the call, such as ModifyInstanceAttribute.
	Action() string
	// send makes the call.
	send(ctx context.Context, s *session, id string) error
}

// Modify implements [Session].
func (s *session) Modify(ctx context.Context, id string, m Modification) error {
	if id == "" {
		return refuse(m.Action(), noID)
	}
	return m.send(ctx, s, id)
}

// accepted makes the one call of a modification that changes something, once. Its answer says no more than that EC2 took it.
func accepted[Out any](ctx context.Context, m Modification, send func(context.Context) (Out, error)) error {
	_, err := call(ctx, m.Action(), changeTimeout, send)
	return err
}

// noChange says why a modification that holds nothing is not sent: EC2 would refuse it.
const noChange = "a modification must hold what is to be"
