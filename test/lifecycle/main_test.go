// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/operatorrig"
)

const (
	operatorNamespace = operatorrig.Namespace
	operatorAccount   = operatorrig.Account
)

// The suite's cluster, and the operator in it.
var (
	shared    *cluster.Cluster
	installed *operatorrig.Operator
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
		if installed, err = operatorrig.Install(context.Background(), c, "../..", dir); err != nil {
			fmt.Fprintln(os.Stderr, "Setting up the suite:", err)
			os.Exit(1)
		}
	})
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
