// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"time"

	"golang.org/x/time/rate"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// limits are the token buckets of an action ("Request throttling for the Amazon
// EC2 API" in the EC2 developer guide). The zero value is an action without limit.
type limits struct {
	// requests is the bucket of the action.
	requests Limit
	// unpaginated replaces requests for calls that neither page nor filter.
	unpaginated Limit
	// resources is debited by the number of instances that the call names or asks for.
	resources Limit
	count     func(wire.Params) int
}

// The categories and the actions with numbers of their own. Mutating actions that AWS
// does not list share the numbers 50 and 5.
var (
	describing        = limits{requests: Limit{100, 20}}
	describingInBulk  = limits{requests: Limit{100, 20}, unpaginated: Limit{50, 10}}
	runLimits         = limits{requests: Limit{5, 2}, resources: Limit{1000, 2}, count: askedFor}
	startLimits       = limits{requests: Limit{5, 2}, resources: Limit{1000, 2}, count: named}
	stopLimits        = limits{requests: Limit{50, 5}, resources: Limit{1000, 20}, count: named}
	terminateLimits   = limits{requests: Limit{100, 5}, resources: Limit{1000, 20}, count: named}
	tagLimits         = limits{requests: Limit{100, 10}}
	modifying         = limits{requests: Limit{50, 5}}
	attaching         = limits{requests: Limit{100, 5}}
	unlimited         = limits{}
	resourcesSuffix   = "/resources"
	unpaginatedSuffix = "/unpaginated"
)

func askedFor(p wire.Params) int {
	n, _, err := p.Int("MaxCount")
	if err != nil || n < 1 {
		return 1
	}
	return n
}

func named(p wire.Params) int { return len(p.List("InstanceId")) }

// bucket is a token bucket in use.
type bucket struct {
	Limit
	tokens *rate.Limiter
}

// debit takes the tokens of a call, or none and reports the error when any bucket is short.
func (r *region) debit(name string, l limits, params wire.Params, s *Settings, now time.Time) error {
	if !s.Throttle || l.requests.Max == 0 {
		return nil
	}
	type claim struct {
		tokens *rate.Limiter
		n      int
	}
	var claims []claim
	if l.unpaginated.Max > 0 && unpaginated(params) {
		claims = append(claims, claim{r.bucket(name+unpaginatedSuffix, l.unpaginated, s), 1})
	} else {
		claims = append(claims, claim{r.bucket(name, l.requests, s), 1})
	}
	if l.count != nil {
		claims = append(claims, claim{r.bucket(name+resourcesSuffix, l.resources, s), l.count(params)})
	}
	for _, c := range claims {
		if c.tokens.TokensAt(now) < float64(c.n) {
			return fail(codeRequestLimitExceeded,
				"Request limit exceeded. Account %s has been throttled on ec2:%s because it exceeded its request rate limit.", r.account, name)
		}
	}
	for _, c := range claims {
		c.tokens.AllowN(now, c.n)
	}
	return nil
}

// unpaginated is EC2's "unfiltered and unpaginated". That a call with ids alone
// belongs there follows from AWS's wording and is not stated.
func unpaginated(params wire.Params) bool {
	return !params.Has("MaxResults") && !params.Has("NextToken") && !params.Has("Filter")
}

func (r *region) bucket(name string, limit Limit, s *Settings) *rate.Limiter {
	if override, ok := s.Limits[name]; ok {
		limit = override
	}
	have, ok := r.buckets[name]
	if !ok || have.Limit != limit {
		have = &bucket{limit, rate.NewLimiter(rate.Limit(limit.Refill), limit.Max)}
		r.buckets[name] = have
	}
	return have.tokens
}
