// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"
)

// StdinName is what -f takes for standard input.
const StdinName = "-"

// stdinSource is how errors name standard input.
const stdinSource = "standard input"

// Objects reads from the cluster what the arguments name: KIND/NAME..., or KIND NAME....
func (e *Env) Objects(args []string) ([]*unstructured.Unstructured, error) {
	if len(args) == 0 {
		return nil, Usagef("name an object: KIND/NAME")
	}
	named, err := resource.HasNames(args)
	if err != nil {
		return nil, Usagef("name objects as KIND/NAME KIND/NAME..., or as KIND NAME NAME...")
	}
	if !named {
		return nil, Usagef("%q names no object: use %s/NAME", args[0], args[0])
	}
	namespace, _, err := e.Namespace()
	if err != nil {
		return nil, err
	}
	return objects(resource.NewBuilder(e.Cluster).Unstructured().
		NamespaceParam(namespace).DefaultNamespace().
		ResourceTypeOrNameArgs(false, args...).
		Do())
}

// ObjectsIn reads the objects in files, without a cluster.
func (e *Env) ObjectsIn(filenames []string) ([]*unstructured.Unstructured, error) {
	return objects(e.read(resource.NewLocalBuilder().Unstructured(), resource.FilenameOptions{Filenames: filenames}).Flatten().Do())
}

// Manifests visits the objects in files that are meant for the cluster: each has a mapping and a client. What cannot be read
// of them does not keep the rest from being visited; it is in the error.
func (e *Env) Manifests(files resource.FilenameOptions, visit resource.VisitorFunc) error {
	namespace, enforced, err := e.Namespace()
	if err != nil {
		return err
	}
	builder := resource.NewBuilder(e.Cluster).Unstructured().ContinueOnError().
		NamespaceParam(namespace).DefaultNamespace()
	if enforced {
		builder.RequireNamespace()
	}
	return e.read(builder, files).Flatten().Do().Visit(visit) //nolint:wrapcheck // It may stand for several errors, each of which names its file.
}

// Namespace is the one that the flag or the kubeconfig's context names, and whether it was the flag.
func (e *Env) Namespace() (namespace string, enforced bool, err error) {
	namespace, enforced, err = e.Cluster.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return "", false, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	return namespace, enforced, nil
}

// read adds files to a builder. The builder itself would read the process's standard input, not the one that is passed in.
func (e *Env) read(b *resource.Builder, files resource.FilenameOptions) *resource.Builder {
	if i := slices.Index(files.Filenames, StdinName); i >= 0 {
		files.Filenames = slices.Delete(slices.Clone(files.Filenames), i, i+1)
		b.Stream(e.In, stdinSource)
	}
	return b.FilenameParam(false, &files)
}

func objects(result *resource.Result) ([]*unstructured.Unstructured, error) {
	infos, err := result.Infos()
	if err != nil {
		return nil, fmt.Errorf("reading the object: %w", err)
	}
	out := make([]*unstructured.Unstructured, len(infos))
	for i, info := range infos {
		u, ok := info.Object.(*unstructured.Unstructured)
		if !ok {
			return nil, fmt.Errorf("%s came as a %T", info.ObjectName(), info.Object)
		}
		out[i] = u
	}
	return out, nil
}
