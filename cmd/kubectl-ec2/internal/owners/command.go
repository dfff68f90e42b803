// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package owners is `kubectl ec2 owners`: who owns which field of an object.
package owners

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

const long = `Show who owns which field of an object, as a tree.

A manager owns what it has set and nobody has taken from it. Each field is shown with all its owners. An item of a list is
shown with its key, such as tags[cost-center]; an item of a set is its value; a key of a map that is no plain name, such as an
annotation's, is in brackets. Fields that nobody owns are not shown.

With -f the object is read from a file and no cluster is asked. The file must hold metadata.managedFields, which
'kubectl get -o yaml' leaves out unless it gets --show-managed-fields.

Output:
  -o wide   adds the operation (Apply or Update), the subresource, the time of the owner's last change, and the value.
            Values that bear secrets are masked.
  -o json   a document for each object: object{apiVersion, kind, namespace, name}, fields[path,
  -o yaml   owners[manager, operation, subresource, apiVersion, time]]. A path is written as the API server writes it in
            conflicts, such as .spec.tags[key="cost-center"].value. The order is fixed; more keys may be added in the future.

Exit code: 0, or 2 after an error.`

const examples = `  # Who owns what of an EC2Instance
  kubectl ec2 owners ec2instance/web

  # With operations, times and values
  kubectl ec2 owners deployment/app -n shop -o wide

  # What two managers own, and who shares it with them
  kubectl ec2 owners ec2i web --manager=kubectl --manager=team-costs

  # Which fields have more than one owner
  kubectl ec2 owners ec2i/web -o json | jq -r '.fields[] | select(.owners | length > 1) | .path'

  # Without a cluster
  kubectl get ec2i web -o yaml --show-managed-fields > web.yaml
  kubectl ec2 owners -f web.yaml`

type options struct {
	files    []string
	managers []string
	output   string
}

// New makes the command.
func New(env *cli.Env) *cobra.Command {
	o := &options{}
	command := &cobra.Command{
		Use:                   "owners (KIND/NAME | KIND NAME | -f FILE) [--manager=NAME] [-o wide|json|yaml]",
		Short:                 "Show who owns which field of an object",
		Long:                  long,
		Example:               examples,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     cli.CompleteObjects(env),
		RunE:                  func(_ *cobra.Command, args []string) error { return run(env, o, args) },
	}
	flags := command.Flags()
	files := genericclioptions.FileNameFlags{Filenames: &o.files, Usage: "File of an object with managedFields, or - for standard input; no cluster is asked."}
	files.AddFlags(flags)
	flags.StringSliceVar(&o.managers, "manager", nil, "Show only what this manager owns. Can be repeated.")
	flags.StringVarP(&o.output, "output", "o", "", "Format: wide, json or yaml; by default a tree.")
	cli.CompleteWords(command, "output", cli.FormatWide, cli.FormatJSON, cli.FormatYAML)
	cli.CompleteFlag(command, "manager", cli.CompleteManagers(env, func(apply.Owner) bool { return true }))
	return command
}

func run(env *cli.Env, o *options, args []string) error {
	format, err := cli.ParseFormat(o.output, cli.FormatWide, cli.FormatJSON, cli.FormatYAML)
	if err != nil {
		return err
	}
	objects, err := read(env, o, args)
	if err != nil {
		return err
	}
	first := true
	for _, u := range objects {
		shown, err := show(env, format, o, view{object: u, first: first, only: len(objects) == 1})
		if err != nil {
			return err
		}
		first = first && !shown
	}
	return nil
}

func read(env *cli.Env, o *options, args []string) ([]*unstructured.Unstructured, error) {
	if len(o.files) == 0 {
		if len(args) == 0 {
			return nil, cli.Usagef("name an object, as KIND/NAME, or a file, with -f")
		}
		return env.Objects(args)
	}
	if len(args) > 0 {
		return nil, cli.Usagef("name either objects or files, not both")
	}
	objects, err := env.ObjectsIn(o.files)
	if err == nil && len(objects) == 0 {
		err = fmt.Errorf("there is no object in %s", strings.Join(o.files, ", "))
	}
	return objects, err
}

// view is an object to show, and its place among those that are shown.
type view struct {
	object      *unstructured.Unstructured
	first, only bool
}

// show writes an object's owners to Out, or says to ErrOut why there are none to show.
func show(env *cli.Env, format cli.Format, o *options, v view) (shown bool, err error) {
	name := cli.ReferenceTo(v.object)
	table, err := apply.Ownership(v.object)
	if err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	chosen := filter(table, o.managers)
	if format == cli.FormatJSON || format == cli.FormatYAML {
		return true, cli.PrintDocument(env.Out, format, documentOf(name, chosen), v.first)
	}
	if len(chosen) == 0 {
		fmt.Fprintln(env.ErrOut, nothing(name, table, o))
		return false, nil
	}
	if !v.first {
		fmt.Fprintln(env.Out)
	}
	if !v.only {
		fmt.Fprintln(env.Out, name)
	}
	render := tree
	if format == cli.FormatWide {
		render = wide
	}
	render(env.Out, v.object, chosen, env.Painter().With(managers(table)))
	return true, nil
}

// filter keeps the fields that one of the managers owns; all of them, when there is none to filter by.
func filter(table apply.Table, names []string) apply.Table {
	if len(names) == 0 {
		return table
	}
	var out apply.Table
	for _, f := range table {
		if slices.ContainsFunc(f.Owners, func(o apply.Owner) bool { return slices.Contains(names, o.Manager) }) {
			out = append(out, f)
		}
	}
	return out
}

// managers are the names in a table, sorted.
func managers(table apply.Table) []string {
	var names []string
	for _, f := range table {
		for _, o := range f.Owners {
			names = append(names, o.Manager)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// nothing says why there is nothing to show, and what may help.
func nothing(name cli.Reference, table apply.Table, o *options) string {
	switch {
	case len(table) > 0:
		return fmt.Sprintf("%s has no field that %q owns. Its managers are: %s.",
			name, strings.Join(o.managers, ","), strings.Join(managers(table), ", "))
	case len(o.files) > 0:
		return fmt.Sprintf("%s has no managedFields in the file. Write it with 'kubectl get -o yaml --show-managed-fields', "+
			"or name the object instead of the file.", name)
	default:
		return fmt.Sprintf("%s has no managedFields: nobody owns a field of it. Somebody has cleared them, or has never written "+
			"the object since its API server keeps them; the next server-side apply begins anew.", name)
	}
}
