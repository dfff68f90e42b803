// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package parentwatch

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestWaitForNewParent(t *testing.T) {
	const parent, init = 42, 1
	for name, test := range map[string]struct {
		answers []int
		want    time.Duration
	}{
		"gone at once":       {answers: []int{init}, want: 0},
		"gone after a while": {answers: []int{parent, parent, parent, init}, want: 3 * time.Second},
		"given to a reaper":  {answers: []int{parent, 17}, want: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, asked := time.Now(), 0
				waitForNewParent(parent, func() int { asked++; return test.answers[asked-1] }, time.Second)
				if got := time.Since(start); got != test.want {
					t.Errorf("waited %s, want %s", got, test.want)
				}
				if asked != len(test.answers) {
					t.Errorf("asked %d times for the parent, want %d", asked, len(test.answers))
				}
			})
		})
	}
}
