// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package operatorrig

import (
	"strings"
	"testing"
)

// TestWhichErrorsOfTheLogCount: those of an event that the end of the operator has cut short do not, and all others do.
func TestWhichErrorsOfTheLogCount(t *testing.T) {
	const (
		ending   = `{"level":"INFO","msg":"Stopping and waiting for non leader election runnables"}` + "\n"
		canceled = `{"level":"ERROR","msg":"Unable to write event (may retry after sleeping)","err":"Post: context canceled"}` + "\n"
		refused  = `{"level":"ERROR","msg":"Unable to write event (may retry after sleeping)","err":"forbidden"}` + "\n"
		other    = `{"level":"ERROR","msg":"Reconciler error","error":"context canceled"}` + "\n"
	)
	for name, test := range map[string]struct {
		log    string
		counts bool
	}{
		"cut short":             {ending + canceled, false},
		"canceled while it ran": {canceled + ending, true},
		"refused at the end":    {ending + refused, true},
		"another error":         {ending + other + canceled, true},
		"it never ended":        {canceled, true},
	} {
		t.Run(name, func(t *testing.T) {
			if counts := strings.Contains(withoutCanceledEvents(test.log), "ERROR"); counts != test.counts {
				t.Errorf("an error counts: %t, want %t", counts, test.counts)
			}
		})
	}
}
