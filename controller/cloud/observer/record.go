// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"time"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// record is an entry and what the store needs to keep it.
type record struct {
	entry Entry
	// answered is the count of answers at which this record's last one came in. What was asked before that is older.
	answered uint64
	// outranked are the states that descriptions may still show until settled, because they lag behind an answer.
	outranked map[cloud.State]bool
	settled   time.Time
	// dropped hides a dead instance whose owner is done with it, so that lists which still show it bring nothing back.
	dropped bool
	looks   looks
}

// describe takes in what EC2 shows of the instance as of a moment, and reports whether that is news.
func (r *record) describe(i cloud.Instance, cluster string, asked, now time.Time) bool {
	if r.isStale(i.State, now) {
		i.State = r.entry.State
		i.StateReasonCode, i.StateReasonMessage = r.entry.StateReasonCode, r.entry.StateReasonMessage
	}
	before := r.entry
	r.entry = Entry{Instance: i, OwnedBy: before.OwnedBy, Seen: asked}
	if owner, ok := i.Owner(cluster); ok {
		r.entry.OwnedBy = owner
	}
	if i.State.Live() {
		// Whatever lives is somebody's business again.
		r.dropped = false
	}
	news := !i.Equal(before.Instance) || before.OwnedBy != r.entry.OwnedBy || !before.Missing.IsZero() || before.Gone
	if news {
		r.looks.soon(now)
	}
	return news
}

// isStale reports whether a description's state lags behind what is known: behind a recent answer, or behind the end of the
// instance, from which there is no way back.
func (r *record) isStale(s cloud.State, now time.Time) bool {
	if r.outranked[s] && now.Before(r.settled) {
		return true
	}
	switch r.entry.State {
	case cloud.StateTerminated:
		return s != cloud.StateTerminated
	case cloud.StateShuttingDown:
		return s.Live()
	default:
		return false
	}
}

// answer takes in the state that EC2 answered a change with, and reports whether that is news.
func (r *record) answer(s cloud.State, now time.Time) bool {
	before := r.entry
	if before.State.Doomed() && s.Live() {
		s = before.State
	}
	if s != before.State {
		r.outrank(before.State, s, now)
		r.entry.State = s
		// The reason told of the state before.
		r.entry.StateReasonCode, r.entry.StateReasonMessage = "", ""
	}
	r.entry.Seen, r.entry.Missing, r.entry.Gone = now, time.Time{}, false
	r.looks.soon(now)
	return s != before.State || !before.Missing.IsZero() || before.Gone
}

// outrank makes descriptions that still show the state before an answer count for nothing, until they have settled. They may
// lag behind several answers at once; what the last answer leads to is news, though.
func (r *record) outrank(before, answer cloud.State, now time.Time) {
	if r.outranked == nil || !now.Before(r.settled) {
		r.outranked = map[cloud.State]bool{}
	}
	r.outranked[before] = true
	delete(r.outranked, answer)
	delete(r.outranked, destination[answer])
	r.settled = now.Add(settleFor)
}

// destination is the state that EC2 brings an instance to by itself.
var destination = map[cloud.State]cloud.State{
	cloud.StatePending:      cloud.StateRunning,
	cloud.StateStopping:     cloud.StateStopped,
	cloud.StateShuttingDown: cloud.StateTerminated,
}

// wantsLooks reports whether the instance is to be looked at between lists.
func (r *record) wantsLooks(now time.Time) bool {
	if r.isDead() {
		return false
	}
	moving := r.entry.State.InMotion() && r.entry.Missing.IsZero()
	return moving || now.Before(r.looks.until)
}

// isDead reports whether nothing more is expected of the instance.
func (r *record) isDead() bool {
	return r.dropped || r.entry.Gone || r.entry.State == cloud.StateTerminated
}

// isAbsent reports whether it says something that a full list lacked the instance: not if it is dead, and not if an answer
// came in after the list had begun.
func (r *record) isAbsent(q question, listed map[string]bool) bool {
	return !listed[r.entry.ID] && !r.isDead() && r.answered <= q.answers
}

// isForgettable reports whether the record has served its time.
func (r *record) isForgettable(now time.Time) bool {
	return r.isDead() && now.Sub(r.entry.Seen) > forgetAfter
}
