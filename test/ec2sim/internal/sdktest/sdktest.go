// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package sdktest configures unmodified AWS SDK clients for the simulator's tests.
package sdktest

import (
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// AccessKeyID is a key of the simulator's default account.
const AccessKeyID = "AKIDEXAMPLE"

// Config is a configuration without retries, for a simulator at url.
func Config(url, accessKeyID, region string) aws.Config {
	return aws.Config{
		BaseEndpoint: &url, Region: region,
		Credentials: credentials.NewStaticCredentialsProvider(accessKeyID, "secret", ""),
		Retryer:     func() aws.Retryer { return aws.NopRetryer{} },
		HTTPClient:  &http.Client{Transport: readers{&http.Transport{}}},
	}
}

// InProcess is a configuration for a simulator that is reached without a network.
func InProcess(transport http.RoundTripper) aws.Config {
	config := Config("http://ec2sim", AccessKeyID, "us-east-1")
	config.HTTPClient = &http.Client{Transport: transport}
	return config
}

// readers hides the WriteTo method of request bodies. smithy-go 1.28.9 closes the
// body as soon as the response begins, and its WriteTo then returns io.EOF as an
// error. When a server on the same machine answers before net/http has looked for
// the end of the request body, net/http takes that for a failed write and closes
// the connection in the middle of the response.
type readers struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t readers) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r = r.Clone(r.Context())
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return t.base.RoundTrip(r)
}
