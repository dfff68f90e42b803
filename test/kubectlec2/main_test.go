// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package kubectlec2

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/fieldowner/ec2-operator/test/cluster"
)

// The suite's cluster, and the folder that holds kubectl, the plugin and a home for both.
var (
	shared *cluster.Cluster
	folder string
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	dir, err := os.MkdirTemp("", "kubectlec2")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	options := cluster.Options{CRDs: []string{"../../config/crd/bases"}, WithoutControllers: true}
	code := cluster.Main(m, options, func(c *cluster.Cluster) {
		shared, folder = c, dir
		if err := install(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "Setting up the suite:", err)
			os.Exit(1)
		}
	})
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// source is the plugin's.
const source = "../../cmd/kubectl-ec2"

// install puts kubectl and the plugin where PATH will find them, the latter as its help says.
func install(ctx context.Context) error {
	plugin := filepath.Join(folder, "kubectl-ec2")
	build := exec.CommandContext(ctx, "go", "build", "-o", plugin, source)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the plugin: %w: %s", err, out)
	}
	for target, link := range map[string]string{shared.KubectlPath(): "kubectl", "kubectl-ec2": "kubectl_complete-ec2"} {
		if err := os.Symlink(target, filepath.Join(folder, link)); err != nil {
			return fmt.Errorf("installing %s: %w", link, err)
		}
	}
	return nil
}
