// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package killed

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/operatorrig"
)

var (
	seedFlag    = flag.Uint64("killed.seed", 0, "seed of the random users and kills; 0 draws one")
	roundsFlag  = flag.Int("killed.rounds", 4, "rounds of kills; each takes some ten seconds")
	objectsFlag = flag.Int("killed.objects", 100, "objects that change meanwhile")
	longFlag    = flag.Bool("killed.long", false, "also what takes minutes: users who edit and delete what is not launched yet, which the operator "+
		"looks for until EC2's consistency window is over, and scenes with a third launch, for which it makes a pause")
)

// The suite's cluster, and the folder that the operator is installed in.
var (
	shared *cluster.Cluster
	folder string
)

func TestMain(m *testing.M) {
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	dir, err := os.MkdirTemp("", "killed")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// Nothing here is garbage collected, and the users make no use of default ServiceAccounts.
	options := cluster.Options{CRDs: []string{"../../config/crd/bases"}, Audit: true, WithoutControllers: true}
	code := cluster.Main(m, options, func(c *cluster.Cluster) {
		shared, folder = c, dir
		if _, err = operatorrig.Install(context.Background(), c, "../..", dir); err != nil {
			fmt.Fprintln(os.Stderr, "Setting up the suite:", err)
			os.Exit(1)
		}
	})
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
