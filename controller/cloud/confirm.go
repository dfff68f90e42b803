// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"errors"
	"fmt"
)

type confirmKey struct{}

// Confirming has confirm asked immediately before each request of a call is sent, once the rate limits let it pass: a call
// that waits for its turn asks nothing, and one that is sent is confirmed by what is true then. An error keeps the request
// from being sent; see [Unconfirmed].
func Confirming(ctx context.Context, confirm func(context.Context) error) context.Context {
	return context.WithValue(ctx, confirmKey{}, confirm)
}

// Confirm asks what [Confirming] has put into the context.
func Confirm(ctx context.Context) error {
	confirm, ok := ctx.Value(confirmKey{}).(func(context.Context) error)
	if !ok {
		return nil
	}
	if err := confirm(ctx); err != nil {
		return &unconfirmedError{Err: err}
	}
	return nil
}

// Unconfirmed returns confirm's error if that is why a call was not sent, or else nil.
func Unconfirmed(err error) error {
	if unconfirmed, ok := errors.AsType[*unconfirmedError](err); ok {
		return unconfirmed.Err
	}
	return nil
}

// unconfirmedError is why a request was not sent.
type unconfirmedError struct{ Err error }

// Error says that nothing was sent.
func (e *unconfirmedError) Error() string { return fmt.Sprintf("not sent: %v", e.Err) }

// Unwrap returns the cause.
func (e *unconfirmedError) Unwrap() error { return e.Err }
