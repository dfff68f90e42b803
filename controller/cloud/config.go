// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// opConfigure names, in errors, the making of a session, which sends nothing.
const opConfigure = "Configure"

// newSession makes the clients of one account in one Region: from the SDK's standard environment (keys, profiles, web
// identity, AWS_ENDPOINT_URL, …), and from the account what it says itself.
func newSession(ctx context.Context, cluster string, o Options, g *gate, account *ec2v1.EC2Account) (*session, error) {
	cfg, err := awsconfig.LoadDefaultConfig(ctx, awsconfig.WithRegion(g.region), awsconfig.WithHTTPClient(o.HTTPClient))
	if err != nil {
		return nil, &Error{
			Op:       opConfigure,
			Class:    ClassCredentials,
			Message:  stable("the SDK's configuration in the operator's environment: " + err.Error()),
			Definite: true,
			Err:      err,
		}
	}
	if o.Random != nil {
		cfg.Retryer = retriesAt(o.Random)
	}
	cfg.HTTPClient = plainBodies{cfg.HTTPClient}
	cfg.APIOptions = append(cfg.APIOptions, g.addTo, awsmiddleware.AddUserAgentKey(userAgent))
	cfg.Credentials = markedCredentials{cfg.Credentials}

	endpoints := ec2v1.Endpoints{}
	if account.Spec.Endpoints != nil {
		endpoints = *account.Spec.Endpoints
	}
	toSTS := func(o *sts.Options) { o.BaseEndpoint = override(endpoints.STS, o.BaseEndpoint) }
	if c := account.Spec.Credentials; c != nil && c.AssumeRole != nil {
		cfg.Credentials = markedCredentials{assumedRole(sts.NewFromConfig(cfg, toSTS), c.AssumeRole)}
	}
	s := &session{
		cluster: cluster,
		region:  g.region,
		ec2:     ec2.NewFromConfig(cfg, func(o *ec2.Options) { o.BaseEndpoint = override(endpoints.EC2, o.BaseEndpoint) }),
		ssm:     ssm.NewFromConfig(cfg, func(o *ssm.Options) { o.BaseEndpoint = override(endpoints.SSM, o.BaseEndpoint) }),
		sts:     sts.NewFromConfig(cfg, toSTS),
	}
	s.volumes = &gatherer[VolumeDetail]{op: opDescribeVolumes, clock: o.Clock, ask: s.describeVolumes}
	s.credits = &gatherer[string]{op: opDescribeCredits, clock: o.Clock, ask: s.describeCredits}
	return s, nil
}

// retriesAt is the SDK's standard retryer, whose pauses are spread by another source of chance.
func retriesAt(random func() float64) func() aws.Retryer {
	return func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) {
			o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) {
				return time.Duration(random() * float64(min(time.Second<<attempt, o.MaxBackoff))), nil
			})
		})
	}
}

// override is the account's endpoint, else the environment's, which may be nil for AWS's own.
func override(endpoint string, environment *string) *string {
	if endpoint == "" {
		return environment
	}
	return aws.String(endpoint)
}
