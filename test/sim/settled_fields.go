// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// fieldsAsAsked: what spec says of the instance holds in EC2, or status.plan tells that it does not, and that policy is why.
func (w *world) fieldsAsAsked(obj *ec2v1.EC2Instance, i ec2sim.Instance) {
	check := func(field string, action ec2v1.PlanAction, holds bool) {
		if holds {
			return
		}
		blocked := slices.ContainsFunc(obj.Status.Plan, func(c ec2v1.PlannedChange) bool {
			return c.Field == field && c.Action == action && c.State == ec2v1.PlanStateBlocked
		})
		allowed := action == ec2v1.PlanActionInPlace || letsUpdate(obj, ec2v1.UpdateAllowance(action))
		if action == ec2v1.PlanActionReplace && w.annotationTaken(obj) {
			allowed = false // The next launch could not be written down.
		}
		if allowed || !blocked {
			w.judge.violated("%s differs in %s at rest: it is %+v in EC2, and the plan is %+v", obj.Name, field, i, obj.Status.Plan)
		}
	}
	check("instanceType", ec2v1.PlanActionStopStart, oneOf(i.InstanceType, obj.Spec.InstanceType, obj.Spec.InstanceTypeFallbacks))
	check("image", ec2v1.PlanActionReplace, obj.Spec.Image.ID == "" || i.ImageID == obj.Spec.Image.ID)
	check("subnetID", ec2v1.PlanActionReplace, oneOf(i.SubnetID, obj.Spec.SubnetID, obj.Spec.SubnetFallbacks))
	check("securityGroupIDs", ec2v1.PlanActionInPlace, !slices.ContainsFunc(obj.Spec.SecurityGroupIDs, func(id string) bool {
		return !slices.Contains(i.SecurityGroupIDs, id)
	}))
	profile := obj.Spec.IAMInstanceProfile
	check("iamInstanceProfile", ec2v1.PlanActionInPlace, profile == nil || profile.Name == i.InstanceProfile)
}

// oneOf tells whether EC2's value is what spec prefers, or one of the fallbacks.
func oneOf(has, preferred string, fallbacks []string) bool {
	return has == preferred || slices.Contains(fallbacks, has)
}
