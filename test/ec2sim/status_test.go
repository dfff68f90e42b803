// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

const initializingDelay = 2 * time.Minute

func initializes(s *ec2sim.Settings) { s.InitializingDelay = initializingDelay }

// statuses returns the statuses of a DescribeInstanceStatus call.
func (r *rig) statuses(in *ec2.DescribeInstanceStatusInput) []ec2types.InstanceStatus {
	r.Helper()
	out, err := r.ec2.DescribeInstanceStatus(r.Context(), in)
	r.must(err)
	return out.InstanceStatuses
}

// status is the only status of an instance, whatever its state.
func (r *rig) status(id string) ec2types.InstanceStatus {
	r.Helper()
	list := r.statuses(&ec2.DescribeInstanceStatusInput{InstanceIds: []string{id}, IncludeAllInstances: aws.Bool(true)})
	if len(list) != 1 || *list[0].InstanceId != id {
		r.Fatalf("%s has %d statuses", id, len(list))
	}
	return list[0]
}

func statusIDs(list []ec2types.InstanceStatus) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, *s.InstanceId)
	}
	return sorted(out)
}

func TestStatusChecksOfALife(t *testing.T) {
	r := newRig(t, initializes)
	id := r.mustRun()
	expect := func(state, result, detail string) {
		t.Helper()
		s := r.status(id)
		if got := string(s.InstanceState.Name); got != state {
			t.Errorf("state %s, want %s", got, state)
		}
		for name, check := range map[string]*ec2types.InstanceStatusSummary{"system": s.SystemStatus, "instance": s.InstanceStatus} {
			if string(check.Status) != result || details(check) != detail {
				t.Errorf("%s check of a %s instance: %s (%s), want %s (%s)", name, state, check.Status, details(check), result, detail)
			}
		}
		if got := string(s.AttachedEbsStatus.Status); got != result {
			t.Errorf("EBS check of a %s instance: %s, want %s", state, got, result)
		}
	}
	expect("pending", "not-applicable", "")
	r.clock.Step(pendingDelay)
	expect("running", "initializing", "reachability initializing")
	r.clock.Step(initializingDelay - 1)
	expect("running", "initializing", "reachability initializing")
	r.clock.Step(1)
	expect("running", "ok", "reachability passed")
	r.must(r.stop(id))
	expect("stopping", "not-applicable", "")
	r.clock.Step(stoppingDelay)
	r.must(r.start(id))
	r.clock.Step(pendingDelay)
	expect("running", "initializing", "reachability initializing")
	r.clock.Step(initializingDelay)
	expect("running", "ok", "reachability passed")
	r.must(r.terminate(id))
	r.clock.Step(shuttingDelay)
	expect("terminated", "not-applicable", "")
}

func details(check *ec2types.InstanceStatusSummary) string {
	out := ""
	for _, d := range check.Details {
		out += string(d.Name) + " " + string(d.Status)
		if d.ImpairedSince != nil {
			out += " since " + d.ImpairedSince.Sub(epoch).String()
		}
	}
	return out
}

func TestOnlyRunningInstancesHaveAStatusByDefault(t *testing.T) {
	r := newRig(t)
	running, stopped := r.mustRun(), r.mustRun()
	r.clock.Step(pendingDelay)
	r.must(r.stop(stopped))
	pending := r.mustRun()
	all := &ec2.DescribeInstanceStatusInput{IncludeAllInstances: aws.Bool(true)}
	named := &ec2.DescribeInstanceStatusInput{InstanceIds: []string{running, stopped, pending}}
	for name, tc := range map[string]struct {
		in   *ec2.DescribeInstanceStatusInput
		want []string
	}{
		"listed": {&ec2.DescribeInstanceStatusInput{}, []string{running}},
		"named":  {named, []string{running}},
		"all":    {all, []string{running, stopped, pending}},
	} {
		if diff := cmp.Diff(sorted(tc.want), statusIDs(r.statuses(tc.in))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestImpairment(t *testing.T) {
	const failed = "reachability failed since "
	r := newRig(t, initializes)
	id := r.mustRun()
	check := func(what, system, instance, ebs string) {
		t.Helper()
		s := r.status(id)
		got := [3]string{details(s.SystemStatus), details(s.InstanceStatus), string(s.AttachedEbsStatus.Status)}
		if want := [3]string{system, instance, ebs}; got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	r.must(r.sim.Impair(id, ec2sim.CheckInstance))
	r.clock.Step(pendingDelay)
	check("initializing", "reachability initializing", "reachability initializing", "initializing")
	r.clock.Step(initializingDelay)
	check("impaired since the launch", "reachability passed", failed+"0s", "ok")
	r.must(r.sim.Recover(id))
	check("recovered", "reachability passed", "reachability passed", "ok")
	r.must(r.sim.Impair(id, ec2sim.CheckSystem))
	r.clock.Step(time.Minute)
	r.must(r.sim.Impair(id, ec2sim.CheckSystem))
	r.must(r.sim.Impair(id, ec2sim.CheckAttachedEBS))
	since := pendingDelay + initializingDelay
	check("the host is impaired", failed+since.String(), "reachability passed", "impaired")
	r.must(r.stop(id))
	r.clock.Step(stoppingDelay)
	r.must(r.start(id))
	r.clock.Step(pendingDelay + initializingDelay)
	check("another host", "reachability passed", "reachability passed", "impaired")
	if err := r.sim.Impair(id, "memory"); err == nil {
		t.Error("a check that there is not was impaired")
	}
	if err := r.sim.Impair("i-0123456789abcdef0", ec2sim.CheckSystem); err == nil {
		t.Error("an instance that there is not was impaired")
	}
}

func TestScheduledEvents(t *testing.T) {
	r := newRig(t)
	id := r.mustRun()
	r.clock.Step(pendingDelay)
	when := epoch.Add(time.Hour)
	first, err := r.sim.ScheduleEvent(id, ec2sim.ScheduledEvent{Code: "system-reboot", Description: "reboot", NotBefore: when, NotAfter: when.Add(time.Hour)})
	r.must(err)
	second, err := r.sim.ScheduleEvent(id, ec2sim.ScheduledEvent{Code: "system-reboot", NotBefore: when.Add(time.Minute), NotBeforeDeadline: when.Add(time.Hour)})
	r.must(err)
	shown := func() map[string]string {
		out := map[string]string{}
		for _, e := range r.status(id).Events {
			out[*e.InstanceEventId] = fmt.Sprint(e.Code, " ", *e.Description, " ", e.NotBefore.Sub(epoch), " ", e.NotAfter != nil, "/", e.NotBeforeDeadline != nil)
		}
		return out
	}
	want := map[string]string{first: "system-reboot reboot 1h0m0s true/false", second: "system-reboot  1h1m0s false/true"}
	if diff := cmp.Diff(want, shown()); diff != "" {
		t.Error(diff)
	}
	_, err = r.sim.ScheduleEvent(id, ec2sim.ScheduledEvent{ID: first, Code: "system-reboot", Description: "[Completed] reboot", NotBefore: when})
	r.must(err)
	want[first] = "system-reboot [Completed] reboot 1h0m0s false/false"
	if diff := cmp.Diff(want, shown()); diff != "" {
		t.Error(diff)
	}
	r.must(r.sim.ClearEvents(id))
	if got := shown(); len(got) != 0 {
		t.Errorf("cleared: %v", got)
	}
	if _, err := r.sim.ScheduleEvent(id, ec2sim.ScheduledEvent{}); err == nil {
		t.Error("an event without a code was scheduled")
	}
}

func TestStatusFilters(t *testing.T) {
	r := newRig(t, initializes)
	sick := r.mustRun()
	well := r.mustRun(inSubnet(ec2sim.SubnetB))
	r.clock.Step(pendingDelay + initializingDelay)
	young := r.mustRun()
	r.clock.Step(pendingDelay)
	r.must(r.sim.Impair(sick, ec2sim.CheckSystem))
	r.must(r.sim.Impair(sick, ec2sim.CheckAttachedEBS))
	event, err := r.sim.ScheduleEvent(well, ec2sim.ScheduledEvent{Code: "instance-stop", Description: "hardware", NotBefore: epoch, NotAfter: epoch, NotBeforeDeadline: epoch})
	r.must(err)
	const moment = "2026-01-02T03:04:05.000Z"
	for name, want := range map[[2]string][]string{
		{"availability-zone", "us-east-1b"}:           {well},
		{"availability-zone-id", "use1-az1"}:          {sick, young},
		{"instance-state-name", "running"}:            {sick, well, young},
		{"instance-state-name", "stopped"}:            {},
		{"instance-state-code", "16"}:                 {sick, well, young},
		{"system-status.status", "impaired"}:          {sick},
		{"system-status.reachability", "failed"}:      {sick},
		{"instance-status.status", "ok"}:              {sick, well},
		{"instance-status.reachability", "init*"}:     {young},
		{"attached-ebs-status.status", "impaired"}:    {sick},
		{"event.code", "instance-stop"}:               {well},
		{"event.description", "hard*"}:                {well},
		{"event.instance-event-id", event}:            {well},
		{"event.not-before", moment}:                  {well},
		{"event.not-after", moment}:                   {well},
		{"event.not-before-deadline", moment}:         {well},
		{"event.code", "instance-retirement"}:         {},
		{"system-status.status", "insufficient-data"}: {},
	} {
		in := &ec2.DescribeInstanceStatusInput{Filters: []ec2types.Filter{filter(name[0], name[1])}}
		if diff := cmp.Diff(sorted(want), statusIDs(r.statuses(in))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	_, err = r.ec2.DescribeInstanceStatus(t.Context(), &ec2.DescribeInstanceStatusInput{Filters: []ec2types.Filter{filter("tag:Name", "x")}})
	wantError(t, err, "InvalidParameterValue", badRequest, "The filter 'tag:Name' is invalid")
}

func TestPagesOfStatuses(t *testing.T) {
	r := newRig(t)
	var want []string
	for range 12 {
		want = append(want, r.mustRun())
	}
	r.clock.Step(pendingDelay)
	var got []ec2types.InstanceStatus
	pages := ec2.NewDescribeInstanceStatusPaginator(r.ec2, &ec2.DescribeInstanceStatusInput{MaxResults: aws.Int32(5)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		r.must(err)
		if len(page.InstanceStatuses) > 5 {
			t.Errorf("%d on a page", len(page.InstanceStatuses))
		}
		got = append(got, page.InstanceStatuses...)
	}
	if diff := cmp.Diff(sorted(want), statusIDs(got)); diff != "" {
		t.Error(diff)
	}
	first, err := r.ec2.DescribeInstanceStatus(t.Context(), &ec2.DescribeInstanceStatusInput{MaxResults: aws.Int32(5)})
	r.must(err)
	many := make([]string, 101)
	for n := range many {
		many[n] = fmt.Sprintf("i-%017x", n)
	}
	const unknown = "i-0123456789abcdef0"
	for name, tc := range map[string]struct {
		in            *ec2.DescribeInstanceStatusInput
		code, message string
	}{
		"ids with MaxResults": {&ec2.DescribeInstanceStatusInput{InstanceIds: want[:1], MaxResults: aws.Int32(5)},
			"InvalidParameterCombination", "The parameter instancesSet cannot be used with the parameter maxResults"},
		"below 5":      {&ec2.DescribeInstanceStatusInput{MaxResults: aws.Int32(4)}, "InvalidParameterValue", "Expecting a value greater than 5."},
		"above 1000":   {&ec2.DescribeInstanceStatusInput{MaxResults: aws.Int32(1001)}, "InvalidParameterValue", "Value ( 1001 )"},
		"too many ids": {&ec2.DescribeInstanceStatusInput{InstanceIds: many}, "InvalidParameterValue", "the maximum is 100"},
		"unknown id":   {&ec2.DescribeInstanceStatusInput{InstanceIds: []string{want[0], unknown}}, "InvalidInstanceID.NotFound", unknown},
		"malformed id": {&ec2.DescribeInstanceStatusInput{InstanceIds: []string{"i-12"}}, "InvalidInstanceID.Malformed", "i-12"},
		"bad token":    {&ec2.DescribeInstanceStatusInput{NextToken: aws.String("abc"), MaxResults: aws.Int32(5)}, "InvalidNextToken", "abc"},
		"token of a listing of all": {&ec2.DescribeInstanceStatusInput{NextToken: first.NextToken, IncludeAllInstances: aws.Bool(true)},
			"InvalidNextToken", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.ec2.DescribeInstanceStatus(t.Context(), tc.in)
			wantError(t, err, tc.code, badRequest, tc.message)
		})
	}
	_, err = r.ec2.DescribeInstanceStatus(t.Context(), &ec2.DescribeInstanceStatusInput{DryRun: aws.Bool(true)})
	wantError(t, err, "DryRunOperation", 412, "")
}

// Statuses lag as instances do.
func TestStatusesLag(t *testing.T) {
	const lag = time.Second
	r := newRig(t, initializes, func(s *ec2sim.Settings) { s.StateLag, s.DescribeListLag = lag, 2*pendingDelay })
	id := r.mustRun()
	for _, step := range []struct {
		wait   time.Duration
		listed bool
		result ec2types.SummaryStatus
	}{
		{pendingDelay, false, "not-applicable"},
		{lag, false, "initializing"},
		{pendingDelay - lag, true, "initializing"},
		{initializingDelay - pendingDelay, true, "initializing"},
		{lag, true, "ok"},
	} {
		r.clock.Step(step.wait)
		if got := r.status(id).SystemStatus.Status; got != step.result {
			t.Errorf("after %v: %s, want %s", r.clock.Now().Sub(epoch), got, step.result)
		}
		if n := len(r.statuses(&ec2.DescribeInstanceStatusInput{})); (n == 1) != step.listed {
			t.Errorf("after %v: %d listed", r.clock.Now().Sub(epoch), n)
		}
	}
	r.inject(ec2sim.Fault{Action: "DescribeInstanceStatus", Hide: []string{id}})
	if n := len(r.statuses(&ec2.DescribeInstanceStatusInput{})); n != 0 {
		t.Errorf("%d listed although hidden", n)
	}
}
