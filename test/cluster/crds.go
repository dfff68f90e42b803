// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// InstallCRDs creates or updates the CustomResourceDefinitions in a folder or
// file and returns when the API server serves them. The garbage collector comes
// to know new types within 30 seconds; Options.CRDs has it know them from the
// start.
func (c *Cluster) InstallCRDs(ctx context.Context, dir string) error {
	return c.installCRDs(ctx, dir)
}

func (c *Cluster) installOptionalCRDs(ctx context.Context) error {
	if len(c.options.CRDs) == 0 {
		return nil
	}
	c.say("Installing the CustomResourceDefinitions")
	return c.installCRDs(ctx, c.options.CRDs...)
}

func (c *Cluster) installCRDs(ctx context.Context, paths ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	crds, err := envtest.InstallCRDs(c.RESTConfig(), envtest.CRDInstallOptions{
		Paths: paths, ErrorIfPathMissing: true,
		MaxTime: startTimeout, PollInterval: readyPollInterval,
	})
	if err != nil {
		return fmt.Errorf("installing the CustomResourceDefinitions of %q: %w", paths, err)
	}
	if len(crds) == 0 {
		return fmt.Errorf("installing the CustomResourceDefinitions of %q: there is none", paths)
	}
	return nil
}
