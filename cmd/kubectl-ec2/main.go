// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Command kubectl-ec2 is a plugin for kubectl, `kubectl ec2`: who owns which field of an object, what an apply would conflict
// with, and how a field gets another owner. It works for every kind of a cluster.
package main

import (
	"context"
	"os"
	"path/filepath"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/plugin"
)

func main() {
	flags := genericclioptions.NewConfigFlags(true)
	env := &cli.Env{
		IOStreams: genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr},
		Cluster:   flags,
		Getenv:    os.Getenv,
	}
	os.Exit(plugin.Run(context.Background(), env, flags.AddFlags, plugin.Args(filepath.Base(os.Args[0]), os.Args[1:])))
}
