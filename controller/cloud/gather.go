// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// gatherWindow is how long the first question of a batch waits for others: too short for anybody to notice, and long enough for
// all workers that have just begun a pass.
const gatherWindow = 50 * time.Millisecond

// gatherer makes one call of the questions that many ask at nearly the same time, each about a few ids.
type gatherer[V any] struct {
	op    string
	clock clock.Clock
	ask   func(ctx context.Context, ids []string) (map[string]V, error)

	mu   sync.Mutex
	open *gathering[V] // the batch that still takes questions, or nil
}

// gathering is a batch of questions.
type gathering[V any] struct {
	ids      map[string]bool
	full     chan struct{} // closed when the batch takes no more
	answered chan struct{} // closed when answers and err are there
	answers  map[string]V
	err      error
}

// get returns what EC2 tells of the ids, without those that it does not know. What it tells is from after the question: a batch that
// is on its way takes nothing in.
func (g *gatherer[V]) get(ctx context.Context, ids []string) (map[string]V, error) {
	if ids = sortedSet(ids); len(ids) == 0 {
		return map[string]V{}, nil
	}
	batch := g.join(ctx, ids)
	select {
	case <-batch.answered:
	case <-ctx.Done():
		return nil, classify(g.op, ctx.Err())
	}
	if batch.err != nil {
		return nil, batch.err
	}
	own := make(map[string]V, len(ids))
	for _, id := range ids {
		if v, ok := batch.answers[id]; ok {
			own[id] = v
		}
	}
	return own, nil
}

// join adds ids to the open batch, or opens one.
func (g *gatherer[V]) join(ctx context.Context, ids []string) *gathering[V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	batch := g.open
	if batch == nil {
		batch = &gathering[V]{ids: map[string]bool{}, full: make(chan struct{}), answered: make(chan struct{})}
		g.open = batch
		// Who opens a batch asks for all: the call goes on when that one gives up. It has a deadline of its own.
		go g.send(context.WithoutCancel(ctx), batch)
	}
	for _, id := range ids {
		batch.ids[id] = true
	}
	if len(batch.ids) >= maxFilterValues {
		g.open = nil
		close(batch.full)
	}
	return batch
}

// send asks once the batch is full or its time is over.
func (g *gatherer[V]) send(ctx context.Context, batch *gathering[V]) {
	defer close(batch.answered)
	select {
	case <-batch.full:
	case <-g.clock.After(gatherWindow):
	}
	g.mu.Lock()
	if g.open == batch {
		g.open = nil
	}
	ids := slices.Sorted(maps.Keys(batch.ids))
	g.mu.Unlock()
	batch.answers, batch.err = g.ask(ctx, ids)
}
