// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package killed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

const (
	// longestOutage is how long all that a round has killed is away at most, longestCalm how long nothing is killed after it,
	// and longestStep the most between two kills or two starts.
	longestOutage = 3 * time.Second
	longestCalm   = 3 * time.Second
	longestStep   = time.Second
	// startTries is how often a start is tried: the API server gives up when etcd stays away.
	startTries = 3
)

// piece is something that can be killed and started again.
type piece struct {
	name        string
	kill, start func() error
	kills       int
}

// killer kills pieces at random.
type killer struct {
	random *rand.Rand
	pieces []*piece
	say    func(format string, args ...any)
}

// work kills round after round: some pieces in random order, which are then started in another one. Every piece has its turn.
func (k *killer) work(ctx context.Context, rounds int) error {
	turns := k.random.Perm(len(k.pieces))
	for i := range rounds {
		if err := k.round(ctx, k.pieces[turns[i%len(turns)]]); err != nil {
			return err
		}
		k.wait(ctx, longestCalm)
	}
	return nil
}

func (k *killer) round(ctx context.Context, first *piece) error {
	victims := []*piece{first}
	for _, p := range k.pieces {
		if p != first && k.random.IntN(3) == 0 {
			victims = append(victims, p)
		}
	}
	began := time.Now()
	killed := k.shuffled(victims)
	for _, p := range killed {
		if err := p.kill(); err != nil {
			return err
		}
		p.kills++
		k.wait(ctx, longestStep)
	}
	k.wait(ctx, longestOutage)
	started := k.shuffled(victims)
	if err := k.startAll(ctx, started); err != nil {
		return err
	}
	k.say("Killed %s, started %s, in %s", names(killed), names(started), time.Since(began).Round(time.Second/10))
	return nil
}

// startAll begins to start the pieces in order, and returns when all are back: one may be waiting for the next.
func (k *killer) startAll(ctx context.Context, pieces []*piece) error {
	started := make(chan error, len(pieces))
	for _, p := range pieces {
		go func() { started <- p.startAgain() }()
		k.wait(ctx, longestStep)
	}
	var errs []error
	for range pieces {
		errs = append(errs, <-started)
	}
	return errors.Join(errs...)
}

func (p *piece) startAgain() error {
	var err error
	for range startTries {
		if err = p.start(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("starting %s again: %w", p.name, err)
}

func (k *killer) shuffled(pieces []*piece) []*piece {
	out := make([]*piece, len(pieces))
	for to, from := range k.random.Perm(len(pieces)) {
		out[to] = pieces[from]
	}
	return out
}

func (k *killer) wait(ctx context.Context, longest time.Duration) {
	pause(ctx, time.Duration(k.random.Int64N(int64(longest))))
}

func names(pieces []*piece) string {
	out := make([]string, len(pieces))
	for i, p := range pieces {
		out[i] = p.name
	}
	return strings.Join(out, ", ")
}
