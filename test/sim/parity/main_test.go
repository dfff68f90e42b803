// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package parity

import (
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

// realServer is a client of the real API server.
var realServer client.Client

func TestMain(m *testing.M) {
	// What is logged of wrong objects is of no interest here: half of them are wrong on purpose.
	log.SetLogger(logr.Discard())
	options := cluster.Options{CRDs: []string{"../../../config/crd/bases"}, WithoutControllers: true}
	os.Exit(cluster.Main(m, options, func(c *cluster.Cluster) {
		var err error
		if realServer, err = newReal(c.RESTConfig()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}))
}

func newReal(cfg *rest.Config) (client.Client, error) {
	scheme, err := apiserver.Scheme()
	if err != nil {
		return nil, err
	}
	cfg.UserAgent = user
	cfg.WarningHandler = rest.NoWarnings{}
	return client.New(cfg, client.Options{Scheme: scheme})
}

// user is the user agent of both clients, and so the manager of writes that name none.
const user = "somebody"
