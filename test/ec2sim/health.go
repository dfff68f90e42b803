// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
)

// What status checks find, and what EC2 schedules. Like the rest of what happens
// behind the back of API clients it is not counted, logged, throttled or faulted.

// StatusCheck names one of EC2's status checks.
type StatusCheck string

// The status checks.
const (
	CheckSystem      StatusCheck = "system"
	CheckInstance    StatusCheck = "instance"
	CheckAttachedEBS StatusCheck = "attachedEBS"
)

var statusChecks = []StatusCheck{CheckSystem, CheckInstance, CheckAttachedEBS}

// ScheduledEvent is something that EC2 is going to do to an instance.
type ScheduledEvent struct {
	// ID is given by the simulator when it is empty. The event with the id is
	// replaced if there is one.
	ID string `json:"id,omitempty"`
	// Code is EC2's, such as instance-retirement.
	Code string `json:"code"`
	// Description begins with [Completed] when the event is over.
	Description       string    `json:"description,omitempty"`
	NotBefore         time.Time `json:"notBefore,omitzero"`
	NotAfter          time.Time `json:"notAfter,omitzero"`
	NotBeforeDeadline time.Time `json:"notBeforeDeadline,omitzero"`
}

// health is what is wrong with an instance, and what is going to happen to it.
type health struct {
	impaired map[StatusCheck]time.Time // since when
	events   []ScheduledEvent
}

// Impair lets a status check of an instance fail until Recover. Impairment of the
// system ends with the next start too, which brings the instance to another host.
func (s *Sim) Impair(id string, check StatusCheck) error {
	if !slices.Contains(statusChecks, check) {
		return fmt.Errorf("check %q: want one of %v", check, statusChecks)
	}
	return s.handIn(id, func(i *instance, now time.Time) error {
		if i.health.impaired == nil {
			i.health.impaired = map[StatusCheck]time.Time{}
		}
		if _, already := i.health.impaired[check]; !already {
			i.health.impaired[check] = now
		}
		return nil
	})
}

// Recover lets all status checks of an instance pass again.
func (s *Sim) Recover(id string) error {
	return s.handIn(id, func(i *instance, _ time.Time) error {
		i.health.impaired = nil
		return nil
	})
}

// ScheduleEvent schedules an event for an instance, or changes it, and returns its
// id. Nothing happens when its time comes.
func (s *Sim) ScheduleEvent(id string, event ScheduledEvent) (string, error) {
	if event.Code == "" {
		return "", errors.New("the event has no code")
	}
	err := s.handIn(id, func(i *instance, _ time.Time) error {
		if event.ID == "" {
			event.ID = s.ids.next("instance-event")
		}
		others := slices.DeleteFunc(slices.Clone(i.health.events), func(e ScheduledEvent) bool { return e.ID == event.ID })
		i.health.events = slices.SortedFunc(slices.Values(append(others, event)), func(a, b ScheduledEvent) int {
			return cmp.Or(a.NotBefore.Compare(b.NotBefore), strings.Compare(a.ID, b.ID))
		})
		return nil
	})
	return event.ID, err
}

// ClearEvents removes all events of an instance.
func (s *Sim) ClearEvents(id string) error {
	return s.handIn(id, func(i *instance, _ time.Time) error {
		i.health.events = nil
		return nil
	})
}

// Results of status checks, and of what they consist of (API reference,
// InstanceStatusSummary and InstanceStatusDetails).
const (
	resultOK            = "ok"
	resultImpaired      = "impaired"
	resultInitializing  = "initializing"
	resultNotApplicable = "not-applicable"
	detailPassed        = "passed"
	detailFailed        = "failed"
)

// checkResult is what a status check says.
type checkResult struct {
	result string
	// detail is the result of the check's only part, reachability; "" when nothing is checked.
	detail string
	since  time.Time // of the impairment
}

// check is what a status check says of the instance as it is shown.
func (v view) check(check StatusCheck, at time.Time, s *Settings) checkResult {
	switch since, impaired := v.impairedSince(check, at); {
	case v.status.State != lifecycle.Running:
		return checkResult{result: resultNotApplicable}
	case at.Before(v.status.Since.Add(s.InitializingDelay)):
		return checkResult{result: resultInitializing, detail: resultInitializing}
	case impaired:
		return checkResult{result: resultImpaired, detail: detailFailed, since: since}
	default:
		return checkResult{result: resultOK, detail: detailPassed}
	}
}

// impairedSince is when the check began to fail. What was wrong already when the
// instance was started has been so since then (API reference, InstanceStatusDetails).
func (v view) impairedSince(check StatusCheck, at time.Time) (time.Time, bool) {
	since, ok := v.health.impaired[check]
	switch {
	case !ok, since.After(at), check == CheckSystem && since.Before(v.launchTime):
		return time.Time{}, false
	case since.Before(v.launchTime):
		return v.launchTime, true
	default:
		return since, true
	}
}
