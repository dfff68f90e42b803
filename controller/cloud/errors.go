// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"errors"
	"strings"
	"time"
)

// Class says what kind of trouble an error is, and so what can be done about it.
type Class string

// The classes of errors.
const (
	// ClassInvalid: the request is wrong and stays wrong until the user changes it.
	ClassInvalid Class = "Invalid"
	// ClassCapacity: AWS has no room for what was asked where it was asked; time or another place helps.
	ClassCapacity Class = "Capacity"
	// ClassQuota: the account has reached one of its limits; less use or a higher limit helps.
	ClassQuota Class = "Quota"
	// ClassThrottled: too many requests; waiting helps.
	ClassThrottled Class = "Throttled"
	// ClassUnauthorized: the account or its policies do not allow the call; somebody must allow it.
	ClassUnauthorized Class = "Unauthorized"
	// ClassCredentials: there are no credentials that AWS accepts; nothing in the account works until there are.
	ClassCredentials Class = "Credentials"
	// ClassNotYetVisible: EC2 does not show, or not yet, what was named; it may be on its way.
	ClassNotYetVisible Class = "NotYetVisible"
	// ClassWrongState: the resource is in a state that does not allow the call.
	ClassWrongState Class = "WrongState"
	// ClassProtected: the instance is protected from the call.
	ClassProtected Class = "Protected"
	// ClassDependency: something that the request names does not exist, or not yet.
	ClassDependency Class = "Dependency"
	// ClassTransient: AWS or the way to it failed; the same call works later.
	ClassTransient Class = "Transient"
)

// Error is the failure of one call.
type Error struct {
	// Op is the action that failed, such as RunInstances.
	Op string
	// Class says what kind of trouble it is.
	Class Class
	// Code is AWS's, such as InsufficientInstanceCapacity; empty when AWS gave none.
	Code string
	// Message is AWS's words, or ours where AWS gave none. It is fit for a condition: at most 512 bytes, and the same for
	// the same trouble, without request ids or other things that change with each call.
	Message string
	// Definite says that the call had no effect: AWS refused it, or it was never sent. An error that is not definite leaves
	// open whether it had.
	Definite bool
	// RetryAfter is how long to wait at least before calling again; zero when nothing is known.
	RetryAfter time.Duration
	// Err is the cause, for errors.Is and errors.As. Its text may hold what changes with each call.
	Err error
}

// Error says what failed, without what changes with each call.
func (e *Error) Error() string {
	var parts []string
	for _, part := range []string{e.Op, e.Code, e.Message} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// AsError finds the *Error in err's chain.
func AsError(err error) (*Error, bool) { return errors.AsType[*Error](err) }

// ErrorOf returns err as an *[Error]: what it is where it is one, and Transient otherwise. It is nil for nil.
func ErrorOf(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := AsError(err); ok {
		return e
	}
	return &Error{Class: ClassTransient, Message: err.Error(), Err: err}
}

// ClassOf is the class of err: that of the *Error in its chain, else [ClassTransient], and "" for no error.
func ClassOf(err error) Class {
	if err == nil {
		return ""
	}
	if e, ok := AsError(err); ok {
		return e.Class
	}
	return ClassTransient
}

// IsIdempotentParameterMismatch reports that the token was used before with other parameters: an instance of that token
// exists, or did.
func IsIdempotentParameterMismatch(err error) bool { return hasCode(err, codeParameterMismatch) }

// IsIdempotentInstanceTerminated reports that the token's instance has been terminated: the token is used up.
func IsIdempotentInstanceTerminated(err error) bool { return hasCode(err, codeInstanceTerminated) }

// IsNotFound reports that EC2 does not know the instance, or does not show it yet.
func IsNotFound(err error) bool { return hasCode(err, codeInstanceNotFound) }

// IsSpotRequestNotFound reports that EC2 does not know the Spot request, or does not show it yet.
func IsSpotRequestNotFound(err error) bool { return hasCode(err, codeRequestNotFound) }

// IsUnsupported reports that the zone does not offer the instance type.
func IsUnsupported(err error) bool { return hasCode(err, codeUnsupported) }

func hasCode(err error, code string) bool {
	e, ok := AsError(err)
	return ok && e.Code == code
}
