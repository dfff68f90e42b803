// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/controller/operator"
)

func TestOptions(t *testing.T) {
	defaults := operator.Options{
		LeaderElection: true, Namespace: defaultNamespace, MetricsAddress: ":8443", ProbeAddress: ":8081", Workers: defaultWorkers,
	}
	for _, test := range []struct {
		says       string
		args       []string
		pod        string
		want       func(*operator.Options)
		kubeconfig string
	}{
		{says: "defaults", want: func(*operator.Options) {}},
		{says: "the pod's namespace", pod: "aws", want: func(o *operator.Options) { o.Namespace = "aws" }},
		{
			says: "a flag wins over the environment", pod: "aws", args: []string{"--namespace=other"},
			want: func(o *operator.Options) { o.Namespace = "other" },
		},
		{
			says: "every flag", kubeconfig: "here",
			args: []string{
				"--kubeconfig=here", "--leader-elect=false", "--namespace=aws", "--metrics-bind-address=0", "--health-probe-bind-address=:1",
				"--watch-namespaces=a,b", "--watch-namespaces=c", "--max-concurrent-reconciles=1", "--default-account", "--log-level=debug",
			},
			want: func(o *operator.Options) {
				*o = operator.Options{
					Namespace: "aws", MetricsAddress: "0", ProbeAddress: ":1", WatchNamespaces: []string{"a", "b", "c"}, Workers: 1, DefaultAccount: true,
				}
			},
		},
		{says: "no namespaces are all", args: []string{"--watch-namespaces="}, want: func(o *operator.Options) { o.WatchNamespaces = []string{} }},
	} {
		t.Run(test.says, func(t *testing.T) {
			t.Setenv("POD_NAMESPACE", test.pod)
			got, kubeconfig, err := options(test.args)
			if err != nil {
				t.Fatal(err)
			}
			if got.Log.GetSink() == nil {
				t.Error("the options have no logger")
			}
			got.Log = logr.Logger{}
			want := defaults
			test.want(&want)
			if diff := cmp.Diff(want, *got, cmp.AllowUnexported(logr.Logger{})); diff != "" {
				t.Errorf("options(%q) differs (-want +got):\n%s", test.args, diff)
			}
			if kubeconfig != test.kubeconfig {
				t.Errorf("the kubeconfig is %q, want %q", kubeconfig, test.kubeconfig)
			}
		})
	}
}

// TestWrongFlags: the message names the flag, the value and the way out.
func TestWrongFlags(t *testing.T) {
	t.Setenv("POD_NAMESPACE", "")
	const wayOut = "--help shows the flags"
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"--log-level=loud"}, []string{"--log-level", "debug, info, warn or error", `"loud"`}},
		{[]string{"--log-level="}, []string{"--log-level", `""`}},
		{[]string{"--max-concurrent-reconciles=0"}, []string{"--max-concurrent-reconciles", "at least 1", "not 0"}},
		{[]string{"--max-concurrent-reconciles=-3"}, []string{"--max-concurrent-reconciles", "not -3"}},
		{[]string{"--max-concurrent-reconciles=many"}, []string{"--max-concurrent-reconciles", `"many"`}},
		{[]string{"--leader-elect=perhaps"}, []string{"--leader-elect", `"perhaps"`}},
		{[]string{"--leader-elect", "false"}, []string{`unexpected argument "false"`, "="}},
		{[]string{"run"}, []string{`unexpected argument "run"`}},
		{[]string{"--no-such-flag"}, []string{"--no-such-flag"}},
		{[]string{"--namespace="}, []string{"--namespace", `""`}},
		{[]string{"--namespace=My_Space"}, []string{"--namespace", `"My_Space"`}},
		{[]string{"--watch-namespaces=a,"}, []string{"--watch-namespaces", `""`}},
		{[]string{"--watch-namespaces=a/b"}, []string{"--watch-namespaces", `"a/b"`}},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			got, _, err := options(test.args)
			if err == nil || got != nil {
				t.Fatalf("options(%q) returned %+v and %v, want an error alone", test.args, got, err)
			}
			for _, part := range append(test.want, wayOut) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("options(%q) says %q, without %q", test.args, err, part)
				}
			}
		})
	}
}

func TestHelpRunsNothing(t *testing.T) {
	for _, arg := range []string{"--help", "-h"} {
		if o, _, err := options([]string{arg}); o != nil || err != nil {
			t.Errorf("options(%q) returned %+v and %v, want neither", arg, o, err)
		}
		if err := run([]string{arg}); err != nil {
			t.Errorf("run(%q) returned %v", arg, err)
		}
	}
}

func TestLogLevels(t *testing.T) {
	for name, want := range map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError, "INFO": slog.LevelInfo,
	} {
		log, err := logger(name)
		if err != nil {
			t.Errorf("logger(%q): %v", name, err)
			continue
		}
		handler := logr.ToSlogHandler(log)
		if !handler.Enabled(t.Context(), want) || handler.Enabled(t.Context(), want-1) {
			t.Errorf("logger(%q) does not log from %v on, exactly", name, want)
		}
	}
}

const kubeconfigText = `
apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: test}}]
clusters: [{name: test, cluster: {server: "https://localhost:1"}}]
users: [{name: test, user: {token: secret}}]
`

func TestRESTConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, []byte(kubeconfigText), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ says, flag, env string }{
		{says: "by flag", flag: path},
		{says: "by environment", env: path},
		{says: "the flag wins", flag: path, env: filepath.Join(t.TempDir(), "missing")},
	} {
		t.Run(test.says, func(t *testing.T) {
			t.Setenv("KUBECONFIG", test.env)
			cfg, err := restConfig(test.flag)
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Host != "https://localhost:1" || cfg.UserAgent != "ec2-operator" || cfg.QPS >= 0 {
				t.Errorf("the configuration is for %q as %q with a limit of %v a second", cfg.Host, cfg.UserAgent, cfg.QPS)
			}
		})
	}
}

func TestAMissingKubeconfigIsNamed(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := restConfig(missing)
	if err == nil {
		t.Fatal("a missing kubeconfig was taken")
	}
	for _, part := range []string{missing, "--kubeconfig"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error is %q, without %q", err, part)
		}
	}
}
