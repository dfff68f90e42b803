// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package steps runs the steps of a session, one after the other, each within its
// time, and says which one failed.
package steps

import (
	"context"
	"fmt"
	"time"

	"github.com/fieldowner/ec2-operator/cmd/playground/internal/screen"
)

// Step is one step of a session.
type Step struct {
	Title string
	// Within is how long the step may take; its context ends then.
	Within time.Duration
	Do     func(context.Context) error
}

// StepError says which step failed, and why.
type StepError struct {
	// Number counts from one.
	Number int
	Title  string
	Err    error
}

// Error implements error.
func (e *StepError) Error() string { return fmt.Sprintf("step %d (%s): %s", e.Number, e.Title, e.Err) }

// Unwrap gives the reason.
func (e *StepError) Unwrap() error { return e.Err }

// Run takes the steps until one fails, which is a *StepError. When the context ends, its
// cause is the reason.
func Run(ctx context.Context, s *screen.Screen, all []Step) error {
	for i, step := range all {
		s.Heading("Step %d of %d: %s", i+1, len(all), step.Title)
		began := s.Elapsed()
		if err := take(ctx, step); err != nil {
			return &StepError{Number: i + 1, Title: step.Title, Err: err}
		}
		s.Text("(took %.1fs)", (s.Elapsed() - began).Seconds())
	}
	return nil
}

func take(ctx context.Context, step Step) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	limited, cancel := context.WithTimeoutCause(ctx, step.Within, fmt.Errorf("not done within %s", step.Within))
	defer cancel()
	err := step.Do(limited)
	if err != nil && limited.Err() != nil {
		// What the step itself says, such as that a program was killed, only follows from that.
		return fmt.Errorf("%w (%w)", context.Cause(limited), err)
	}
	return err
}
