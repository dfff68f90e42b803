// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/cluster"
)

// configDir is where the manifests are.
const configDir = "../../config"

// shared is the cluster of all tests in this package.
var shared *cluster.Cluster

func TestMain(m *testing.M) {
	// Warnings of the API server are shown.
	log.SetLogger(funcr.New(func(prefix, args string) { fmt.Fprintln(os.Stderr, prefix, args) }, funcr.Options{}))
	options := cluster.Options{CRDs: []string{configDir + "/crd/bases"}}
	os.Exit(cluster.Main(m, options, func(c *cluster.Cluster) { shared = c }))
}

// newScheme knows Kubernetes' kinds and ours.
func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, ec2v1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

// newClient may do everything. Each test makes its own.
func newClient(t *testing.T) client.Client {
	t.Helper()
	c, err := client.New(shared.RESTConfig(), client.Options{Scheme: newScheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// kubectl runs the real one and returns what it writes.
func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	output, err := shared.Kubectl(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return string(output)
}
