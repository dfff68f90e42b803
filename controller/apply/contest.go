// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// How a fight over a field is kept from being one. What is taken from us is taken back at once, since most often
// somebody has forced an apply once, by mistake. Who takes it again that soon does so on purpose or in a loop, and
// would win every other write for ever: the field is left to them for a pause, which doubles each time.
const (
	// fightWindow is how soon after it was taken back a field must be taken again to make it a fight.
	fightWindow = time.Minute
	// fightPause is how long a contested field is first left alone, and fightPauseMax the most.
	fightPause    = time.Minute
	fightPauseMax = 15 * time.Minute
	// fightMemory is how long a fight is remembered after the last time that the field was taken back.
	fightMemory = time.Hour
)

// Left is a field that an intent with force wants and that is left, for now, to a manager that keeps taking it.
type Left struct {
	Conflict
	// Until is when it is taken back again.
	Until time.Time
}

// contests remembers which fields were taken back when.
type contests struct {
	mu  sync.Mutex
	all map[contestKey]*contest
}

type contestKey struct {
	uid         types.UID
	manager     Manager
	subresource string
	field       string
}

type contest struct {
	// taken is when we last took the field back, and until when it is left after that; pause is the latest pause.
	taken, until time.Time
	pause        time.Duration
	// version is the object's resourceVersion after we took it back: an older one does not show it yet.
	version string
}

// leave tells whether a field that others own in the object at a version is to be left to them, and until when. The
// second take-over within the window begins a pause.
func (c *contests) leave(key contestKey, version string, now time.Time) (until time.Time, leave bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.all[key]
	switch {
	case !ok || older(version, known.version):
		return time.Time{}, false
	case now.Before(known.until):
		return known.until, true
	case now.Sub(known.taken) < fightWindow:
		known.pause = min(max(fightPause, 2*known.pause), fightPauseMax)
		known.until = now.Add(known.pause)
		return known.until, true
	default:
		return time.Time{}, false
	}
}

// unseen tells whether a field was taken back and the object at a version does not show it yet.
func (c *contests) unseen(key contestKey, version string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.all[key]
	return ok && older(version, known.version)
}

// took remembers that a field was taken back.
func (c *contests) took(key contestKey, version string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[contestKey]*contest{}
	}
	known, ok := c.all[key]
	if !ok {
		c.sweep(now)
		known = &contest{}
		c.all[key] = known
	}
	if now.Sub(known.taken) > fightPauseMax+fightWindow && now.Sub(known.until) > fightPauseMax+fightWindow {
		known.pause = 0 // The fight is over, and this is another one.
	}
	known.taken, known.version = now, version
}

// sweep forgets fights of long ago.
func (c *contests) sweep(now time.Time) {
	for key, known := range c.all {
		if now.Sub(known.taken) > fightMemory {
			delete(c.all, key)
		}
	}
}

func (c *contests) forget(uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.all {
		if key.uid == uid {
			delete(c.all, key)
		}
	}
}
