// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestModes(t *testing.T) {
	for _, test := range []struct {
		args []string
		want mode
	}{
		{nil, modeRun}, {[]string{"run"}, modeRun}, {[]string{"demo"}, modeDemo}, {[]string{"--help"}, modeHelp}, {[]string{"-h"}, modeHelp},
	} {
		if got, err := modeOf(test.args); err != nil || got != test.want {
			t.Errorf("modeOf(%q) returned %q and %v, want %q", test.args, got, err, test.want)
		}
	}
}

func TestAWrongCommandLineIsRefused(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"dmeo"}, `unknown command "dmeo"`},
		{[]string{"demo", "fast"}, `unexpected argument "fast"`},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), test.args, &stdout, &stderr)
		if code != exitUsage || !strings.Contains(stderr.String(), test.want) || !strings.Contains(stderr.String(), "Usage:") || stdout.Len() > 0 {
			t.Errorf("run(%q) returned %d and wrote %q and %q, want %d and %q with the usage", test.args, code, &stdout, &stderr, exitUsage, test.want)
		}
	}
}

// The tests' own binary does not lie in bin/ of the source tree.
func TestAPlaygroundFromElsewhereSaysWhereItBelongs(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"demo"}, &stdout, &stderr); code != exitFailed {
		t.Errorf("run returned %d, want %d", code, exitFailed)
	}
	if !strings.Contains(stderr.String(), "make build") {
		t.Errorf("run wrote %q, want the way out", &stderr)
	}
}
