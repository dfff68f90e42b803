// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package operatorrig runs the operator for test suites as it is run in a cluster: as a process of its own, under its own ServiceAccount,
// with the rights of config/rbac and no others. Only the way to AWS leads to a simulated EC2.
package operatorrig

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/fieldowner/ec2-operator/test/cluster"
)

// The operator's namespace and ServiceAccount, as config has them.
const (
	Namespace = "ec2-operator-system"
	Account   = "ec2-operator"
)

// User is the operator's name in the API server's record of requests.
func User() string { return cluster.ServiceAccountUser(Namespace, Account) }

// Operator is an operator that can be started in a cluster, any number of times.
type Operator struct {
	binary     string
	kubeconfig string
}

// Install builds the operator into dir and gives it the ServiceAccount and the rights of config/rbac. root is the module's folder, as seen
// from the working directory. It takes as long as the build: a second when nothing has changed.
func Install(ctx context.Context, c *cluster.Cluster, root, dir string) (*Operator, error) {
	o := &Operator{binary: filepath.Join(dir, "ec2-operator"), kubeconfig: filepath.Join(dir, "kubeconfig")}
	build := exec.CommandContext(ctx, "go", "build", "-o", o.binary, "./cmd/ec2-operator")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the operator: %w: %s", err, out)
	}
	for _, args := range [][]string{
		{"apply", "--server-side", "-f", filepath.Join(root, "config", "manager", "namespace.yaml")},
		{"apply", "--server-side", "-k", filepath.Join(root, "config", "rbac")},
	} {
		if _, err := c.Kubectl(ctx, args...); err != nil {
			return nil, err
		}
	}
	return o, c.ServiceAccountKubeconfig(ctx, Namespace, Account, o.kubeconfig)
}

// kubeconfigFor is the operator's kubeconfig, or a copy in dir that leads to another server.
func (o *Operator) kubeconfigFor(s Settings, dir string) (string, error) {
	if s.Server == "" {
		return o.kubeconfig, nil
	}
	config, err := clientcmd.LoadFromFile(o.kubeconfig)
	if err != nil {
		return "", fmt.Errorf("reading the operator's kubeconfig: %w", err)
	}
	for _, c := range config.Clusters {
		c.Server, c.CertificateAuthorityData = s.Server, s.Authority
	}
	path := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return "", fmt.Errorf("writing the operator's kubeconfig: %w", err)
	}
	return path, nil
}
