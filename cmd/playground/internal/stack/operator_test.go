// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stack

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// start runs a shell script in the operator's place.
func start(t *testing.T, script, probe string) *operator {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "operator")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	o, err := startOperator(t.Context(), operatorSettings{program: program, log: filepath.Join(dir, "log"), home: dir, probe: probe})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = o.cmd.Process.Kill() // it may have ended
		<-o.ended
	})
	return o
}

// serving keeps a script in the foreground until it is told to end.
const serving = "trap 'exit $code' TERM; echo serving; while :; do sleep 0.05; done"

// waitLogged returns once the script is as far as to have logged something.
func waitLogged(t *testing.T, o *operator) {
	t.Helper()
	for {
		if log, err := os.ReadFile(o.log); err == nil && len(log) > 0 {
			return
		}
		select {
		case <-o.ended:
			t.Fatal(o.failure())
		case <-t.Context().Done():
			t.Fatal("Nothing was logged")
		case <-time.After(readyPoll):
		}
	}
}

func TestTheOperatorIsReadyWhenItSaysSo(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" || asked.Add(1) < 3 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	o := start(t, "code=0; "+serving, strings.TrimPrefix(server.URL, "http://"))
	if err := o.waitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := asked.Load(); got != 3 {
		t.Errorf("The operator was asked %d times, want until the third, which said that it is ready", got)
	}
}

func TestAnOperatorThatDiesIsNotWaitedFor(t *testing.T) {
	o := start(t, "echo 'no such CRD' >&2; exit 3", "127.0.0.1:1")
	err := o.waitReady(t.Context())
	if err == nil {
		t.Fatal("An operator that has ended is said to be ready")
	}
	for _, want := range []string{"ended on its own", "exit status 3", "no such CRD"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("The error %q does not say %q", err, want)
		}
	}
	if err := o.stop(); err != nil {
		t.Errorf("Stopping it said again what was said before: %v", err)
	}
}

func TestStoppingAnOperatorThatDiedUnnoticedSaysSo(t *testing.T) {
	o := start(t, "exit 4", "127.0.0.1:1")
	<-o.ended
	if err := o.stop(); err == nil || !strings.Contains(err.Error(), "exit status 4") {
		t.Errorf("Stopping it returned %v, want how it ended", err)
	}
}

func TestStoppingTheOperatorTellsHowItEnded(t *testing.T) {
	for _, test := range []struct{ name, code, want string }{
		{"cleanly", "0", ""},
		{"with an error", "7", "exit status 7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := start(t, "code="+test.code+"; "+serving, "127.0.0.1:1")
			waitLogged(t, o)
			switch err := o.stop(); {
			case test.want == "" && err != nil:
				t.Errorf("stop returned %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("stop returned %v, want %q", err, test.want)
			}
			select {
			case <-o.ended:
			default:
				t.Error("The operator still runs")
			}
		})
	}
}

// The operator must not find a way to AWS: neither credentials nor settings of the
// person who runs the playground reach it.
func TestTheOperatorSeesOnlyItsOwnEnvironment(t *testing.T) {
	for _, name := range []string{"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_EC2", "KUBECONFIG", "HTTPS_PROXY"} {
		t.Setenv(name, "of the person who runs this")
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDREAL")
	settings := operatorSettings{endpoint: "http://127.0.0.1:1234", region: Region, home: "/home/of/the/operator"}
	var names []string
	for _, entry := range settings.env() {
		name, value, _ := strings.Cut(entry, "=")
		names = append(names, name)
		if strings.Contains(value, "of the person") || strings.Contains(value, "AKIDREAL") {
			t.Errorf("The operator gets %s", entry)
		}
	}
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "HOME"} {
		if !slices.Contains(names, name) {
			t.Errorf("The operator gets no %s", name)
		}
	}
	o := start(t, "env; exit 1", "127.0.0.1:1")
	<-o.ended
	if seen := tailOf(o.log); strings.Contains(seen, "of the person") || strings.Contains(seen, "AKIDREAL") {
		t.Errorf("The process sees %s", seen)
	}
}
