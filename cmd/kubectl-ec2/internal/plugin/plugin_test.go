// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
)

// nowhere is a kubeconfig whose API server nobody answers for: port 1 is not used.
const nowhere = `{apiVersion: v1, kind: Config, current-context: a, clusters: [{name: a, cluster: {server: "http://127.0.0.1:1"}}],
contexts: [{name: a, context: {cluster: a}}]}`

func run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "config")
	if err := os.WriteFile(kubeconfig, []byte(nowhere), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", kubeconfig)
	t.Setenv("KUBECACHEDIR", dir)
	flags := genericclioptions.NewConfigFlags(true)
	var out, errOut bytes.Buffer
	env := &cli.Env{
		IOStreams: genericiooptions.IOStreams{In: strings.NewReader(stdin), Out: &out, ErrOut: &errOut},
		Cluster:   flags,
		Getenv:    func(string) string { return "" },
	}
	code = Run(t.Context(), env, flags.AddFlags, args)
	return out.String(), errOut.String(), code
}

const configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, managedFields: [" +
	`{manager: m, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}}}}]}, data: {a: "1"}}`

func TestCommandLines(t *testing.T) {
	const unreachable = "connection refused: check that the cluster runs and that --context or --kubeconfig names the right one"
	for _, test := range []struct {
		name, line, stdin string
		code              int
		stdout, stderr    string
	}{
		{name: "no command", line: "", stdout: "Usage:\n  kubectl ec2 [command]"},
		{name: "help", line: "conflicts --help", stdout: "Exit code:\n  0   no conflicts\n  1   there are conflicts\n  2   an error"},
		{name: "version", line: "version", stdout: "kubectl ec2 "},
		{name: "offline", line: "owners -f -", stdin: configMap, stdout: "FIELD  OWNERS\ndata\n  a    m\n"},
		{name: "in colour", line: "owners -f - --color=always", stdin: configMap, stdout: "m\x1b[0m"},
		{name: "an unknown command", line: "owner", code: 2, stderr: "unknown command \"owner\" for \"kubectl ec2\"\n\nDid you mean this?\n\towners\n"},
		{name: "an unknown flag", line: "owners --nix", code: 2, stderr: "error: unknown flag: --nix\nSee 'kubectl ec2 owners --help'.\n"},
		{name: "an unknown colour", line: "owners --color=red", code: 2, stderr: `must be auto, always or never, not "red"`},
		{name: "owners of nothing", line: "owners", code: 2, stderr: "error: name an object, as KIND/NAME, or a file, with -f\nSee 'kubectl ec2 owners --help'.\n"},
		{name: "owners in an unknown format", line: "owners a/b -o xml", code: 2, stderr: "--output must be one of wide, json, yaml"},
		{name: "owners of a missing file", line: "owners -f none.yaml", code: 2, stderr: `the path "none.yaml" does not exist`},
		{name: "owners without a cluster", line: "owners pod/a", code: 2, stderr: unreachable},
		{name: "owners in an unknown context", line: "owners pod/a --context=b", code: 2, stderr: "'kubectl config get-contexts' shows those that there are"},
		{name: "conflicts of nothing", line: "conflicts", code: 2, stderr: "name what is to be applied, with -f FILE or -k DIRECTORY\nSee"},
		{name: "conflicts of an argument", line: "conflicts web.yaml", code: 2, stderr: `unexpected argument "web.yaml": files are named with -f`},
		{name: "conflicts of a file and a kustomization", line: "conflicts -f a -k b", code: 2, stderr: "-k cannot be used with -f or -R"},
		{name: "conflicts as nobody", line: "conflicts -f a --field-manager=", code: 2, stderr: "--field-manager must not be empty"},
		{name: "conflicts in an unknown format", line: "conflicts -f a -o wide", code: 2, stderr: "--output must be one of json, yaml"},
		{name: "conflicts of a missing file", line: "conflicts -f none.yaml", code: 2, stderr: `error: the path "none.yaml" does not exist`},
		{name: "conflicts without a cluster", line: "conflicts -f -", stdin: configMap, code: 2, stderr: unreachable},
		{name: "conflicts without a cluster, as JSON", line: "conflicts -f - -o json", stdin: configMap, code: 2, stdout: `"objects": [],`},
		{name: "migrate without managers", line: "migrate pod/a", code: 2, stderr: "with --from\nSee 'kubectl ec2 migrate --help'."},
		{name: "migrate nothing", line: "migrate --from=a --to=b", code: 2, stderr: "name an object: KIND/NAME\nSee"},
		{name: "migrate without a cluster", line: "migrate pod/a --from=a --to=b", code: 2, stderr: unreachable},
		{name: "version of something", line: "version a", code: 2, stderr: "unknown command"},
	} {
		t.Run(test.name, func(t *testing.T) {
			stdout, stderr, code := run(t, test.stdin, strings.Fields(test.line)...)
			if code != test.code || !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) {
				t.Errorf("exit code %d\nstdout: %s\nstderr: %s", code, stdout, stderr)
			}
			if (test.stderr == "") != (stderr == "") && test.name != "conflicts without a cluster, as JSON" {
				t.Errorf("stderr: %s", stderr)
			}
		})
	}
}

func TestCompletion(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"commands", []string{""}, "owners\tShow who owns which field of an object\n"},
		{"formats of owners", []string{"owners", "-o", ""}, "wide\njson\nyaml\n:4\n"},
		{"formats of conflicts", []string{"conflicts", "-o", ""}, "json\nyaml\n:4\n"},
		{"files", []string{"owners", "-f", ""}, "yaml\n"},
		{"colours", []string{"owners", "--color", ""}, "auto\nalways\nnever\n:4\n"},
		{"dry runs", []string{"migrate", "--dry-run="}, "server\nnone\n:4\n"},
		{"subresources", []string{"migrate", "--subresource", ""}, "status\nscale\n:4\n"},
		{"managers of nothing", []string{"migrate", "--from", ""}, ":4\n"},
		{"managers without a cluster", []string{"owners", "pod/a", "--manager", ""}, ":4\n"},
		{"kinds without a cluster", []string{"owners", ""}, ":6\n"},
		{"names without a cluster", []string{"owners", "pod/"}, ":4\n"},
		{"no arguments of conflicts", []string{"conflicts", ""}, ":4\n"},
		{"no managers to apply as", []string{"conflicts", "--field-manager", ""}, ":4\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			stdout, _, code := run(t, "", Args("kubectl_complete-ec2", test.args)...)
			if code != 0 || !strings.Contains(stdout, test.want) {
				t.Errorf("exit code %d, got %q, want %q", code, stdout, test.want)
			}
		})
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if stdout, stderr, code := run(t, "", "completion", shell); code != 0 || stderr != "" || !strings.Contains(stdout, "kubectl-ec2") {
			t.Errorf("%s: exit code %d, stderr %q", shell, code, stderr)
		}
	}
	if help, _, _ := run(t, "", "completion", "--help"); !strings.Contains(help, "kubectl_complete-ec2") {
		t.Errorf("the help does not tell of kubectl's own completion: %s", help)
	}
}

func TestArgs(t *testing.T) {
	args := []string{"owners", ""}
	if diff := cmp.Diff(args, Args("kubectl-ec2", args)); diff != "" {
		t.Errorf("The arguments differ (-want +got):\n%s", diff)
	}
}

// TestHelpIsWhole: every command says what it does, shows examples that call it, and keeps kubectl's flags out of the way.
func TestHelpIsWhole(t *testing.T) {
	root := newRoot(&cli.Env{}, genericclioptions.NewConfigFlags(true).AddFlags)
	for _, c := range root.Commands() {
		if c.Short == "" || c.Long == "" {
			t.Errorf("%s: no description", c.CommandPath())
		}
		if !strings.HasPrefix(c.UseLine(), "kubectl ec2 "+c.Name()) {
			t.Errorf("%s: the usage line is %q", c.Name(), c.UseLine())
		}
		if c.HasAvailableFlags() && c.Name() != "completion" && c.LocalNonPersistentFlags().HasAvailableFlags() {
			wantExamples(t, c)
		}
	}
	if usage := root.UsageString(); strings.Contains(usage, "--token") || !strings.Contains(usage, "--context") {
		t.Errorf("the usage is:\n%s", usage)
	}
}

func wantExamples(t *testing.T, c *cobra.Command) {
	t.Helper()
	if !strings.Contains(c.Example, c.CommandPath()+" ") || !strings.Contains(c.Long, "Exit code:") {
		t.Errorf("%s: no examples or no exit codes", c.CommandPath())
	}
}

func TestVersion(t *testing.T) {
	info := &debug.BuildInfo{
		Main:     debug.Module{Version: "v1.2.3"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}},
		Deps:     []*debug.Module{{Path: "k8s.io/client-go", Version: "v0.37.2"}},
	}
	if got := version(info); !strings.HasPrefix(got, "kubectl ec2 v1.2.3 abc (client-go v0.37.2, go1.") {
		t.Errorf("got %s", got)
	}
	if got := version(nil); !strings.HasPrefix(got, "kubectl ec2 unknown (client-go unknown, ") {
		t.Errorf("got %s", got)
	}
}
