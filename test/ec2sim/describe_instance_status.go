// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"
	"strconv"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// maxStatusIDs is the most that DescribeInstanceStatus takes (API reference).
const maxStatusIDs = 100

type describeInstanceStatusResponse struct {
	wire.Head
	Statuses  []xmlInstanceStatus `xml:"instanceStatusSet>item"`
	NextToken string              `xml:"nextToken,omitempty"`
}

type xmlInstanceStatus struct {
	ID                 string           `xml:"instanceId"`
	AvailabilityZone   string           `xml:"availabilityZone"`
	AvailabilityZoneID string           `xml:"availabilityZoneId"`
	State              xmlState         `xml:"instanceState"`
	System             xmlStatusSummary `xml:"systemStatus"`
	Instance           xmlStatusSummary `xml:"instanceStatus"`
	AttachedEBS        xmlStatusSummary `xml:"attachedEbsStatus"`
	Events             []xmlStatusEvent `xml:"eventsSet>item"`
}

type xmlStatusSummary struct {
	Status  string            `xml:"status"`
	Details []xmlStatusDetail `xml:"details>item"`
}

type xmlStatusDetail struct {
	Name          string `xml:"name"`
	Status        string `xml:"status"`
	ImpairedSince string `xml:"impairedSince,omitempty"`
}

type xmlStatusEvent struct {
	ID                string `xml:"instanceEventId"`
	Code              string `xml:"code"`
	Description       string `xml:"description"`
	NotBefore         string `xml:"notBefore,omitempty"`
	NotAfter          string `xml:"notAfter,omitempty"`
	NotBeforeDeadline string `xml:"notBeforeDeadline,omitempty"`
}

// statusView is an instance as DescribeInstanceStatus shows it now.
type statusView struct {
	view
	checks map[StatusCheck]checkResult
}

func describeInstanceStatus(c *call) (any, error) {
	ids, err := c.statusIDs()
	if err != nil {
		return nil, err
	}
	all, err := c.params.Bool("IncludeAllInstances")
	if err != nil {
		return nil, err
	}
	filters, p, err := c.readListing(func(name string) bool { return statusFilters[name] != nil })
	if err != nil {
		return nil, err
	}
	views, err := c.statusViews(ids, func(v statusView) bool {
		return (all || v.status.State == lifecycle.Running) && matches(filters, v.filterValues)
	})
	if err != nil {
		return nil, err
	}
	shown, next := paginate(c, p, views, statusView.key, statusView.key)
	out := &describeInstanceStatusResponse{NextToken: next}
	for _, v := range shown {
		out.Statuses = append(out.Statuses, v.xml())
	}
	return out, nil
}

// statusViews are the wanted ones of the instances that the call is about.
func (c *call) statusViews(ids []string, wanted func(statusView) bool) ([]statusView, error) {
	instances := c.listed()
	if len(ids) > 0 {
		var err error
		if instances, err = c.named(ids); err != nil {
			return nil, err
		}
	}
	var views []statusView
	for _, i := range instances {
		if v := c.statusView(i); wanted(v) {
			views = append(views, v)
		}
	}
	return views, nil
}

// statusIDs reads the instances that the call names.
func (c *call) statusIDs() ([]string, error) {
	ids, err := uniqueInstanceIDs(c.params)
	switch {
	case err != nil:
		return nil, err
	case len(ids) > 0 && c.params.Has("MaxResults"):
		return nil, fail(codeInvalidParameterCombination, "The parameter instancesSet cannot be used with the parameter maxResults")
	case len(ids) > maxStatusIDs:
		return nil, fail(codeInvalidParameterValue, "The request names %d instances, and the maximum is %d", len(ids), maxStatusIDs)
	}
	return ids, nil
}

// statusView shows the instance and its checks as they were StateLag ago.
func (c *call) statusView(i *instance) statusView {
	v := statusView{c.view(i), map[StatusCheck]checkResult{}}
	at := c.now.Add(-c.settings.StateLag)
	for _, check := range statusChecks {
		v.checks[check] = v.check(check, at, &c.settings)
	}
	return v
}

// statusFilters are the DescribeInstanceStatus filters with the values they look at.
// There are none for tags.
var statusFilters = map[string]func(statusView) []string{
	"availability-zone":            func(v statusView) []string { return []string{v.zone.Name} },
	"availability-zone-id":         func(v statusView) []string { return []string{v.zone.ID} },
	"instance-state-code":          func(v statusView) []string { return []string{strconv.Itoa(v.status.State.Code())} },
	"instance-state-name":          func(v statusView) []string { return []string{string(v.status.State)} },
	"system-status.status":         func(v statusView) []string { return []string{v.checks[CheckSystem].result} },
	"system-status.reachability":   func(v statusView) []string { return nonEmpty(v.checks[CheckSystem].detail) },
	"instance-status.status":       func(v statusView) []string { return []string{v.checks[CheckInstance].result} },
	"instance-status.reachability": func(v statusView) []string { return nonEmpty(v.checks[CheckInstance].detail) },
	"attached-ebs-status.status":   func(v statusView) []string { return []string{v.checks[CheckAttachedEBS].result} },
	"event.code":                   ofEvents(func(e ScheduledEvent) string { return e.Code }),
	"event.description":            ofEvents(func(e ScheduledEvent) string { return e.Description }),
	"event.instance-event-id":      ofEvents(func(e ScheduledEvent) string { return e.ID }),
	"event.not-before":             ofEvents(func(e ScheduledEvent) string { return timestamp(e.NotBefore) }),
	"event.not-after":              ofEvents(func(e ScheduledEvent) string { return timestamp(e.NotAfter) }),
	"event.not-before-deadline":    ofEvents(func(e ScheduledEvent) string { return timestamp(e.NotBeforeDeadline) }),
}

func ofEvents(text func(ScheduledEvent) string) func(statusView) []string {
	return func(v statusView) []string {
		var out []string
		for _, e := range v.health.events {
			out = append(out, nonEmpty(text(e))...)
		}
		return out
	}
}

func (v statusView) filterValues(name string) []string { return statusFilters[name](v) }

func (v statusView) xml() xmlInstanceStatus {
	out := xmlInstanceStatus{
		ID: v.id, AvailabilityZone: v.zone.Name, AvailabilityZoneID: v.zone.ID, State: stateXML(v.status.State),
		System: v.checks[CheckSystem].xml(), Instance: v.checks[CheckInstance].xml(), AttachedEBS: v.checks[CheckAttachedEBS].xml(),
	}
	for _, e := range slices.Backward(v.health.events) { // their order is not promised
		out.Events = append(out.Events, xmlStatusEvent{
			e.ID, e.Code, e.Description, timestamp(e.NotBefore), timestamp(e.NotAfter), timestamp(e.NotBeforeDeadline),
		})
	}
	return out
}

func (r checkResult) xml() xmlStatusSummary {
	out := xmlStatusSummary{Status: r.result}
	if r.detail != "" {
		out.Details = []xmlStatusDetail{{"reachability", r.detail, timestamp(r.since)}}
	}
	return out
}

// timestamp is "" for no time, which is left out.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return wire.Timestamp(t)
}
