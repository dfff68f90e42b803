// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

func TestWaits(t *testing.T) {
	m := &Memory{}
	if got := m.wait(StepStart, "i-1", begin); got != 0 {
		t.Errorf("waits %s for what was never called", got)
	}
	invalid := &cloud.Error{Class: cloud.ClassCapacity}
	later := begin.Add(long)
	for _, want := range []time.Duration{settle, 2 * settle, 4 * settle, settleMax, settleMax} {
		m.record(StepStart, "i-1", later, nil)
		if got := m.wait(StepStart, "i-1", later); got != want {
			t.Errorf("waits %s, want %s", got, want)
		}
	}
	// An error begins anew, and so does its end.
	for _, want := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute} {
		m.record(StepStart, "i-1", later, invalid)
		if got := m.wait(StepStart, "i-1", later); got != want {
			t.Errorf("waits %s after an error, want %s", got, want)
		}
	}
	if m.failure(StepStart, "i-1") != invalid {
		t.Error("the error is forgotten")
	}
	m.record(StepStart, "i-1", later, nil)
	if got := m.wait(StepStart, "i-1", later.Add(settle-time.Second)); got != time.Second {
		t.Errorf("waits %s after the error is over, want 1s", got)
	}
	if got := m.wait(StepStart, "i-1", later.Add(settle)); got != 0 {
		t.Errorf("waits %s when the wait is over", got)
	}
	// Another thing and another step are others.
	if m.wait(StepStart, "i-2", later) != 0 || m.failure(StepStart, "i-2") != nil || m.wait(StepStop, "i-1", later) != 0 {
		t.Error("what was called for another one counts")
	}
	m.record(StepStart, "i-2", later, nil)
	if got := m.wait(StepStart, "i-2", later); got != settle {
		t.Errorf("waits %s for another one, want %s", got, settle)
	}
}

func TestAnErrorsOwnPauseCounts(t *testing.T) {
	m := &Memory{}
	m.record(StepLaunch, "t", begin, &cloud.Error{Class: cloud.ClassThrottled, Code: "RequestLimitExceeded", RetryAfter: time.Hour})
	if got := m.wait(StepLaunch, "t", begin); got != time.Hour {
		t.Errorf("waits %s, want what the error says", got)
	}
	m.record(StepFindByID, "i-1", begin, errUnseen)
	if got := m.wait(StepFindByID, "i-1", begin); got != lookAgain {
		t.Errorf("looks again after %s, want %s", got, lookAgain)
	}
}

// Objects that wait for our own rate limit come back one after the other, and each at the same time whoever asks.
func TestTurns(t *testing.T) {
	ours := &cloud.Error{Class: cloud.ClassThrottled, RetryAfter: time.Minute}
	times := map[time.Duration]bool{}
	for n := range 100 {
		m := &Memory{UID: types.UID(strconv.Itoa(n))}
		for tries := range 50 {
			m.record(StepLaunch, "t", begin, ours)
			got := m.wait(StepLaunch, "t", begin)
			spread := min(time.Duration(tries+2)*time.Second, turnMax)
			if got < time.Minute || got >= time.Minute+spread || got != m.wait(StepLaunch, "t", begin) {
				t.Fatalf("after %d tries it waits %s", tries+1, got)
			}
			times[got] = true
		}
	}
	if len(times) < 1000 {
		t.Errorf("they come back at %d different times only", len(times))
	}
}

func TestUnseenAt(t *testing.T) {
	tests := map[string]struct {
		of   string
		err  *cloud.Error
		at   time.Time
		want bool
	}{
		"answered at that time":          {of: "t", err: errUnseen, at: begin, want: true},
		"answered later":                 {of: "t", err: errUnseen, at: begin.Add(time.Second), want: true},
		"answered before":                {of: "t", err: errUnseen, at: begin.Add(-time.Second)},
		"not answered":                   {of: "t", err: &cloud.Error{Class: cloud.ClassNotYetVisible}, at: begin},
		"found":                          {of: "t", at: begin},
		"answered of another":            {of: "u", err: errUnseen, at: begin},
		"a later one of another is none": {of: "u", err: errUnseen, at: begin.Add(time.Hour)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := &Memory{}
			m.record(StepFindByToken, test.of, test.at, test.err)
			if got := m.unseenAt("t", begin); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
	if (Memory{}).unseenAt("", time.Time{}) {
		t.Error("what was never looked for is unseen")
	}
}

func TestMemories(t *testing.T) {
	all := &memories{}
	key := types.NamespacedName{Namespace: "team", Name: "web-1"}
	m := all.of(key, testUID, 1, begin)
	m.Rejected = "t"
	m.record(StepLaunch, "t", begin, &cloud.Error{Class: cloud.ClassInvalid})
	m.record(StepStart, "i-1", begin, nil)
	m.record(StepStop, "i-1", begin, &cloud.Error{Class: cloud.ClassThrottled})
	if all.of(key, testUID, 1, begin) != m || len(m.Calls) != 3 {
		t.Error("the same object is remembered otherwise")
	}
	// An edit may be the answer to an error, and none to being throttled.
	if all.of(key, testUID, 2, begin) != m || m.Generation != 2 || m.Rejected != "t" {
		t.Errorf("after an edit: %+v", m)
	}
	if _, ok := m.Calls[StepLaunch]; ok {
		t.Error("an error outlives the edit")
	}
	if len(m.Calls) != 2 {
		t.Errorf("an edit ended other waits: %+v", m.Calls)
	}
	if other := all.of(types.NamespacedName{Namespace: "team", Name: "web-2"}, testUID, 1, begin); other == m {
		t.Error("two objects share a memory")
	}
	// What it may be the answer to begins anew: a change that was accepted over and over.
	for range unshownTries {
		m.record(modifying("monitoring"), "i-1", begin, nil)
	}
	if all.of(key, testUID, 3, begin).Calls[modifying("monitoring")].unshown(begin) {
		t.Error("the edit does not have it tried anew")
	}
	// An object of the same name is another.
	recreated := all.of(key, otherUID, 1, begin)
	if recreated == m || recreated.Rejected != "" || recreated.UID != otherUID {
		t.Errorf("recreated: %+v", recreated)
	}
	all.drop(key)
	if all.of(key, otherUID, 1, begin) == recreated {
		t.Error("remembered after it was dropped")
	}
}

// An attempt that is begun anew, or taken over, is not given up for what EC2 has answered before: somebody had taken the intent away, or
// another process had it. That holds when the answer to the write is lost, too.
func TestAnIntentThatIsWrittenForgetsEarlierAnswers(t *testing.T) {
	for name, test := range map[string]struct {
		step   Step
		holder string
		before Memory
		lost   bool
		known  bool
		wrote  string
	}{
		"begun by its holder":                    {StepIntend, testIdentity, Memory{}, false, false, token(1)},
		"begun without a holder":                 {StepIntend, "", Memory{}, false, true, token(1)},
		"another one of the object's":            {StepIntend, testIdentity, Memory{Wrote: token(0), Held: token(0)}, false, false, token(1)},
		"begun again by its holder":              {StepIntend, testIdentity, Memory{Wrote: token(1), Held: token(1)}, false, false, ""},
		"begun again, and the answer is lost":    {StepIntend, testIdentity, Memory{Wrote: token(1), Held: token(1)}, true, false, ""},
		"begun again, which was another's":       {StepIntend, testIdentity, Memory{Seen: token(1)}, false, false, ""},
		"begun again after it was taken back":    {StepIntend, testIdentity, Memory{Held: token(1)}, false, false, ""},
		"begun again without a holder":           {StepIntend, "", Memory{Wrote: token(1)}, false, true, ""},
		"taken over":                             {StepTakeOver, testIdentity, Memory{}, false, false, ""},
		"taken back, which was its own":          {StepTakeOver, testIdentity, Memory{Wrote: token(1), Held: token(1)}, false, false, ""},
		"taken over, and another one is its own": {StepTakeOver, testIdentity, Memory{Wrote: token(0)}, false, false, token(0)},
	} {
		t.Run(name, func(t *testing.T) {
			m := test.before
			m.record(StepLaunch, token(1), begin, failureOf(cloud.ClassCapacity))
			intent := &LaunchIntent{Token: token(1), Holder: test.holder}
			isNew := m.mistrust(intent)
			if !test.lost {
				m.hold(test.step, intent, isNew, begin)
			}
			if known := m.failure(StepLaunch, token(1)) != nil; known != test.known || m.Wrote != test.wrote {
				t.Errorf("knows the answer: %t; wrote %q, want %q", known, m.Wrote, test.wrote)
			}
		})
	}
}
