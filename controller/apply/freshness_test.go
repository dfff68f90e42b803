// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// begin is when the tests' writes are made.
var begin = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func TestFreshness(t *testing.T) {
	const a, b = types.UID("a"), types.UID("b")
	recorded := func(versions ...string) *writes {
		w := &writes{}
		for _, v := range versions {
			w.record(a, v, begin)
		}
		return w
	}
	for _, test := range []struct {
		says   string
		writes *writes
		uid    types.UID
		cached string
		want   bool
	}{
		{"nothing was written", recorded(), a, "1", true},
		{"another object was written", recorded("10"), b, "1", true},
		{"the cache is behind", recorded("10"), a, "9", false},
		{"the cache has caught up", recorded("10"), a, "10", true},
		{"the cache is ahead", recorded("10"), a, "11", true},
		{"versions are numbers, not text", recorded("100"), a, "99", false},
		{"behind the latest of two writes", recorded("10", "12"), a, "11", false},
		{"answers out of order", recorded("12", "10"), a, "11", false},
		{"the cached version is no number", recorded("10"), a, "x9", true},
		{"the cached version is empty", recorded("10"), a, "", true},
		{"the written version is no number", recorded("x10"), a, "9", true},
		{"a number replaces what is none", recorded("x10", "10"), a, "9", false},
		{"an answer without version", recorded("10", ""), a, "9", false},
	} {
		t.Run(test.says, func(t *testing.T) {
			if got := test.writes.contained(test.uid, test.cached, begin); got != test.want {
				t.Errorf("contained(%s, %q) is %t, want %t", test.uid, test.cached, got, test.want)
			}
		})
	}
}

// TestCaughtUpIsForgotten: what the cache has shown once need not be remembered, since a cache does not go back.
func TestCaughtUpIsForgotten(t *testing.T) {
	var w writes
	w.record("a", "10", begin)
	w.record("b", "10", begin)
	w.record("", "10", begin)
	if !w.contained("a", "10", begin) || len(w.latest) != 1 {
		t.Errorf("%v is remembered, want only b", w.latest)
	}
	w.forget("b")
	w.forget("b")
	if !w.contained("b", "1", begin) || len(w.latest) != 0 {
		t.Errorf("%v is remembered after all was forgotten", w.latest)
	}
}

// TestACacheThatWentBack: after etcd was restored from a backup the cache never shows an earlier write, and is waited for a minute.
func TestACacheThatWentBack(t *testing.T) {
	var w writes
	w.record("a", "10", begin)
	if w.contained("a", "9", begin.Add(lagMax-1)) {
		t.Error("the write is not waited for")
	}
	if !w.contained("a", "9", begin.Add(lagMax)) || len(w.latest) != 0 {
		t.Errorf("%v is waited for", w.latest)
	}
}

// TestFreshnessIsSharedByWorkers is for the race detector.
func TestFreshnessIsSharedByWorkers(t *testing.T) {
	var w writes
	var group sync.WaitGroup
	for _, uid := range []types.UID{"a", "b", "a"} {
		group.Go(func() {
			w.record(uid, "10", begin)
			w.contained(uid, "9", begin)
			w.forget(uid)
		})
	}
	group.Wait()
	if len(w.latest) != 0 {
		t.Errorf("%v is remembered", w.latest)
	}
}

// TestForeign: what is newer than all that we have written, while nothing of ours is on its way, is somebody else's.
func TestForeign(t *testing.T) {
	var w writes
	steps := []struct {
		name    string
		do      func()
		version string
		want    bool
	}{
		{"nothing was written", func() {}, "5", true},
		{"ours", func() { w.record("a", "10", begin) }, "10", false},
		{"what came before ours", func() {}, "9", false},
		{"what came after ours", func() {}, "11", true},
		{"an older answer comes late", func() { w.record("a", "8", begin) }, "10", false},
		{"ours, which the cache has shown since", func() { w.contained("a", "10", begin) }, "10", false},
		{"something while one of ours is on its way", func() { w.sending("a") }, "11", false},
		{"its answer is here", func() { w.record("a", "11", begin); w.setOwn("a", own{version: "11"}) }, "12", true},
		{"it was forgotten", func() { w.forget("a") }, "11", true},
	}
	for _, s := range steps {
		s.do()
		if got := w.foreign("a", s.version); got != s.want {
			t.Errorf("%s: version %s is somebody else's: %t, want %t", s.name, s.version, got, s.want)
		}
	}
	done := w.sending("a")
	w.forget("a")
	if done(); len(w.own) != 0 {
		t.Errorf("%v is remembered after all was forgotten", w.own)
	}
}
