// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import "time"

// backoffs is how long to wait after a failure: first after one, then twice as long each time, up to limit.
var backoffs = map[Class]struct{ first, limit time.Duration }{
	// Only the user can mend it, and a change of spec wakes the object at once. What was wrong can become right without one,
	// such as an image that is shared with the account: a slow check finds that.
	ClassInvalid: {10 * time.Minute, 10 * time.Minute},
	// Capacity comes and goes within minutes; https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/troubleshooting-launch.html
	// says to wait a few. Each call spends one of the 5 tokens that RunInstances has.
	ClassCapacity: {30 * time.Second, 5 * time.Minute},
	// Other workloads or a support case free quota, and that takes minutes to days.
	ClassQuota: {time.Minute, 10 * time.Minute},
	// EC2's buckets refill each second, so little is needed, but other tools share them.
	ClassThrottled: {2 * time.Second, time.Minute},
	// Somebody must change a policy; IAM then takes up to minutes to spread it.
	ClassUnauthorized: {time.Minute, 10 * time.Minute},
	// A role or a token is being set up or rotated; all objects of the account wait for it.
	ClassCredentials: {30 * time.Second, 5 * time.Minute},
	// EC2 says to ask again after a couple of seconds, and for up to five minutes:
	// https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html.
	ClassNotYetVisible: {2 * time.Second, 30 * time.Second},
	// Stopping takes seconds to minutes, and the observer's news wakes the object anyway.
	ClassWrongState: {2 * time.Second, time.Minute},
	// Somebody must lift the protection.
	ClassProtected: {time.Minute, 10 * time.Minute},
	// A new profile, subnet or group takes seconds to spread; one that is yet to be made takes longer.
	ClassDependency: {5 * time.Second, 2 * time.Minute},
	// Mostly a single lost request.
	ClassTransient: {time.Second, time.Minute},
}

// Backoff is how long to wait after tries failures of this class in a row, 1 being the first. It doubles up to the class's
// limit and has no jitter; see [Jitter]. An unknown class is treated as [ClassTransient].
func (c Class) Backoff(tries int) time.Duration {
	b, ok := backoffs[c]
	if !ok {
		b = backoffs[ClassTransient]
	}
	wait := b.first
	for range tries - 1 {
		if wait >= b.limit {
			break
		}
		wait *= 2
	}
	return min(wait, b.limit)
}

// jitterFraction spreads a duration by a tenth to either side: enough to part what began together, and too little to be
// felt.
const jitterFraction = 0.1

// Jitter spreads d evenly over 90 to 110 percent. random is in [0, 1).
func Jitter(d time.Duration, random float64) time.Duration {
	return time.Duration(float64(d) * (1 + jitterFraction*(2*random-1)))
}
