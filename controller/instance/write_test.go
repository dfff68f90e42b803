// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"slices"
	"testing"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// A finalizer that somebody took away comes back, and not on a version of the object that the pass has not read: what the
// pass writes next would be put over it.
func TestAFinalizerIsNotWrittenOnAnotherVersion(t *testing.T) {
	inBubble(t, func(r *rig) {
		obj := r.run()
		obj.Finalizers = nil
		r.update(obj)
		r.writes = nil
		r.meanwhile = func() { r.edit(func(s *ec2v1.EC2InstanceSpec) { s.PowerState = ec2v1.PowerStateStopped }) }
		r.until("the finalizer is to be written", func(*ec2v1.EC2Instance) bool { return r.meanwhile == nil })
		r.expectWrites()
		r.until("it is there", func(o *ec2v1.EC2Instance) bool { return slices.Contains(o.Finalizers, ec2v1.InstanceFinalizer) })
	})
}
