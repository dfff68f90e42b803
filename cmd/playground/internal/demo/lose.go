// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"fmt"
)

// lost is the EC2Instance whose instance is terminated by somebody else.
const lost = "worker"

func (s *session) loseInstance(ctx context.Context) error {
	before, err := s.object(ctx, lost)
	if err != nil {
		return err
	}
	id := before.Status.InstanceID
	s.screen.Command([]string{"curl", "-X", "POST", s.stack.ControlURL() + "instances/" + id + "/terminate"}, "")
	if err := s.stack.EC2.Terminate(ctx, id); err != nil {
		return err
	}
	if err := s.kubectl(ctx, "wait", "--for=jsonpath={.status.launch.attempt}=2", kubectlTimeout, "ec2i/"+lost); err != nil {
		return err
	}
	if err := s.kubectl(ctx, "wait", "--for=condition=Ready", kubectlTimeout, "ec2i/"+lost); err != nil {
		return err
	}
	after, err := s.object(ctx, lost)
	if err != nil {
		return err
	}
	if after.UID != before.UID || after.Status.InstanceID == id {
		return fmt.Errorf("%s has uid %s and instance %q, want uid %s and another instance than %s",
			lost, after.UID, after.Status.InstanceID, before.UID, id)
	}
	objects, err := s.objects(ctx)
	if err != nil {
		return err
	}
	if err := s.checkEC2(ctx, objects); err != nil {
		return err
	}
	s.screen.Check("the same object has a new instance that runs: %s instead of %s", after.Status.InstanceID, id)
	if err := s.checkLaunches(ctx, sampleCount+1); err != nil {
		return err
	}
	return s.kubectl(ctx, "events", "--for=ec2i/"+lost)
}
