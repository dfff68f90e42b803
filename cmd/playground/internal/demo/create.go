// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"fmt"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

const (
	// sampleCount is how many EC2Instances there are in config/samples.
	sampleCount = 3

	// maxWritesToRunning is the operator's budget: the launch intent with the
	// finalizer, the id, and that the instance runs.
	maxWritesToRunning = 3
)

func (s *session) create(ctx context.Context) error {
	if err := s.kubectl(ctx, "apply", "--server-side", "-k", samples); err != nil {
		return err
	}
	objects, err := s.objects(ctx)
	if err != nil {
		return err
	}
	for _, o := range objects {
		s.names = append(s.names, o.Name)
	}
	if len(objects) != sampleCount {
		return fmt.Errorf("there are %d EC2Instances %v, want %d", len(objects), s.names, sampleCount)
	}
	s.screen.Check("the API server has %d EC2Instances", sampleCount)
	return nil
}

func (s *session) waitReady(ctx context.Context) error {
	if err := s.kubectl(ctx, "wait", "--for=condition=Ready", kubectlTimeout, "ec2i", "--all"); err != nil {
		return err
	}
	objects, err := s.objects(ctx)
	if err != nil {
		return err
	}
	if err := s.checkEC2(ctx, objects); err != nil {
		return err
	}
	s.screen.Check("EC2 has exactly one instance for each, it runs, and its id is in status")
	if err := s.checkLaunches(ctx, sampleCount); err != nil {
		return err
	}
	requests, err := s.requests()
	if err != nil {
		return err
	}
	return s.checkWrites(requests, maxWritesToRunning, "until they ran")
}

// checkEC2 compares EC2 with the objects, which are all that should run.
func (s *session) checkEC2(ctx context.Context, objects []ec2v1.EC2Instance) error {
	instances, err := s.stack.EC2.Instances(ctx)
	if err != nil {
		return err
	}
	for i := range objects {
		if err := matches(&objects[i], instances); err != nil {
			return err
		}
	}
	if live := liveIn(instances); len(live) != len(objects) {
		return fmt.Errorf("EC2 has %d live instances for %d objects: %v", len(live), len(objects), live)
	}
	return nil
}

// checkLaunches makes sure that RunInstances was called once for each launch that was
// due.
func (s *session) checkLaunches(ctx context.Context, want int) error {
	counts, err := s.stack.EC2.Counts(ctx)
	if err != nil {
		return err
	}
	calls := counts.Calls["RunInstances"]
	if calls != want || counts.Launched != want {
		return fmt.Errorf("RunInstances was called %d times and launched %d instances, want %d and %d", calls, counts.Launched, want, want)
	}
	s.screen.Check("RunInstances was called %d times, once for each launch", want)
	return nil
}

func (s *session) look(ctx context.Context) error {
	return s.kubectl(ctx, "get", "ec2i", "-o", "wide")
}
