// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
)

const (
	reasonUserHibernate     = "Client.UserInitiatedHibernate"
	reasonUserHibernateText = "User initiated hibernate"
)

// hibernateReason is what a hibernation by API call leaves behind.
func hibernateReason(now time.Time) lifecycle.Reason {
	why := userReason(now)
	why.Code, why.Message = reasonUserHibernate, reasonUserHibernate+": "+reasonUserHibernateText
	return why
}

// canHibernate refuses an instance that was not launched for it.
func (i *instance) canHibernate() error {
	if i.spec.hibernation {
		return nil
	}
	return fail(codeUnsupportedHibernation, "The instance can't be hibernated because it was not configured at launch for hibernation: %s", i.id)
}

// checkHibernation holds that memory is written to an encrypted volume only (EC2 User Guide, "Prerequisites for EC2 instance
// hibernation").
func (s *launchSpec) checkHibernation() error {
	if s.hibernation && !s.devices[0].made.encrypted {
		return fail(codeUnsupportedHibernation, "Hibernation requires an encrypted EBS root volume.")
	}
	return nil
}
