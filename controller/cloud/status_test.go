// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

const describedStatuses = `<DescribeInstanceStatusResponse><instanceStatusSet>
<item><instanceId>i-0123456789abcdef0</instanceId><availabilityZone>eu-central-1a</availabilityZone>
<instanceState><code>16</code><name>running</name></instanceState>
<systemStatus><status>impaired</status><details>
<item><name>reachability</name><status>failed</status><impairedSince>2026-01-07T12:19:54.000Z</impairedSince></item>
</details></systemStatus>
<instanceStatus><status>ok</status><details><item><name>reachability</name><status>passed</status></item></details></instanceStatus>
<attachedEbsStatus><status>impaired</status><details>
<item><name>reachability</name><status>insufficient-data</status></item></details></attachedEbsStatus>
<eventsSet>
<item><instanceEventId>instance-event-1</instanceEventId><code>system-reboot</code><description>later</description>
<notBefore>2026-03-02T00:00:00.000Z</notBefore></item>
<item><instanceEventId>instance-event-2</instanceEventId><code>instance-retirement</code><description>degraded hardware</description>
<notBefore>2026-03-01T00:00:00.000Z</notBefore><notAfter>2026-03-01T02:00:00.000Z</notAfter></item>
<item><instanceEventId>instance-event-3</instanceEventId><code>system-reboot</code><description>earlier</description>
<notBefore>2026-03-01T00:00:00.000Z</notBefore></item>
<item><instanceEventId>instance-event-4</instanceEventId><code>instance-stop</code><description>[Completed] over</description></item>
</eventsSet></item>
<item><instanceId>i-0123456789abcdef1</instanceId></item>
</instanceStatusSet></DescribeInstanceStatusResponse>`

// statusesOf are all that a session lists.
func statusesOf(t *testing.T, s Session) []InstanceStatus {
	t.Helper()
	var got []InstanceStatus
	if err := s.ListStatuses(t.Context(), func(page []InstanceStatus) error { got = append(got, page...); return nil }); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestConvertStatus(t *testing.T) {
	got := statusesOf(t, newTestSession(t, &fakeAWS{answer: always(ok(describedStatuses))}))
	march := func(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }
	want := []InstanceStatus{{
		ID: "i-0123456789abcdef0", State: StateRunning,
		System:      Check{Result: CheckImpaired, Since: someTime, Detail: "reachability failed"},
		Instance:    Check{Result: CheckOK},
		AttachedEBS: Check{Result: CheckImpaired, Detail: "reachability insufficient-data"},
		Events: []ScheduledEvent{
			{Code: "instance-retirement", Description: "degraded hardware", NotBefore: march(0), NotAfter: march(2)},
			{Code: "system-reboot", Description: "earlier", NotBefore: march(0)},
		},
	}, {ID: "i-0123456789abcdef1"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConvertCheck(t *testing.T) {
	at := func(hour int) *time.Time { return aws.Time(someTime.Add(time.Duration(hour) * time.Hour)) }
	failed := func(name string, since *time.Time) ec2types.InstanceStatusDetails {
		return ec2types.InstanceStatusDetails{Name: ec2types.StatusName(name), Status: ec2types.StatusTypeFailed, ImpairedSince: since}
	}
	tests := map[string]struct {
		details []ec2types.InstanceStatusDetails
		want    Check
	}{
		"no details":           {nil, Check{}},
		"no time":              {[]ec2types.InstanceStatusDetails{failed("reachability", nil)}, Check{Detail: "reachability failed"}},
		"the earliest counts":  {[]ec2types.InstanceStatusDetails{failed("b", at(2)), failed("a", at(1)), failed("c", at(3))}, Check{Since: *at(1), Detail: "a failed, b failed, c failed"}},
		"what passes does not": {[]ec2types.InstanceStatusDetails{{Name: "a", Status: ec2types.StatusTypePassed}, failed("b", at(2))}, Check{Since: *at(2), Detail: "b failed"}},
		"the same twice":       {[]ec2types.InstanceStatusDetails{failed("a", at(2)), failed("a", at(2))}, Check{Since: *at(2), Detail: "a failed"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.want.Result = CheckImpaired
			backward := slices.Clone(test.details)
			slices.Reverse(backward)
			for _, details := range [][]ec2types.InstanceStatusDetails{test.details, backward} {
				got := check(&ec2types.InstanceStatusSummary{Status: ec2types.SummaryStatusImpaired, Details: details})
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			// Only a check that fails has anything to tell.
			got := check(&ec2types.InstanceStatusSummary{Status: ec2types.SummaryStatusOk, Details: test.details})
			if diff := cmp.Diff(Check{Result: CheckOK}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := check(nil); got != (Check{}) {
		t.Errorf("nothing is %+v", got)
	}
}

func TestConvertEvents(t *testing.T) {
	event := func(code, description string, day int) ec2types.InstanceStatusEvent {
		e := ec2types.InstanceStatusEvent{Code: ec2types.EventCode(code), Description: &description}
		if day > 0 {
			e.NotBefore = aws.Time(time.Date(2026, 3, day, 0, 0, 0, 0, time.FixedZone("", 3600)))
		}
		return e
	}
	tests := map[string]struct {
		events []ec2types.InstanceStatusEvent
		want   string
	}{
		"none":               {nil, ""},
		"sorted by code":     {[]ec2types.InstanceStatusEvent{event("b", "", 1), event("a", "", 2)}, "a, b"},
		"the earliest stays": {[]ec2types.InstanceStatusEvent{event("a", "second", 2), event("a", "first", 1), event("a", "third", 3)}, "a first"},
		"at one time it is always the same": {
			[]ec2types.InstanceStatusEvent{event("a", "y", 1), event("a", "x", 1)}, "a x",
		},
		"finished and canceled ones are left out": {
			[]ec2types.InstanceStatusEvent{event("a", "[Completed] x", 1), event("a", "y", 2), event("b", "[Canceled] z", 1)}, "a y",
		},
		"without a code": {[]ec2types.InstanceStatusEvent{event("", "x", 1)}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			backward := slices.Clone(test.events)
			slices.Reverse(backward)
			for _, events := range [][]ec2types.InstanceStatusEvent{test.events, backward} {
				var got []string
				for _, e := range scheduledEvents(events) {
					got = append(got, strings.TrimSpace(e.Code+" "+e.Description))
					if e.NotBefore.Location() != time.UTC {
						t.Errorf("%s is at %v", e.Code, e.NotBefore)
					}
				}
				if joined := strings.Join(got, ", "); joined != test.want {
					t.Errorf("got %q, want %q", joined, test.want)
				}
			}
		})
	}
}

// Equal must not forget a member.
func TestStatusesThatDiffer(t *testing.T) {
	full := func() InstanceStatus {
		c := Check{Result: CheckImpaired, Since: someTime, Detail: "d"}
		return InstanceStatus{ID: "i", State: StateRunning, System: c, Instance: c, AttachedEBS: c, Events: []ScheduledEvent{
			{Code: "c", Description: "d", NotBefore: someTime, NotAfter: someTime},
		}}
	}
	if !full().Equal(full()) || !(InstanceStatus{Events: []ScheduledEvent{}}).Equal(InstanceStatus{}) {
		t.Error("equal ones differ")
	}
	elsewhere := full()
	elsewhere.System.Since = someTime.In(time.FixedZone("", 3600))
	if !elsewhere.Equal(full()) {
		t.Error("one moment in two time zones differs")
	}
	changed := 0
	var change func(reflect.Value, func() InstanceStatus)
	change = func(v reflect.Value, now func() InstanceStatus) {
		if v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]() {
			for _, member := range v.Fields() {
				change(member, now)
			}
			return
		}
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		v.SetZero()
		if changed++; now().Equal(full()) {
			t.Errorf("a %s without a value does not differ: %+v", v.Type(), now())
		}
		v.Set(before)
	}
	s := full()
	change(reflect.ValueOf(&s).Elem(), func() InstanceStatus { return s })
	change(reflect.ValueOf(&s.Events[0]).Elem(), func() InstanceStatus { return s })
	if want := 3 + 3*3 + 4; changed != want {
		t.Errorf("changed %d members, want %d", changed, want)
	}
}

func TestSettled(t *testing.T) {
	results := map[CheckResult]bool{
		"": false, CheckInitializing: false, CheckOK: true, CheckImpaired: true, CheckInsufficientData: true, CheckNotApplicable: true,
	}
	for system, one := range results {
		for instance, other := range results {
			s := InstanceStatus{System: Check{Result: system}, Instance: Check{Result: instance}}
			if s.Settled() != (one && other) {
				t.Errorf("%q and %q: %v", system, instance, s.Settled())
			}
		}
	}
}

func TestListStatusesGoesThroughAllPages(t *testing.T) {
	page := func(next string, ids ...string) string {
		return "<R><instanceStatusSet><item><instanceId>" + strings.Join(ids, "</instanceId></item><item><instanceId>") +
			"</instanceId></item></instanceStatusSet><nextToken>" + next + "</nextToken></R>"
	}
	pages := map[string]string{"": page("second", "i-1", "i-2"), "second": page("", "i-3")}
	f := &fakeAWS{answer: func(r request) answer { return ok(pages[r.Form.Get("NextToken")]) }}
	var got []string
	for _, s := range statusesOf(t, newTestSession(t, f)) {
		got = append(got, s.ID)
	}
	if !slices.Equal(got, []string{"i-1", "i-2", "i-3"}) || len(f.actions()) != 2 {
		t.Errorf("got %v with %v", got, f.actions())
	}
	stop := errors.New("stop")
	err := newTestSession(t, f).ListStatuses(t.Context(), func([]InstanceStatus) error { return stop })
	if err != stop || len(f.actions()) != 3 { //nolint:errorlint // It is to be the same, unwrapped.
		t.Errorf("got %v after %v", err, f.actions())
	}
	f.answer = always(ok(page("again", "i-1")))
	err = newTestSession(t, f).ListStatuses(t.Context(), func([]InstanceStatus) error { return nil })
	if ClassOf(err) != ClassTransient || len(f.actions()) != 5 {
		t.Errorf("got %v after %v", err, f.actions())
	}
}

func TestListStatusesFails(t *testing.T) {
	f := &fakeAWS{answer: always(failure(http.StatusForbidden, "UnauthorizedOperation", "You are not authorized to perform this operation."))}
	err := newTestSession(t, f).ListStatuses(t.Context(), func([]InstanceStatus) error { return nil })
	if e := mustError(t, err); e.Class != ClassUnauthorized || e.Op != "DescribeInstanceStatus" || !e.Definite {
		t.Errorf("got %#v", e)
	}
}

func TestStatusesOfTheSimulator(t *testing.T) {
	onSimulator(t, func(s simulated) {
		ctx := s.Context()
		launched, err := s.Launch(ctx, "token", simLaunch())
		if err != nil {
			s.Fatal(err)
		}
		expect := func(want ...InstanceStatus) {
			s.Helper()
			if diff := cmp.Diff(want, statusesOf(s.T, s.Session)); diff != "" {
				s.Errorf("(-want +got):\n%s", diff)
			}
		}
		expect()
		s.becomes(launched.ID, StateRunning)
		all := func(r CheckResult) InstanceStatus {
			return InstanceStatus{ID: launched.ID, State: StateRunning, System: Check{Result: r}, Instance: Check{Result: r}, AttachedEBS: Check{Result: r}}
		}
		expect(all(CheckInitializing))
		time.Sleep(ec2sim.DefaultSettings().InitializingDelay + time.Second)
		expect(all(CheckOK))
		since := time.Now().UTC()
		s.must(s.sim.Impair(launched.ID, ec2sim.CheckSystem))
		_, err = s.sim.ScheduleEvent(launched.ID, ec2sim.ScheduledEvent{Code: "instance-retirement", Description: "degraded", NotBefore: since})
		s.must(err)
		time.Sleep(time.Minute)
		impaired := all(CheckOK)
		impaired.System = Check{Result: CheckImpaired, Since: since, Detail: "reachability failed"}
		impaired.Events = []ScheduledEvent{{Code: "instance-retirement", Description: "degraded", NotBefore: since}}
		expect(impaired)
		if _, err := s.Stop(ctx, launched.ID); err != nil {
			s.Error(err)
		}
		time.Sleep(time.Minute)
		expect()
	})
}

func (s simulated) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}
