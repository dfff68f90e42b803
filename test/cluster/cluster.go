// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	// startTimeout is how long one program may take to become ready. The API
	// server takes some 5 s on an idle machine; a machine that compiles at the
	// same time needs a multiple.
	startTimeout = 2 * time.Minute

	// stopTimeout is how long one program may take to end before it is killed.
	// All of them end within a second or two when they are well.
	stopTimeout = 30 * time.Second

	// startAttempts is how often the start is tried when another program has
	// taken a port between its choice and its use.
	startAttempts = 3
)

// Cluster is a running control plane. Its methods may be called from several
// goroutines.
type Cluster struct {
	options Options
	assets  assets
	data    dataDir

	// One field per program, so that each can be stopped and started by itself.
	etcd        *envtest.Etcd
	apiServer   *envtest.APIServer
	controllers *process

	etcdLife, apiServerLife killable

	admin      *rest.Config
	kubeconfig string

	stopOnce sync.Once
	stopErr  error
}

// Start starts a cluster and returns when it can be used: the API server is
// ready, RBAC's default roles are there, the CRDs are served and the controllers
// run. The caller has to Stop it. When Start fails, nothing of it remains.
//
// When ctx ends, Start gives up at its next step; it cannot leave the API
// server's own start, of a few seconds. Once Start has returned, ctx has no
// meaning for the cluster.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if err := inheritExitWithParent(); err != nil {
		return nil, fmt.Errorf("setting %s: %w", exitWithParentEnv, err)
	}
	programs, err := findAssets(o)
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		c, err := start(ctx, o, programs)
		if err == nil {
			return c, nil
		}
		if attempt == startAttempts || !errors.Is(err, errPortTaken) {
			return nil, fmt.Errorf("starting the control plane: %w", err)
		}
	}
}

func start(ctx context.Context, o Options, programs assets) (*Cluster, error) {
	data, err := makeDataDir(o.DataDir)
	if err != nil {
		return nil, err
	}
	c := &Cluster{options: o, assets: programs, data: data}
	c.etcdLife.name, c.apiServerLife.name = etcdProgram, apiServerProgram
	for _, step := range []func(context.Context) error{
		c.startEtcd,
		c.startAPIServer,
		c.createAdmin,
		c.installOptionalCRDs,
		c.startControllers,
		c.waitUntilUsable,
	} {
		err := ctx.Err()
		if err == nil {
			err = step(ctx)
		}
		if err != nil {
			return nil, errors.Join(err, c.Stop())
		}
	}
	c.say("The cluster is ready")
	return c, nil
}

// Stop ends all programs and removes the data folder, unless it is to be kept.
// It returns what went wrong while the cluster ran or was stopped, among it
// kube-controller-manager having ended early. Further calls do nothing and
// return the same.
func (c *Cluster) Stop() error {
	c.stopOnce.Do(func() {
		c.say("Stopping the cluster")
		c.stopErr = errors.Join(c.stopControllers(), c.stopAPIServer(), c.stopEtcd(), c.removeData())
	})
	return c.stopErr
}

func (c *Cluster) removeData() error {
	if c.options.KeepData {
		c.say("The cluster's data and logs are in %s", c.data.path)
		return nil
	}
	if err := c.data.remove(); err != nil {
		return fmt.Errorf("removing the cluster's data: %w", err)
	}
	return nil
}

// DataDir is the folder that holds the cluster's data, with one log per program
// (etcd.log, kube-apiserver.log, kube-controller-manager.log).
func (c *Cluster) DataDir() string { return c.data.path }

// say tells people who wait what is going on.
func (c *Cluster) say(format string, args ...any) {
	if c.options.Log != nil {
		// Progress that cannot be shown must not end the cluster.
		_, _ = fmt.Fprintf(c.options.Log, format+"\n", args...)
	}
}
