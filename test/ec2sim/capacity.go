// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"math"
	"strings"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// unboundedCapacity stands for a zone without a limit.
const unboundedCapacity = math.MaxInt32

// capacityLeft is how many more instances of the type can run in the zone.
func (r *region) capacityLeft(typ, zone string, s *Settings, now time.Time) int {
	left := unboundedCapacity
	for key, limit := range s.Capacity {
		keyType, keyZone, _ := strings.Cut(key, "/")
		if !covers(keyType, typ) || !covers(keyZone, zone) {
			continue
		}
		used := 0
		for _, i := range r.order {
			if i.zone.Name == zone && covers(keyType, i.spec.instanceType.Name) && i.state(now).Active() {
				used++
			}
		}
		left = min(left, limit-used)
	}
	return max(left, 0)
}

func covers(pattern, name string) bool { return pattern == "*" || pattern == name }

// quotaLeft is how many more vCPUs may run.
func (r *region) quotaLeft(s *Settings, now time.Time) int {
	if s.VCPUQuota == 0 {
		return unboundedCapacity
	}
	used := 0
	for _, i := range r.order {
		if i.state(now).Active() {
			used += i.spec.instanceType.VCPUs
		}
	}
	return max(s.VCPUQuota-used, 0)
}

func vcpuLimitExceeded(s *Settings) *wire.Error {
	return fail(codeVCPULimitExceeded,
		"You have requested more vCPU capacity than your current vCPU limit of %d allows for the instance bucket that the specified instance type belongs to. "+
			"Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.", s.VCPUQuota)
}

func insufficientCapacity(typ, zone string) *wire.Error {
	return fail(codeInsufficientInstanceCapacity,
		"We currently do not have sufficient %s capacity in the Availability Zone you requested (%s). "+
			"Our system will be working on provisioning additional capacity.", typ, zone)
}
