// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

func TestTheFirstListTellsEveryOwnerOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := startWatch(t, New(Options{Cluster: testCluster, Random: middle}))
		second := instance(1, cloud.StateTerminated)
		second.ID = "i-other"
		stranger := instance(4, cloud.StateRunning)
		stranger.Tags = nil
		f := newFakeEC2(instance(1, cloud.StateRunning), second, instance(2, cloud.StateStopped), stranger)
		f.during = func() {
			if v := w.observer.Track(testScope, f, testInterval); v.Synced() || !v.LastList().IsZero() {
				t.Error("synced before the first list was complete")
			}
			if told := len(w.told); told != 0 {
				t.Errorf("told %d before the first list was complete", told)
			}
			if len(w.synced) != 0 {
				t.Error("told synced before it was")
			}
		}
		begin := time.Now()
		v := w.observer.Track(testScope, f, testInterval)
		w.expectTold(0, "web-1", "web-2")
		if !slices.Equal(w.synced, []Scope{testScope}) || !v.Synced() || !v.LastList().Equal(begin) || v.LastError() != nil {
			t.Errorf("synced: %v %v at %v, %v", w.synced, v.Synced(), v.LastList(), v.LastError())
		}
		f.change(func() { f.during = nil })
		w.expectTold(10 * time.Minute)
		if len(w.synced) != 1 {
			t.Errorf("told synced %d times", len(w.synced))
		}
	})
}

// Who was told of an instance before the first list must hear that it is another's.
func TestTheFirstListTellsWhoOwnsNothingAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := New(Options{Cluster: testCluster})
		v := o.Track(testScope, newFakeEC2(instance(1, cloud.StateRunning)), testInterval)
		before := instance(1, cloud.StateRunning)
		before.Tags = cloud.IdentityTags(testCluster, owner(2))
		v.Put(before)
		startWatch(t, o).expectTold(0, "web-1", "web-2")
	})
}

func TestChangesAreToldOnce(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning), instance(2, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		f.setState(id(1), cloud.StateStopped)
		f.set(instance(3, cloud.StateRunning))
		w.expectTold(testInterval, "web-1", "web-3")
		w.expectTold(10 * testInterval)
		w.expectState(1, cloud.StateStopped)
	})
}

func TestAPutIsToldOnce(t *testing.T) {
	f := newFakeEC2()
	inBubble(t, f, func(w *watch) {
		launched := instance(1, cloud.StatePending)
		f.set(launched)
		w.view.Put(launched)
		w.expectTold(0, "web-1")
		w.view.Put(launched)
		w.expectTold(10 * time.Minute)
		w.view.PutState(id(1), cloud.StateShuttingDown)
		w.expectTold(0, "web-1")
		w.view.PutState(id(1), cloud.StateShuttingDown)
		w.expectTold(0)
		w.view.MarkGone(id(1))
		w.expectTold(0, "web-1")
		w.view.MarkGone(id(1))
		w.expectTold(0)
	})
}

func TestWhatIsUnknownStaysUnknown(t *testing.T) {
	inBubble(t, newFakeEC2(), func(w *watch) {
		w.view.PutState(id(1), cloud.StateStopped)
		w.view.Look(id(1))
		w.view.MarkGone(id(1))
		w.view.Drop(id(1))
		w.view.Put(cloud.Instance{})
		w.expectTold(time.Hour)
		if _, ok := w.view.ByID(id(1)); ok || len(w.view.CountByState()) != 0 {
			w.Error("known")
		}
	})
}

// An empty answer deletes nothing; it is noticed once, and so is the instance's return.
func TestMissing(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning), instance(2, cloud.StateTerminated))
	inBubble(t, f, func(w *watch) {
		seen := w.entry(1).Seen
		f.change(func() { clear(f.instances) })
		w.expectTold(testInterval, "web-1")
		e := w.entry(1)
		if !e.Missing.Equal(w.view.LastList()) || !e.Seen.Equal(seen) || e.Gone || e.State != cloud.StateRunning {
			w.Errorf("got %+v", e)
		}
		since := e.Missing
		w.expectTold(10 * testInterval)
		if got := w.entry(1).Missing; !got.Equal(since) {
			w.Errorf("missing since %v, want %v", got, since)
		}
		if len(w.view.ByOwner(owner(1).UID)) != 1 {
			w.Error("not its owner's any more")
		}
		if !w.entry(2).Missing.IsZero() {
			w.Error("a terminated instance is missing")
		}
		f.set(instance(1, cloud.StateRunning))
		w.expectTold(testInterval, "web-1")
		if !w.entry(1).Missing.IsZero() {
			w.Error("still missing")
		}
	})
}

// A list says nothing of what was launched after it had begun.
func TestWhatIsPutDuringAListIsNotMissing(t *testing.T) {
	f := newFakeEC2()
	inBubble(t, f, func(w *watch) {
		f.change(func() { f.during = func() { w.view.Put(instance(1, cloud.StatePending)) } })
		w.expectTold(testInterval, "web-1")
		if !w.entry(1).Missing.IsZero() {
			w.Error("missing")
		}
		// The next list says something.
		f.change(func() { f.during = nil })
		w.expectTold(testInterval, "web-1")
		if w.entry(1).Missing.IsZero() {
			w.Error("not missing")
		}
	})
}

// Somebody removed the tags by which instances are listed.
func TestUntaggedInstancesAreNotMissing(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		untagged := instance(1, cloud.StateRunning)
		untagged.Tags = nil
		f.set(untagged)
		f.change(func() { f.untagged[id(1)] = true })
		w.expectTold(testInterval, "web-1")
		e := w.entry(1)
		if !e.Missing.IsZero() || e.Tags != nil || e.OwnedBy != owner(1) {
			w.Errorf("got %+v", e)
		}
		w.expectTold(10 * testInterval)
		if entries := w.view.ByOwner(owner(1).UID); len(entries) != 1 {
			w.Errorf("its owner's are %v", entries)
		}
	})
}

func TestTerminatedInstancesKeepTheirOwner(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateShuttingDown))
	inBubble(t, f, func(w *watch) {
		faded := instance(1, cloud.StateTerminated)
		faded.Tags = nil
		f.set(faded)
		f.change(func() { f.untagged[id(1)] = true })
		w.expectTold(firstLook, "web-1")
		entries := w.view.ByOwner(owner(1).UID)
		if len(entries) != 1 || entries[0].State != cloud.StateTerminated || entries[0].OwnedBy != owner(1) {
			w.Errorf("got %+v", entries)
		}
	})
}

func TestAnotherOwnerIsToldAndSoIsTheOneBefore(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		moved := instance(1, cloud.StateRunning)
		moved.Tags = cloud.IdentityTags(testCluster, owner(2))
		f.set(moved)
		w.expectTold(testInterval, "web-1", "web-2")
		if len(w.view.ByOwner(owner(1).UID)) != 0 || len(w.view.ByOwner(owner(2).UID)) != 1 {
			w.Error("the index lags")
		}
	})
}

func TestDeadInstancesAreForgotten(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateTerminated), instance(2, cloud.StateRunning), instance(3, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		// As long as EC2 shows them they stay.
		w.expectTold(3 * time.Hour)
		w.expectState(1, cloud.StateTerminated)
		f.change(func() { clear(f.instances) })
		w.expectTold(testInterval, "web-2", "web-3")
		w.view.MarkGone(id(2))
		w.expectTold(forgetAfter-testInterval, "web-2")
		w.expectState(1, cloud.StateTerminated)
		w.expectTold(2 * testInterval)
		for n, want := range map[int]bool{1: false, 2: false, 3: true} {
			if _, ok := w.view.ByID(id(n)); ok != want {
				w.Errorf("%s in store: %v", id(n), ok)
			}
		}
		if len(w.view.ByOwner(owner(1).UID)) != 0 {
			w.Error("still its owner's")
		}
		if _, ok := w.view.ByToken(instance(1, "").ClientToken); ok {
			w.Error("still found by token")
		}
	})
}

func TestGoneIsTakenBackWhenEC2ShowsTheInstance(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		w.view.MarkGone(id(1))
		if !w.entry(1).Gone || w.view.CountByState()[cloud.StateRunning] != 0 {
			w.Error("not gone")
		}
		w.after(0)
		w.expectTold(testInterval, "web-1")
		if w.entry(1).Gone {
			w.Error("gone")
		}
	})
}

func TestDrop(t *testing.T) {
	tests := map[string]struct {
		state cloud.State
		back  bool
	}{
		// A live instance must not be hidden from an owner that comes back, as after a restore.
		"live":          {cloud.StateRunning, true},
		"shutting down": {cloud.StateShuttingDown, false},
		"terminated":    {cloud.StateTerminated, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFakeEC2(instance(1, test.state))
			inBubble(t, f, func(w *watch) {
				w.view.Drop(id(1))
				expectHidden(w)
				told := []string{}
				if test.back {
					told = append(told, "web-1")
				}
				w.expectTold(testInterval, told...)
				if !test.back {
					expectHidden(w)
				}
				w.expectTold(10 * testInterval)
			})
		})
	}
}

func expectHidden(w *watch) {
	w.Helper()
	if _, ok := w.view.ByID(id(1)); ok {
		w.Error("found by id")
	}
	if _, ok := w.view.ByToken(instance(1, "").ClientToken); ok {
		w.Error("found by token")
	}
	if len(w.view.ByOwner(owner(1).UID)) != 0 {
		w.Error("found by owner")
	}
	if len(w.view.CountByState()) != 0 {
		w.Error("counted")
	}
}

func TestLookups(t *testing.T) {
	at := func(n int, s cloud.State, launched int) cloud.Instance {
		i := instance(1, s)
		i.ID, i.LaunchTime, i.ClientToken = id(n), time.Unix(int64(launched), 0), "token"
		return i
	}
	f := newFakeEC2(at(1, cloud.StateRunning, 3), at(2, cloud.StateTerminated, 1), at(3, cloud.StateStopped, 2), at(4, cloud.StatePending, 2))
	inBubble(t, f, func(w *watch) {
		var ids []string
		for _, e := range w.view.ByOwner(owner(1).UID) {
			ids = append(ids, e.ID)
		}
		if want := []string{id(2), id(3), id(4), id(1)}; !slices.Equal(ids, want) {
			w.Errorf("owner's are %v, want %v", ids, want)
		}
		if e, ok := w.view.ByToken("token"); !ok || e.ID != id(3) {
			w.Errorf("token's is %v", e.ID)
		}
		if _, ok := w.view.ByToken(""); ok {
			w.Error("no token is something's")
		}
		if len(w.view.ByOwner("")) != 0 {
			w.Error("no owner is something's")
		}
		counts := w.view.CountByState()
		if len(counts) != 4 || counts[cloud.StateStopped] != 1 {
			w.Errorf("counts are %v", counts)
		}
	})
}
