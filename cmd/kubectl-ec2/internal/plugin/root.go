// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/conflicts"
	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/migrate"
	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/owners"
	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/paint"
)

const long = `Look at who owns which field of a Kubernetes object, and change it on purpose.

Server-side apply keeps for each field who has set it. These commands show that, for EC2Instances and for objects of every
other kind.

All flags by which kubectl finds a cluster work here too: see 'kubectl options'.

Exit code: 0 when all is well, 2 after an error; 'conflicts' returns 1 when there are conflicts.`

const examples = `  # Who owns what?
  kubectl ec2 owners ec2instance/web

  # What would an apply be in conflict with, and what are the ways out?
  kubectl ec2 conflicts -f web.yaml

  # From client-side apply to server-side apply
  kubectl ec2 migrate deployment/app --from=kubectl-client-side-apply --to=kubectl`

// shownFlags are those of kubectl's flags that the help shows. The others work as well, and would hide ours.
var shownFlags = []string{"namespace", "context", "kubeconfig"}

func newRoot(env *cli.Env, addFlags func(*pflag.FlagSet)) *cobra.Command {
	root := &cobra.Command{
		Use:           "kubectl-ec2",
		Short:         "Look at who owns which field, and change it on purpose",
		Long:          long,
		Example:       examples,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: cli.Name},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.ErrOut)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return cli.Usagef("%s", err) })
	flags := root.PersistentFlags()
	addFlags(flags)
	flags.VisitAll(func(flag *pflag.Flag) { flag.Hidden = !slices.Contains(shownFlags, flag.Name) })
	flags.Var(&env.Color, "color", "Colour managers' names: auto (on a terminal, unless NO_COLOR is set), always or never.")
	cli.CompleteWords(root, "color", paint.Auto, paint.Always, paint.Never)
	root.AddCommand(owners.New(env), conflicts.New(env), migrate.New(env), newVersion(env))
	addCompletion(root)
	return root
}
