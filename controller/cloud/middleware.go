// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"fmt"
	"time"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/smithy-go/middleware"
	"k8s.io/utils/clock"
)

// userAgent is how AWS's logs name us.
const userAgent = "fieldowner-ec2-operator"

// Call is one request to AWS, for metrics. A retry by the SDK is a request of its own.
type Call struct {
	// Account is the EC2Account's name.
	Account string
	// Region is the AWS Region.
	Region string
	// Service and Action name the call, such as "EC2" and "RunInstances".
	Service string
	// Action is AWS's word for the operation.
	Action string
	// Duration from sending to the end of the answer; zero when the request was not sent.
	Duration time.Duration
	// Class of the failure; empty when it succeeded.
	Class Class
	// Code is AWS's for the failure; empty when there was none.
	Code string
	// Sent is false when our own limiter refused the request, or it was not confirmed.
	Sent bool
}

// gate is the SDK middleware that every request of a session passes, the SDK's retries included: it keeps to the rates, and
// reports.
type gate struct {
	account, region string
	limiter         *limiter
	clock           clock.PassiveClock
	observe         func(Call)
}

var _ middleware.FinalizeMiddleware = (*gate)(nil)

// ID names the middleware in the SDK's stack.
func (g *gate) ID() string { return "fieldowner:Gate" }

// addTo places the gate after the credentials, so that a request that cannot be signed costs no token, and before the
// signature, so that the wait does not age it.
func (g *gate) addTo(stack *middleware.Stack) error {
	if err := stack.Finalize.Insert(g, "Signing", middleware.Before); err != nil {
		return fmt.Errorf("adding the rate limits to the SDK's stack: %w", err)
	}
	return nil
}

// HandleFinalize implements [middleware.FinalizeMiddleware].
func (g *gate) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	middleware.FinalizeOutput, middleware.Metadata, error,
) {
	service, operation := awsmiddleware.GetServiceID(ctx), awsmiddleware.GetOperationName(ctx)
	action := service + " " + operation
	call := Call{Account: g.account, Region: g.region, Service: service, Action: operation}
	if err := g.limiter.wait(ctx, action); err != nil {
		g.report(call, err)
		return middleware.FinalizeOutput{}, middleware.Metadata{}, err
	}
	if service == ec2.ServiceID { // The credentials that a call asks for on its way are everybody's.
		if err := Confirm(ctx); err != nil {
			g.report(call, err)
			return middleware.FinalizeOutput{}, middleware.Metadata{}, err
		}
	}
	call.Sent = true
	begin := g.clock.Now()
	out, metadata, err := next.HandleFinalize(ctx, in)
	call.Duration = g.clock.Since(begin)
	if g.report(call, err) == ClassThrottled {
		g.limiter.drain(action)
	}
	return out, metadata, err //nolint:wrapcheck // The SDK's own error, on its way up the SDK's own stack.
}

// report tells about the request and returns the class of its failure.
func (g *gate) report(call Call, err error) Class {
	if err != nil {
		e := classify(call.Action, err)
		call.Class, call.Code = e.Class, e.Code
	}
	if g.observe != nil {
		g.observe(call)
	}
	return call.Class
}
