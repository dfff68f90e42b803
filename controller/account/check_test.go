// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package account

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// TestWhenSTSIsAsked follows one account through time.
func TestWhenSTSIsAsked(t *testing.T) {
	type step struct {
		says string
		// later is how much time has passed since the step before.
		later      time.Duration
		generation int64
		uid        types.UID
		// answer is STS's, should it be asked.
		answer error
		asked  bool
		// failed is the class of what due returns, and next the time from now to the next question.
		failed cloud.Class
		next   time.Duration
	}
	const never = time.Duration(0)
	credentials, throttled := failure(cloud.ClassCredentials), failure(cloud.ClassThrottled)
	hinted := failure(cloud.ClassThrottled)
	hinted.RetryAfter = 42 * time.Second
	for _, test := range []struct {
		says  string
		steps []step
	}{
		{"accepted credentials are asked for once, and again after authAgain", []step{
			{"at first", never, 1, "u", nil, true, "", authAgain},
			{"at once", never, 1, "u", credentials, false, "", authAgain},
			{"just before", authAgain - 1, 1, "u", credentials, false, "", 1},
			{"then", 1, 1, "u", nil, true, "", authAgain},
		}},
		{"an edit asks anew", []step{
			{"at first", never, 1, "u", nil, true, "", authAgain},
			{"edited", time.Second, 2, "u", credentials, true, cloud.ClassCredentials, 30 * time.Second},
			{"edited again", time.Second, 3, "u", nil, true, "", authAgain},
		}},
		{"another account of the name asks anew", []step{
			{"at first", never, 1, "u", nil, true, "", authAgain},
			{"recreated", time.Second, 1, "v", credentials, true, cloud.ClassCredentials, 30 * time.Second},
		}},
		{"failures are asked for again, with growing pauses, until accepted", []step{
			{"first", never, 1, "u", credentials, true, cloud.ClassCredentials, 30 * time.Second},
			{"too early", 29 * time.Second, 1, "u", nil, false, cloud.ClassCredentials, time.Second},
			{"second", time.Second, 1, "u", credentials, true, cloud.ClassCredentials, time.Minute},
			{"third", time.Minute, 1, "u", credentials, true, cloud.ClassCredentials, 2 * time.Minute},
			{"fourth", 2 * time.Minute, 1, "u", credentials, true, cloud.ClassCredentials, 4 * time.Minute},
			{"fifth, at the limit", 4 * time.Minute, 1, "u", credentials, true, cloud.ClassCredentials, 5 * time.Minute},
			{"accepted", 5 * time.Minute, 1, "u", nil, true, "", authAgain},
			{"failed again: from the beginning", authAgain, 1, "u", credentials, true, cloud.ClassCredentials, 30 * time.Second},
		}},
		{"an edit begins the pauses anew", []step{
			{"first", never, 1, "u", credentials, true, cloud.ClassCredentials, 30 * time.Second},
			{"second", 30 * time.Second, 1, "u", credentials, true, cloud.ClassCredentials, time.Minute},
			{"edited", time.Second, 2, "u", credentials, true, cloud.ClassCredentials, 30 * time.Second},
		}},
		{"each class has its pauses, and AWS' own word counts", []step{
			{"throttled", never, 1, "u", throttled, true, cloud.ClassThrottled, 2 * time.Second},
			{"throttled, with a hint", 2 * time.Second, 1, "u", hinted, true, cloud.ClassThrottled, 42 * time.Second},
			{"no error of ours", 42 * time.Second, 1, "u", errUnknown, true, cloud.ClassTransient, 4 * time.Second},
		}},
	} {
		t.Run(test.says, func(t *testing.T) {
			clock := clocktesting.NewFakePassiveClock(start)
			var all checks
			for _, s := range test.steps {
				clock.SetTime(clock.Now().Add(s.later))
				session := &fakeSession{err: s.answer}
				got := all.due(t.Context(), newAccount(s.generation, s.uid), session, clock.Now())
				if asked := session.asked == 1; asked != s.asked || session.asked > 1 {
					t.Errorf("%s: STS was asked %d times, want %t", s.says, session.asked, s.asked)
				}
				if wait := got.next.Sub(clock.Now()); wait != s.next {
					t.Errorf("%s: the next check is in %s, want %s", s.says, wait, s.next)
				}
				switch {
				case s.failed == "" && (got.failure != nil || got.accountID != awsAccount):
					t.Errorf("%s: the check says %+v, want account %s", s.says, got, awsAccount)
				case s.failed != "" && (got.failure == nil || got.failure.Class != s.failed || got.accountID != ""):
					t.Errorf("%s: the check says %+v, want a failure of class %s", s.says, got, s.failed)
				}
			}
		})
	}
}

// TestChecksAreEachAccountsOwn, and are gone with the account.
func TestChecksAreEachAccountsOwn(t *testing.T) {
	var all checks
	one, two := newAccount(1, "u"), newAccount(1, "v")
	two.Name = "lab"
	session := &fakeSession{}
	ask := func(want int) {
		t.Helper()
		all.due(t.Context(), one, session, start)
		all.due(t.Context(), two, session, start)
		same(t, want, session.asked)
	}
	ask(2)
	ask(2)
	same(t, types.UID("u"), all.drop("shop"))
	same(t, types.UID(""), all.drop("shop"))
	ask(3)
}
