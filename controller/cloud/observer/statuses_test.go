// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// young is owner n's instance, which was started just now.
func young(n int, s cloud.State) cloud.Instance {
	i := instance(n, s)
	i.LaunchTime = time.Now()
	return i
}

// expectChecks expects what an instance's system check says; "" is a status that is not known.
func (w *watch) expectChecks(n int, want cloud.CheckResult) {
	w.Helper()
	got := cloud.CheckResult("")
	if s := w.entry(n).Status; s != nil {
		got = s.System.Result
	}
	if got != want {
		w.Errorf("%s is %q, want %q", id(n), got, want)
	}
}

// Who is told of the first full list finds the statuses in it.
func TestTheFirstListHasStatuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := startWatch(t, New(Options{Cluster: testCluster, Random: middle}))
		f := newFakeEC2(instance(1, cloud.StateRunning), instance(2, cloud.StateStopped))
		f.setStatus(1, checks(cloud.CheckOK))
		f.statusDelay = time.Second
		w.view = w.observer.Track(testScope, f, testInterval)
		w.expectTold(time.Second - 1)
		if w.view.Synced() {
			t.Error("synced without statuses")
		}
		w.expectTold(1, "web-1", "web-2")
		w.expectChecks(1, cloud.CheckOK)
		w.expectChecks(2, "")
		if f.statusCalls() != 1 {
			t.Errorf("%d lists of statuses", f.statusCalls())
		}
	})
}

// At rest there is one list of statuses for each list of instances, and none while nothing runs.
func TestStatusListsAtRest(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning), instance(2, cloud.StateRunning), instance(3, cloud.StateStopped))
	inBubble(t, f, func(w *watch) {
		w.expectTold(10 * testInterval)
		if lists, looks := f.counts(); lists != 11 || looks != 0 || f.statusCalls() != 11 {
			w.Errorf("%d lists, %d looks and %d lists of statuses in ten intervals", lists, looks, f.statusCalls())
		}
		f.setState(id(1), cloud.StateStopped)
		f.setState(id(2), cloud.StateStopped)
		w.expectTold(testInterval, "web-1", "web-2")
		before := f.statusCalls()
		w.expectTold(10 * testInterval)
		if f.statusCalls() != before {
			w.Errorf("%d lists of statuses while nothing runs", f.statusCalls()-before)
		}
	})
}

// Results are told, and so is every change of them and of events; the same again is not.
func TestStatusesAreToldOnce(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning), instance(2, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		impaired := checks(cloud.CheckOK)
		impaired.System = cloud.Check{Result: cloud.CheckImpaired, Since: time.Now(), Detail: "reachability failed"}
		scheduled := impaired
		scheduled.Events = []cloud.ScheduledEvent{{Code: "instance-stop"}}
		for _, s := range []cloud.InstanceStatus{checks(cloud.CheckOK), impaired, scheduled, checks(cloud.CheckInitializing), checks(cloud.CheckOK)} {
			f.setStatus(1, s)
			w.expectTold(testInterval, "web-1")
			s.ID, s.State = id(1), cloud.StateRunning
			if diff := cmp.Diff(&s, w.entry(1).Status); diff != "" {
				w.Errorf("(-want +got):\n%s", diff)
			}
			w.expectTold(2 * testInterval)
		}
		w.expectChecks(2, cloud.CheckInitializing)
	})
}

// Statuses of instances that are not ours, which the call cannot leave out, wake nobody and are not kept.
func TestStatusesOfOthers(t *testing.T) {
	stranger := instance(1, cloud.StateRunning)
	stranger.Tags = nil
	f := newFakeEC2(stranger, instance(2, cloud.StateRunning))
	f.untagged[id(1)] = true
	inBubble(t, f, func(w *watch) {
		f.setStatus(1, checks(cloud.CheckImpaired))
		w.expectTold(10 * testInterval)
		if _, ok := w.view.ByID(id(1)); ok {
			w.Error("a stranger is in the store")
		}
	})
}

// While an instance that was just started has no results, statuses are listed every 15 seconds, all in one list however
// many instances wait, and for ten minutes at most.
func TestStatusListsWhileChecksInitialize(t *testing.T) {
	f := newFakeEC2()
	inBubble(t, f, func(w *watch) {
		time.Sleep(20 * time.Second)
		for n := range 50 {
			f.set(young(n, cloud.StatePending))
			w.view.Put(young(n, cloud.StatePending))
		}
		synctest.Wait()
		if f.statusCalls() != 0 {
			w.Errorf("%d lists of statuses before anything runs", f.statusCalls())
		}
		for n := range 50 {
			f.setState(id(n), cloud.StateRunning)
		}
		w.after(firstLook)
		begin := time.Now()
		w.expectTold(2*time.Minute - time.Second)
		var pauses []time.Duration
		for _, at := range f.statusLists {
			pauses = append(pauses, at.Sub(begin))
		}
		want := []time.Duration{0}
		for at := initializingPause; at < 2*time.Minute; at += initializingPause {
			want = append(want, at)
		}
		if diff := cmp.Diff(want, pauses); diff != "" {
			w.Errorf("lists of statuses (-want +got):\n%s", diff)
		}
		f.change(func() {
			for n := range 50 {
				f.statuses[id(n)] = checks(cloud.CheckOK)
			}
		})
		if told := w.after(time.Second); len(told) != 50 {
			w.Errorf("told %v", told)
		}
		before := f.statusCalls()
		w.expectTold(10 * testInterval)
		if calls := f.statusCalls() - before; calls != 10 {
			w.Errorf("%d lists of statuses in ten intervals at rest", calls)
		}
	})
}

func TestChecksThatNeverHaveResults(t *testing.T) {
	f := newFakeEC2()
	inBubble(t, f, func(w *watch) {
		f.set(young(1, cloud.StateRunning))
		w.view.Put(young(1, cloud.StateRunning))
		w.expectTold(initializeFor, "web-1")
		quick := f.statusCalls()
		if quick != int(initializeFor/initializingPause) {
			w.Errorf("%d lists of statuses in %v", quick, initializeFor)
		}
		w.expectTold(10 * testInterval)
		if calls := f.statusCalls() - quick; calls > 11 {
			w.Errorf("%d lists of statuses in the ten intervals after", calls)
		}
	})
}

// What is known is known of one start of the instance.
func TestStatusEndsWithTheStart(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	f.setStatus(1, checks(cloud.CheckOK))
	inBubble(t, f, func(w *watch) {
		w.expectChecks(1, cloud.CheckOK)
		w.view.PutState(id(1), cloud.StateStopping)
		w.expectChecks(1, "")
		// It was not stopped after all.
		w.after(testInterval)
		w.expectChecks(1, cloud.CheckOK)
		restarted := young(1, cloud.StateRunning)
		f.set(restarted)
		f.setStatus(1, checks(cloud.CheckInitializing))
		w.view.Put(restarted)
		w.expectChecks(1, "")
		w.after(initializingPause)
		w.expectChecks(1, cloud.CheckInitializing)
		f.setState(id(1), cloud.StateStopped)
		w.after(testInterval)
		w.expectChecks(1, "")
	})
}

// A status that was asked for before an answer came in is older than the answer.
func TestOlderStatusesAreIgnored(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		f.setStatus(1, checks(cloud.CheckOK))
		f.change(func() { f.duringStatuses = func() { w.view.Put(instance(1, cloud.StateRunning)) } })
		w.after(testInterval)
		w.expectChecks(1, cloud.CheckInitializing)
		f.change(func() { f.duringStatuses = nil })
		w.after(testInterval)
		w.expectChecks(1, cloud.CheckOK)
	})
}

// Instances go on being seen while statuses cannot be listed, and what was known stays known.
func TestFailedStatusLists(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning), instance(2, cloud.StateRunning))
	f.setStatus(1, checks(cloud.CheckOK))
	inBubble(t, f, func(w *watch) {
		denied := &cloud.Error{Op: "DescribeInstanceStatus", Class: cloud.ClassUnauthorized, Message: "no"}
		f.change(func() { f.statusErr = denied })
		// Who waits for a result is told why there is none, once.
		w.expectTold(testInterval, "web-2")
		w.expectTold(10 * testInterval)
		w.expectChecks(1, cloud.CheckOK)
		if !errors.Is(w.view.StatusError(), error(denied)) || w.view.LastError() != nil || !w.view.Synced() {
			w.Errorf("%v, %v, synced %v", w.view.StatusError(), w.view.LastError(), w.view.Synced())
		}
		if lists, _ := f.counts(); lists != 12 || f.statusCalls() != 12 {
			w.Errorf("%d lists and %d of statuses in eleven intervals", lists, f.statusCalls())
		}
		f.setState(id(1), cloud.StateStopped)
		w.expectTold(testInterval, "web-1")
		f.setState(id(1), cloud.StateRunning)
		w.expectTold(testInterval, "web-1")
		w.expectChecks(1, "")
		// Another reason is told, and so is the end of it.
		f.change(func() { f.statusErr = errors.New("lost") })
		w.expectTold(testInterval, "web-1", "web-2")
		f.change(func() { f.statusErr = nil })
		f.setStatus(1, checks(cloud.CheckInitializing))
		w.expectTold(testInterval, "web-1", "web-2")
		if w.view.StatusError() != nil {
			w.Errorf("still %v", w.view.StatusError())
		}
	})
}

func TestFailedStatusListsAreRepeated(t *testing.T) {
	tests := map[string]struct {
		err error
		// in the ten minutes after the first list
		lists int
	}{
		"transient": {&cloud.Error{Class: cloud.ClassTransient}, 14},
		"told when": {&cloud.Error{Class: cloud.ClassThrottled, RetryAfter: 25 * time.Second}, 12},
		"denied":    {&cloud.Error{Class: cloud.ClassUnauthorized}, 10},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFakeEC2(instance(1, cloud.StateRunning))
			inBubble(t, f, func(w *watch) {
				f.change(func() { f.statusErr = test.err })
				w.after(10 * time.Minute)
				if lists := f.statusCalls() - 1; lists != test.lists {
					w.Errorf("%d lists of statuses, want %d", lists, test.lists)
				}
				// An instance that was just started makes it no faster.
				before := f.statusCalls()
				f.set(young(2, cloud.StateRunning))
				w.view.Put(young(2, cloud.StateRunning))
				w.after(9 * testInterval)
				if lists := f.statusCalls() - before; lists > 10 {
					w.Errorf("%d lists of statuses for an instance that was just started", lists)
				}
			})
		})
	}
}

// A list of statuses that fails keeps the first full list from nobody.
func TestTheFirstListWithoutStatuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := startWatch(t, New(Options{Cluster: testCluster, Random: middle}))
		f := newFakeEC2(instance(1, cloud.StateRunning))
		f.statusErr = errors.New("lost")
		w.view = w.observer.Track(testScope, f, testInterval)
		w.expectTold(0, "web-1")
		if !w.view.Synced() || w.view.StatusError() == nil {
			t.Errorf("synced %v, %v", w.view.Synced(), w.view.StatusError())
		}
		f.change(func() { f.statusErr = nil })
		f.setStatus(1, checks(cloud.CheckOK))
		w.expectTold(2*time.Second, "web-1")
		w.expectChecks(1, cloud.CheckOK)
	})
}

// A short list takes nothing away; only when it goes on is it believed that EC2 says nothing of the instance any more.
func TestStatusesThatAreNotListed(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	f.setStatus(1, checks(cloud.CheckOK))
	inBubble(t, f, func(w *watch) {
		f.change(func() { f.hidden[id(1)] = true })
		w.expectTold(unlistedFor)
		f.change(func() { f.hidden[id(1)] = false })
		w.expectTold(testInterval)
		w.expectChecks(1, cloud.CheckOK)
		f.change(func() { f.hidden[id(1)] = true })
		w.expectTold(unlistedFor)
		w.expectTold(testInterval, "web-1")
		w.expectTold(10 * testInterval)
		if s := w.entry(1).Status; s == nil || s.HasResults() {
			w.Errorf("got %+v", s)
		}
		f.change(func() { f.hidden[id(1)] = false })
		w.expectTold(testInterval, "web-1")
		w.expectChecks(1, cloud.CheckOK)
	})
}

// Slow lists of statuses leave the others their turn, and slow lists of instances leave them theirs.
func TestSlowStatusListsLeaveOthersTheirTurn(t *testing.T) {
	for name, slow := range map[string]func(*fakeEC2){
		"statuses": func(f *fakeEC2) { f.statusDelay = 2 * time.Minute },
		"both":     func(f *fakeEC2) { f.delay, f.statusDelay = 2*time.Minute, 2*time.Minute },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeEC2(instance(1, cloud.StatePending), instance(2, cloud.StateRunning))
			slow(f)
			synctest.Test(t, func(t *testing.T) {
				w := startWatch(t, New(Options{Cluster: testCluster, Random: middle}))
				w.observer.Track(testScope, f, testInterval)
				time.Sleep(time.Hour)
				synctest.Wait()
				if lists, looks := f.counts(); lists < 9 || looks < 9 || f.statusCalls() < 9 {
					t.Errorf("%d lists, %d looks, %d lists of statuses", lists, looks, f.statusCalls())
				}
			})
		})
	}
}

func TestAnotherIntervalCountsForStatusesToo(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		w.observer.Track(testScope, f, 10*time.Second)
		w.after(testInterval)
		if calls := f.statusCalls(); calls != 7 {
			w.Errorf("%d lists of statuses", calls)
		}
	})
}

// What a lister that was replaced still says of statuses counts for nothing.
func TestAnotherListerDuringAStatusList(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		other := newFakeEC2(instance(1, cloud.StateRunning))
		other.delay = 10 * time.Second
		f.setStatus(1, checks(cloud.CheckImpaired))
		for _, err := range []error{nil, errors.New("lost")} {
			f.change(func() {
				f.statusErr = err
				f.duringStatuses = func() { w.observer.Track(testScope, other, testInterval) }
			})
			w.after(testInterval)
			w.expectChecks(1, cloud.CheckInitializing)
			if w.view.StatusError() != nil {
				w.Errorf("got %v", w.view.StatusError())
			}
			w.observer.Track(testScope, f, testInterval)
		}
	})
}
