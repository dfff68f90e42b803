// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// startOwn starts a cluster for a test that harms it.
func startOwn(t *testing.T, o Options) (*Cluster, kubernetes.Interface) {
	t.Helper()
	o.DataDir = filepath.Join(t.TempDir(), "data")
	c, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
		wantGone(t, c.DataDir())
	})
	clients, err := c.clients()
	if err != nil {
		t.Fatal(err)
	}
	return c, clients
}

// theOne is a process that runs a program of the cluster, and the only one.
func theOne(t *testing.T, c *Cluster, program string) int {
	t.Helper()
	found := processesOf(t, c.DataDir())
	maps.DeleteFunc(found, func(_ int, arguments string) bool { return !strings.HasPrefix(arguments, c.assets.path(program)+" ") })
	if len(found) != 1 {
		t.Fatalf("want one %s, have %v", program, found)
	}
	return slices.Collect(maps.Keys(found))[0]
}

func put(t *testing.T, clients kubernetes.Interface, name, value string) *corev1.ConfigMap {
	t.Helper()
	configs := clients.CoreV1().ConfigMaps(metav1.NamespaceDefault)
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"key": value}}
	written, err := configs.Create(t.Context(), config, metav1.CreateOptions{})
	if err != nil {
		written, err = configs.Update(t.Context(), config, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return written
}

// wantSame waits until the API server answers, and fails unless it has the object
// as it was.
func wantSame(t *testing.T, clients kubernetes.Interface, want *corev1.ConfigMap) {
	t.Helper()
	eventually(t, "reading "+want.Name, func(ctx context.Context) error {
		got, err := clients.CoreV1().ConfigMaps(want.Namespace).Get(ctx, want.Name, metav1.GetOptions{})
		if err == nil && (got.UID != want.UID || got.ResourceVersion != want.ResourceVersion) {
			t.Fatalf("%s is %+v, and was %+v", want.Name, got.ObjectMeta, want.ObjectMeta)
		}
		return err
	})
}

func TestKilledEtcdKeepsWhatItHas(t *testing.T) {
	c, clients := startOwn(t, Options{WithoutControllers: true})
	config := put(t, clients, "config", "value")
	first := theOne(t, c, etcdProgram)

	if err := c.KillEtcd(); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, c.etcd.URL.String())
	if _, err := clients.CoreV1().ConfigMaps(config.Namespace).Update(t.Context(), config, metav1.UpdateOptions{}); err == nil {
		t.Error("something was written without etcd")
	}
	if err := c.KillEtcd(); err == nil || !strings.Contains(err.Error(), "killed already") {
		t.Errorf("killing it again: %v", err)
	}
	if err := c.StartEtcd(); err != nil {
		t.Fatal(err)
	}
	if theOne(t, c, etcdProgram) == first {
		t.Error("etcd is the same process")
	}
	wantSame(t, clients, config)
	if err := c.StartEtcd(); err == nil || !strings.Contains(err.Error(), "not been killed") {
		t.Errorf("starting what runs: %v", err)
	}
}

func TestKilledAPIServerComesBackForItsClients(t *testing.T) {
	c, clients := startOwn(t, Options{WithoutControllers: true, Audit: true})
	config := put(t, clients, "config", "value")
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	if _, err := clients.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	token, err := c.ServiceAccountConfig(t.Context(), metav1.NamespaceDefault, account.Name)
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := c.Requests()
	if err != nil {
		t.Fatal(err)
	}
	watch := openWatch(t, c)

	if err := c.KillAPIServer(); err != nil {
		t.Fatal(err)
	}
	for range watch.ResultChan() {
		// Until it breaks.
	}
	wantRefused(t, c.RESTConfig().Host)
	if err := c.StartAPIServer(); err != nil {
		t.Fatal(err)
	}
	wantSame(t, clients, config)
	worker, err := kubernetes.NewForConfig(token)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := worker.Discovery().ServerVersion(); err != nil {
		t.Errorf("the token is not good any more: %v", err)
	}
	// The record goes on where it was.
	if again, err := c.Requests(); err != nil || len(again) <= len(recorded) || again[0] != recorded[0] {
		t.Errorf("%d requests were recorded, and now %d (%v)", len(recorded), len(again), err)
	}
}

// Either may be back first: the order of restarts is not always one's own.
func TestBothKilled(t *testing.T) {
	c, clients := startOwn(t, Options{WithoutControllers: true})
	config := put(t, clients, "config", "value")
	if err := errors.Join(c.KillEtcd(), c.KillAPIServer()); err != nil {
		t.Fatal(err)
	}
	started := make(chan error, 1)
	go func() { started <- c.StartAPIServer() }()
	if err := errors.Join(c.StartEtcd(), <-started); err != nil {
		t.Fatal(err)
	}
	wantSame(t, clients, config)
}

// A test that fails with the programs killed must be able to clean up.
func TestStopWithAllKilled(t *testing.T) {
	c, _ := startOwn(t, Options{WithoutControllers: true})
	if err := errors.Join(c.KillEtcd(), c.KillAPIServer()); err != nil {
		t.Fatal(err)
	}
}

func TestCommandOfWhatDoesNotRun(t *testing.T) {
	if _, err := commandOf(&envtest.Etcd{}); !errors.Is(err, errUnlikeEnvtest) {
		t.Errorf("got %v", err)
	}
}
