// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package kubectlec2

import (
	"strings"
	"testing"
)

// TestKubectlFindsThePlugin: it is installed under the name that kubectl looks for, and nothing shadows it.
func TestKubectlFindsThePlugin(t *testing.T) {
	r := newRig(t)
	list := r.run("", "kubectl plugin list")
	if !strings.Contains(list.stdout, "/kubectl-ec2\n") || strings.Contains(list.stderr, "kubectl-ec2") {
		t.Errorf("kubectl finds:\n%s%s", list.stdout, list.stderr)
	}
	r.want(r.run("", "kubectl ec2"), 0, []string{"Usage:\n  kubectl ec2 [command]\n"}, nil)
	r.want(r.run("", "kubectl ec2 nix"), 2, nil, []string{`error: unknown command "nix" for "kubectl ec2"`})
}

// TestKubectlCompletes: kubectl asks the plugin, which asks the cluster.
func TestKubectlCompletes(t *testing.T) {
	r := newRig(t)
	r.sharedInstance()
	r.must("label ec2i web a=b --field-manager=kubectl-label")
	in := "-n " + r.namespace + " "
	for _, test := range []struct{ line, want string }{
		{"ow", "owners\tShow who owns which field of an object\n:4\n"},
		{"owners ec2instances", "ec2instances.ec2.fieldowner.dev/\n:6\n"},
		{"owners deploy", "deployments.apps/\n:6\n"},
		{"owners configm", "configmaps/\n:6\n"},
		{"owners " + in + "ec2i/", "ec2i/web\n:4\n"},
		{"owners " + in + "ec2i/x", ":4\n"},
		{"owners " + in + "ec2i ''", "web\n:4\n"},
		{"owners namespace/" + r.namespace, "namespace/" + r.namespace + "\n:4\n"},
		{"owners nix/", ":4\n"},
		{"owners " + in + "ec2i/web --manager ''", "ec2-instance\nkubectl\nkubectl-label\nteam-costs\n:4\n"},
		{"migrate " + in + "ec2i/web --from ''", "kubectl-label\n:4\n"},
		{"migrate " + in + "ec2i/web --from a,k", "a,kubectl-label\n:4\n"},
		{"migrate " + in + "ec2i/web --to t", "team-costs\n:4\n"},
	} {
		if got := r.mustRun("", "kubectl __complete ec2 "+test.line); got != test.want {
			t.Errorf("%s: got %q, want %q", test.line, got, test.want)
		}
	}
}
