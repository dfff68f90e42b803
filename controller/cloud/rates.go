// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"strings"
)

// bucket is a token bucket of AWS's: how many requests it holds at most and how many it gains each second.
type bucket struct {
	burst     float64
	perSecond float64
}

// share is the part of AWS's documented rates that we use. The buckets belong to the account and Region, so consoles,
// dashboards and other tools draw on them too; and our seconds are not exactly AWS's.
const share = 0.9

// The buckets of https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html, per account and Region. Each
// action has a bucket of its own, so launches and deletions never wait for polls. The resource buckets, which count
// instances instead of requests, are wider for one instance per request and need no mirror.
var (
	nonMutating = bucket{100, 20}
	mutating    = bucket{50, 5}
	buckets     = map[string]bucket{
		"EC2 RunInstances":                    {5, 2},
		"EC2 StartInstances":                  {5, 2},
		"EC2 TerminateInstances":              {100, 5},
		"EC2 CreateTags":                      {100, 10},
		"EC2 DeleteTags":                      {100, 10},
		"EC2 AssociateIamInstanceProfile":     {100, 5},
		"EC2 DisassociateIamInstanceProfile":  {100, 5},
		"EC2 ModifyInstanceMetadataOptions":   {100, 5},
		"EC2 ModifyNetworkInterfaceAttribute": {100, 5},
		// The bucket for calls without filter and page size, which a call by ids alone may well fall under. At 1000 instances
		// a page it is wide enough for all others too.
		"EC2 DescribeInstances": {50, 10},
	}
)

// bucketOf is the bucket of an action, named "service action". Systems Manager and STS document no lower rates for the few
// calls that are made there.
func bucketOf(action string) bucket {
	if b, ok := buckets[action]; ok {
		return b
	}
	_, operation, _ := strings.Cut(action, " ")
	for _, reading := range []string{"Describe", "Get", "List", "Search"} {
		if strings.HasPrefix(operation, reading) {
			return nonMutating
		}
	}
	return mutating
}
