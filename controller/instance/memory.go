// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// Memory is what this process remembers of an object between passes. Nothing in it is needed for correctness:
// without it, after a restart, a call is repeated or a wait is longer.
type Memory struct {
	// UID and Generation of the object that this is of, and since when there is this memory.
	UID        types.UID
	Generation int64
	Since      time.Time
	// TagsSet is when tags were set, by instance and key.
	TagsSet map[string]time.Time
	// Groups is when a change of security groups found one to be ours, by instance and group.
	Groups map[string]map[string]time.Time
	// Launched is the instance that this process has launched last, and LaunchedKeys are the keys of its tags that are ours.
	Launched     string
	LaunchedKeys []string
	// Calls made, by step.
	Calls map[Step]Call
	// Readings of what EC2's lists do not tell, the latest ones, by field.
	Readings map[string]Reading
	// Wrote is the client token whose intent this process wrote, and, where it has a holder, has held ever since; Unanswered is one
	// that was sent without a certain answer.
	Wrote, Unanswered string
	// Seen is the client token of the intent that the object was seen with last, whoever has written it.
	Seen string
	// Held is the client token whose intent this process has written last with itself as the holder, and HeldAt when.
	Held   string
	HeldAt time.Time
	// Rejected is the client token whose parameters EC2 has refused, with nothing in flight: its attempt made
	// no instance.
	Rejected string
	// Terminated is the client token whose instance EC2 says is terminated.
	Terminated string
	// Voiding is the search for what a token may have launched that is to be given up, Vanished that for the instance that is
	// recorded, by its id.
	Voiding, Vanished search
	// Gone is the id of an instance that EC2 does not know any more.
	Gone string
	// Unmatched is the token that EC2 knows with other parameters, and for which no instance was found yet.
	Unmatched string
}

// search is a series of looks that have found nothing.
type search struct {
	// Of is what is looked for.
	Of string
	// First and Latest are when the first and the latest look were answered.
	First, Latest time.Time
}

// missed remembers one more look that has found nothing, and returns how long that has been so. After a gap, of an operator
// that was stopped or of EC2 that did not answer, it is so from now on: what was not there yet before the gap may be out of
// sight for a moment after it.
func (s *search) missed(of string, now time.Time) time.Duration {
	if s.Of != of || now.Sub(s.Latest) > looksApart {
		*s = search{Of: of, First: now}
	}
	s.Latest = now
	return now.Sub(s.First)
}

// found forgets that an instance was not.
func (m *Memory) found(id string) {
	m.Vanished = search{}
	if m.Gone == id {
		m.Gone = ""
	}
}

// tagOf names a tag of an instance.
func tagOf(id, key string) string { return id + "/" + key }

// alsoOurs adds to the keys of tags that are ours on an instance those that this process has set, though their record is gone: somebody
// may have emptied the status.
func (m *Memory) alsoOurs(id string, keys []string) []string {
	ours := slices.Clone(keys)
	for tag := range m.TagsSet {
		if key, ok := strings.CutPrefix(tag, tagOf(id, "")); ok && !strings.HasPrefix(key, ec2v1.TagPrefix) {
			ours = append(ours, key)
		}
	}
	slices.Sort(ours)
	return slices.Compact(ours)
}

// tagged remembers what a call set and removed.
func (m *Memory) tagged(id string, set map[string]string, removed []string, now time.Time) {
	if m.TagsSet == nil {
		m.TagsSet = map[string]time.Time{}
	}
	for key := range set {
		m.TagsSet[tagOf(id, key)] = now
	}
	for _, key := range removed {
		delete(m.TagsSet, tagOf(id, key))
	}
}

// grouped remembers which security groups were ours when they were changed.
func (m *Memory) grouped(id string, ours []string, now time.Time) {
	if m.Groups[id] == nil {
		m.Groups = map[string]map[string]time.Time{id: {}} // Those of an earlier instance are of no use.
	}
	for _, group := range ours {
		m.Groups[id][group] = now
	}
}

// saw remembers the intent that the object has; nil is none.
func (m *Memory) saw(intent *LaunchIntent) {
	if intent != nil {
		m.Seen = intent.Token
	}
}

// mistrust forgets, before the intent of a launch is written, what EC2 has answered this process for its token, and tells whether the
// token is new to it. One that is not was another's meanwhile: somebody has taken the intent away, or over. It is forgotten before and
// not after, since the write may succeed and its answer be lost.
func (m *Memory) mistrust(intent *LaunchIntent) (isNew bool) {
	isNew = m.Wrote != intent.Token && m.Held != intent.Token && m.Seen != intent.Token
	if !isNew {
		m.Wrote = ""
	}
	if intent.Holder != "" && m.Calls[StepLaunch].Of == intent.Token {
		delete(m.Calls, StepLaunch)
	}
	return isNew
}

// hold remembers that the intent of a launch was written: by this process first of all, where its token was new to it and the intent is
// no one else's that is taken over.
func (m *Memory) hold(step Step, intent *LaunchIntent, isNew bool, now time.Time) {
	if step == StepIntend && isNew {
		m.Wrote = intent.Token
	}
	if intent.Holder != "" {
		m.Held, m.HeldAt = intent.Token, now
	}
}

// Call is the latest call of a kind.
type Call struct {
	// Of tells what was called for: another one is another call.
	Of string
	// At is when it was made, Tries how often in a row.
	At    time.Time
	Tries int64
	// Err is how it failed, nil if it was accepted.
	Err *cloud.Error
}

// next returns when a call may be repeated: after the error's own pause, or when an accepted one should have
// shown by now.
func (c Call) next(uid types.UID) time.Time {
	switch {
	case c.Err == nil:
		return c.At.Add(doubled(settle, settleMax, c.Tries-1))
	case c.Err.Class == cloud.ClassThrottled && c.Err.Code == "":
		return c.At.Add(c.Err.RetryAfter + turn(uid, c.Tries))
	default:
		return c.At.Add(max(c.Err.RetryAfter, c.Err.Class.Backoff(int(c.Tries))))
	}
}

// lasted tells whether what EC2 has accepted was made so long ago that it must have been in effect: what differs now has changed since.
func (c Call) lasted(now time.Time) bool { return c.Err == nil && now.Sub(c.At) > lastsFor }

// unshown tells whether EC2 accepts the same call over and over, and it is not in effect.
func (c Call) unshown(now time.Time) bool {
	return c.Err == nil && c.Tries >= unshownTries && !c.lasted(now)
}

// turn spreads the objects that wait for our own rate limit, so that they do not all come back at once: over
// as many seconds as they have tried, up to turnMax. It is the same for the same object and try.
func turn(uid types.UID, tries int64) time.Duration {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s/%d", uid, tries)
	return time.Duration(h.Sum64() % uint64(min(time.Duration(tries+1)*time.Second, turnMax)))
}

// wait returns how long a call must still wait; zero when it may be made now.
func (m Memory) wait(step Step, of string, now time.Time) time.Duration {
	c, ok := m.Calls[step]
	if !ok || c.Of != of {
		return 0
	}
	next := c.next(m.UID)
	if step.modifies() && c.unshown(now) {
		next = c.At.Add(unshownAgain)
	}
	return max(0, next.Sub(now))
}

// failure returns how the latest call for the same thing failed, or nil.
func (m Memory) failure(step Step, of string) *cloud.Error {
	if c := m.Calls[step]; c.Of == of {
		return c.Err
	}
	return nil
}

// unseenAt tells whether the latest look for what a token launched was answered, at that time or later, and
// found nothing. That time has passed is no evidence by itself: the looks may have failed, or not been made.
func (m Memory) unseenAt(token string, at time.Time) bool {
	c := m.Calls[StepFindByToken]
	return c.Of == token && c.Err == errUnseen && !c.At.Before(at)
}

// record remembers a call.
func (m *Memory) record(step Step, of string, now time.Time, err *cloud.Error) {
	c := m.Calls[step]
	if c.Of != of || (c.Err == nil) != (err == nil) || c.lasted(now) {
		c.Tries = 0
	}
	if m.Calls == nil {
		m.Calls = map[Step]Call{}
	}
	m.Calls[step] = Call{Of: of, At: now, Tries: c.Tries + 1, Err: err}
}

// memories keeps a Memory for each object. A key is worked on by one worker at a time, so a Memory needs no
// lock of its own.
type memories struct {
	mu  sync.Mutex
	all map[types.NamespacedName]*Memory
}

// of returns the object's memory. An object that was recreated under its name starts with none; an edit of
// spec ends the waits for calls that failed, since it may be the answer to them, and the count of those that were accepted.
func (m *memories) of(key types.NamespacedName, uid types.UID, generation int64, now time.Time) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[types.NamespacedName]*Memory{}
	}
	memory, ok := m.all[key]
	if !ok || memory.UID != uid {
		memory = &Memory{UID: uid, Generation: generation, Since: now}
		m.all[key] = memory
	}
	if memory.Generation != generation {
		memory.Generation = generation
		for step, call := range memory.Calls {
			switch {
			case call.Err == nil:
				call.Tries = 1
				memory.Calls[step] = call
			case call.Err.Class != cloud.ClassThrottled:
				delete(memory.Calls, step)
			}
		}
	}
	return memory
}

func (m *memories) drop(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, key)
}
