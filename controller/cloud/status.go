// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"slices"
	"time"
)

// InstanceStatus is what EC2 says of a running instance's health, and what it has scheduled for it. Like an [Instance] it is
// passed around without being changed, and equal worlds compare equal.
type InstanceStatus struct {
	// ID of the instance.
	ID string
	// State of the instance when the status was made. Only a running instance has checks.
	State State
	// System is the check of the host and of the network to it: AWS has to mend it.
	System Check
	// Instance is the check of the instance's own software and network configuration: its user has to mend it.
	Instance Check
	// AttachedEBS is the check of whether the attached EBS volumes can be reached.
	AttachedEBS Check
	// Events are those scheduled for the instance, sorted by code; of several with one code, the earliest. Finished and
	// canceled ones are left out.
	Events []ScheduledEvent
}

// Check is what one status check says. EC2 runs the checks every minute; for the first minutes after a start they have no
// result.
type Check struct {
	// Result is EC2's word; "" when EC2 does not tell.
	Result CheckResult
	// Since is when the check failed, in UTC; zero while it does not, and where EC2 does not tell.
	Since time.Time
	// Detail says in EC2's words what failed, such as "reachability failed".
	Detail string
}

// CheckResult is EC2's word for the result of a status check.
// See https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceStatusSummary.html.
type CheckResult string

// The results of status checks.
const (
	// CheckOK: the check passes.
	CheckOK CheckResult = "ok"
	// CheckImpaired: the check fails.
	CheckImpaired CheckResult = "impaired"
	// CheckInitializing: the instance was started minutes ago, and there is no result yet.
	CheckInitializing CheckResult = "initializing"
	// CheckInsufficientData: EC2 has too little to go by for a result.
	CheckInsufficientData CheckResult = "insufficient-data"
	// CheckNotApplicable: there is nothing to check.
	CheckNotApplicable CheckResult = "not-applicable"
)

// ScheduledEvent is something that EC2 is going to do to an instance.
type ScheduledEvent struct {
	// Code is EC2's word for what it is, such as instance-retirement.
	Code string
	// Description is EC2's text.
	Description string
	// NotBefore is the earliest start, in UTC; zero when EC2 does not tell.
	NotBefore time.Time
	// NotAfter is the latest end, in UTC; zero when EC2 does not tell.
	NotAfter time.Time
}

// Equal reports whether s and o say the same of an instance. Nil and empty lists are the same.
func (s InstanceStatus) Equal(o InstanceStatus) bool {
	return s.ID == o.ID &&
		s.State == o.State &&
		s.System.Equal(o.System) &&
		s.Instance.Equal(o.Instance) &&
		s.AttachedEBS.Equal(o.AttachedEBS) &&
		slices.EqualFunc(s.Events, o.Events, ScheduledEvent.Equal)
}

// Settled reports whether both the system and the instance check have had a result since the instance was started.
func (s InstanceStatus) Settled() bool { return s.System.settled() && s.Instance.settled() }

// HasResults reports whether the checks say anything: both are settled, or one of them fails already.
func (s InstanceStatus) HasResults() bool {
	return s.Settled() || s.System.Result == CheckImpaired || s.Instance.Result == CheckImpaired
}

// Equal reports whether c and o say the same.
func (c Check) Equal(o Check) bool {
	return c.Result == o.Result && c.Detail == o.Detail && c.Since.Equal(o.Since)
}

// settled reports whether the check is past its first minutes.
func (c Check) settled() bool { return c.Result != "" && c.Result != CheckInitializing }

// Equal reports whether e and o say the same.
func (e ScheduledEvent) Equal(o ScheduledEvent) bool {
	return e.Code == o.Code && e.Description == o.Description && e.NotBefore.Equal(o.NotBefore) && e.NotAfter.Equal(o.NotAfter)
}
