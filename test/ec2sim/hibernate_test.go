// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// hibernating launches an instance that can hibernate.
func hibernating(in *ec2.RunInstancesInput) {
	in.HibernationOptions = &ec2types.HibernationOptionsRequest{Configured: aws.Bool(true)}
	mapped(rootDevice, ec2types.EbsBlockDevice{Encrypted: aws.Bool(true)})(in)
}

func (r *rig) hibernate(id string) error {
	_, err := r.ec2.StopInstances(r.Context(), &ec2.StopInstancesInput{InstanceIds: []string{id}, Hibernate: aws.Bool(true)})
	return err
}

func TestHibernation(t *testing.T) {
	r := newRig(t)
	id, other := r.mustRun(hibernating), r.mustRun()
	r.clock.Step(pendingDelay)
	if !*r.get(id).HibernationOptions.Configured {
		t.Error("hibernation is not reported")
	}
	wantError(t, r.hibernate(other), "UnsupportedHibernationConfiguration", badRequest, "not configured at launch for hibernation: "+other)
	r.must(r.hibernate(id))
	r.clock.Step(stoppingDelay)
	i := r.get(id)
	if i.State.Name != "stopped" || *i.StateReason.Code != "Client.UserInitiatedHibernate" || *i.StateReason.Message != "Client.UserInitiatedHibernate: User initiated hibernate" {
		t.Errorf("%s: %s, %s", i.State.Name, *i.StateReason.Code, *i.StateReason.Message)
	}
	wantError(t, r.modify(id, func(in *ec2.ModifyInstanceAttributeInput) { in.InstanceType = text("m5.large") }), "UnsupportedOperation", badRequest, "hibernation")
	r.must(r.start(id))
}

func TestHibernationNeedsAnEncryptedRoot(t *testing.T) {
	r := newRig(t)
	_, err := r.run(func(in *ec2.RunInstancesInput) {
		in.HibernationOptions = &ec2types.HibernationOptionsRequest{Configured: aws.Bool(true)}
	})
	wantError(t, err, "UnsupportedHibernationConfiguration", badRequest, "encrypted")
}
