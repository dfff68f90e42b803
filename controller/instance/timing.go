// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import "time"

// The durations of this package, each with its reason.
const (
	// consistencyWindow is how long something that EC2 accepted may stay invisible. EC2 promises no number; its
	// guide to eventual consistency tells clients to go on looking for up to five minutes.
	consistencyWindow = 5 * time.Minute

	// lookAgain is the pause between single lookups of what is not visible: the start of the pauses that EC2's
	// guide recommends ("a couple of seconds"), since each is one call for one object.
	lookAgain = 5 * time.Second

	// looksApart is the most between two looks of one search: they are settleMax apart at last.
	looksApart = 3 * time.Minute

	// settle is how long an accepted change may take to show in a describe before it is asked for again;
	// doubled with each repetition up to settleMax.
	settle    = 15 * time.Second
	settleMax = 2 * time.Minute

	// unshownAgain is the pause between changes in place once EC2 has accepted the same one so often that it counts as failed: as long as
	// for one that is refused, since each costs a call, an event and looks.
	unshownAgain = 10 * time.Minute

	// lastsFor is how long EC2 has to keep a change for the next one like it to be another: a nightly job that changes it back is repaired
	// each time. It is more than readAgain, so that what is changed back between readings is known for that.
	lastsFor = 2 * readAgain

	// turnMax is the most that waiting for our own rate limit is spread over: RunInstances, the scarcest, lets
	// some twenty through in that time, so the limit is never idle while anybody waits.
	turnMax = 10 * time.Second

	// tagSettle is how long the tags of RunInstances may take to show: EC2's tag view converges later than the
	// instance itself.
	tagSettle = time.Minute

	// recreatePause is the least time between the first launch of an object and the second; it doubles with
	// each attempt up to recreatePauseMax, so that an instance that something keeps terminating costs little,
	// while one that lived longer than the pause is replaced at once.
	recreatePause    = 15 * time.Second
	recreatePauseMax = 15 * time.Minute

	// passTimeout bounds a pass, so that a worker is not lost to a call without an end: a launch has a minute for
	// its answer, and the looks and writes around it seconds.
	passTimeout = 80 * time.Second

	// firstList is when to come back if EC2 has not been listed yet. The observer wakes the object as soon as it
	// has been; this is for a wake-up that is lost.
	firstList = 30 * time.Second

	// takenBackAfter is how soon what was taken from us is taken back: soon for a person who looks, and seldom enough for
	// two operators that disagree to cost little.
	takenBackAfter = time.Second

	// overwrittenAfter is how soon a status that another process of ours has written is looked at: late enough for two that see
	// different worlds to cost two writes a minute, and soon enough for nobody to act on what a woken leader has told.
	overwrittenAfter = 30 * time.Second

	// readAgain is how often what EC2 tells only by a call for each instance is read, with up to a readSpread-th more. At 20 calls a
	// second and account (EC2's limit) 10,000 instances with four such fields take half an hour's worth of it.
	readAgain  = time.Hour
	readSpread = 8

	// accountAgain is when to look again at an account that is missing or not allowed. A change of the account
	// or the namespace wakes the object at once; this is for a wake-up that is lost.
	accountAgain = 5 * time.Minute

	// childAgain is when to look again at a child whose name somebody else has, or that the API server refuses: the
	// cache does not have what is not ours, so that nothing tells when it goes.
	childAgain = time.Minute
)

// second is what Kubernetes' times are exact to.
const second = time.Second

// doubled returns start, doubled times over, and at most limit.
func doubled(start, limit time.Duration, times int64) time.Duration {
	for range times {
		if start *= 2; start >= limit {
			return limit
		}
	}
	return min(start, limit)
}
