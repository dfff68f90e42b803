// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"slices"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// disruption orders the plan actions from the least to the most disruptive.
var disruption = []ec2v1.PlanAction{
	ec2v1.PlanActionNone, ec2v1.PlanActionInPlace, ec2v1.PlanActionStopStart, ec2v1.PlanActionReplace,
}

// allows tells whether a step of this kind may be taken.
func allows(allowance ec2v1.UpdateAllowance, action ec2v1.PlanAction) bool {
	most := slices.Index(disruption, ec2v1.PlanAction(allowance))
	return most >= slices.Index(disruption, action)
}

// allowanceOf is what spec.updatePolicy allows for a field: what its override says, else what holds for all.
func allowanceOf(spec *ec2v1.EC2InstanceSpec, field string) ec2v1.UpdateAllowance {
	policy := spec.UpdatePolicy
	i := slices.IndexFunc(policy.Overrides, func(o ec2v1.UpdateOverride) bool { return o.Field == field })
	switch {
	case i >= 0:
		return policy.Overrides[i].Allow
	case policy.Allow == "":
		return ec2v1.UpdateInPlace // Objects of before the field had a default.
	default:
		return policy.Allow
	}
}

// leavesPower tells whether spec leaves it to others to start and to stop the instance.
func leavesPower(spec *ec2v1.EC2InstanceSpec) bool {
	return allowanceOf(spec, fieldPower) == ec2v1.UpdateIgnore
}

// ignoresTag tells whether spec leaves tags with this key to other tools: they are not removed, whoever has set them.
func ignoresTag(spec *ec2v1.EC2InstanceSpec, key string) bool {
	return spec.Ignore != nil && slices.ContainsFunc(spec.Ignore.TagPrefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

// ignoresGroup tells whether spec leaves a security group to other tools: it is not removed, whoever has added it.
func ignoresGroup(spec *ec2v1.EC2InstanceSpec, id string) bool {
	return spec.Ignore != nil && slices.Contains(spec.Ignore.SecurityGroupIDs, id)
}
