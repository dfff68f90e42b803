// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// patience bounds every wait of these tests. It is not what they measure: it is
// long because other things may run on the machine.
const patience = 2 * time.Minute

// shared is the cluster for tests that do not stop it.
var shared *Cluster

func TestMain(m *testing.M) {
	if os.Getenv(victimEnv) != "" {
		beVictim()
	}
	log.SetLogger(logr.Discard()) // envtest's, which has nothing to tell that a test would not
	options := Options{Audit: true, CRDs: []string{"testdata/crds"}, Log: os.Stderr}
	os.Exit(Main(m, options, func(c *Cluster) { shared = c }))
}

// eventually waits until condition returns nil, and fails with its last error.
func eventually(t *testing.T, what string, condition func(ctx context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		last = condition(ctx)
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("%s: %v: %v", what, err, last)
	}
}

// kubectl runs kubectl on the shared cluster and returns what it says.
func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := shared.Kubectl(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// apply applies a manifest to the shared cluster.
func apply(t *testing.T, manifest string, args ...string) string {
	t.Helper()
	args = append([]string{"apply", "--server-side", "-f", "-"}, args...)
	out, err := shared.KubectlIn(t.Context(), strings.NewReader(manifest), args...)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// newNamespace makes a namespace for one test and returns its name. It goes
// with the cluster.
func newNamespace(t *testing.T) string {
	t.Helper()
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	kubectl(t, "create", "namespace", name)
	return name
}

func adminClients(t *testing.T) kubernetes.Interface {
	t.Helper()
	clients, err := kubernetes.NewForConfig(shared.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return clients
}

// recorded is all that the API server has recorded.
func recorded(t *testing.T) Requests {
	t.Helper()
	requests, err := shared.Requests()
	if err != nil {
		t.Fatal(err)
	}
	return requests
}

// lines shows requests, one a line.
func lines(requests Requests) string {
	var b strings.Builder
	for _, r := range requests {
		fmt.Fprintf(&b, "\n\t%s", r)
	}
	return b.String()
}
