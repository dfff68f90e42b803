// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package steps

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"

	"github.com/fieldowner/ec2-operator/cmd/playground/internal/screen"
)

// lasting is a step that takes its time, unless the context ends before.
func lasting(title string, d time.Duration) Step {
	return Step{Title: title, Within: time.Minute, Do: func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return errors.New("signal: killed")
		}
	}}
}

func TestStepsAreTakenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		err := Run(t.Context(), screen.New(&out, clock.RealClock{}), []Step{
			lasting("create", 1500*time.Millisecond), lasting("delete", 20*time.Second),
		})
		if err != nil {
			t.Fatal(err)
		}
		want := "\n=== Step 1 of 2: create\n(took 1.5s)\n\n=== Step 2 of 2: delete\n(took 20.0s)\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("Text differs (-want +got):\n%s", diff)
		}
	})
}

func TestTheFirstFailureEndsTheSession(t *testing.T) {
	reason := errors.New("EC2 has no such instance")
	var later bool
	err := Run(t.Context(), screen.New(&bytes.Buffer{}, clock.RealClock{}), []Step{
		lasting("create", 0),
		{Title: "look", Within: time.Minute, Do: func(context.Context) error { return reason }},
		{Title: "delete", Within: time.Minute, Do: func(context.Context) error { later = true; return nil }},
	})
	failure, ok := errors.AsType[*StepError](err)
	if !ok || failure.Number != 2 || failure.Title != "look" || !errors.Is(err, reason) {
		t.Errorf("Run returned %v, want a failure of step 2 with its reason", err)
	}
	if later {
		t.Error("A step was taken after the failure")
	}
}

func TestAStepEndsWithItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := Run(t.Context(), screen.New(&bytes.Buffer{}, clock.RealClock{}), []Step{lasting("wait", time.Hour)})
		if err == nil || !strings.Contains(err.Error(), "step 1 (wait): not done within 1m0s") {
			t.Errorf("Run returned %v, want that the step was not done in time", err)
		}
	})
}

func TestTheCauseOfTheContextIsTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		died := errors.New("the operator ended on its own")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(died) })
		err := Run(ctx, screen.New(&bytes.Buffer{}, clock.RealClock{}), []Step{lasting("wait", time.Hour)})
		if !errors.Is(err, died) {
			t.Errorf("Run returned %v, want %v", err, died)
		}
		if err := Run(ctx, screen.New(&bytes.Buffer{}, clock.RealClock{}), []Step{lasting("never", 0)}); !errors.Is(err, died) {
			t.Errorf("Run returned %v with a context that has ended, want %v", err, died)
		}
	})
}
