// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/google/go-cmp/cmp"
)

// TestConfiguration: two launches alike are configured alike, and a change shows under its name and no other.
func TestConfiguration(t *testing.T) {
	r := newRig(t)
	first, second := r.runningInstance(), r.runningInstance()
	before := r.sim.Configuration(first)
	if diff := cmp.Diff(before, r.sim.Configuration(second)); diff != "" || len(before) == 0 {
		t.Errorf("of two launches alike, one has\n%s", diff)
	}
	for name, change := range map[string]struct {
		make func(*ec2.ModifyInstanceAttributeInput)
		want string
	}{
		"disableApiTermination":             {func(in *ec2.ModifyInstanceAttributeInput) { in.DisableApiTermination = flag(true) }, "true"},
		"instanceInitiatedShutdownBehavior": {func(in *ec2.ModifyInstanceAttributeInput) { in.InstanceInitiatedShutdownBehavior = text("terminate") }, "terminate"},
		"networkInterfaceSet.0.sourceDestCheck": {
			func(in *ec2.ModifyInstanceAttributeInput) { in.SourceDestCheck = flag(false) }, "false",
		},
	} {
		if err := r.modify(first, change.make); err != nil {
			t.Fatal(err)
		}
		before[name] = change.want
		if diff := cmp.Diff(before, r.sim.Configuration(first)); diff != "" {
			t.Errorf("after the change of %s (-want +got):\n%s", name, diff)
		}
	}
	if unknown := r.sim.Configuration("i-00000000000000000"); unknown != nil {
		t.Errorf("an instance that is not there is configured: %v", unknown)
	}
}
