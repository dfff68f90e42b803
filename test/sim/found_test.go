// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import "testing"

// found are seeds that have failed, with what they found. The mend of each has a test of its own beside the code: a seed is another world when
// the tables of actions and hazards change, and then it goes from here.
var found = map[uint64]string{
	199:       "the launch intent was taken away by a replace, and EC2 took its token for new in another zone",
	40000155:  "an attempt whose intent was taken away and written again was given up for the answer to its first launch",
	200167:    "an operator whose view of EC2 was a launch behind wrote the old instance over the new one",
	200213:    "EC2 showed no tags for a while, and a tag that spec had dropped was no longer ours",
	200221:    "an object suspended between launch and first status recorded no tag of the launch as its own",
	130001082: "an attempt whose intent was taken away and written again, by a write whose answer was lost, was given up for what EC2 had answered before",
	130001442: "an attempt that was taken back from another operator, by a write whose answer was lost, was given up for what EC2 had answered before",
	130009912: "two operators at once told of a terminated instance what each had seen of it, over and over",
	130004172: "an attempt that another operator had begun, and whose intent was taken away, was begun again, and given up for its own refusal alone",
	130002720: "an attempt that was decided on and not written was told in status, and passed over",
	80002327:  "what another manager had put into status was copied once EC2 showed nothing, and so owned by both",
}

// TestFound runs what was found before.
func TestFound(t *testing.T) {
	for seed, what := range found {
		if r := inBubble(t, seed, optionsOf(seed, *stepsFlag, nil)); r.failed() {
			t.Errorf("seed %d, which found that %s: %v %v\n%s", seed, what, r.err, r.violations, r.evidence())
		}
	}
}
