// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// Many callers with one token get one instance, and nothing races.
func TestConcurrentCallers(t *testing.T) {
	r := newRig(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := r.ec2.RunInstances(t.Context(), launchInput(withToken("t"))); err != nil {
				t.Error(err)
			}
			if _, err := r.ec2.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{}); err != nil {
				t.Error(err)
			}
			if _, err := r.sim.Inject(ec2sim.Fault{HideTags: []string{"x"}, Times: 1}); err != nil {
				t.Error(err)
			}
			r.sim.Counts()
			r.sim.Requests()
			r.sim.Instances()
			if err := r.sim.UpdateSettings(func(s *ec2sim.Settings) { s.Capacity = map[string]int{"*/*": 100} }); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if live, c := r.sim.Live(), r.sim.Counts(); len(live) != 1 || c.Launches != 1 || c.Replays != 7 {
		t.Errorf("%d instances, counts %+v", len(live), c)
	}
}
