// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// errPortTaken says that a program could not listen on the port chosen for it.
var errPortTaken = errors.New("another program has taken the port")

// controllers are those that give a cluster without nodes what users rely on.
var controllers = []string{
	"clusterrole-aggregation-controller",          // aggregated ClusterRoles such as admin, edit, view
	"garbage-collector-controller",                // owned objects, foreground and background deletion
	"namespace-controller",                        // a deleted namespace empties itself and goes
	"root-ca-certificate-publisher-controller",    // kube-root-ca.crt in every namespace
	"serviceaccount-controller",                   // the default ServiceAccount of every namespace
	"validatingadmissionpolicy-status-controller", // type checks of admission policies
}

func (c *Cluster) startEtcd(context.Context) error {
	c.say("Starting etcd")
	dir, err := c.data.makeSubfolder(etcdProgram)
	if err != nil {
		return err
	}
	c.etcd = &envtest.Etcd{
		Path: c.assets.path(etcdProgram), DataDir: dir,
		StartTimeout: startTimeout, StopTimeout: stopTimeout,
	}
	return c.runEtcd()
}

func (c *Cluster) runEtcd() error {
	return c.data.withLog(etcdProgram, func(log *os.File) error {
		c.etcd.Out, c.etcd.Err = log, log
		return c.explainStart(etcdProgram, c.etcd.Start())
	})
}

func (c *Cluster) startAPIServer(context.Context) error {
	c.say("Starting kube-apiserver")
	dir, err := c.data.makeSubfolder("apiserver")
	if err != nil {
		return err
	}
	c.apiServer = &envtest.APIServer{
		Path: c.assets.path(apiServerProgram), CertDir: dir,
		EtcdURL:      c.etcd.URL,
		StartTimeout: startTimeout, StopTimeout: stopTimeout,
	}
	c.configureAPIServer()
	if c.options.Audit {
		if err := c.configureAudit(); err != nil {
			return err
		}
	}
	return c.runAPIServer()
}

func (c *Cluster) runAPIServer() error {
	return c.data.withLog(apiServerProgram, func(log *os.File) error {
		c.apiServer.Out, c.apiServer.Err = log, log
		return c.explainStart(apiServerProgram, c.apiServer.Start())
	})
}

// configureAPIServer turns envtest's flags into those of a usual cluster.
func (c *Cluster) configureAPIServer() {
	c.apiServer.Configure().
		// envtest leaves the ServiceAccount plugin out because nothing creates
		// default ServiceAccounts there. Here the controllers do.
		Disable("disable-admission-plugins").
		// Found out from the default route otherwise, and a machine without a
		// network has none. Nobody reaches the API server but over loopback,
		// which is not allowed in the Endpoints of the service "kubernetes":
		// without nodes they are of no use anyway.
		Set("advertise-address", "127.0.0.1").
		Set("endpoint-reconciler-type", "none").
		// Watches end when the API server is to stop. Otherwise it waits a minute
		// for clients to end them, and operators under test do not.
		Set("shutdown-watch-termination-grace-period", "1s")
}

// startControllers starts kube-controller-manager the way clusters run it: each
// controller under a ServiceAccount of its own, with RBAC's default roles.
func (c *Cluster) startControllers(ctx context.Context) error {
	if c.options.WithoutControllers {
		return nil
	}
	c.say("Starting kube-controller-manager")
	kubeconfig, err := c.writeUserKubeconfig("system:kube-controller-manager", "controller-manager.kubeconfig")
	if err != nil {
		return err
	}
	ca, err := c.data.write("ca.crt", c.apiServer.CA)
	if err != nil {
		return err
	}
	args := []string{
		"--kubeconfig=" + kubeconfig,
		"--use-service-account-credentials=true",
		"--controllers=" + strings.Join(controllers, ","),
		"--root-ca-file=" + ca,
		"--leader-elect=false", // there is only this one
		"--secure-port=0",      // nobody asks it anything: no port to choose
		// Enough for the garbage collector to keep up with suites of thousands
		// of objects; the default of 20 requests per second is not.
		"--kube-api-qps=500", "--kube-api-burst=1000",
	}
	return c.data.withLog(controllerManagerProgram, func(log *os.File) error {
		c.controllers, err = startProcess(ctx, controllerManagerProgram, c.assets.path(controllerManagerProgram), args, log)
		return err
	})
}

// explainStart says why a program of envtest did not start. envtest's own error
// is a timeout in any case.
func (c *Cluster) explainStart(program string, err error) error {
	if err == nil {
		return nil
	}
	err = c.data.explain(program, fmt.Errorf("starting %s: %w", program, err))
	if log, readErr := os.ReadFile(c.data.logFile(program)); readErr == nil && bytes.Contains(log, []byte("address already in use")) {
		return errors.Join(errPortTaken, err)
	}
	return err
}

func (c *Cluster) stopControllers() error {
	if c.controllers == nil {
		return nil
	}
	if err := c.controllers.alive(); err != nil {
		return c.data.explain(controllerManagerProgram, err)
	}
	return c.controllers.stop(stopTimeout)
}

func (c *Cluster) stopAPIServer() error {
	if c.apiServer == nil {
		return nil
	}
	return c.apiServerLife.stop(c.apiServer.Stop)
}

func (c *Cluster) stopEtcd() error {
	if c.etcd == nil {
		return nil
	}
	return c.etcdLife.stop(c.etcd.Stop)
}
