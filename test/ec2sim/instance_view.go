// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"fmt"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
)

// detached says whether the instance has given its network interface back: a
// terminated instance is described without subnet, VPC, addresses and groups.
func (v view) detached() bool { return v.status.State == lifecycle.Terminated }

func (v view) whileAttached(text string) []string {
	if v.detached() {
		return nil
	}
	return []string{text}
}

func (v view) groupIDs() []string {
	return v.groupTexts(func(g SecurityGroup) string { return g.ID })
}

func (v view) groupNames() []string {
	return v.groupTexts(func(g SecurityGroup) string { return g.Name })
}

func (v view) groupTexts(text func(SecurityGroup) string) []string {
	if v.detached() {
		return nil
	}
	var out []string
	for _, g := range v.spec.primary().groups {
		out = append(out, text(g))
	}
	return out
}

func (v view) monitoringState() string {
	switch {
	case !v.spec.monitoring:
		return "disabled"
	case v.status.State == lifecycle.Pending:
		return "pending"
	default:
		return "enabled"
	}
}

func profileARN(account, name string) string {
	return fmt.Sprintf("arn:aws:iam::%s:instance-profile/%s", account, name)
}

// group and key order listings: the instances of one reservation stay together.
func (v view) group() string { return v.reservationID }
func (v view) key() string   { return fmt.Sprintf("%012d", v.sequence) }
