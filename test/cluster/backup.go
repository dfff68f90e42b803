// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// BackUp copies all that etcd holds to dir, a folder that does not exist yet.
// etcd is killed for it and started again, so that nobody writes meanwhile; the
// API server stays, and answers with errors for a second.
func (c *Cluster) BackUp(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("backing up etcd: %s must not exist yet (%w)", dir, err)
	}
	c.say("Backing up etcd")
	if err := c.KillEtcd(); err != nil {
		return fmt.Errorf("backing up etcd: %w", err)
	}
	if err := errors.Join(os.CopyFS(dir, os.DirFS(c.data.join(etcdProgram))), c.StartEtcd()); err != nil {
		return fmt.Errorf("backing up etcd: %w", err)
	}
	return nil
}

// Restore puts a backup in the place of all that etcd holds, the way Kubernetes
// documents it: the API server is ended before and started after, and so is
// kube-controller-manager, which would rely on what it has seen. Objects go back
// in time, and so do resourceVersions: clients that were left running hold
// versions that do not exist yet.
func (c *Cluster) Restore(dir string) error {
	c.say("Restoring etcd")
	if err := errors.Join(c.killControllers(), c.KillAPIServer(), c.KillEtcd()); err != nil {
		return fmt.Errorf("restoring etcd: %w", err)
	}
	for _, step := range []func() error{
		func() error { return c.replaceEtcdData(dir) },
		c.StartEtcd,
		c.StartAPIServer,
		func() error { return c.startControllers(context.Background()) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("restoring etcd: %w", err)
		}
	}
	return nil
}

func (c *Cluster) replaceEtcdData(dir string) error {
	if err := os.RemoveAll(c.data.join(etcdProgram)); err != nil {
		return fmt.Errorf("removing etcd's data: %w", err)
	}
	data, err := c.data.makeSubfolder(etcdProgram)
	if err != nil {
		return err
	}
	if err := os.CopyFS(data, os.DirFS(dir)); err != nil {
		return fmt.Errorf("copying the backup: %w", err)
	}
	return nil
}

func (c *Cluster) killControllers() error {
	if c.controllers == nil {
		return nil
	}
	if err := c.controllers.alive(); err != nil {
		return c.data.explain(controllerManagerProgram, err)
	}
	return c.controllers.kill()
}
