// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// What the steps see of the world, and how they act on it.

// kubectl runs a command in sight.
func (s *session) kubectl(ctx context.Context, args ...string) error {
	return s.kubectlIn(ctx, "", args...)
}

// kubectlIn runs, in sight, a command that reads a manifest.
func (s *session) kubectlIn(ctx context.Context, manifest string, args ...string) error {
	s.screen.Command(append([]string{"kubectl"}, args...), manifest)
	out, err := s.stack.Cluster.KubectlIn(ctx, strings.NewReader(manifest), args...)
	s.screen.Output(out)
	return err
}

// objects are all EC2Instances.
func (s *session) objects(ctx context.Context) ([]ec2v1.EC2Instance, error) {
	out, err := s.stack.Cluster.Kubectl(ctx, "get", "ec2instances", "--all-namespaces", "-o", "json")
	if err != nil {
		return nil, err
	}
	var list ec2v1.EC2InstanceList
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, fmt.Errorf("reading the EC2Instances: %w", err)
	}
	return list.Items, nil
}

// object is the EC2Instance of a name.
func (s *session) object(ctx context.Context, name string) (*ec2v1.EC2Instance, error) {
	out, err := s.stack.Cluster.Kubectl(ctx, "get", "ec2instance", name, "-o", "json")
	if err != nil {
		return nil, err
	}
	var object ec2v1.EC2Instance
	if err := json.Unmarshal(out, &object); err != nil {
		return nil, fmt.Errorf("reading EC2Instance %s: %w", name, err)
	}
	return &object, nil
}

// ownersOf shows who owns which field of an EC2Instance, but for its status, and returns the whole.
func (s *session) ownersOf(ctx context.Context, name string, users ...string) (apply.Table, error) {
	args := []string{"ec2", "owners", "ec2i/" + name}
	for _, manager := range append([]string{string(apply.ManagerInstanceLifecycle)}, users...) {
		args = append(args, "--manager", manager)
	}
	if err := s.kubectl(ctx, args...); err != nil {
		return nil, err
	}
	out, err := s.stack.Cluster.Kubectl(ctx, "get", "ec2i", name, "-o", "json", "--show-managed-fields")
	if err != nil {
		return nil, err
	}
	object := &ec2v1.EC2Instance{}
	if err := json.Unmarshal(out, object); err != nil {
		return nil, fmt.Errorf("reading EC2Instance %s: %w", name, err)
	}
	table, err := apply.Ownership(object)
	if err != nil {
		return nil, fmt.Errorf("reading the owners of EC2Instance %s: %w", name, err)
	}
	return table, nil
}

// liveIn are the instances among all that are neither terminated nor on their way there.
func liveIn(all []ec2sim.Instance) []ec2sim.Instance {
	var live []ec2sim.Instance
	for _, i := range all {
		if i.Live() {
			live = append(live, i)
		}
	}
	return live
}

// of are the instances among all that bear the object's uid.
func of(object *ec2v1.EC2Instance, all []ec2sim.Instance) []ec2sim.Instance {
	var ours []ec2sim.Instance
	for _, i := range all {
		if i.Tags[ec2v1.TagUID] == string(object.UID) {
			ours = append(ours, i)
		}
	}
	return ours
}

// matches says how EC2 differs from an object that is Ready and to run: it must have
// exactly one live instance for it, which runs and is the one in status.
func matches(object *ec2v1.EC2Instance, all []ec2sim.Instance) error {
	live := liveIn(of(object, all))
	switch {
	case len(live) != 1:
		return fmt.Errorf("EC2 has %d live instances for %s, want exactly one: %v", len(live), object.Name, live)
	case live[0].State != "running":
		return fmt.Errorf("instance %s of %s is %s, want running", live[0].ID, object.Name, live[0].State)
	case object.Status.InstanceID != live[0].ID:
		return fmt.Errorf("%s has status.instanceID %q, and its instance in EC2 is %s", object.Name, object.Status.InstanceID, live[0].ID)
	}
	return nil
}

// requests are the operator's requests about EC2Instances so far.
func (s *session) requests() (cluster.Requests, error) {
	all, err := s.stack.Cluster.Requests()
	if err != nil {
		return nil, err
	}
	return all.By(s.stack.OperatorUser()).Of(ec2v1.GroupName, "ec2instances"), nil
}
