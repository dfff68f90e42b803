// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"context"
	"time"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// Statuses, which are status checks and scheduled events, come from a list of their own, beside that of the instances: when
// it fails, the other goes on, and what is known stays known.

// statusList is the schedule of the lists of statuses.
type statusList struct {
	// next is when one is due whatever the instances are like.
	next time.Time
	// notBefore is when one may be made for instances that have just been started.
	notBefore time.Time
	// failures counts those that have failed in a row, and err is why the last one did.
	failures int
	err      error
}

// due is when the next list of statuses is due; zero while no instance runs: then there is nothing to ask.
func (s statusList) due(records map[string]*record, now time.Time) time.Time {
	var due time.Time
	for _, r := range records {
		switch {
		case !r.runs():
		case r.initializes(now):
			return earlier(s.next, s.notBefore)
		default:
			due = s.next
		}
	}
	return due
}

// runs reports whether the instance can have a status.
func (r *record) runs() bool {
	return r.entry.State == cloud.StateRunning && r.entry.Missing.IsZero() && !r.isDead()
}

// initializes reports whether the instance was started so recently that its status checks are about to have results.
func (r *record) initializes(now time.Time) bool {
	return r.runs() && now.Before(r.entry.LaunchTime.Add(initializeFor)) && (r.entry.Status == nil || !r.entry.Status.Settled())
}

// setStatus takes in a status, and reports whether that is news: that there are no results yet is not.
func (r *record) setStatus(s cloud.InstanceStatus) bool {
	r.unlisted = time.Time{}
	before := r.entry.Status
	if before != nil && before.Equal(s) {
		return false
	}
	r.entry.Status = &s
	return before != nil || s.HasResults() || len(s.Events) > 0
}

// waits reports whether the instance runs and nothing is known of it.
func (r *record) waits() bool {
	return r.runs() && (r.entry.Status == nil || !r.entry.Status.HasResults())
}

// statusUnlisted notices that a list of statuses lacked the instance, and reports whether that is news. One list proves
// nothing: EC2 is eventually consistent. When it goes on, what was known before does not count any more.
func (r *record) statusUnlisted(asked time.Time) bool {
	if r.unlisted.IsZero() {
		r.unlisted = asked
	}
	unknown := cloud.InstanceStatus{ID: r.entry.ID}
	if asked.Sub(r.unlisted) < unlistedFor || r.entry.Status != nil && r.entry.Status.Equal(unknown) {
		return false
	}
	r.entry.Status = &unknown
	return true
}

// wantsFirstStatuses reports whether statuses are to be listed before the first full list counts as complete, so that
// whoever is told of it finds them. Should that fail the list is complete all the same.
func (v *View) wantsFirstStatuses(q question) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return !v.isOutdated(q) && !v.status.listed && !v.statusList.due(v.records, q.at).IsZero()
}

// listStatuses lists all statuses.
func (p *poller) listStatuses(ctx context.Context) {
	q := p.view.ask()
	listed := map[string]bool{}
	err := q.source.lister.ListStatuses(ctx, func(page []cloud.InstanceStatus) error {
		for _, s := range page {
			listed[s.ID] = true
		}
		p.view.takeStatuses(q, page)
		return ctx.Err()
	})
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		if recovered := p.view.statusesSucceeded(q, listed, p.jitter(q.source.interval)); recovered {
			p.log.Info("Listing the instances' status works again")
		}
		return
	}
	wait := func(failures int) time.Duration { return p.jitter(min(backoff(err, failures), q.source.interval)) }
	if failures := p.view.statusesFailed(q, err, wait); failures == 1 {
		p.log.Error(err, "Cannot list the instances' status; the last known is kept")
	}
}

// takeStatuses takes in what EC2 says of instances, as far as they are in the store: the rest of the account is no business
// of ours.
func (v *View) takeStatuses(q question, seen []cloud.InstanceStatus) {
	news := owners{}
	defer v.subscribers.tellChange(news)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.isOutdated(q) {
		return
	}
	for _, s := range seen {
		r, ok := v.records[s.ID]
		if !ok || !r.runs() || s.State != cloud.StateRunning || r.answered > q.answers {
			continue
		}
		if r.setStatus(s) {
			v.note(news, r)
		}
	}
}

// note has the instance's owner told now, unless everybody will be when the first full list is complete.
func (v *View) note(news owners, r *record) {
	if v.status.listed {
		news.add(r.entry.OwnedBy)
		news.join(r.watchers)
	}
}

// statusesSucceeded ends a list of statuses, and reports whether lists had failed before it: then those who wait for results
// are told that they are not waited for in vain any more.
func (v *View) statusesSucceeded(q question, listed map[string]bool, interval time.Duration) bool {
	news := owners{}
	defer v.subscribers.tellChange(news)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.isOutdated(q) {
		return false
	}
	recovered := v.statusList.failures > 0
	v.statusList = statusList{next: q.at.Add(interval), notBefore: q.at.Add(initializingPause)}
	for id, r := range v.records {
		unlisted := r.runs() && !listed[id] && r.statusUnlisted(q.at)
		if unlisted || recovered && r.waits() {
			v.note(news, r)
		}
	}
	return recovered
}

// statusesFailed ends a list of statuses that has failed, and returns how many have in a row. Those who wait for
// results are told when the reason is new: see [View.StatusError].
func (v *View) statusesFailed(q question, err error, wait func(failures int) time.Duration) int {
	news := owners{}
	defer v.subscribers.tellChange(news)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.isOutdated(q) {
		return 0
	}
	told := cloud.ClassOf(v.statusList.err) == cloud.ClassOf(err)
	v.statusList.failures++
	v.statusList.err = err
	v.statusList.next = v.clock.Now().Add(wait(v.statusList.failures))
	v.statusList.notBefore = v.statusList.next
	for _, r := range v.records {
		if !told && r.waits() {
			v.note(news, r)
		}
	}
	return v.statusList.failures
}

// StatusError is why the last list of statuses failed, or nil when it did not.
func (v *View) StatusError() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.statusList.err
}
