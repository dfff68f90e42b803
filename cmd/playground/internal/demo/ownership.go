// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

const (
	// shared is the EC2Instance that two managers have a part in.
	shared = "web"
	// userManager is the field manager of kubectl apply --server-side.
	userManager = "kubectl"
	// tagManager is a second one.
	tagManager = "team-costs"
	tagKey     = "cost-center"
	tagValue   = "4711"
)

// operatorManagers are the operator's field managers on an EC2Instance: for the
// status, and for the finalizer and the launch intent.
var operatorManagers = []string{string(apply.ManagerInstance), string(apply.ManagerInstanceLifecycle)}

// tagManifest is all that the second manager says.
const tagManifest = `apiVersion: ec2.fieldowner.dev/v1
kind: EC2Instance
metadata:
  name: ` + shared + `
spec:
  tags:
    - key: ` + tagKey + `
      value: "` + tagValue + `"
`

func (s *session) showOwners(ctx context.Context) error {
	return s.checkOwners(ctx, userManager)
}

// checkOwners makes sure that the users and the operator own disjoint fields, and the
// operator none of spec.
func (s *session) checkOwners(ctx context.Context, users ...string) error {
	table, err := s.ownersOf(ctx, shared, users...)
	if err != nil {
		return err
	}
	if err := disjoint(table, users); err != nil {
		return err
	}
	s.screen.Check("%s and the operator own disjoint fields, and the operator none of spec", strings.Join(users, ", "))
	return nil
}

func disjoint(table apply.Table, users []string) error {
	names := managersOf(table)
	for _, name := range names {
		if spec := table.Of(name).Below(fieldpath.MakePathOrDie("spec")); len(spec) > 0 && !slices.Contains(users, name) {
			return fmt.Errorf("manager %s owns fields of spec: %v", name, spec.Paths())
		}
	}
	want := slices.Sorted(slices.Values(slices.Concat(operatorManagers, users)))
	if !slices.Equal(names, want) {
		return fmt.Errorf("the managers are %v, want %v", names, want)
	}
	if both := table.Shared(); len(both) > 0 {
		return fmt.Errorf("fields have two owners: %v", both.Paths())
	}
	return nil
}

// managersOf are all who own something, sorted.
func managersOf(table apply.Table) []string {
	names := map[string]bool{}
	for _, f := range table {
		for _, o := range f.Owners {
			names[o.Manager] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func (s *session) addTag(ctx context.Context) error {
	if err := s.kubectlIn(ctx, tagManifest, "apply", "--server-side", "--field-manager="+tagManager, "-f", "-"); err != nil {
		return err
	}
	if err := s.kubectl(ctx, "wait", "--for=condition=Ready", kubectlTimeout, "ec2i/"+shared); err != nil {
		return err
	}
	if err := s.checkTag(ctx); err != nil {
		return err
	}
	if err := s.checkOwners(ctx, userManager, tagManager); err != nil {
		return err
	}
	// The first manager says again what it has always said, which has nothing about that tag.
	if err := s.kubectl(ctx, "apply", "--server-side", "-k", samples); err != nil {
		return err
	}
	object, err := s.object(ctx, shared)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(object.Spec.Tags, isTag) {
		return fmt.Errorf("%s has lost the tag of %s: %v", shared, tagManager, object.Spec.Tags)
	}
	s.screen.Check("the tag of %s stays when %s applies its own again", tagManager, userManager)
	return nil
}

// typeManifest is what the second manager may not say: the type is the user's.
const typeManifest = `apiVersion: ec2.fieldowner.dev/v1
kind: EC2Instance
metadata:
  name: ` + shared + `
spec:
  instanceType: t3.large
`

// conflictFound is kubectl ec2 conflicts' exit code when there are conflicts.
const conflictFound = 1

func (s *session) seeConflict(ctx context.Context) error {
	err := s.kubectlIn(ctx, typeManifest, "ec2", "conflicts", "--field-manager="+tagManager, "-f", "-")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != conflictFound {
		return fmt.Errorf("kubectl ec2 conflicts has not found a conflict: %w", err)
	}
	object, err := s.object(ctx, shared)
	if err != nil {
		return err
	}
	if object.Spec.InstanceType == "t3.large" {
		return fmt.Errorf("looking for conflicts has changed %s", shared)
	}
	s.screen.Check("%s is told who owns the type and what can be done, and nothing has changed", tagManager)
	return nil
}

func isTag(t ec2v1.Tag) bool { return t.Key == tagKey && t.Value != nil && *t.Value == tagValue }

// checkTag makes sure that the instance in EC2 has the tag.
func (s *session) checkTag(ctx context.Context) error {
	object, err := s.object(ctx, shared)
	if err != nil {
		return err
	}
	instances, err := s.stack.EC2.Instances(ctx)
	if err != nil {
		return err
	}
	if err := matches(object, instances); err != nil {
		return err
	}
	tags := liveIn(of(object, instances))[0].Tags
	if tags[tagKey] != tagValue {
		return fmt.Errorf("%s is Ready, and EC2 has other tags: %v", shared, tags)
	}
	s.screen.Check("in EC2, instance %s has the tag %s=%s", object.Status.InstanceID, tagKey, tagValue)
	return nil
}
