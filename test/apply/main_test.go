// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/fieldowner/ec2-operator/test/cluster"
)

// shared is the cluster of all tests in this package.
var shared *cluster.Cluster

// checks is how many objects the property test drives: each of its steps is some requests. Flags override it and the seed.
const checks = 10

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	for name, value := range map[string]string{"rapid.checks": strconv.Itoa(checks), "rapid.seed": strconv.FormatUint(max(rand.Uint64(), 1), 10)} {
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	options := cluster.Options{CRDs: []string{"../../config/crd/bases"}, Audit: true, WithoutControllers: true}
	os.Exit(cluster.Main(m, options, func(c *cluster.Cluster) { shared = c }))
}
