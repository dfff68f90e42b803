// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// classify makes the *Error of a failed call.
func classify(op string, err error) *Error {
	if refused, ok := AsError(err); ok {
		// Made by us before anything was sent.
		e := *refused
		e.Op = op
		return &e
	}
	if unconfirmed, ok := errors.AsType[*unconfirmedError](err); ok {
		return &Error{Op: op, Class: ClassTransient, Message: "the call was not confirmed", Definite: true, Err: unconfirmed}
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Op: op, Class: ClassTransient, Message: "the call was canceled", Err: err}
	}
	if cause, ok := errors.AsType[*credentialsError](err); ok {
		return noCredentials(op, cause.Err)
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return answered(op, api, statusOf(err), err)
	}
	if status := statusOf(err); status >= http.StatusBadRequest {
		return unreadable(op, status, err)
	}
	if neverSent(err) {
		return &Error{Op: op, Class: ClassInvalid, Message: stable(err.Error()), Definite: true, Err: err}
	}
	return &Error{Op: op, Class: ClassTransient, Message: transportMessage(err), Err: err}
}

// answered is an error in AWS's own words.
func answered(op string, api smithy.APIError, status int, err error) *Error {
	code, message := api.ErrorCode(), api.ErrorMessage()
	class := classOfCode(code, message, status)
	return &Error{
		Op:       op,
		Class:    class,
		Code:     code,
		Message:  stable(message),
		Definite: isDefinite(status, class),
		Err:      err,
	}
}

// unreadable is an error status without AWS's words, as proxies and load balancers send it.
func unreadable(op string, status int, err error) *Error {
	class := classOfStatus(status)
	return &Error{
		Op:       op,
		Class:    class,
		Message:  "HTTP " + statusText(status) + " without an explanation from AWS",
		Definite: isDefinite(status, class),
		Err:      err,
	}
}

// isDefinite reports whether an answer excludes that the call took effect: a refusal as a client error, or as a server error
// that says no for a reason, such as capacity. A request timeout is a client error that says nothing.
func isDefinite(status int, class Class) bool {
	if status == http.StatusRequestTimeout {
		return false
	}
	return isClientError(status) || class != ClassTransient
}

// noCredentials says that a call could not be signed: no credentials in the SDK's chain, or a role that was not given. The
// call itself was never sent.
func noCredentials(op string, cause error) *Error {
	e := &Error{Op: op, Class: ClassCredentials, Definite: true, Err: cause}
	api, ok := errors.AsType[smithy.APIError](cause)
	if !ok {
		e.Message = stable("no credentials: " + cause.Error())
		return e
	}
	e.Code = api.ErrorCode()
	e.Message = stable("no credentials: " + innerOperation(cause) + ": " + api.ErrorMessage())
	return e
}

// innerOperation is the call that getting credentials failed at, such as AssumeRole.
func innerOperation(err error) string {
	if operation, ok := errors.AsType[*smithy.OperationError](err); ok {
		return operation.Operation()
	}
	return "refused"
}

// neverSent reports that the SDK refused the call's parameters.
func neverSent(err error) bool {
	_, invalid := errors.AsType[*smithy.InvalidParamsError](err)
	_, unserializable := errors.AsType[*smithy.SerializationError](err)
	return invalid || unserializable
}

// statusOf is the HTTP status of the answer in err, or 0 when there was none.
func statusOf(err error) int {
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		return response.HTTPStatusCode()
	}
	return 0
}
