// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// reboot reboots a running instance once for each newer spec.rebootRequestedAt. A start after that time is as good. EC2 does not
// tell of reboots, so the one whose answer, or whose status, was lost may be asked for twice.
func (p *Plan) reboot(in Input, f facts) bool {
	at := in.Object.Spec.RebootRequestedAt
	if at == nil || f.current.State != cloud.StateRunning || !f.current.LaunchTime.Before(at.Time) {
		return false
	}
	if last := in.Object.Status.LastRebootTime; last != nil && !last.Before(at) {
		return false
	}
	if left := at.Sub(in.Now); left > 0 {
		p.comeBack(left)
		return false
	}
	of := rebootOf(f.current.ID, at)
	if call := in.Memory.Calls[StepReboot]; call.Of == of && call.Err == nil {
		return false
	}
	return p.take(in, StepReboot, f.current.ID, of)
}

func rebootOf(id string, at *metav1.Time) string { return id + " " + at.UTC().Format(time.RFC3339) }

// rebooted is when this process has rebooted the instance as spec asks, or nil.
func (in Input) rebooted(f facts) *metav1.Time {
	at := in.Object.Spec.RebootRequestedAt
	if at == nil {
		return nil
	}
	call := in.Memory.Calls[StepReboot]
	if call.Err != nil || call.Of != rebootOf(f.current.ID, at) {
		return nil
	}
	return &metav1.Time{Time: call.At.UTC().Truncate(second)}
}
