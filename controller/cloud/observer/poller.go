// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// poller calls EC2 for one view, one call at a time.
type poller struct {
	view   *View
	clock  clock.Clock
	random func() float64
	log    logr.Logger
}

// schedule is when the poller calls next, apart from what single instances ask for.
type schedule struct {
	// list is when the next full list is due.
	list time.Time
	// noLookBefore keeps looks apart.
	noLookBefore time.Time
	// lookFailures counts the looks that have failed in a row.
	lookFailures int
}

// run polls until ctx ends.
func (p *poller) run(ctx context.Context) {
	for ctx.Err() == nil {
		wait := p.step(ctx)
		if wait <= 0 {
			continue
		}
		timer := p.clock.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C():
		case <-p.view.wake:
		}
		timer.Stop()
	}
}

// step makes the call that is due, if one is, and returns how long nothing is due after it.
func (p *poller) step(ctx context.Context) time.Duration {
	now := p.clock.Now()
	at, send := p.next(now)
	if wait := at.Sub(now); wait > 0 {
		return wait
	}
	send(ctx)
	return 0
}

// next is the call that is due first, so that a list that takes longer than its interval keeps no other call from its turn.
// Of those due at once, looks come first and statuses last.
func (p *poller) next(now time.Time) (time.Time, func(context.Context)) {
	list, look, statuses := p.view.due(now)
	at, send := list, p.list
	if !look.IsZero() && !list.Before(look) {
		at, send = look, p.look
	}
	if !statuses.IsZero() && statuses.Before(at) {
		at, send = statuses, p.listStatuses
	}
	return at, send
}

// list lists everything. What the list lacks is looked at by id before it counts as missing: an instance can lose its tags.
func (p *poller) list(ctx context.Context) {
	q := p.view.ask()
	listed := map[string]bool{}
	err := q.source.lister.List(ctx, func(page []cloud.Instance) error {
		for _, i := range page {
			listed[i.ID] = true
		}
		p.view.take(q, page)
		return ctx.Err()
	})
	if err == nil {
		err = p.lookForAbsent(ctx, q, listed)
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		p.listFailed(q, err)
		return
	}
	if p.view.wantsFirstStatuses(q) {
		p.listStatuses(ctx)
	}
	if recovered := p.view.listSucceeded(q, listed, p.jitter(q.source.interval)); recovered {
		p.log.Info("Listing instances works again")
	}
}

// lookForAbsent looks at what the list lacked and adds what it finds to listed.
func (p *poller) lookForAbsent(ctx context.Context, q question, listed map[string]bool) error {
	absent := p.view.absent(q, listed)
	if len(absent) == 0 {
		return nil
	}
	found, err := q.source.lister.Look(ctx, absent)
	if err != nil {
		return fmt.Errorf("looking at instances that the list lacked: %w", err)
	}
	p.view.take(q, found)
	for _, i := range found {
		listed[i.ID] = true
	}
	return nil
}

func (p *poller) listFailed(q question, err error) {
	failures := p.view.listFailed(q, err)
	wait := min(backoff(err, failures), q.source.interval)
	p.view.listAgain(q, p.jitter(wait))
	if failures == 1 {
		p.log.Error(err, "Cannot list instances; the last known ones are kept", "retryAfter", wait)
	}
}

// look looks at all instances whose turn it is, together.
func (p *poller) look(ctx context.Context) {
	q := p.view.ask()
	ids := p.view.lookable(q.at)
	if len(ids) == 0 {
		return
	}
	seen, err := q.source.lister.Look(ctx, ids)
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		p.view.take(q, seen)
	}
	failures := p.view.looked(q, ids, err)
	if failures == 1 {
		p.log.V(1).Info("Cannot look at instances in motion", "instances", len(ids), "error", err.Error())
	}
}

func (p *poller) jitter(d time.Duration) time.Duration { return cloud.Jitter(d, p.random()) }

// backoff is how long to wait after failures in a row, the last of which is err.
func backoff(err error, failures int) time.Duration {
	wait := cloud.ClassOf(err).Backoff(failures)
	if e, ok := cloud.AsError(err); ok {
		wait = max(wait, e.RetryAfter)
	}
	return wait
}
