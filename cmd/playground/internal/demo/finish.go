// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// maxWritesOnDeletion is the operator's budget: that the instance is being terminated,
// and the finalizer.
const maxWritesOnDeletion = 2

// ours are all kinds of objects that the demo creates.
const ours = "ec2instances,ec2accounts,secrets"

func (s *session) deleteAll(ctx context.Context) error {
	requests, err := s.requests()
	if err != nil {
		return err
	}
	s.beforeDeletion = len(requests)
	// The account goes after the instances, which are terminated with its credentials.
	if err := s.kubectl(ctx, "delete", kubectlTimeout, "ec2i", "--all"); err != nil {
		return err
	}
	instances, err := s.stack.EC2.Instances(ctx)
	if err != nil {
		return err
	}
	if err := allTerminated(instances); err != nil {
		return err
	}
	s.screen.Check("all of the %d instances that EC2 ever had are terminated", len(instances))
	if err := s.kubectl(ctx, "delete", kubectlTimeout, "--ignore-not-found", "-k", samples); err != nil {
		return err
	}
	left, err := s.stack.Cluster.Kubectl(ctx, "get", ours, "--all-namespaces", "-o", "name")
	if err != nil {
		return err
	}
	if left = bytes.TrimSpace(left); len(left) > 0 {
		return fmt.Errorf("objects remain: %s", left)
	}
	s.screen.Check("no object remains")
	return nil
}

// allTerminated refuses an instance that still costs anything.
func allTerminated(instances []ec2sim.Instance) error {
	for _, i := range instances {
		if i.State != "terminated" {
			return fmt.Errorf("the objects are gone, and instance %s is %s", i.ID, i.State)
		}
	}
	return nil
}

func (s *session) count(ctx context.Context) error {
	requests, err := s.requests()
	if err != nil {
		return err
	}
	if err := s.checkWrites(requests[s.beforeDeletion:], maxWritesOnDeletion, "for the deletion"); err != nil {
		return err
	}
	if live := requests.With("get"); len(live) > 0 {
		return fmt.Errorf("the operator has read EC2Instances past its cache:\n%s", listed(live))
	}
	s.screen.Check("the operator has read no EC2Instance past its cache")
	if err := s.checkLaunches(ctx, sampleCount+1); err != nil {
		return err
	}
	counts, err := s.stack.EC2.Counts(ctx)
	if err != nil {
		return err
	}
	s.screen.Text("All calls to AWS by the operator: %s", perName(counts.Calls))
	s.writes, s.launches = writesByName(requests), counts.Launched
	return nil
}

// checkWrites makes sure that the operator has written to each object at most as often
// as its budget allows.
func (s *session) checkWrites(requests cluster.Requests, budget int, what string) error {
	writes := writesByName(requests)
	if err := within(writes, s.names, budget); err != nil {
		return fmt.Errorf("%w %s:\n%s", err, what, listed(requests.Writes()))
	}
	s.screen.Check("the operator's writes to the API server %s, at most %d each: %s", what, budget, perName(writes))
	return nil
}

// writesByName counts the writes to each object.
func writesByName(requests cluster.Requests) map[string]int {
	counts := map[string]int{}
	for _, r := range requests.Writes() {
		counts[r.Name]++
	}
	return counts
}

// within refuses an object with no write at all, which the counting would have missed,
// and one with more than its budget.
func within(writes map[string]int, names []string, budget int) error {
	for _, name := range names {
		if n := writes[name]; n < 1 || n > budget {
			return fmt.Errorf("the operator wrote %d times to %s, want 1 to %d", n, name, budget)
		}
	}
	return nil
}

// listed are requests, one per line.
func listed(requests cluster.Requests) string {
	lines := make([]string, len(requests))
	for i, r := range requests {
		lines[i] = r.String()
	}
	return strings.Join(lines, "\n")
}

// perName lists numbers by name.
func perName(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}
