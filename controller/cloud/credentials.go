// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	ststypes "github.com/aws/aws-sdk-go-v2/service/sts/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// roleSessionName is how CloudTrail names our sessions of a role. It is fixed, because it shows in error messages.
const roleSessionName = userAgent

// renewBefore is how long before they expire assumed credentials are renewed, so that none expires between signing and
// arrival.
const renewBefore = time.Minute

// credentialsError marks that a call failed for want of credentials, before it was sent. The SDK has no type for it.
type credentialsError struct{ Err error }

// Error returns the cause's text.
func (e *credentialsError) Error() string { return "getting credentials: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *credentialsError) Unwrap() error { return e.Err }

// markedCredentials marks the errors of another provider.
type markedCredentials struct{ provider aws.CredentialsProvider }

// Retrieve implements [aws.CredentialsProvider].
func (m markedCredentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	credentials, err := m.provider.Retrieve(ctx)
	if err != nil {
		return aws.Credentials{}, &credentialsError{err}
	}
	return credentials, nil
}

// assumedRole are the credentials of a role, taken on with the credentials that base has.
func assumedRole(base *sts.Client, role *ec2v1.AssumeRoleCredentials) aws.CredentialsProvider {
	provider := stscreds.NewAssumeRoleProvider(base, role.RoleARN, func(o *stscreds.AssumeRoleOptions) {
		o.RoleSessionName = roleSessionName
		o.Tags = sessionTags(role.SessionTags)
		if role.ExternalID != "" {
			o.ExternalID = &role.ExternalID
		}
	})
	return aws.NewCredentialsCache(provider, func(o *aws.CredentialsCacheOptions) { o.ExpiryWindow = renewBefore })
}

func sessionTags(tags []ec2v1.SessionTag) []ststypes.Tag {
	list := make([]ststypes.Tag, 0, len(tags))
	for _, t := range tags {
		list = append(list, ststypes.Tag{Key: aws.String(t.Key), Value: aws.String(aws.ToString(t.Value))})
	}
	return list
}
