// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"time"
)

// An attempt for another subnet has another token, and EC2 launches for both. Before it is begun nobody may be able to launch the
// attempt before it any more, at once and not after a window: so where spec has fallbacks, an intent names its holder, the one process
// that may ask EC2 for it. Another process takes the intent over first, by writing it anew with itself as the holder. Each of these
// writes holds only for the version of the object that it was decided on. Whoever succeeds in writing the next attempt therefore knows
// that nobody has taken the one before it over; and who takes it over afterwards is refused.

// takeBackAfter is how long a process leaves an intent to another one that has taken it over from it: long enough to ask EC2, and to
// look for the launch until the consistency window is over. With one leader it is never waited for.
const takeBackAfter = 2 * consistencyWindow

// mustTakeOver tells whether this process has to make itself the intent's holder before it asks EC2 for the attempt. An intent that
// has a holder stays fenced when spec has lost its fallbacks: they may come back.
func (in Input) mustTakeOver(intent *LaunchIntent) bool {
	fenced := intent.Holder != "" || len(candidatesOf(&in.Object.Spec)) > 0
	return fenced && intent.Holder != in.Identity
}

// untilTakenBack is how much longer an intent is left to the process that has taken it over from this one.
func (in Input) untilTakenBack(intent *LaunchIntent) time.Duration {
	if in.Memory.Held != intent.Token {
		return 0
	}
	return max(0, in.Memory.HeldAt.Add(takeBackAfter).Sub(in.Now))
}

// heldBy is the same intent with another holder.
func (i *LaunchIntent) heldBy(identity string, c candidate) *LaunchIntent {
	out := *i
	out.Holder, out.InstanceType = identity, cmp.Or(c.Type, i.InstanceType)
	return &out
}

// onlyRefused tells whether the intent's attempt has launched nothing for certain, without a look at EC2: this process decided it and
// has held it ever since, and EC2 has refused each of its calls. That nobody else has held it meanwhile is certain once the next
// attempt is written.
func (in Input) onlyRefused(intent *LaunchIntent) bool {
	return intent.Holder != "" && intent.Holder == in.Identity && in.Memory.Wrote == intent.Token && in.Memory.Unanswered != intent.Token
}
