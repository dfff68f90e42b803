// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// Two operators that have seen different parts of an instance's end tell the same of it, whoever tells it first.
func TestOfATerminatedInstanceAllTellTheSame(t *testing.T) {
	// One has seen the answer to its own call, and the other what EC2 shows afterwards.
	answered := cloud.Instance{
		ID: "i-1", State: cloud.StateTerminated, Type: "t3.micro", ImageID: "ami-1", SubnetID: "subnet-1", PrivateIP: "10.0.0.4",
		SecurityGroupIDs: []string{"sg-1"}, NetworkInterfaces: []cloud.NetworkInterface{{ID: "eni-1"}}, Volumes: []cloud.Volume{{DeviceName: "/dev/xvda"}},
	}
	shown := cloud.Instance{ID: "i-1", State: cloud.StateTerminated, Type: "t3.micro", ImageID: "ami-1", StateReasonCode: "Client.UserInitiatedShutdown"}
	told := &ec2v1.EC2InstanceStatus{InstanceID: "i-1", State: "terminated", StateReason: &ec2v1.StateReason{Code: "Client.UserInitiatedShutdown"}}

	first := ended(observed(&answered), &ec2v1.EC2InstanceStatus{InstanceID: "i-1", State: "shutting-down"})
	if first.PrivateIPAddress != nil || first.NetworkInterfaces != nil || first.Volumes != nil || first.SubnetID != nil || first.SecurityGroupIDs != nil {
		t.Errorf("a terminated instance is told with what it has no more: %+v", first)
	}
	if diff := cmp.Diff(ended(observed(&shown), told), ended(observed(&answered), told)); diff != "" {
		t.Errorf("the two tell something else:\n%s", diff)
	}
	another := &ec2v1.EC2InstanceStatus{InstanceID: "i-0", State: "terminated", StateReason: told.StateReason}
	if got := ended(observed(&answered), another); got.StateReason != nil {
		t.Errorf("the reason of another instance's end is told: %+v", got.StateReason)
	}
}
