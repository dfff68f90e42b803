// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// At rest EC2 costs one call for each thousand instances and interval.
func TestCallsAtRest(t *testing.T) {
	f := newFakeEC2()
	for n := range 2500 {
		f.instances[id(n)] = instance(n, cloud.StateRunning)
	}
	inBubble(t, f, func(w *watch) {
		w.expectTold(10 * testInterval)
		lists, looks := f.counts()
		if lists != 11 || f.pages != 11*3 || looks != 0 {
			w.Errorf("%d lists with %d pages and %d looks in ten intervals", lists, f.pages, looks)
		}
	})
}

func TestListsAreJittered(t *testing.T) {
	for random, want := range map[float64]int{0: 67, 0.5: 61, 0.999999: 55} {
		synctest.Test(t, func(t *testing.T) {
			w := startWatch(t, New(Options{Cluster: testCluster, Random: func() float64 { return random }}))
			f := newFakeEC2()
			w.observer.Track(testScope, f, testInterval)
			time.Sleep(time.Hour)
			synctest.Wait()
			if lists, _ := f.counts(); lists != want {
				t.Errorf("%v: %d lists in an hour, want %d", random, lists, want)
			}
		})
	}
}

// In motion, an instance is looked at after 2 s, then less and less often, and at least every 10 s.
func TestLooksAtWhatIsInMotion(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StatePending), instance(2, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		begin := time.Now()
		w.expectTold(time.Hour)
		want := []time.Duration{2 * time.Second, 5 * time.Second, 9500 * time.Millisecond, 16250 * time.Millisecond, 26250 * time.Millisecond, 36250 * time.Millisecond}
		for i, pause := range want {
			if got := f.looks[i].at.Sub(begin); got != pause {
				w.Errorf("look %d comes after %v, want %v", i, got, pause)
			}
		}
		if _, looks := f.counts(); looks < 359 || looks > 365 {
			w.Errorf("%d looks in an hour", looks)
		}
		for _, l := range f.looks {
			if len(l.ids) != 1 || l.ids[0] != id(1) {
				w.Fatalf("looked at %v", l.ids)
			}
		}
	})
}

func TestLooksEndWhenTheInstanceRests(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StatePending))
	inBubble(t, f, func(w *watch) {
		f.setState(id(1), cloud.StateRunning)
		w.expectTold(firstLook, "web-1")
		w.expectState(1, cloud.StateRunning)
		_, before := f.counts()
		w.expectTold(50 * time.Second)
		if _, looks := f.counts(); looks != before {
			w.Errorf("%d looks at rest", looks-before)
		}
	})
}

// However many are in motion and whenever they began, looks are together and two seconds apart.
func TestLooksAreTogetherAndApart(t *testing.T) {
	f := newFakeEC2()
	inBubble(t, f, func(w *watch) {
		for n := range 450 {
			f.set(instance(n, cloud.StatePending))
			w.view.Put(instance(n, cloud.StatePending))
			time.Sleep(13 * time.Millisecond)
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		for i, l := range f.looks {
			if i > 0 && l.at.Sub(f.looks[i-1].at) < firstLook {
				w.Errorf("two looks are %v apart", l.at.Sub(f.looks[i-1].at))
			}
		}
		seen := map[string]int{}
		for _, l := range f.looks {
			for _, id := range l.ids {
				seen[id]++
			}
		}
		if len(seen) != 450 {
			w.Errorf("looked at %d instances", len(seen))
		}
		for id, times := range seen {
			if times < 4 {
				w.Errorf("looked at %s %d times in half a minute", id, times)
			}
		}
	})
}

func TestLooksAtWhatWasChangedForHalfAMinute(t *testing.T) {
	tests := map[string]func(*View){
		"Look":     func(v *View) { v.Look(id(1)) },
		"Put":      func(v *View) { v.Put(instance(1, cloud.StateRunning)) },
		"PutState": func(v *View) { v.PutState(id(1), cloud.StateRunning) },
	}
	for name, touch := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFakeEC2(instance(1, cloud.StateRunning))
			inBubble(t, f, func(w *watch) {
				w.after(10 * time.Second)
				touch(w.view)
				w.expectTold(40 * time.Second)
				if _, looks := f.counts(); looks != 5 {
					w.Errorf("%d looks", looks)
				}
				w.expectTold(5 * time.Minute)
				if _, looks := f.counts(); looks != 5 {
					w.Errorf("%d looks in the end", looks)
				}
			})
		})
	}
}

func TestALookBringsNewTags(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		tagged := instance(1, cloud.StateRunning)
		tagged.Tags["team"] = "shop"
		f.set(tagged)
		w.view.Look(id(1))
		w.expectTold(firstLook, "web-1")
		if got := w.entry(1).Tags["team"]; got != "shop" {
			w.Errorf("tag is %q", got)
		}
	})
}

// A list that takes longer than its interval leaves the looks their turn.
func TestSlowListsLeaveLooksTheirTurn(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StatePending))
	f.delay = 2 * time.Minute
	synctest.Test(t, func(t *testing.T) {
		w := startWatch(t, New(Options{Cluster: testCluster, Random: middle}))
		w.observer.Track(testScope, f, testInterval)
		time.Sleep(time.Hour)
		synctest.Wait()
		if lists, looks := f.counts(); lists < 14 || looks < 14 {
			t.Errorf("%d lists and %d looks", lists, looks)
		}
	})
}
