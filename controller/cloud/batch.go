// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// listing is what a call for one page of a list is told.
type listing struct {
	filters []ec2types.Filter
	size    *int32
	token   *string
}

// eachBatch goes through all pages of lists by id, as few as EC2's limit of filter values allows. It filters by id instead of
// naming ids, because a filter takes unknown ids without failing. read reads a page and returns the token of the next one.
func eachBatch(ctx context.Context, op, name string, ids []string, read func(context.Context, listing) (*string, error)) error {
	for batch := range slices.Chunk(sortedSet(ids), maxFilterValues) {
		// As many as ids: a page holds what there is of all.
		p := listing{filters: []ec2types.Filter{filter(name, batch...)}, size: aws.Int32(maxFilterValues)}
		err := eachPage(ctx, op, func(ctx context.Context, token *string) (string, error) {
			p.token = token
			next, err := read(ctx, p)
			return aws.ToString(next), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
