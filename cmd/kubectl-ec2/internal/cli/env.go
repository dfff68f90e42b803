// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package cli is what the commands of the plugin share: what they get from outside, how they find objects, and how they print.
package cli

import (
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/paint"
)

// Name is how people call the plugin.
const Name = "kubectl ec2"

// Env is all that a command gets from outside.
type Env struct {
	genericiooptions.IOStreams

	// Cluster is the one that kubectl's flags and kubeconfig choose. Nothing is asked of it before a command needs it.
	Cluster genericclioptions.RESTClientGetter
	// Getenv reads the environment.
	Getenv func(string) string
	// Color is what the flag says.
	Color paint.Mode
}

// Painter colours what is written to Out, if that is wanted there.
func (e *Env) Painter() paint.Painter { return paint.For(e.Color, e.Out, e.Getenv) }
