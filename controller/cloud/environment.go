// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"errors"
	"fmt"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
)

// EnvironmentRegion is the Region that the SDK finds in the operator's environment: AWS_REGION, AWS_DEFAULT_REGION or the
// shared configuration's profile.
func EnvironmentRegion(ctx context.Context) (string, error) {
	cfg, err := awsconfig.LoadDefaultConfig(ctx)
	if err != nil {
		return "", fmt.Errorf("loading the AWS configuration from the environment: %w", err)
	}
	if cfg.Region == "" {
		return "", errors.New("the environment names no AWS Region: set AWS_REGION")
	}
	return cfg.Region, nil
}
