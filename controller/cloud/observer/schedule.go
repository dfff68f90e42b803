// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"time"
)

// How often EC2 is asked.
const (
	// firstLook is the first pause between looks at an instance in motion: EC2 advises a couple of seconds, and a start
	// takes a few. It is also the least pause between two looks of a scope, whatever they are for, which bounds what looks
	// cost to one call in two seconds for each 200 instances in motion, a twentieth of what EC2 allows.
	// https://docs.aws.amazon.com/ec2/latest/devguide/eventual-consistency.html
	firstLook = 2 * time.Second
	// slowestLook is what the pause grows to while nothing changes: an instance can be pending or stopping for many minutes.
	slowestLook = 10 * time.Second
	// lookFor is how long an instance that somebody has just changed is looked at although it is not in motion, until EC2's
	// answers have most likely caught up. After that the full list is soon enough.
	lookFor = 30 * time.Second
	// initializingPause is the pause between lists of statuses while an instance that was just started has no results of its
	// status checks. EC2 runs the checks every minute, so a result is seen a quarter of that late at most, for four calls a
	// minute and thousand running instances whatever the number that is waited for.
	initializingPause = 15 * time.Second
	// initializeFor is how long after a start results are waited for like that. They take EC2 two to three minutes; what has
	// none after several times that is seen with the interval's lists.
	initializeFor = 10 * time.Minute
)

// How long the store remembers.
const (
	// settleFor is how long the answer to a start, stop or termination outranks descriptions that show the state before:
	// those come from another part of EC2 and lag by seconds.
	settleFor = 15 * time.Second
	// forgetAfter is how long a terminated instance stays in the store after EC2 last showed it. EC2 shows it for about an
	// hour; twice that leaves owners time to see it even when they were held up.
	forgetAfter = 2 * time.Hour
	// blindAfter is how many lists in a row must fail until the view does not count as synced any more. Single failures are
	// everyday; after this many nothing is known of what others did to the account.
	blindAfter = 3
	// unlistedFor is how long lists of statuses may lack a running instance until its last known status does not count any
	// more: the time for which EC2's guide, above, says that its answers may lag.
	unlistedFor = 5 * time.Minute
)

// looks is the schedule of one instance's quick looks.
type looks struct {
	next  time.Time
	pause time.Duration
	// until is how long to look although the instance is not in motion.
	until time.Time
}

// soon begins anew: something has changed, or is about to.
func (l *looks) soon(now time.Time) {
	l.pause = firstLook
	l.next = now.Add(firstLook)
}

// later makes the pause half as long again, after a look that showed nothing new.
func (l *looks) later(now time.Time) {
	l.pause = min(max(l.pause, firstLook)*3/2, slowestLook)
	l.next = now.Add(l.pause)
}
