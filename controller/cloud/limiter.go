// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/utils/clock"
)

// maxWait is how long a call waits for a token before it is refused instead: long enough to smooth a burst, short enough
// that a worker is not held up by an account whose buckets are empty, while others' objects wait for it.
const maxWait = 2 * time.Second

// limiter keeps one account's calls in one Region within AWS's rates: a token bucket for each action.
type limiter struct {
	clock clock.Clock

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

func newLimiter(c clock.Clock) *limiter {
	return &limiter{clock: c, buckets: map[string]*rate.Limiter{}}
}

func (l *limiter) bucket(action string) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.buckets[action]; ok {
		return b
	}
	documented := bucketOf(action)
	b := rate.NewLimiter(rate.Limit(documented.perSecond*share), max(1, int(documented.burst*share)))
	l.buckets[action] = b
	return b
}

// wait takes a token, waiting for it at most maxWait. When it would take longer the call is refused as throttled, and the
// error says how long it would have taken.
func (l *limiter) wait(ctx context.Context, action string) error {
	now := l.clock.Now()
	reservation := l.bucket(action).ReserveN(now, 1)
	delay := reservation.DelayFrom(now)
	if delay == 0 {
		return nil
	}
	if delay > maxWait {
		reservation.CancelAt(now)
		return &Error{
			Class:      ClassThrottled,
			Message:    "the operator's own limit for this action, which keeps it within AWS's, is used up",
			Definite:   true,
			RetryAfter: delay,
		}
	}
	timer := l.clock.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		reservation.CancelAt(l.clock.Now())
		return ctx.Err()
	}
}

// drain empties an action's bucket: AWS has just said that its own is empty.
func (l *limiter) drain(action string) {
	b, now := l.bucket(action), l.clock.Now()
	if tokens := int(b.TokensAt(now)); tokens > 0 {
		b.AllowN(now, tokens)
	}
}
