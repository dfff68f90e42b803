// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"slices"
	"time"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// question is a call about to be made: what it answers is as old as the question.
type question struct {
	source  source
	answers uint64
	at      time.Time
}

func (v *View) ask() question {
	v.mu.Lock()
	defer v.mu.Unlock()
	return question{source: v.source, answers: v.answers, at: v.clock.Now()}
}

// isOutdated reports whether the view has another source by now.
func (v *View) isOutdated(q question) bool { return v.source.changes != q.source.changes }

// due is when each kind of call is due next. Zero means never, but for the list: it is due now.
func (v *View) due(now time.Time) (list, look, statuses time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.records {
		if r.wantsLooks(now) && (look.IsZero() || r.looks.next.Before(look)) {
			look = r.looks.next
		}
	}
	if !look.IsZero() && look.Before(v.schedule.noLookBefore) {
		look = v.schedule.noLookBefore
	}
	return v.schedule.list, look, v.statusList.due(v.records, now)
}

// lookable are the instances whose turn it is, with those whose turn is so near that they had better come along.
func (v *View) lookable(now time.Time) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	near := now.Add(firstLook / 2)
	var ids []string
	for id, r := range v.records {
		if r.wantsLooks(now) && !r.looks.next.After(near) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// take takes in what EC2 showed. What an answer has overtaken since is left as it is.
func (v *View) take(q question, seen []cloud.Instance) {
	news := owners{}
	defer v.subscribers.tellChange(news)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.isOutdated(q) {
		return
	}
	now := v.clock.Now()
	for _, i := range seen {
		r, ok := v.records[i.ID]
		if !ok {
			r = &record{}
			v.records[i.ID] = r
		}
		if r.answered > q.answers {
			continue
		}
		before := r.entry
		changed := r.describe(i, v.cluster, q.at, now)
		v.reindex(r, before)
		switch {
		case !changed || r.dropped:
		case v.status.listed:
			news.add(before.OwnedBy, r.entry.OwnedBy)
			news.join(r.watchers)
		default:
			// Everybody is told when the first full list is complete, and those too who do not own the instance any more.
			v.untold.add(before.OwnedBy)
		}
	}
}

// absent are the instances that a full list lacked, as far as that says something.
func (v *View) absent(q question, listed map[string]bool) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var ids []string
	for id, r := range v.records {
		if r.isAbsent(q, listed) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// listSucceeded ends a full list, and reports whether lists had failed before it.
func (v *View) listSucceeded(q question, listed map[string]bool, interval time.Duration) bool {
	v.mu.Lock()
	if v.isOutdated(q) {
		v.mu.Unlock()
		return false
	}
	before := v.status
	v.status = status{listed: true, listedAt: q.at}
	v.schedule.list = q.at.Add(interval)
	news := v.settle(q, listed, !before.listed)
	v.mu.Unlock()
	v.subscribers.tellChange(news)
	if !before.synced() {
		v.subscribers.tellSynced(v.scope)
	}
	return before.failures > 0
}

// settle draws the conclusions from a full list: what it lacks is missing, and what has long been dead is forgotten. Owners
// are told of what is missing, and of everything when the list is the first.
func (v *View) settle(q question, listed map[string]bool, first bool) owners {
	news := v.untold
	v.untold = owners{}
	for id, r := range v.records {
		if r.isForgettable(q.at) {
			v.remove(id)
			continue
		}
		vanished := r.isAbsent(q, listed) && r.entry.Missing.IsZero()
		if vanished {
			r.entry.Missing = q.at
		}
		if vanished || first && !r.dropped {
			news.add(r.entry.OwnedBy)
			news.join(r.watchers)
		}
	}
	return news
}

// listFailed returns how many lists have failed in a row.
func (v *View) listFailed(q question, err error) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.isOutdated(q) {
		return 0
	}
	v.status.failures++
	v.status.err = err
	return v.status.failures
}

func (v *View) listAgain(q question, wait time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.isOutdated(q) {
		v.schedule.list = v.clock.Now().Add(wait)
	}
}

// looked ends a look, and returns how many have failed in a row.
func (v *View) looked(q question, ids []string, err error) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.clock.Now()
	if err != nil {
		v.schedule.lookFailures++
		v.schedule.noLookBefore = now.Add(max(firstLook, backoff(err, v.schedule.lookFailures)))
		return v.schedule.lookFailures
	}
	v.schedule.lookFailures = 0
	v.schedule.noLookBefore = now.Add(firstLook)
	for _, id := range ids {
		// What brought news has its next look set.
		if r, ok := v.records[id]; ok && !r.looks.next.After(q.at.Add(firstLook/2)) {
			r.looks.later(now)
		}
	}
	return 0
}
