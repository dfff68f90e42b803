// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

func instanceStatuses(list []ec2types.InstanceStatus) []InstanceStatus {
	converted := make([]InstanceStatus, 0, len(list))
	for _, s := range list {
		converted = append(converted, instanceStatus(s))
	}
	return converted
}

// instanceStatus is s in our terms. EC2 may leave out anything.
func instanceStatus(s ec2types.InstanceStatus) InstanceStatus {
	converted := InstanceStatus{
		ID:          aws.ToString(s.InstanceId),
		System:      check(s.SystemStatus),
		Instance:    check(s.InstanceStatus),
		AttachedEBS: volumeCheck(s.AttachedEbsStatus),
		Events:      scheduledEvents(s.Events),
	}
	if s.InstanceState != nil {
		converted.State = State(s.InstanceState.Name)
	}
	return converted
}

func check(s *ec2types.InstanceStatusSummary) Check {
	if s == nil {
		return Check{}
	}
	converted := Check{Result: CheckResult(s.Status)}
	for _, d := range s.Details {
		converted.add(d.Name, d.Status, d.ImpairedSince)
	}
	return converted
}

// volumeCheck is check for a type of the SDK's that is the same under another name.
func volumeCheck(s *ec2types.EbsStatusSummary) Check {
	if s == nil {
		return Check{}
	}
	converted := Check{Result: CheckResult(s.Status)}
	for _, d := range s.Details {
		converted.add(d.Name, d.Status, d.ImpairedSince)
	}
	return converted
}

// add takes in one detail of a check that fails: what failed, in alphabetical order, and the earliest time since when.
func (c *Check) add(name ec2types.StatusName, status ec2types.StatusType, since *time.Time) {
	if c.Result != CheckImpaired || status == ec2types.StatusTypePassed {
		return
	}
	details := append(strings.Split(c.Detail, ", "), strings.TrimSpace(string(name)+" "+string(status)))
	c.Detail = strings.Join(sortedSet(details), ", ")
	if since != nil && (c.Since.IsZero() || since.Before(c.Since)) {
		c.Since = since.UTC()
	}
}

// finished are how the descriptions of events begin that are over, and that EC2 shows for up to a week more. The first is
// documented with the field Description of InstanceStatusEvent; the second is how EC2 marks events that it has called off.
var finished = []string{"[Completed]", "[Canceled]"}

// scheduledEvents are the events to come, the earliest of each code.
func scheduledEvents(list []ec2types.InstanceStatusEvent) []ScheduledEvent {
	earliest := map[string]ScheduledEvent{}
	for _, e := range list {
		converted := scheduledEvent(e)
		if converted.Code == "" || isFinished(converted.Description) {
			continue
		}
		if other, ok := earliest[converted.Code]; !ok || byTime(converted, other) < 0 {
			earliest[converted.Code] = converted
		}
	}
	return slices.SortedFunc(maps.Values(earliest), func(a, b ScheduledEvent) int { return cmp.Compare(a.Code, b.Code) })
}

func scheduledEvent(e ec2types.InstanceStatusEvent) ScheduledEvent {
	return ScheduledEvent{
		Code:        string(e.Code),
		Description: aws.ToString(e.Description),
		NotBefore:   aws.ToTime(e.NotBefore).UTC(),
		NotAfter:    aws.ToTime(e.NotAfter).UTC(),
	}
}

func isFinished(description string) bool {
	return slices.ContainsFunc(finished, func(mark string) bool { return strings.HasPrefix(description, mark) })
}

// byTime orders events by their start; all else only decides which of two at one time it always is.
func byTime(a, b ScheduledEvent) int {
	return cmp.Or(a.NotBefore.Compare(b.NotBefore), a.NotAfter.Compare(b.NotAfter), cmp.Compare(a.Description, b.Description))
}
