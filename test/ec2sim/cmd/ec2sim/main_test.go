// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/ec2sim/simctl"
)

func TestRunServesUntilItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	done := make(chan error, 1)
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(file, []byte(`{"pendingDelay": "9s"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		done <- run(ctx, []string{"--fast", "--settings", file}, writer, io.Discard)
		_ = writer.Close()
	}()
	lines := bufio.NewScanner(reader)
	if !lines.Scan() {
		t.Fatalf("no output: %v", <-done)
	}
	url, ok := strings.CutPrefix(lines.Text(), "ec2sim listens on ")
	if !ok {
		t.Fatalf("first line %q", lines.Text())
	}
	go func() { // the guide is written in one piece, but a pipe wants it read
		for lines.Scan() {
		}
	}()
	settings, err := simctl.New(url, nil).Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if settings.PendingDelay != 9*time.Second || settings.StoppingDelay != ec2sim.Fast().StoppingDelay {
		t.Errorf("settings: %+v", settings)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("stopped with %v", err)
	}
	if err := simctl.New(url, nil).Health(t.Context()); err == nil {
		t.Error("it still serves")
	}
}

func TestRunRefuses(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"pendingDelay": "soon"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"unknown flag":    {[]string{"--slow"}, "flag provided but not defined"},
		"argument":        {[]string{"now"}, `unexpected argument "now"`},
		"no such file":    {[]string{"--settings", bad + "x"}, "reading settings"},
		"bad settings":    {[]string{"--settings", bad}, `field "pendingDelay"`},
		"address in vain": {[]string{"--listen", "256.0.0.1:1"}, "listening"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), tc.args, io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want ...%s...", err, tc.want)
			}
		})
	}
}
