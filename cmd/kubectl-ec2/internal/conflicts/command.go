// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package conflicts is `kubectl ec2 conflicts`: what a server-side apply of some files would be in conflict with, and the
// ways out.
package conflicts

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
)

const long = `Show which fields of some files other managers own with other values, and the three ways out.

Each object is applied as 'kubectl apply --server-side' would, as a dry run and without force: nothing is stored. For each
field in conflict it says who owns it, their value and yours. Objects that do not exist yet would be created, and have no
conflicts. An object that the API server refuses for another reason does not keep the others from being looked at. A dry run
needs the rights of the apply itself.

Output:
  -o json   one document: fieldManager, objects[object{apiVersion, kind, namespace, name}, source, result, error,
  -o yaml   conflicts[path, owners[manager, operation, subresource, apiVersion, time], live, wanted]], errors[]. The result is
            NoConflicts, Conflicts, WouldBeCreated or Failed. Values that bear secrets are "(masked)". More keys may be added in
            the future.

Exit code:
  0   no conflicts
  1   there are conflicts
  2   an error: wrong usage, a file that cannot be read, the cluster, or an object that the API server refuses for
      another reason; whether or not there are conflicts too`

const examples = `  # What would conflict?
  kubectl ec2 conflicts -f web.yaml

  # All manifests below a folder; a kustomization; standard input
  kubectl ec2 conflicts -R -f manifests/
  kubectl ec2 conflicts -k overlays/production
  helm template app ./chart | kubectl ec2 conflicts -f -

  # As the manager that a pipeline applies as
  kubectl ec2 conflicts -f web.yaml --field-manager=deploy-pipeline

  # In a pipeline: go on only when nothing is in the way
  kubectl ec2 conflicts -f web.yaml && kubectl apply --server-side -f web.yaml

  # Each path in conflict
  kubectl ec2 conflicts -f web.yaml -o json | jq -r '.objects[].conflicts[]?.path'`

// defaultManager is what kubectl apply --server-side calls itself.
const defaultManager = "kubectl"

type options struct {
	files     genericclioptions.FileNameFlags
	manager   string
	output    string
	toCluster []string
}

// New makes the command.
func New(env *cli.Env) *cobra.Command {
	o := &options{files: genericclioptions.FileNameFlags{
		Usage:     "File, directory or URL of what is to be applied, or - for standard input.",
		Filenames: new([]string), Kustomize: new(""), Recursive: new(false),
	}}
	command := &cobra.Command{
		Use:                   "conflicts (-f FILE [-R] | -k DIRECTORY) [--field-manager=NAME] [-o json|yaml]",
		Short:                 "Show what an apply would be in conflict with, and the ways out",
		Long:                  long,
		Example:               examples,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.toCluster = cli.ClusterFlags(cmd.Flags())
			return run(env, o, args)
		},
	}
	o.files.AddFlags(command.Flags())
	o.addFlags(command.Flags())
	cli.CompleteWords(command, "output", cli.FormatJSON, cli.FormatYAML)
	cli.CompleteFlag(command, "field-manager", cobra.NoFileCompletions)
	return command
}

func (o *options) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.manager, "field-manager", defaultManager, "Name of the manager to apply as.")
	flags.StringVarP(&o.output, "output", "o", "", "Format: json or yaml; by default text.")
}

func run(env *cli.Env, o *options, args []string) error {
	format, err := cli.ParseFormat(o.output, cli.FormatJSON, cli.FormatYAML)
	if err != nil {
		return err
	}
	files := o.files.ToOptions()
	switch {
	case len(args) > 0:
		return cli.Usagef("unexpected argument %q: files are named with -f", args[0])
	case files.RequireFilenameOrKustomize() != nil:
		return cli.Usagef("name what is to be applied, with -f FILE or -k DIRECTORY")
	case files.Kustomize != "" && (files.Recursive || len(files.Filenames) > 0):
		return cli.Usagef("-k cannot be used with -f or -R")
	case o.manager == "":
		return cli.Usagef("--field-manager must not be empty")
	}
	found, err := look(env, o, files)
	if format == cli.FormatText {
		writeText(env, o, found, err)
	} else if err := cli.PrintDocument(env.Out, format, documentOf(o.manager, found, err), true); err != nil {
		return err
	}
	return exit(found, err)
}

// look checks the objects in the files, in their order. The error is what kept some from being looked at.
func look(env *cli.Env, o *options, files resource.FilenameOptions) ([]finding, error) {
	var found []finding
	c := checker{manager: o.manager}
	err := env.Manifests(files, func(info *resource.Info, err error) error {
		if err != nil {
			return err
		}
		u, ok := info.Object.(*unstructured.Unstructured)
		if !ok {
			return fmt.Errorf("%s came as a %T", info.ObjectName(), info.Object)
		}
		file := cli.FileFlags(info.Source, files)
		found = append(found, c.check(manifest{object: u, file: file, server: serverFor(info, o.manager)}))
		return nil
	})
	return found, err
}

// exit is the error that stands for the exit code.
func exit(found []finding, err error) error {
	has := func(r outcome) bool {
		return slices.ContainsFunc(found, func(f finding) bool { return f.outcome == r })
	}
	switch {
	case err != nil || has(failed):
		return &cli.CodeError{Code: cli.ExitError}
	case has(inConflict):
		return &cli.CodeError{Code: cli.ExitConflicts}
	default:
		return nil
	}
}
