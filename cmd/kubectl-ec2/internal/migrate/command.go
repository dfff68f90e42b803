// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package migrate is `kubectl ec2 migrate`: it gives a server-side applier what others own by Update.
package migrate

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

const long = `Give a manager that uses server-side apply what other managers own by Update.

'kubectl apply' without --server-side, 'kubectl edit' and controllers that write whole objects own fields by Update. Who comes
from there to server-side apply shares every field with their own past: what they leave out of a file is then not removed, and
what they change is in conflict. This moves the fields, once. Values do not change. The next apply as the new manager removes
what its file leaves out and nobody else owns.

A move cannot be undone. So it is a dry run on the API server, unless --dry-run=none is given.
Do not take fields from a controller that still writes them: it would own them again after its next write.

Exit code: 0, or 2 after an error. A manager named by --from that owns nothing by Update is an error.`

const examples = `  # What would move, from client-side apply to server-side apply?
  kubectl ec2 migrate deployment/app --from=kubectl-client-side-apply --to=kubectl

  # Do it
  kubectl ec2 migrate deployment/app --from=kubectl-client-side-apply --to=kubectl --dry-run=none

  # From several managers to a pipeline's
  kubectl ec2 migrate ec2i/web --from=kubectl-client-side-apply,kubectl-edit --to=deploy-pipeline

  # What was written through a subresource
  kubectl ec2 migrate ec2i/web --from=old-controller --to=new-controller --subresource=status`

// The values of --dry-run.
const (
	dryRunServer = "server"
	dryRunNone   = "none"
)

type options struct {
	from        []string
	to          string
	subresource string
	dryRun      string
	toCluster   []string
}

// New makes the command.
func New(env *cli.Env) *cobra.Command {
	o := &options{}
	command := &cobra.Command{
		Use:                   "migrate (KIND/NAME | KIND NAME) --from=MANAGER[,MANAGER...] --to=MANAGER [--subresource=NAME] [--dry-run=none]",
		Short:                 "Give a server-side applier what others own by Update",
		Long:                  long,
		Example:               examples,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     cli.CompleteObjects(env),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.toCluster = cli.ClusterFlags(cmd.Flags())
			return run(cmd.Context(), env, o, args)
		},
	}
	flags := command.Flags()
	flags.StringSliceVar(&o.from, "from", nil, "Managers whose fields move. Can be repeated.")
	flags.StringVar(&o.to, "to", "", "Manager that gets them: the one that applies from now on.")
	flags.StringVar(&o.subresource, "subresource", "", "Move what was written through this subresource, such as status.")
	flags.StringVar(&o.dryRun, "dry-run", dryRunServer, "Either server, which stores nothing, or none.")
	// As kubectl has it: --dry-run alone is one.
	flags.Lookup("dry-run").NoOptDefVal = dryRunServer
	cli.CompleteWords(command, "dry-run", dryRunServer, dryRunNone)
	cli.CompleteWords(command, "subresource", "status", "scale")
	cli.CompleteFlag(command, "from", cli.CompleteManagers(env, func(w apply.Owner) bool { return w.Operation == metav1.ManagedFieldsOperationUpdate }))
	cli.CompleteFlag(command, "to", cli.CompleteManagers(env, func(w apply.Owner) bool { return w.Operation == metav1.ManagedFieldsOperationApply }))
	return command
}

func run(ctx context.Context, env *cli.Env, o *options, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	objects, err := env.Objects(args)
	if err != nil {
		return err
	}
	if len(objects) != 1 {
		return cli.Usagef("name one object, not %d: a move cannot be undone", len(objects))
	}
	m := apply.Migration{From: o.from, To: apply.Manager(o.to), Subresource: o.subresource, DryRun: o.dryRun == dryRunServer}
	name := cli.ReferenceTo(objects[0])
	if err := refuse(name, objects[0].GetManagedFields(), m); err != nil {
		return err
	}
	moved, err := move(ctx, env, objects[0], m)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	r, err := reportOf(name, moved, m)
	if err != nil {
		return err
	}
	r.write(env.Out, env.Painter(), o.again(name))
	return nil
}

func (o *options) check() error {
	switch {
	case len(o.from) == 0 || slices.Contains(o.from, ""):
		return cli.Usagef("name the managers whose fields move, with --from")
	case o.to == "":
		return cli.Usagef("name the manager that gets the fields, with --to")
	case o.dryRun != dryRunServer && o.dryRun != dryRunNone:
		return cli.Usagef("--dry-run must be server or none, not %q", o.dryRun)
	default:
		return nil
	}
}

// again is the command that does what a dry run has shown.
func (o *options) again(name cli.Reference) string {
	words := []string{"kubectl", "ec2", "migrate", name.Argument()}
	if name.Namespace != "" {
		words = append(words, "-n", name.Namespace)
	}
	words = append(words, o.toCluster...)
	for _, from := range o.from {
		words = append(words, "--from="+from)
	}
	words = append(words, "--to="+o.to)
	if o.subresource != "" {
		words = append(words, "--subresource="+o.subresource)
	}
	return cli.Quote(append(words, "--dry-run="+dryRunNone))
}

func move(ctx context.Context, env *cli.Env, u *unstructured.Unstructured, m apply.Migration) (apply.Migrated, error) {
	config, err := env.Cluster.ToRESTConfig()
	if err != nil {
		return apply.Migrated{}, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	mapper, err := env.Cluster.ToRESTMapper()
	if err != nil {
		return apply.Migrated{}, fmt.Errorf("finding the cluster's kinds: %w", err)
	}
	c, err := client.New(config, client.Options{Scheme: runtime.NewScheme(), Mapper: mapper})
	if err != nil {
		return apply.Migrated{}, fmt.Errorf("making a client: %w", err)
	}
	return apply.Migrate(ctx, c, u, m)
}
