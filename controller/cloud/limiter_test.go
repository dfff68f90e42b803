// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"
)

func TestLimiterKeepsWithinEC2sBuckets(t *testing.T) {
	tests := map[string]struct {
		burst, perSecond float64
	}{
		"EC2 RunInstances":           {5, 2},
		"EC2 StartInstances":         {5, 2},
		"EC2 StopInstances":          {50, 5},
		"EC2 TerminateInstances":     {100, 5},
		"EC2 CreateTags":             {100, 10},
		"EC2 DeleteTags":             {100, 10},
		"EC2 DescribeInstances":      {50, 10},
		"EC2 DescribeInstanceStatus": {100, 20},
		"EC2 ModifyVolume":           {50, 5},
		"SSM GetParameter":           {100, 20},
		"STS GetCallerIdentity":      {100, 20},
		"STS AssumeRole":             {50, 5},

		"EC2 ModifyInstanceAttribute":              {50, 5},
		"EC2 ModifyInstanceMetadataOptions":        {100, 5},
		"EC2 ModifyNetworkInterfaceAttribute":      {100, 5},
		"EC2 AssociateIamInstanceProfile":          {100, 5},
		"EC2 DisassociateIamInstanceProfile":       {100, 5},
		"EC2 ReplaceIamInstanceProfileAssociation": {50, 5},
	}
	for action, documented := range tests {
		t.Run(action, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLimiter(clock.RealClock{})
				begin := time.Now()
				passed := 0.0
				// A minute of many callers that call again at once.
				var callers sync.WaitGroup
				var mu sync.Mutex
				for range 5 {
					callers.Go(func() {
						for time.Since(begin) < time.Minute {
							err := l.wait(t.Context(), action)
							if err != nil {
								time.Sleep(time.Millisecond)
								continue
							}
							mu.Lock()
							passed++
							// EC2's own bucket, were it full at the beginning.
							if limit := documented.burst + documented.perSecond*time.Since(begin).Seconds(); passed > limit {
								t.Errorf("%v after %v, EC2 allows %v", passed, time.Since(begin), limit)
							}
							mu.Unlock()
						}
					})
				}
				callers.Wait()
				if least := 0.85 * (documented.burst + documented.perSecond*60); passed < least {
					t.Errorf("only %v in a minute, want at least %v", passed, least)
				}
			})
		})
	}
}

func TestLimiterRefusesWhatWouldWaitLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(clock.RealClock{})
		const action = "EC2 RunInstances"
		var callers sync.WaitGroup
		var mu sync.Mutex
		waits := map[bool]int{}
		for range 20 {
			callers.Go(func() {
				begin := time.Now()
				err := l.wait(t.Context(), action)
				if took := time.Since(begin); took > maxWait {
					t.Errorf("waited %v", took)
				}
				mu.Lock()
				defer mu.Unlock()
				waits[err == nil]++
				if err == nil {
					return
				}
				e := mustError(t, err)
				if e.Class != ClassThrottled || !e.Definite || e.RetryAfter <= maxWait || e.RetryAfter > time.Minute {
					t.Errorf("got %#v", e)
				}
			})
		}
		callers.Wait()
		// 4 at once, and 3 within two seconds at 1.8 a second.
		if waits[true] != 7 || waits[false] != 13 {
			t.Errorf("passed and refused: %v", waits)
		}
		// What was refused has not used up anything.
		time.Sleep(time.Minute)
		for range 4 {
			if err := l.wait(t.Context(), action); err != nil {
				t.Errorf("after a minute: %v", err)
			}
		}
	})
}

func TestLimiterGivesATokenBackWhenTheCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(clock.RealClock{})
		const action = "EC2 RunInstances"
		for range 4 {
			if err := l.wait(t.Context(), action); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := l.wait(ctx, action); err != ctx.Err() { //nolint:errorlint // The very error.
			t.Errorf("got %v", err)
		}
		begin := time.Now()
		if err := l.wait(t.Context(), action); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("the next waited %v", took)
		}
	})
}

func TestThrottlingEmptiesTheActionsBucketAndNoOther(t *testing.T) {
	standardEnvironment(t)
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAWS{answer: func(r request) answer {
			if r.Action == "RunInstances" {
				return failure(http.StatusServiceUnavailable, "RequestLimitExceeded", "Request limit exceeded.")
			}
			return ok("<R/>")
		}}
		s := sessionOf(t, NewProvider(testCluster, Options{HTTPClient: f}), testAccount("default"))
		begin := time.Now()
		launch := func() *Error {
			_, err := s.Launch(t.Context(), "token", fullLaunch())
			return mustError(t, err)
		}
		if e := launch(); e.Class != ClassThrottled || !e.Definite || time.Since(begin) != 0 {
			t.Errorf("got %v after %v", e, time.Since(begin))
		}
		if err := s.SetTags(t.Context(), "i-1", map[string]string{"a": "b"}); err != nil || time.Since(begin) != 0 {
			t.Errorf("another action: %v after %v", err, time.Since(begin))
		}
		launch()
		if took := time.Since(begin); took < 500*time.Millisecond || took > time.Second {
			t.Errorf("the second launch waited %v", took)
		}
	})
}

func TestRateLimitsAreAnAccountsAndARegions(t *testing.T) {
	standardEnvironment(t)
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAWS{answer: always(ok(launched))}
		p := NewProvider(testCluster, Options{HTTPClient: f})
		launch := func(account, region, role string) error {
			a := testAccount(account)
			a.Spec.Endpoints = nil
			if role != "" {
				a.UID = "another"
			}
			s, err := p.Session(t.Context(), a, region)
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Launch(t.Context(), "token", fullLaunch())
			return err
		}
		begin := time.Now()
		for range 4 {
			for _, region := range []string{"eu-central-1", "us-east-1"} {
				for _, account := range []string{"a", "b"} {
					if err := launch(account, region, ""); err != nil {
						t.Error(err)
					}
				}
			}
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("4 launches in each of 4 buckets took %v", took)
		}
		// Another session of the account draws on the same bucket, as it does in AWS.
		if err := launch("a", "eu-central-1", "another session"); err != nil || time.Since(begin) == 0 {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

func TestCallsAreObserved(t *testing.T) {
	standardEnvironment(t)
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAWS{answer: func(r request) answer {
			time.Sleep(time.Second)
			if r.Action == "RunInstances" {
				return failure(http.StatusInternalServerError, "InsufficientInstanceCapacity", "no room")
			}
			return ok(launched)
		}}
		var got []string
		var mu sync.Mutex
		p := NewProvider(testCluster, Options{HTTPClient: f, Observe: func(c Call) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, fmt.Sprintf("%s %s %s %s sent=%v %v %s %s", c.Account, c.Region, c.Service, c.Action, c.Sent, c.Duration, c.Class, c.Code))
		}})
		s := sessionOf(t, p, testAccount("default"))
		var launches sync.WaitGroup
		for range 8 {
			launches.Go(func() { _, _ = s.Launch(t.Context(), "token", fullLaunch()) })
		}
		launches.Wait()
		_ = s.SetTags(t.Context(), "i-1", map[string]string{"a": "b"})
		want := slices.Repeat([]string{"default eu-central-1 EC2 RunInstances sent=true 1s Capacity InsufficientInstanceCapacity"}, 7)
		want = append(want, "default eu-central-1 EC2 RunInstances sent=false 0s Throttled ", "default eu-central-1 EC2 CreateTags sent=true 1s  ")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
	})
}
