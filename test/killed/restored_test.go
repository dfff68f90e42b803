// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package killed

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// leftAlone is how long the operator that was left running across the restore is watched before it is restarted, too.
const leftAlone = 20 * time.Second

// TestRestoredFromBackup restores etcd from a backup: objects and what the operator has written to them go back in time, EC2
// does not. The scenes are played twice: with an operator that is restarted for the restore, as the documentation of
// Kubernetes says, and with one that is left running.
func TestRestoredFromBackup(t *testing.T) {
	ec2 := newEndpoint(t)
	restarted, left := newStage(t, 0, ec2), newStage(t, 1, ec2)
	left.leftRunning = true
	stages := []*stage{restarted, left}
	duplicates := watchDuplicates(t, ec2.sim)

	backup := filepath.Join(t.TempDir(), "backup")
	must(t, toBackup(t.Context(), ec2, stages, backup))
	must(t, both(stages, func(s *stage) error { return s.afterBackup(t.Context()) }))

	must(t, restarted.operator.kill())
	asked := len(requests(t))
	must(t, shared.Restore(backup))
	must(t, restarted.operator.start())
	began := time.Now()
	must(t, left.disturb("unchanged", "retagged"))
	restarted.awaitOutcome(t)
	t.Logf("The operator that was restarted had everything in order within %s", time.Since(began).Round(time.Second/10))

	pause(t.Context(), leftAlone-time.Since(began))
	left.tellLeftRunning(t, asked, time.Since(began))
	for _, s := range stages {
		s.harmless(t)
	}
	must(t, errors.Join(left.operator.kill(), left.operator.start()))
	left.awaitOutcome(t)

	// Accounts are everybody's: both operators count their instances, each when it has listed them.
	restful(t, atRest/2, "ec2instances")
	for _, s := range stages {
		s.harmless(t)
	}
	restarted.tellReported(t)
	t.Logf("%d objects had two live instances at once", duplicates())
}

// toBackup takes the backup with every scene where it is to be found, and has everybody go on.
func toBackup(ctx context.Context, ec2 *endpoint, stages []*stage, backup string) error {
	for _, step := range []func() error{
		func() error { return both(stages, func(s *stage) error { return s.operator.start() }) },
		func() error { return both(stages, func(s *stage) error { return s.beforeBackup(ctx) }) },
		ec2.kill,
		func() error { return both(stages, func(s *stage) error { return s.beforeBackupWithoutEC2(ctx) }) },
		func() error { return both(stages, func(s *stage) error { return s.operator.kill() }) },
		func() error { return both(stages, func(s *stage) error { return s.make(ctx, withoutOperator) }) },
		func() error { return shared.BackUp(backup) },
		func() error { return both(stages, func(s *stage) error { return s.afterBackupUnseen(ctx) }) },
		ec2.start,
		func() error { return both(stages, func(s *stage) error { return s.operator.start() }) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// both does something in all stages at once.
func both(stages []*stage, do func(*stage) error) error {
	ended := make(chan error, len(stages))
	for _, s := range stages {
		go func() { ended <- do(s) }()
	}
	var errs []error
	for range stages {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}

func (s *stage) awaitOutcome(t *testing.T) {
	t.Helper()
	eventually(t, "waiting in "+s.namespace, func(ctx context.Context) error { return errors.Join(s.pending(ctx)...) })
}

// disturb stops instances behind the operator's back, so that it has something to do.
func (s *stage) disturb(names ...string) error {
	var errs []error
	for _, a := range s.acts {
		if slices.Contains(names, a.name) {
			errs = append(errs, s.sim.Stop(a.instance))
		}
	}
	return errors.Join(errs...)
}

// tellLeftRunning tells how an operator fares that was left running.
func (s *stage) tellLeftRunning(t *testing.T, asked int, took time.Duration) {
	t.Helper()
	pending := s.pending(t.Context())
	own := requests(t)[asked:].In(s.namespace)
	t.Logf("The operator that was left running has %d of %d scenes in order after %s, and has made %d requests about its namespace, %d of them writes. It logged errors: %q",
		len(s.acts)-len(pending), len(s.acts), took.Round(time.Second/10), len(own), len(own.Writes()), s.operator.errorsLogged())
	for _, err := range pending {
		t.Logf("  not in order: %.300v", err)
	}
}

// tellReported tells what the operator says of instances that it has no object for.
func (s *stage) tellReported(t *testing.T) {
	t.Helper()
	events, err := shared.Kubectl(t.Context(), "get", "events", "--all-namespaces", "-o", "json")
	must(t, err)
	account, err := shared.Kubectl(t.Context(), "get", "ec2accounts", s.namespace, "-o", "json")
	must(t, err)
	for _, i := range s.orphans() {
		var where []string
		for place, text := range map[string]string{"events": string(events), "the account": string(account), "the operator's log": s.operator.log.String()} {
			if strings.Contains(text, i.ID) {
				where = append(where, place)
			}
		}
		t.Logf("No object is known of %s (%s/%s): left alone, and told of in %q", i.ID, i.Tags[ec2v1.TagNamespace], i.Tags[ec2v1.TagName], where)
	}
	told, err := shared.Kubectl(t.Context(), "get", "events", "--namespace", s.namespace,
		"-o", `jsonpath={range .items[*]}{.involvedObject.name}: {.reason}: {.message}{"\n"}{end}`)
	must(t, err)
	t.Logf("Events in the restored cluster:\n%s", told)
	for _, a := range s.acts {
		if a.fate != another {
			continue
		}
		for _, i := range liveByUID(s.sim)[string(a.uid)] {
			if !strings.Contains(string(told), fmt.Sprintf("%s: Launched: Launched instance %s (attempt %d, Terminated)", a.name, i.ID, a.attempt)) {
				t.Errorf("no event tells of %s, the new instance of %s", i.ID, a.name)
			}
		}
	}
}
