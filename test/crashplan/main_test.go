// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package crashplan

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fieldowner/ec2-operator/controller/operator"
	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/operatorrig"
)

// atOnce is how many runs go on at the same time: most of their time they wait for EC2's delays.
const atOnce = 8

// The suite's cluster, the operator in it, a client of it that may do everything, and the way to it for proxies.
var (
	shared    *cluster.Cluster
	installed *operatorrig.Operator
	k8s       client.Client
	wayToAPI  http.RoundTripper
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	flag.Parse()
	dir, err := os.MkdirTemp("", "crashplan")
	if err == nil {
		err = parallel()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	options := cluster.Options{CRDs: []string{"../../config/crd/bases"}}
	code := cluster.Main(m, options, func(c *cluster.Cluster) {
		if err := connect(c, dir); err != nil {
			fmt.Fprintln(os.Stderr, "Setting up the suite:", err)
			os.Exit(1)
		}
	})
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// parallel has go test run as many at once as this suite likes, unless the command line says otherwise.
func parallel() error {
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "test.parallel" })
	if told {
		return nil
	}
	return flag.Set("test.parallel", strconv.Itoa(atOnce))
}

// connect makes what speaks to the API server.
func connect(c *cluster.Cluster, dir string) error {
	shared = c
	var err error
	if installed, err = operatorrig.Install(context.Background(), c, "../..", dir); err != nil {
		return err
	}
	scheme, err := operator.Scheme()
	if err != nil {
		return err
	}
	if k8s, err = client.New(c.RESTConfig(), client.Options{Scheme: scheme}); err != nil {
		return err
	}
	// Without the admin's certificate: whoever asks through a proxy brings credentials of its own.
	wayToAPI, err = rest.TransportFor(rest.AnonymousClientConfig(c.RESTConfig()))
	return err
}
