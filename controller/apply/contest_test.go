// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

func key(uid types.UID, field string) contestKey {
	return contestKey{uid: uid, manager: us, field: field}
}

// TestPausesGrow: each take-over within a minute of the last taking back begins a pause, twice as long as the one
// before and at most 15 minutes; and when it was quiet for long, all starts anew.
func TestPausesGrow(t *testing.T) {
	var c contests
	k, now, version := key("a", ".x"), someTime, 1
	// takeOver is one by somebody else, after a while. It returns the pause that it begins, and takes the field back
	// when that is over, late by a little.
	takeOver := func(after, late time.Duration) time.Duration {
		t.Helper()
		now = now.Add(after)
		version++
		began := now
		until, leave := c.leave(k, strconv.Itoa(version), now)
		if leave {
			now = until
			if again, still := c.leave(k, strconv.Itoa(version), now.Add(-time.Nanosecond)); !still || !again.Equal(until) {
				t.Errorf("just before %s the field is left until %s: %t", until, again, still)
			}
			if _, still := c.leave(k, strconv.Itoa(version), now); still {
				t.Errorf("at %s the field is still left", until)
			}
		}
		now = now.Add(late)
		version++
		c.took(k, strconv.Itoa(version), now)
		if !leave {
			return 0
		}
		return until.Sub(began)
	}
	for i, step := range []struct {
		after, late, pause time.Duration
	}{
		{0, 0, 0},
		{time.Minute, 0, 0}, // A minute later is not at once.
		{time.Minute - 1, 0, time.Minute},
		{0, 0, 2 * time.Minute},
		{30 * time.Second, 0, 4 * time.Minute},
		{10 * time.Minute, 0, 0}, // Taken back at once, but not forgotten.
		{time.Second, 0, 8 * time.Minute},
		{time.Second, 0, 15 * time.Minute},
		{time.Second, 5 * time.Minute, 15 * time.Minute}, // Taken back late.
		{time.Second, 0, 15 * time.Minute},
		{16*time.Minute + 1, 0, 0},
		{time.Second, 0, time.Minute}, // A new fight.
	} {
		if got := takeOver(step.after, step.late); got != step.pause {
			t.Errorf("step %d: the pause is %s, want %s", i, got, step.pause)
		}
	}
}

// TestContestsAreApart: a fight is over one field of one object with one manager of ours.
func TestContestsAreApart(t *testing.T) {
	var c contests
	c.took(key("a", ".x"), "1", someTime)
	now := someTime.Add(time.Second)
	for _, other := range []contestKey{
		key("b", ".x"), key("a", ".y"),
		{uid: "a", manager: other, field: ".x"},
		{uid: "a", manager: us, subresource: "status", field: ".x"},
	} {
		if _, leave := c.leave(other, "2", now); leave || c.unseen(other, "0") {
			t.Errorf("%v is in the fight", other)
		}
	}
	if _, leave := c.leave(key("a", ".x"), "2", now); !leave {
		t.Error("the field itself is not in the fight")
	}
}

// TestUnseen: an object from before the taking back shows the take-over that was answered, not another one.
func TestUnseen(t *testing.T) {
	var c contests
	c.took(key("a", ".x"), "10", someTime)
	for version, want := range map[string]bool{"9": true, "10": false, "11": false, "": false, "x": false} {
		if got := c.unseen(key("a", ".x"), version); got != want {
			t.Errorf("at %q it is unseen: %t", version, got)
		}
		if _, leave := c.leave(key("a", ".x"), version, someTime); leave == want {
			t.Errorf("at %q it is left: %t", version, leave)
		}
	}
}

// TestFightsAreForgotten: with their object, and after an hour when there is another one.
func TestFightsAreForgotten(t *testing.T) {
	var c contests
	c.forget("a")
	for _, uid := range []types.UID{"a", "b"} {
		c.took(key(uid, ".x"), "1", someTime)
		c.took(key(uid, ".y"), "1", someTime.Add(time.Minute))
	}
	c.forget("a")
	if len(c.all) != 2 {
		t.Errorf("%d fights are remembered, want those of b", len(c.all))
	}
	if _, leave := c.leave(key("a", ".x"), "2", someTime); leave {
		t.Error("a forgotten field is left")
	}
	c.took(key("c", ".x"), "1", someTime.Add(time.Hour+1))
	if _, ok := c.all[key("b", ".x")]; ok || len(c.all) != 2 {
		t.Errorf("after an hour %v is remembered", c.all)
	}
}

// TestPausesAreBounded, and a field that is left is left until the same time, whoever asks.
func TestPausesAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c contests
		k, now := key("a", ".x"), someTime
		for range 30 {
			now = now.Add(time.Duration(rapid.IntRange(0, 20*60).Draw(t, "seconds")) * time.Second)
			until, leave := c.leave(k, "", now)
			if !leave {
				c.took(k, "", now)
				continue
			}
			if wait := until.Sub(now); wait <= 0 || wait > fightPauseMax {
				t.Fatalf("the field is left for %s", wait)
			}
			if again, _ := c.leave(k, "", now); !again.Equal(until) {
				t.Fatalf("the field is left until %s, and then until %s", until, again)
			}
		}
	})
}

// TestContestsAreSharedByWorkers is for the race detector.
func TestContestsAreSharedByWorkers(t *testing.T) {
	var c contests
	done := make(chan bool)
	for range 2 {
		go func() {
			c.took(key("a", ".x"), "1", someTime)
			c.leave(key("a", ".x"), "2", someTime)
			c.unseen(key("a", ".x"), "0")
			c.forget("a")
			done <- true
		}()
	}
	<-done
	<-done
	if len(c.all) != 0 {
		t.Errorf("%v is remembered", c.all)
	}
}
