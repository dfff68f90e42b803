// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"errors"
	"regexp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

var imageID = regexp.MustCompile(`^ami-[0-9a-f]{8,17}$`)

// ResolveImage implements [Session].
func (s *session) ResolveImage(ctx context.Context, ssmParameter string) (string, error) {
	const op = "GetParameter"
	if ssmParameter == "" {
		return "", refuse(op, "the name of a Systems Manager parameter is needed")
	}
	out, err := call(ctx, op, readTimeout, func(ctx context.Context) (*ssm.GetParameterOutput, error) {
		return s.ssm.GetParameter(ctx, &ssm.GetParameterInput{Name: aws.String(ssmParameter)})
	})
	if err != nil {
		return "", explainParameter(err, ssmParameter)
	}
	if out.Parameter == nil || !imageID.MatchString(aws.ToString(out.Parameter.Value)) {
		// The value is not quoted: it may be anything, and may be meant to be secret.
		return "", refuse(op, "the Systems Manager parameter "+ssmParameter+" does not hold an image id (ami- and hexadecimal digits)")
	}
	return *out.Parameter.Value, nil
}

// explainParameter names the parameter where Systems Manager does not: its ParameterNotFound has no message.
func explainParameter(err error, name string) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Message != "" {
		return err
	}
	explained := *e
	explained.Message = stable("the Systems Manager parameter " + name)
	return &explained
}

// AccountID implements [Session].
func (s *session) AccountID(ctx context.Context) (string, error) {
	const op = "GetCallerIdentity"
	out, err := call(ctx, op, readTimeout, func(ctx context.Context) (*sts.GetCallerIdentityOutput, error) {
		return s.sts.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	})
	if err != nil {
		return "", err
	}
	id := aws.ToString(out.Account)
	if id == "" {
		return "", lacking(op, "the answer does not name the account")
	}
	return id, nil
}
