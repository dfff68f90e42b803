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
	// answer is the state that the last change of state was answered with. Until settled, descriptions lag behind it.
	answer  cloud.State
	settled time.Time
	// unlisted is since when lists of statuses lack the instance although it runs; zero while they do not.
	unlisted time.Time
	// dropped hides a dead instance whose owner is done with it, so that lists which still show it bring nothing back.
	dropped bool
	// watchers are those who look on, though the instance is not theirs.
	watchers owners
	looks    looks
}

// describe takes in what EC2 shows of the instance as of a moment, and reports whether that is news. When it lags behind in
// its state it lags behind in everything, and only says that the instance is still there.
func (r *record) describe(i cloud.Instance, cluster string, asked, now time.Time) bool {
	before, described := r.entry, asked
	if r.isStale(i.State, now) {
		i, described = before.Instance, before.Described
	}
	r.entry = Entry{Instance: i, OwnedBy: before.OwnedBy, Status: before.Status, Seen: asked, Described: described}
	if i.State != cloud.StateRunning || !i.LaunchTime.Equal(before.LaunchTime) {
		// What was known was known of the start before.
		r.entry.Status, r.unlisted = nil, time.Time{}
	}
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

// isStale reports whether a description's state lags behind what is known. For a while after an answer, anything but what
// the answer says or leads to does. Somebody else's change in that time is seen when it is over; the end of the instance is
// always believed.
func (r *record) isStale(s cloud.State, now time.Time) bool {
	if isWayBack(r.entry.State, s) {
		return true
	}
	if s.Doomed() || !now.Before(r.settled) {
		return false
	}
	switch s {
	case destination[r.answer]:
		return false
	case r.answer:
		return r.entry.State == destination[r.answer]
	default:
		return true
	}
}

// isWayBack reports whether to lies behind from on the way out, on which EC2 knows no return.
func isWayBack(from, to cloud.State) bool {
	switch from {
	case cloud.StateTerminated:
		return to != cloud.StateTerminated
	case cloud.StateShuttingDown:
		return !to.Doomed()
	default:
		return false
	}
}

// destination is the state that EC2 brings an instance to by itself.
var destination = map[cloud.State]cloud.State{
	cloud.StatePending:      cloud.StateRunning,
	cloud.StateStopping:     cloud.StateStopped,
	cloud.StateShuttingDown: cloud.StateTerminated,
}

// changeState takes in the state that EC2 answered a change with, and reports whether that is news.
func (r *record) changeState(s cloud.State, now time.Time) bool {
	before := r.entry
	if isWayBack(before.State, s) {
		s = before.State
	}
	r.answer, r.settled = s, now.Add(settleFor)
	if s != before.State {
		r.entry.State = s
		// The reason told of the state before.
		r.entry.StateReasonCode, r.entry.StateReasonMessage = "", ""
		r.entry.Status, r.unlisted = nil, time.Time{}
	}
	r.entry.Seen, r.entry.Missing, r.entry.Gone = now, time.Time{}, false
	r.looks.soon(now)
	return s != before.State || !before.Missing.IsZero() || before.Gone
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
