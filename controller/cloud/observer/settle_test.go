// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"testing"
	"time"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// Descriptions lag behind answers: what they show of the state before is not believed for a while.
func TestAnswersOutrankDescriptions(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		w.view.PutState(id(1), cloud.StateStopping)
		w.expectTold(0, "web-1")
		w.expectTold(settleFor - time.Second)
		if _, looks := f.counts(); looks == 0 {
			w.Error("never looked")
		}
		w.expectState(1, cloud.StateStopping)
		// A single lookup is a description too.
		w.view.Put(instance(1, cloud.StateRunning))
		w.expectState(1, cloud.StateStopping)
		f.setState(id(1), cloud.StateStopped)
		w.expectTold(slowestLook, "web-1")
		w.expectState(1, cloud.StateStopped)
	})
}

// Parts of EC2 may disagree for a while: one that has caught up proves nothing for the others.
func TestAnswersOutrankDescriptionsThatGoBackAndForth(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		w.view.PutState(id(1), cloud.StateStopping)
		f.setState(id(1), cloud.StateStopping)
		w.expectTold(4*time.Second, "web-1")
		f.setState(id(1), cloud.StateRunning)
		w.expectTold(6 * time.Second)
		w.expectState(1, cloud.StateStopping)
	})
}

// After that they are believed: somebody may have started it again.
func TestAnswersDoNotOutrankForEver(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		w.view.PutState(id(1), cloud.StateStopping)
		w.expectTold(0, "web-1")
		w.expectTold(settleFor+slowestLook, "web-1")
		w.expectState(1, cloud.StateRunning)
	})
}

func TestAnswersInARow(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		w.view.PutState(id(1), cloud.StateStopping)
		f.setState(id(1), cloud.StateStopped)
		w.expectTold(3*time.Second, "web-1", "web-1")
		w.view.PutState(id(1), cloud.StatePending)
		w.expectTold(0, "web-1")
		// Of what was before, nothing is believed.
		for _, old := range []cloud.State{cloud.StateStopping, cloud.StateStopped} {
			f.setState(id(1), old)
			w.view.Put(instance(1, old))
			w.expectState(1, cloud.StatePending)
		}
		// What the last answer leads to is believed at once, although it is also what was before the first.
		f.setState(id(1), cloud.StateRunning)
		w.expectTold(firstLook, "web-1")
		w.expectState(1, cloud.StateRunning)
	})
}

func TestThereIsNoWayBackFromTheEnd(t *testing.T) {
	tests := map[cloud.State]map[cloud.State]cloud.State{
		cloud.StateShuttingDown: {
			cloud.StateRunning: cloud.StateShuttingDown, cloud.StatePending: cloud.StateShuttingDown,
			cloud.StateShuttingDown: cloud.StateShuttingDown, cloud.StateTerminated: cloud.StateTerminated,
		},
		cloud.StateTerminated: {
			cloud.StateRunning: cloud.StateTerminated, cloud.StateShuttingDown: cloud.StateTerminated,
			cloud.StateTerminated: cloud.StateTerminated,
		},
	}
	for from, shown := range tests {
		for to, want := range shown {
			f := newFakeEC2(instance(1, from))
			inBubble(t, f, func(w *watch) {
				f.setState(id(1), to)
				w.after(time.Hour)
				w.expectState(1, want)
				w.view.Put(instance(1, to))
				w.expectState(1, want)
				w.view.PutState(id(1), to)
				w.expectState(1, want)
			})
		}
	}
}

// A description that was asked for before an answer came in is older than the answer, whatever it shows.
func TestOlderDescriptionsAreIgnored(t *testing.T) {
	f := newFakeEC2(instance(1, cloud.StateRunning))
	inBubble(t, f, func(w *watch) {
		newer := instance(1, cloud.StateRunning)
		newer.Tags["team"] = "shop"
		f.change(func() { f.during = func() { w.view.Put(newer) } })
		w.after(testInterval)
		if got := w.entry(1).Tags["team"]; got != "shop" {
			w.Errorf("tag is %q", got)
		}
	})
}

// An answered state brings no reason; the reason of the state before would be wrong.
func TestAnswersHaveNoReason(t *testing.T) {
	stopped := instance(1, cloud.StateStopped)
	stopped.StateReasonCode, stopped.StateReasonMessage = "Client.UserInitiatedShutdown", "m"
	f := newFakeEC2(stopped)
	inBubble(t, f, func(w *watch) {
		w.view.PutState(id(1), cloud.StatePending)
		w.after(5 * time.Second)
		if e := w.entry(1); e.StateReasonCode != "" || e.StateReasonMessage != "" {
			w.Errorf("reason is %q, %q", e.StateReasonCode, e.StateReasonMessage)
		}
	})
}
