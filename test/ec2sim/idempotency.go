// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"maps"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// maxClientToken is the longest client token that EC2 accepts, in ASCII characters.
const maxClientToken = 64

// tokenKey is the scope of a client token: the Availability Zone when the request
// fixes one, and the region (an empty zone) otherwise. The same token launches once
// in each scope ("Ensuring idempotency in Amazon EC2 API requests").
type tokenKey struct{ token, zone string }

// launch is a RunInstances call that succeeded.
type launch struct {
	parameters wire.Params // what a repetition must match
	reservation
}

// reservation is the answer of a launch.
type reservation struct {
	id        string
	instances []*instance
}

// repeated finds the earlier launch that a request repeats. It returns nil when the
// request is to be carried out.
func (r *region) repeated(key tokenKey, params wire.Params, s *Settings, now time.Time) (*launch, error) {
	if key.token == "" {
		return nil, nil
	}
	earlier, ok := r.launches[key]
	if !ok || earlier.forgotten(s, now) {
		return nil, nil
	}
	if !maps.Equal(earlier.parameters, launchParameters(params)) {
		return nil, fail(codeIdempotentParameterMismatch,
			"Arguments on this idempotent request are inconsistent with arguments used in previous request(s).")
	}
	if earlier.ended(now) {
		return nil, fail(codeIdempotentInstanceTerminated,
			"The client token you have provided is associated with a terminated instance. Please use a different client token.")
	}
	return earlier, nil
}

// launchParameters are the parameters that must be the same in a repetition: all but
// DryRun. The token is part of them; it is the same anyway.
func launchParameters(params wire.Params) wire.Params {
	out := maps.Clone(params)
	delete(out, "DryRun")
	return out
}

// ended says whether every instance of the launch is terminated.
func (l *launch) ended(now time.Time) bool {
	for _, i := range l.instances {
		if !i.ended(now) {
			return false
		}
	}
	return true
}

// forgotten says whether the token may be used as if for the first time.
func (l *launch) forgotten(s *Settings, now time.Time) bool {
	for _, i := range l.instances {
		end, ends := i.history.Ended()
		if !ends || now.Before(end.Add(s.TokenRetention)) {
			return false
		}
	}
	return true
}

func checkClientToken(token string) error {
	if len(token) > maxClientToken {
		return fail(codeInvalidClientToken, "Client token is longer than %d characters", maxClientToken)
	}
	for _, r := range token {
		if r > 127 {
			return fail(codeInvalidClientToken, "Client token contains characters that are not ASCII")
		}
	}
	return nil
}
