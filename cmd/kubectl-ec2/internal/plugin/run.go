// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package plugin puts the commands together.
package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
)

// completer is the name under which kubectl looks for a program that completes `kubectl ec2`. A link of that name to this
// program is enough.
const completer = "kubectl_complete-ec2"

// Args are the arguments to run with when the program was called by a name: for kubectl's completion, those of cobra's.
func Args(calledAs string, args []string) []string {
	if calledAs == completer {
		return append([]string{cobra.ShellCompRequestCmd}, args...)
	}
	return args
}

// hear lets the person know what the API server warns of, as kubectl does, and not what the libraries log on their way to an
// error that they return as well.
func hear(env *cli.Env) {
	rest.SetDefaultWarningHandler(rest.NewWarningWriter(env.ErrOut, rest.WarningWriterOptions{Deduplicate: true}))
	utilruntime.ErrorHandlers = nil //nolint:reassign // It is how the library lets a program choose.
}

// Run runs a command line and returns the exit code. addFlags adds the flags that choose the cluster.
func Run(ctx context.Context, env *cli.Env, addFlags func(*pflag.FlagSet), args []string) int {
	hear(env)
	root := newRoot(env, addFlags)
	root.SetArgs(args)
	ran, err := root.ExecuteContextC(ctx)
	if err == nil {
		return cli.ExitOK
	}
	if code, ok := errors.AsType[*cli.CodeError](err); ok {
		return code.Code
	}
	fmt.Fprintln(env.ErrOut, "error:", cli.Explained(err))
	if _, ok := errors.AsType[*cli.UsageError](err); ok || ran == root {
		fmt.Fprintf(env.ErrOut, "See '%s --help'.\n", ran.CommandPath())
	}
	return cli.ExitError
}
