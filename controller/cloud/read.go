// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

const (
	opDescribe = "DescribeInstances"
	// pageSize is the most that EC2 takes for MaxResults: the fewest calls.
	pageSize = 1000
	// maxFilterValues is EC2's limit of filter values in one call; more are refused with FilterLimitExceeded.
	maxFilterValues = 200
)

// FindByID implements [Session].
func (s *session) FindByID(ctx context.Context, id string) (Instance, bool, error) {
	if id == "" {
		return Instance{}, false, refuse(opDescribe, noID)
	}
	// By id and not by filter: filters are known to lag further behind. The two parameters exclude paging.
	out, err := call(ctx, opDescribe, readTimeout, func(ctx context.Context) (*ec2.DescribeInstancesOutput, error) {
		return s.ec2.DescribeInstances(ctx, &ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	})
	if IsNotFound(err) {
		return Instance{}, false, nil
	}
	if err != nil {
		return Instance{}, false, err
	}
	for _, i := range s.instances(out.Reservations) {
		if i.ID == id {
			return i, true, nil
		}
	}
	return Instance{}, false, nil
}

// FindByToken implements [Session].
func (s *session) FindByToken(ctx context.Context, token string) ([]Instance, error) {
	if token == "" {
		return nil, refuse(opDescribe, "a client token is needed")
	}
	var found []Instance
	err := s.pages(ctx, filter("client-token", token), func(page []Instance) error {
		found = append(found, page...)
		return nil
	})
	return found, err
}

// List implements [Session].
func (s *session) List(ctx context.Context, yield func([]Instance) error) error {
	return s.pages(ctx, filter("tag:"+ec2v1.TagCluster, s.cluster), yield)
}

// Look implements [Session]. It filters by id instead of naming ids, because a filter takes unknown ids without failing.
func (s *session) Look(ctx context.Context, ids []string) ([]Instance, error) {
	var seen []Instance
	for batch := range slices.Chunk(sortedSet(ids), maxFilterValues) {
		err := s.pages(ctx, filter("instance-id", batch...), func(page []Instance) error {
			seen = append(seen, page...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return seen, nil
}

// pages yields the instances that match f, page by page.
func (s *session) pages(ctx context.Context, f ec2types.Filter, yield func([]Instance) error) error {
	in := &ec2.DescribeInstancesInput{Filters: []ec2types.Filter{f}, MaxResults: aws.Int32(pageSize)}
	for {
		out, err := call(ctx, opDescribe, readTimeout, func(ctx context.Context) (*ec2.DescribeInstancesOutput, error) {
			return s.ec2.DescribeInstances(ctx, in)
		})
		if err != nil {
			return err
		}
		if err := yield(s.instances(out.Reservations)); err != nil {
			return err
		}
		next := aws.ToString(out.NextToken)
		if next == "" {
			return nil
		}
		if next == aws.ToString(in.NextToken) {
			return lacking(opDescribe, "the answer's next page is the same page again")
		}
		in.NextToken = aws.String(next)
	}
}

func filter(name string, values ...string) ec2types.Filter {
	return ec2types.Filter{Name: aws.String(name), Values: values}
}
