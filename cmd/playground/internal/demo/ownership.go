// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/cmd/playground/internal/owners"
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
var operatorManagers = []string{"ec2-instance", "ec2-instance-lifecycle"}

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
	all, err := s.ownersOf(ctx, shared)
	if err != nil {
		return err
	}
	return s.checkOwners(all, userManager)
}

// checkOwners makes sure that the users and the operator own disjoint fields, and the
// operator none of spec.
func (s *session) checkOwners(all []owners.Owner, users ...string) error {
	if err := disjoint(all, users); err != nil {
		return err
	}
	s.screen.Check("%s and the operator own disjoint fields, and the operator none of spec", strings.Join(users, ", "))
	return nil
}

func disjoint(all []owners.Owner, users []string) error {
	var names []string
	for _, o := range all {
		names = append(names, o.Manager)
		if o.Below("spec") && !slices.Contains(users, o.Manager) {
			return fmt.Errorf("manager %s owns fields of spec: %v", o.Manager, o.Summary())
		}
	}
	want := slices.Concat(operatorManagers, users)
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		return fmt.Errorf("the managers are %v, want %v", names, want)
	}
	if both := owners.Shared(all); len(both) > 0 {
		return fmt.Errorf("fields have two owners: %v", both)
	}
	return nil
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
	all, err := s.ownersOf(ctx, shared)
	if err != nil {
		return err
	}
	if err := s.checkOwners(all, userManager, tagManager); err != nil {
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
