// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

const (
	// completeTimeout is how long a shell is kept waiting for names from the cluster.
	completeTimeout = 5 * time.Second
	// completeMost is how many names are asked for: nobody chooses from more.
	completeMost = 500
)

// CompleteObjects completes KIND/NAME and KIND NAME: kinds from discovery, which is cached on disk, and names from the
// cluster. What cannot be found out is not completed.
func CompleteObjects(env *Env) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
		kind, name, slash := strings.Cut(toComplete, "/")
		switch {
		case slash:
			return prefixed(kind+"/", env.names(cmd.Context(), kind), name), cobra.ShellCompDirectiveNoFileComp
		case len(args) > 0 && !strings.Contains(args[0], "/"):
			return prefixed("", env.names(cmd.Context(), args[0]), toComplete), cobra.ShellCompDirectiveNoFileComp
		default:
			return prefixed("", env.kinds(), toComplete), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
	}
}

// CompleteManagers completes the managers of the object that the command line names, as far as they are wanted.
func CompleteManagers(env *Env, wanted func(apply.Owner) bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		objects, err := env.Objects(args)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, u := range objects {
			for _, e := range u.GetManagedFields() {
				if wanted(apply.Owner{Manager: e.Manager, Operation: e.Operation, Subresource: e.Subresource}) {
					names = append(names, e.Manager)
				}
			}
		}
		// In a list of managers only the last one is completed.
		done := toComplete[:strings.LastIndex(toComplete, ",")+1]
		return prefixed(done, names, strings.TrimPrefix(toComplete, done)), cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteWords completes a flag that takes one of some words.
func CompleteWords[W ~string](command *cobra.Command, flag string, words ...W) {
	all := make([]cobra.Completion, len(words))
	for i, w := range words {
		all[i] = cobra.Completion(w)
	}
	CompleteFlag(command, flag, cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteFlag completes a flag that the command has.
func CompleteFlag(command *cobra.Command, flag string, complete cobra.CompletionFunc) {
	// It fails for a flag that there is not, and for one that has a completion already: a test completes each of them.
	_ = command.RegisterFlagCompletionFunc(flag, complete)
}

// prefixed are the words that begin as somebody has begun to write, with what stands before them.
func prefixed(before string, words []string, begun string) []cobra.Completion {
	var out []cobra.Completion
	for _, w := range words {
		if strings.HasPrefix(w, begun) {
			out = append(out, before+w)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// kinds are those of which an object can be read, each with the slash that its name comes after.
func (e *Env) kinds() []string {
	client, err := e.Cluster.ToDiscoveryClient()
	if err != nil {
		return nil
	}
	// A group that cannot be discovered is in the error, and the others are in the lists.
	lists, _ := client.ServerPreferredResources()
	var out []string
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, r := range list.APIResources {
			if slices.Contains(r.Verbs, "get") && !strings.Contains(r.Name, "/") {
				out = append(out, schema.GroupResource{Group: cmp.Or(r.Group, version.Group), Resource: r.Name}.String()+"/")
			}
		}
	}
	return out
}

// names are those of the objects of a kind.
func (e *Env) names(ctx context.Context, kind string) []string {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	mapping, err := e.mapping(kind)
	if err != nil {
		return nil
	}
	config, err := e.Cluster.ToRESTConfig()
	if err != nil {
		return nil
	}
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return nil
	}
	var resource metadata.ResourceInterface = client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		namespace, _, err := e.Namespace()
		if err != nil {
			return nil
		}
		resource = client.Resource(mapping.Resource).Namespace(namespace)
	}
	list, err := resource.List(ctx, metav1.ListOptions{Limit: completeMost})
	if err != nil {
		return nil
	}
	names := make([]string, len(list.Items))
	for i := range list.Items {
		names[i] = list.Items[i].Name
	}
	return names
}

// mapping finds a kind by what people call it: a kind, a plural, a short name, with or without a group.
func (e *Env) mapping(kind string) (*meta.RESTMapping, error) {
	mapper, err := e.Cluster.ToRESTMapper()
	if err != nil {
		return nil, err //nolint:wrapcheck // Completion says nothing.
	}
	full, resource := schema.ParseResourceArg(strings.ToLower(kind))
	var gvk schema.GroupVersionKind
	if full != nil {
		gvk, err = mapper.KindFor(*full)
	}
	if full == nil || err != nil {
		gvk, err = mapper.KindFor(resource.WithVersion(""))
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // The same.
	}
	return mapper.RESTMapping(gvk.GroupKind(), gvk.Version) //nolint:wrapcheck // The same.
}
