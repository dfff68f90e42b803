// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
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
func newSession(ctx context.Context, cluster string, client HTTPClient, g *gate, account *ec2v1.EC2Account) (*session, error) {
	cfg, err := awsconfig.LoadDefaultConfig(ctx, awsconfig.WithRegion(g.region), awsconfig.WithHTTPClient(client))
	if err != nil {
		return nil, &Error{
			Op:       opConfigure,
			Class:    ClassCredentials,
			Message:  stable("the SDK's configuration in the operator's environment: " + err.Error()),
			Definite: true,
			Err:      err,
		}
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
	return &session{
		cluster: cluster,
		region:  g.region,
		ec2:     ec2.NewFromConfig(cfg, func(o *ec2.Options) { o.BaseEndpoint = override(endpoints.EC2, o.BaseEndpoint) }),
		ssm:     ssm.NewFromConfig(cfg, func(o *ssm.Options) { o.BaseEndpoint = override(endpoints.SSM, o.BaseEndpoint) }),
		sts:     sts.NewFromConfig(cfg, toSTS),
	}, nil
}

// override is the account's endpoint, else the environment's, which may be nil for AWS's own.
func override(endpoint string, environment *string) *string {
	if endpoint == "" {
		return environment
	}
	return aws.String(endpoint)
}
