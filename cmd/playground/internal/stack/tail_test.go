// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTailOfALog(t *testing.T) {
	lines := func(from, to int) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	path := filepath.Join(t.TempDir(), "operator.log")
	end := "the end of its log " + path + ":\n"
	for _, test := range []struct{ name, log, want string }{
		{"nothing", "", "its log " + path + " is empty"},
		{"a line", "line 1\n", end + "line 1"},
		{"a line without an end", "line 1", end + "line 1"},
		{"as many as are shown", lines(1, tailLines), end + strings.TrimSpace(lines(1, tailLines))},
		{"more", lines(1, 10_000), end + strings.TrimSpace(lines(10_001-tailLines, 10_000))},
		{"a line too long to read", strings.Repeat("x", tailBytes+1) + "\nlast\n", end + "last"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(test.log), 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, tailOf(path)); diff != "" {
				t.Errorf("Tail differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTailOfNoLogSaysSo(t *testing.T) {
	if got := tailOf(filepath.Join(t.TempDir(), "none")); !strings.Contains(got, "cannot be read") {
		t.Errorf("tailOf returned %q", got)
	}
}
