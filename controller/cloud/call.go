// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// Deadlines of calls, from the wait for a token to the end of the answer, the SDK's retries included.
const (
	// LaunchTimeout is well inside the five minutes for which EC2's answers may lag: a launch that has no answer by then is
	// looked for by its token, and within that time it shows.
	// https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
	LaunchTimeout = time.Minute
	// changeTimeout is for calls that EC2 accepts at once and carries out later.
	changeTimeout = 30 * time.Second
	// readTimeout is for one page, which EC2 takes seconds for when it holds a thousand instances.
	readTimeout = time.Minute
)

// session is one account's clients in one Region.
type session struct {
	cluster string
	region  string
	ec2     *ec2.Client
	ssm     *ssm.Client
	sts     *sts.Client
	// What EC2 tells of many at once is asked for by one object at a time.
	volumes *gatherer[VolumeDetail]
	credits *gatherer[string]
}

var _ Session = (*session)(nil)

// call makes one call within its deadline and classifies its error.
func call[Out any](ctx context.Context, op string, timeout time.Duration, send func(context.Context) (Out, error)) (Out, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	out, err := send(ctx)
	if err != nil {
		return out, classify(op, err)
	}
	return out, nil
}

// refuse is the error of a call that must not be sent.
func refuse(op, message string) *Error {
	return &Error{Op: op, Class: ClassInvalid, Message: message, Definite: true}
}

// lacking is the error of an answer that lacks what it must have. The call may have had its effect.
func lacking(op, message string) *Error {
	return &Error{Op: op, Class: ClassTransient, Message: message}
}
