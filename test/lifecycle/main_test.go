// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

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

const (
	operatorNamespace = "ec2-operator-system"
	operatorAccount   = "ec2-operator"
)

// The suite's cluster, and the operator's binary and kubeconfig.
var (
	shared     *cluster.Cluster
	binary     string
	kubeconfig string
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	dir, err := os.MkdirTemp("", "lifecycle")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	options := cluster.Options{CRDs: []string{"../../config/crd/bases"}, Audit: true}
	code := cluster.Main(m, options, func(c *cluster.Cluster) {
		shared = c
		if err := install(context.Background(), c, dir); err != nil {
			fmt.Fprintln(os.Stderr, "Setting up the suite:", err)
			os.Exit(1)
		}
	})
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// install builds the operator and gives it the ServiceAccount and the rights of config/rbac, and no others.
func install(ctx context.Context, c *cluster.Cluster, dir string) error {
	binary = filepath.Join(dir, "ec2-operator")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "../../cmd/ec2-operator")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the operator: %w: %s", err, out)
	}
	for _, args := range [][]string{
		{"apply", "--server-side", "-f", "../../config/manager/namespace.yaml"},
		{"apply", "--server-side", "-k", "../../config/rbac"},
	} {
		if _, err := c.Kubectl(ctx, args...); err != nil {
			return err
		}
	}
	kubeconfig = filepath.Join(dir, "kubeconfig")
	return c.ServiceAccountKubeconfig(ctx, operatorNamespace, operatorAccount, kubeconfig)
}
