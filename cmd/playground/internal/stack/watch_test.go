// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestUntilUnhealthy(t *testing.T) {
	down := errors.New("connection refused")
	for _, test := range []struct {
		name    string
		answers []error // then it is well
		want    error
		asked   int
	}{
		{"three failures in a row end it", []error{nil, down, down, down}, down, 4},
		{"an answer between failures makes good", []error{down, down, nil, down, down}, nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 100*healthPoll)
				defer cancel()
				asked := 0
				err := untilUnhealthy(ctx, func(context.Context) error {
					asked++
					if asked <= len(test.answers) {
						return test.answers[asked-1]
					}
					return nil
				})
				if !errors.Is(err, test.want) {
					t.Errorf("untilUnhealthy returned %v, want %v", err, test.want)
				}
				if test.want != nil && asked != test.asked {
					t.Errorf("It asked %d times, want %d", asked, test.asked)
				}
			})
		})
	}
}

// An answer that does not come is one that is missing.
func TestUntilUnhealthyDoesNotWaitForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := untilUnhealthy(t.Context(), func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("untilUnhealthy returned %v, want that the answers did not come", err)
		}
	})
}
