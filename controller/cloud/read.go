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
	opDescribe       = "DescribeInstances"
	opDescribeStatus = "DescribeInstanceStatus"
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

// ListStatuses implements [Session]. By default EC2 describes the status of running instances only.
func (s *session) ListStatuses(ctx context.Context, yield func([]InstanceStatus) error) error {
	in := &ec2.DescribeInstanceStatusInput{MaxResults: aws.Int32(pageSize)}
	return eachPage(ctx, opDescribeStatus, func(ctx context.Context, token *string) (string, error) {
		in.NextToken = token
		out, err := call(ctx, opDescribeStatus, readTimeout, func(ctx context.Context) (*ec2.DescribeInstanceStatusOutput, error) {
			return s.ec2.DescribeInstanceStatus(ctx, in)
		})
		if err != nil {
			return "", err
		}
		return aws.ToString(out.NextToken), yield(instanceStatuses(out.InstanceStatuses))
	})
}

// pages yields the instances that match f, page by page.
func (s *session) pages(ctx context.Context, f ec2types.Filter, yield func([]Instance) error) error {
	in := &ec2.DescribeInstancesInput{Filters: []ec2types.Filter{f}, MaxResults: aws.Int32(pageSize)}
	return eachPage(ctx, opDescribe, func(ctx context.Context, token *string) (string, error) {
		in.NextToken = token
		out, err := call(ctx, opDescribe, readTimeout, func(ctx context.Context) (*ec2.DescribeInstancesOutput, error) {
			return s.ec2.DescribeInstances(ctx, in)
		})
		if err != nil {
			return "", err
		}
		return aws.ToString(out.NextToken), yield(s.instances(out.Reservations))
	})
}

// eachPage goes through the pages of a list. page takes the token of a page, nil being the first, and returns that of the next,
// or "" when there is none.
func eachPage(ctx context.Context, op string, page func(context.Context, *string) (string, error)) error {
	var token *string
	for {
		next, err := page(ctx, token)
		if err != nil || next == "" {
			return err
		}
		if next == aws.ToString(token) {
			return lacking(op, "the answer's next page is the same page again")
		}
		token = &next
	}
}

func filter(name string, values ...string) ec2types.Filter {
	return ec2types.Filter{Name: aws.String(name), Values: values}
}
