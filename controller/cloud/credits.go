// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
)

const opDescribeCredits = "DescribeInstanceCreditSpecifications"

// Credits implements [Session].
func (s *session) Credits(ctx context.Context, ids []string) (map[string]string, error) {
	return s.credits.get(ctx, ids)
}

// describeCredits filters by id instead of naming ids, because a filter takes unknown ids, and types that have no credits, without failing.
func (s *session) describeCredits(ctx context.Context, ids []string) (map[string]string, error) {
	credits := map[string]string{}
	err := eachBatch(ctx, opDescribeCredits, "instance-id", ids, func(ctx context.Context, p listing) (*string, error) {
		out, err := call(ctx, opDescribeCredits, readTimeout, func(ctx context.Context) (*ec2.DescribeInstanceCreditSpecificationsOutput, error) {
			return s.ec2.DescribeInstanceCreditSpecifications(ctx,
				&ec2.DescribeInstanceCreditSpecificationsInput{Filters: p.filters, MaxResults: p.size, NextToken: p.token})
		})
		if err != nil {
			return nil, err
		}
		for _, c := range out.InstanceCreditSpecifications {
			credits[aws.ToString(c.InstanceId)] = aws.ToString(c.CpuCredits)
		}
		return out.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	return credits, nil
}
