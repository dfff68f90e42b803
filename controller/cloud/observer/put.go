// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"time"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// Put takes in the instance that a launch answered with or that was looked up alone: newer than whatever was asked for
// before. It is then looked at for a while, and for as long as it is in motion.
func (v *View) Put(i cloud.Instance) {
	if i.ID == "" {
		return
	}
	v.change(i.ID, true, func(r *record, now time.Time) bool {
		news := r.describe(i, v.cluster, now, now)
		r.looks.soon(now)
		r.looks.until = now.Add(lookFor)
		return news
	})
}

// PutState takes in the state that a start, stop or termination answered with. For a while it outranks descriptions that
// still show a state from before. An instance that the store does not know stays unknown.
func (v *View) PutState(id string, s cloud.State) {
	v.change(id, false, func(r *record, now time.Time) bool {
		r.looks.until = now.Add(lookFor)
		return r.changeState(s, now)
	})
}

// Look has the instance looked at soon and then for half a minute: something about it other than its state was changed.
func (v *View) Look(id string) {
	v.change(id, false, func(r *record, now time.Time) bool {
		r.looks.soon(now)
		r.looks.until = now.Add(lookFor)
		return false
	})
}

// Watch has somebody told of an instance's changes who does not own it: its tags may name nobody, or another. An instance that the store
// does not know is put in first (Put).
func (v *View) Watch(id string, o cloud.Owner) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r, ok := v.records[id]
	if !ok || r.watchers[o] {
		return
	}
	if r.watchers == nil {
		r.watchers = owners{}
	}
	r.watchers.add(o)
}

// MarkGone says that EC2, asked for this id alone and so long after it was last seen that its answers cannot lag, knows no
// such instance. Should EC2 show it again it is not gone.
func (v *View) MarkGone(id string) {
	v.change(id, false, func(r *record, _ time.Time) bool {
		news := !r.entry.Gone
		r.entry.Gone = true
		return news
	})
}

// Drop forgets an instance that its owner is done with. One that lives comes back with the next full list that shows it;
// a dead one does not.
func (v *View) Drop(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r, ok := v.records[id]
	if !ok {
		return
	}
	if r.entry.State.Doomed() || r.entry.Gone {
		r.dropped = true
		return
	}
	v.remove(id)
}

// change takes an answer in. The record is made if it may be; subscribers hear of news, and the poller of a new schedule.
func (v *View) change(id string, create bool, take func(*record, time.Time) bool) {
	news := owners{}
	defer v.subscribers.tellChange(news)
	v.mu.Lock()
	defer v.mu.Unlock()
	r, ok := v.records[id]
	if !ok {
		if !create {
			return
		}
		r = &record{}
		v.records[id] = r
	}
	v.answers++
	r.answered = v.answers
	before := r.entry
	if take(r, v.clock.Now()) {
		news.add(before.OwnedBy, r.entry.OwnedBy)
		news.join(r.watchers)
	}
	v.reindex(r, before)
	v.reschedule()
}

// reschedule makes the poller look at its schedule again. It never blocks: one wake-up that is not yet noticed is enough.
func (v *View) reschedule() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}
