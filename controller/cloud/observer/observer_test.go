// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// A session is what the observer lists with.
var _ Lister = cloud.Session(nil)

func TestFailedListsKeepTheWorld(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		listed := w.view.LastList()
		down := &cloud.Error{Op: "DescribeInstances", Class: cloud.ClassUnauthorized, Message: "no"}
		f.change(func() { f.listErr = down })
		for failures := 1; failures <= blindAfter; failures++ {
			w.expectTold(testInterval)
			if !errors.Is(w.view.LastError(), error(down)) || !w.view.LastList().Equal(listed) {
				w.Errorf("after %d: %v, %v", failures, w.view.LastError(), w.view.LastList())
			}
			if w.view.Synced() != (failures < blindAfter) {
				w.Errorf("after %d failures synced is %v", failures, w.view.Synced())
			}
			w.expectState(1, cloud.StateRunning)
		}
		if lists, _ := f.counts(); lists != 1+blindAfter {
			w.Errorf("%d lists", lists)
		}
		f.change(func() { f.listErr = nil })
		w.expectTold(testInterval)
		if w.view.LastError() != nil || !w.view.Synced() || len(w.synced) != 2 {
			w.Errorf("recovered: %v, %v, %v", w.view.LastError(), w.view.Synced(), w.synced)
		}
	})
}

// Lists are repeated as their error says, and never later than the interval says.
func TestFailedListsAreRepeated(t *testing.T) {
	tests := map[string]struct {
		err error
		// in the ten minutes after the first list
		lists int
	}{
		"transient": {&cloud.Error{Class: cloud.ClassTransient}, 14},
		"unknown":   {errors.New("anything"), 14},
		"throttled": {&cloud.Error{Class: cloud.ClassThrottled}, 13},
		"told when": {&cloud.Error{Class: cloud.ClassThrottled, RetryAfter: 25 * time.Second}, 12},
		"denied":    {&cloud.Error{Class: cloud.ClassUnauthorized}, 10},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFakeEC2()
			inBubble(t, f, func(w *watch) {
				before, _ := f.counts()
				f.change(func() { f.listErr = test.err })
				w.after(10 * time.Minute)
				if lists, _ := f.counts(); lists-before != test.lists {
					w.Errorf("%d lists, want %d", lists-before, test.lists)
				}
			})
		})
	}
}

func TestFailedLooksAreRepeatedMoreSlowly(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StatePending))
	inBubble(t, f, func(w *watch) {
		f.change(func() { f.lookErr = &cloud.Error{Class: cloud.ClassThrottled} })
		w.expectTold(59 * time.Second)
		if _, looks := f.counts(); looks != 5 {
			w.Errorf("%d looks in a minute", looks)
		}
		f.change(func() { f.lookErr = nil })
		f.setState(id(1), cloud.StateRunning)
		w.expectTold(30*time.Second, "web-1")
	})
}

// A list that breaks off has news too, but says nothing of what it did not come to.
func TestListsThatBreakOff(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning), instance(2, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		broken := &brokenLister{fakeEC2: newFakeEC2(instance(1, cloud.StateStopped)), err: errors.New("lost")}
		w.observer.Track(testScope, broken, testInterval)
		w.after(0)
		w.expectState(1, cloud.StateStopped)
		if w.view.Synced() || !w.entry(2).Missing.IsZero() {
			w.Error("half a list counts as one")
		}
	})
}

// brokenLister fails after its pages.
type brokenLister struct {
	*fakeEC2
	err error
}

func (b *brokenLister) List(ctx context.Context, yield func([]cloud.Instance) error) error {
	if err := b.fakeEC2.List(ctx, yield); err != nil {
		return err
	}
	return b.err
}

// If what the list lacked could not be looked at, nothing is missing.
func TestNothingIsMissingThatCouldNotBeLookedAt(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		f.change(func() {
			clear(f.instances)
			f.lookErr = errors.New("lost")
		})
		w.expectTold(unlistedFor - testInterval)
		if !w.entry(1).Missing.IsZero() || w.view.LastError() == nil {
			w.Errorf("missing since %v, %v", w.entry(1).Missing, w.view.LastError())
		}
	})
}

func TestOneScopesTroubleDelaysNoOther(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StatePending))
	inBubble(t, f, func(w *watch) {
		hanging := newFakeEC2()
		hanging.delay = 24 * time.Hour
		w.observer.Track(Scope{Account: "hanging", Region: "eu-central-1"}, hanging, testInterval)
		failing := newFakeEC2()
		failing.listErr = errors.New("no")
		w.observer.Track(Scope{Account: "failing", Region: "eu-central-1"}, failing, testInterval)
		f.setState(id(1), cloud.StateRunning)
		w.expectTold(firstLook, "web-1")
		lists, _ := f.counts()
		w.after(10 * testInterval)
		if after, _ := f.counts(); after-lists != 10 {
			w.Errorf("%d lists in ten intervals", after-lists)
		}
	})
}

func TestTrackAgain(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		for range 3 {
			if w.observer.Track(testScope, f, testInterval) != w.view {
				w.Error("another view")
			}
		}
		w.expectTold(0)
		if lists, _ := f.counts(); lists != 1 {
			w.Errorf("%d lists", lists)
		}
	})
}

func TestAnotherIntervalCountsAtOnce(t *testing.T) {
	f := newFakeEC2()
	inBubble(t, f, func(w *watch) {
		w.observer.Track(testScope, f, 10*time.Second)
		w.after(testInterval)
		if lists, _ := f.counts(); lists != 7 {
			w.Errorf("%d lists", lists)
		}
		w.observer.Track(testScope, f, time.Hour)
		w.after(2 * time.Hour)
		if lists, _ := f.counts(); lists != 9 {
			w.Errorf("%d lists in the end", lists)
		}
		// No interval is not an endless loop.
		w.observer.Track(testScope, f, 0)
		w.after(time.Minute)
		if lists, _ := f.counts(); lists > 9+31 {
			w.Errorf("%d lists without an interval", lists)
		}
	})
}

// Other credentials may show another world: what is known stays known, but does not count as all there is.
func TestAnotherListerMustListFirst(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		other := newFakeEC2(instance(1, cloud.StateRunning), instance(2, cloud.StateRunning))
		other.delay = time.Second
		if v := w.observer.Track(testScope, other, testInterval); v != w.view || v.Synced() {
			w.Errorf("another view or synced: %v", v.Synced())
		}
		w.expectState(1, cloud.StateRunning)
		w.expectTold(time.Second, "web-1", "web-2")
		if !w.view.Synced() || len(w.synced) != 2 {
			w.Errorf("synced: %v, %v", w.view.Synced(), w.synced)
		}
		w.after(time.Hour)
		if lists, _ := f.counts(); lists != 1 {
			w.Errorf("the lister before was called %d times", lists)
		}
	})
}

// What the lister before still answers counts for nothing.
func TestAnotherListerDuringAList(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		other := newFakeEC2(instance(1, cloud.StateRunning))
		other.delay = 10 * time.Second
		f.change(func() {
			clear(f.instances)
			f.during = func() { w.observer.Track(testScope, other, testInterval) }
		})
		w.after(testInterval)
		if w.view.Synced() || !w.entry(1).Missing.IsZero() {
			w.Errorf("synced %v, missing since %v", w.view.Synced(), w.entry(1).Missing)
		}
		w.after(10 * time.Second)
		if !w.view.Synced() {
			w.Error("not synced")
		}
	})
}

// incomparable cannot be compared with ==.
type incomparable struct {
	*fakeEC2
	_ []int
}

func TestListersNeedNotBeComparable(t *testing.T) {
	inBubble(t, newFakeEC2(), func(w *watch) {
		w.observer.Track(testScope, incomparable{fakeEC2: newFakeEC2()}, testInterval)
		w.observer.Track(testScope, incomparable{fakeEC2: newFakeEC2()}, testInterval)
		w.after(testInterval)
		if !w.view.Synced() {
			w.Error("not synced")
		}
	})
}

func TestForget(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StatePending))
	inBubble(t, f, func(w *watch) {
		other := newFakeEC2()
		w.observer.Track(Scope{Account: "other", Region: "eu-central-1"}, other, testInterval)
		elsewhere := newFakeEC2()
		elsewhere.delay = time.Hour // Forgotten in the middle of a call.
		w.observer.Track(Scope{Account: "default", Region: "us-east-1"}, elsewhere, testInterval)
		w.after(0)
		w.observer.Forget("default")
		lists, looks := f.counts()
		w.after(time.Hour)
		if l, k := f.counts(); l != lists || k != looks {
			w.Errorf("%d lists and %d looks after it was forgotten", l-lists, k-looks)
		}
		if w.view.Synced() {
			w.Error("synced")
		}
		if lists, _ := other.counts(); lists != 61 {
			w.Errorf("the other account was listed %d times", lists)
		}
		if w.observer.Track(testScope, f, testInterval) == w.view {
			w.Error("the forgotten view came back")
		}
		w.after(0)
		if l, _ := f.counts(); l != lists+1 {
			w.Errorf("tracked again it was listed %d times", l-lists)
		}
	})
}

func TestForgetBeforeStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := New(Options{Cluster: testCluster})
		f := newFakeEC2()
		o.Track(testScope, f, testInterval)
		o.Forget(testScope.Account)
		startWatch(t, o)
		time.Sleep(time.Hour)
		if lists, _ := f.counts(); lists != 0 {
			t.Errorf("%d lists", lists)
		}
	})
}

func TestTrackBeforeStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := New(Options{Cluster: testCluster})
		f := newFakeEC2(instance(1, cloud.StateRunning))
		v := o.Track(testScope, f, testInterval)
		synctest.Wait()
		if lists, _ := f.counts(); lists != 0 || v.Synced() {
			t.Errorf("%d lists before the start", lists)
		}
		w := startWatch(t, o)
		w.expectTold(0, "web-1")
	})
}

// Start returns when all pollers have ended, also those in the middle of a call.
func TestStartWaitsForItsPollers(t *testing.T) {
	f := newFakeEC2()
	inBubble(t, f, func(w *watch) {
		for _, account := range []string{"a", "b"} {
			hanging := newFakeEC2()
			hanging.delay = time.Hour
			w.observer.Track(Scope{Account: account}, hanging, testInterval)
		}
		w.after(0)
		begin := time.Now()
		w.stop()
		if took := time.Since(begin); took != 0 {
			w.Errorf("took %v", took)
		}
		lists, _ := f.counts()
		// Too late.
		v := w.observer.Track(Scope{Account: "c"}, newFakeEC2(), testInterval)
		w.after(time.Hour)
		if after, _ := f.counts(); after != lists || v.Synced() {
			w.Error("observed after the end")
		}
		if err := w.observer.Start(w.Context()); err == nil {
			w.Error("started again")
		}
	})
}

func TestSeveralSubscribers(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		var told []cloud.Owner
		w.observer.OnChange(func(o cloud.Owner) {
			// Nothing is locked while subscribers are told.
			if _, ok := w.view.ByID(id(1)); ok {
				told = append(told, o)
			}
		})
		w.view.PutState(id(1), cloud.StateStopping)
		w.expectTold(0, "web-1")
		if !slices.Equal(told, []cloud.Owner{owner(1)}) {
			w.Errorf("the other was told of %v", told)
		}
	})
}

func TestAStandbyObserves(t *testing.T) {
	if New(Options{}).NeedLeaderElection() {
		t.Error("observes only as the leader")
	}
}
