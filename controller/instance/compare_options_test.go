// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// EC2 takes cores and threads together only, so whichever differs, the call says both.
func TestCoresAndThreadsAreChangedTogether(t *testing.T) {
	tests := map[string]struct {
		spec ec2v1.CPUOptions
		want cloud.CPUOptions
	}{
		"the cores differ":                  {ec2v1.CPUOptions{CoreCount: 1, ThreadsPerCore: 2}, cloud.CPUOptions{CoreCount: 1, ThreadsPerCore: 2}},
		"the threads differ":                {ec2v1.CPUOptions{CoreCount: 2, ThreadsPerCore: 1}, cloud.CPUOptions{CoreCount: 2, ThreadsPerCore: 1}},
		"nested virtualization alone":       {ec2v1.CPUOptions{CoreCount: 2, ThreadsPerCore: 2, NestedVirtualization: "enabled"}, cloud.CPUOptions{NestedVirtualization: "enabled"}},
		"both, and nested virtualization":   {ec2v1.CPUOptions{CoreCount: 1, ThreadsPerCore: 1, NestedVirtualization: "enabled"}, cloud.CPUOptions{CoreCount: 1, ThreadsPerCore: 1, NestedVirtualization: "enabled"}},
		"the cores alone are what spec has": {ec2v1.CPUOptions{CoreCount: 1}, cloud.CPUOptions{CoreCount: 1, ThreadsPerCore: 2}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			i := fullInstance()
			i.CPU = cloud.CPUOptions{CoreCount: 2, ThreadsPerCore: 2}
			d := compareCPUOptions(sight{spec: &ec2v1.EC2InstanceSpec{CPUOptions: &test.spec}, current: &observer.Entry{Instance: i}})
			if want := (cloud.CPU{CPUOptions: test.want}); !d.differs || d.modification != want {
				t.Errorf("got %+v, want %+v", d, want)
			}
		})
	}
}
