// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestRestoreGoesBackInTime(t *testing.T) {
	c, clients := startOwn(t, Options{})
	configs := clients.CoreV1().ConfigMaps(metav1.NamespaceDefault)
	kept, edited, deleted := put(t, clients, "kept", "1"), put(t, clients, "edited", "1"), put(t, clients, "deleted", "1")
	backup := filepath.Join(t.TempDir(), "backup")
	if err := c.BackUp(backup); err != nil {
		t.Fatal(err)
	}
	wantSame(t, clients, kept) // the API server has etcd again

	later := put(t, clients, "edited", "2")
	put(t, clients, "created", "1")
	if err := configs.Delete(t.Context(), deleted.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Restore(backup); err != nil {
		t.Fatal(err)
	}
	for _, config := range []*corev1.ConfigMap{kept, edited, deleted} {
		wantSame(t, clients, config)
	}
	if edited.ResourceVersion == later.ResourceVersion {
		t.Error("the edit made no version")
	}
	if _, err := configs.Get(t.Context(), "created", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("what was created after the backup: %v", err)
	}
}

func TestRestoreHasTheControllersAtWork(t *testing.T) {
	c, clients := startOwn(t, Options{})
	backup := filepath.Join(t.TempDir(), "backup")
	if err := c.BackUp(backup); err != nil {
		t.Fatal(err)
	}
	before := theOne(t, c, controllerManagerProgram)
	if err := c.Restore(backup); err != nil {
		t.Fatal(err)
	}
	if theOne(t, c, controllerManagerProgram) == before {
		t.Error("kube-controller-manager was left running, with what it has seen")
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "new"}}
	if _, err := clients.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the default ServiceAccount of a new namespace", func(ctx context.Context) error {
		_, err := clients.CoreV1().ServiceAccounts("new").Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	// Twice, since a backup is to outlive its use.
	if err := c.Restore(backup); err != nil {
		t.Error(err)
	}
}

func TestBackUpDoesNotOverwrite(t *testing.T) {
	if err := shared.BackUp(t.TempDir()); err == nil {
		t.Error("a folder that exists was taken")
	}
	if err := shared.etcdLife.stop(func() error { return nil }); err != nil || shared.etcdLife.killed {
		t.Errorf("etcd was touched (%v)", err)
	}
}
