// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package screen

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
)

func TestStagesBearTheTimeSinceTheBeginning(t *testing.T) {
	var out bytes.Buffer
	clock := clocktesting.NewFakePassiveClock(time.Unix(1_000_000, 0))
	s := New(&out, clock)
	s.Stage("Starting %s", "etcd")
	clock.SetTime(time.Unix(1_000_012, 340_000_000))
	if _, err := fmt.Fprintf(s, "Ready\nGo\n"); err != nil {
		t.Fatal(err)
	}
	want := "[  0.0s] Starting etcd\n[ 12.3s] Ready\n[ 12.3s] Go\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("Lines differ (-want +got):\n%s", diff)
	}
}

func TestParts(t *testing.T) {
	var out bytes.Buffer
	s := New(&out, clocktesting.NewFakePassiveClock(time.Unix(0, 0)))
	s.Heading("Step %d", 1)
	s.Command([]string{"kubectl", "apply", "-f", "-"}, "kind: EC2Instance\n")
	s.Output([]byte("created\n\n"))
	s.Output(nil)
	s.Check("%d instances run", 3)
	s.Text("done")
	want := "\n=== Step 1\n$ kubectl apply -f - <<'EOF'\nkind: EC2Instance\nEOF\ncreated\nok: 3 instances run\ndone\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("Text differs (-want +got):\n%s", diff)
	}
}

func TestQuote(t *testing.T) {
	got := Quote([]string{"kubectl", "wait", "--for=jsonpath={.status.launch.attempt}=2", "ec2i/web", "", "it's"})
	want := `kubectl wait '--for=jsonpath={.status.launch.attempt}=2' ec2i/web '' 'it'\''s'`
	if got != want {
		t.Errorf("Quote returned\n%s, want\n%s", got, want)
	}
}

// What is shown can be pasted into a shell.
func TestAShellReadsWhatWasQuoted(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("aZ09 -_./:=,@%+'\"\\$`{}[]()*?~!#&|;<>\nä")), 0, 8, -1), 1, 8).Draw(t, "args")
		out, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s\0' `+Quote(args)).Output()
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if diff := cmp.Diff(args, got); diff != "" {
			t.Errorf("Arguments differ (-want +got):\n%s", diff)
		}
	})
}
