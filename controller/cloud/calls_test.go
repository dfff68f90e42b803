// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCallsOnTheWire(t *testing.T) {
	const id = "i-0123456789abcdef0"
	changed := func(state string) string {
		return fmt.Sprintf("<R><instancesSet><item><instanceId>%s</instanceId><currentState><name>%s</name></currentState></item></instancesSet></R>", id, state)
	}
	stateOf := func(s State, err error) (any, error) { return s, err }
	tests := map[string]struct {
		call   func(context.Context, Session) (any, error)
		answer string
		want   string
		result any
	}{
		"Terminate": {
			func(ctx context.Context, s Session) (any, error) { return stateOf(s.Terminate(ctx, id)) },
			changed("shutting-down"), "Action=TerminateInstances\nInstanceId.1=" + id + "\nVersion=2016-11-15\n", StateShuttingDown,
		},
		"Stop": {
			func(ctx context.Context, s Session) (any, error) { return stateOf(s.Stop(ctx, id)) },
			changed("stopping"), "Action=StopInstances\nInstanceId.1=" + id + "\nVersion=2016-11-15\n", StateStopping,
		},
		"Start": {
			func(ctx context.Context, s Session) (any, error) { return stateOf(s.Start(ctx, id)) },
			changed("pending"), "Action=StartInstances\nInstanceId.1=" + id + "\nVersion=2016-11-15\n", StatePending,
		},
		"Hibernate": {
			func(ctx context.Context, s Session) (any, error) { return stateOf(s.Hibernate(ctx, id)) },
			changed("stopping"), "Action=StopInstances\nHibernate=true\nInstanceId.1=" + id + "\nVersion=2016-11-15\n", StateStopping,
		},
		"Reboot": {
			func(ctx context.Context, s Session) (any, error) { return nil, s.Reboot(ctx, id) },
			"<R><return>true</return></R>", "Action=RebootInstances\nInstanceId.1=" + id + "\nVersion=2016-11-15\n", nil,
		},
		"CancelSpotRequest": {
			func(ctx context.Context, s Session) (any, error) { return nil, s.CancelSpotRequest(ctx, "sir-1") },
			"<R/>", "Action=CancelSpotInstanceRequests\nSpotInstanceRequestId.1=sir-1\nVersion=2016-11-15\n", nil,
		},
		"SetTags": {
			func(ctx context.Context, s Session) (any, error) {
				return nil, s.SetTags(ctx, id, map[string]string{"b": "2", "a": ""})
			},
			"<R><return>true</return></R>",
			"Action=CreateTags\nResourceId.1=" + id + "\nTag.1.Key=a\nTag.1.Value=\nTag.2.Key=b\nTag.2.Value=2\nVersion=2016-11-15\n", nil,
		},
		// No values: with an empty value only tags whose value is empty would go.
		"RemoveTags": {
			func(ctx context.Context, s Session) (any, error) {
				return nil, s.RemoveTags(ctx, id, []string{"b", "a", "b"})
			},
			"<R><return>true</return></R>",
			"Action=DeleteTags\nResourceId.1=" + id + "\nTag.1.Key=a\nTag.2.Key=b\nVersion=2016-11-15\n", nil,
		},
		"FindByID": {
			func(ctx context.Context, s Session) (any, error) {
				_, found, err := s.FindByID(ctx, id)
				return found, err
			},
			"<R/>", "Action=DescribeInstances\nInstanceId.1=" + id + "\nVersion=2016-11-15\n", false,
		},
		"FindByToken": {
			func(ctx context.Context, s Session) (any, error) {
				found, err := s.FindByToken(ctx, "token")
				return len(found), err
			},
			"<R/>",
			"Action=DescribeInstances\nFilter.1.Name=client-token\nFilter.1.Value.1=token\nMaxResults=1000\nVersion=2016-11-15\n", 0,
		},
		"List": {
			func(ctx context.Context, s Session) (any, error) {
				return nil, s.List(ctx, func([]Instance) error { return nil })
			},
			"<R/>",
			"Action=DescribeInstances\nFilter.1.Name=tag:ec2.fieldowner.dev/cluster\nFilter.1.Value.1=" + testCluster +
				"\nMaxResults=1000\nVersion=2016-11-15\n", nil,
		},
		"Look": {
			func(ctx context.Context, s Session) (any, error) {
				found, err := s.Look(ctx, []string{"i-2", "i-1", "i-2"})
				return len(found), err
			},
			"<R/>",
			"Action=DescribeInstances\nFilter.1.Name=instance-id\nFilter.1.Value.1=i-1\nFilter.1.Value.2=i-2\nMaxResults=1000\nVersion=2016-11-15\n", 0,
		},
		"ListStatuses": {
			func(ctx context.Context, s Session) (any, error) {
				return nil, s.ListStatuses(ctx, func([]InstanceStatus) error { return nil })
			},
			"<R/>", "Action=DescribeInstanceStatus\nMaxResults=1000\nVersion=2016-11-15\n", nil,
		},
		"AccountID": {
			func(ctx context.Context, s Session) (any, error) { return s.AccountID(ctx) },
			"<R><GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult></R>",
			"Action=GetCallerIdentity\nVersion=2011-06-15\n", "123456789012",
		},
		"ResolveImage": {
			func(ctx context.Context, s Session) (any, error) { return s.ResolveImage(ctx, "/images/web") },
			`{"Parameter":{"Name":"/images/web","Value":"ami-0123456789abcdef0"}}`, "={\"Name\":\"/images/web\"}\n", "ami-0123456789abcdef0",
		},
		"ResolveTemplate": {
			func(ctx context.Context, s Session) (any, error) {
				return s.ResolveTemplate(ctx, TemplateRef{ID: "lt-1"})
			},
			"<R><launchTemplateVersionSet><item>" + templateSeven + "</item></launchTemplateVersionSet></R>",
			"Action=DescribeLaunchTemplateVersions\nLaunchTemplateId=lt-1\nLaunchTemplateVersion.1=$Default\nResolveAlias=true\nVersion=2016-11-15\n",
			Template{ID: "lt-1", Version: "7", ImageID: "ami-1", InstanceType: "t3.micro"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := &fakeAWS{answer: always(ok(test.answer))}
			got, err := test.call(t.Context(), newTestSession(t, f))
			if err != nil {
				t.Fatal(err)
			}
			if got != test.result {
				t.Errorf("got %v, want %v", got, test.result)
			}
			if len(f.actions()) != 1 {
				t.Errorf("sent %v", f.actions())
			}
			if diff := cmp.Diff(test.want, wire(f.last(t))); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if agent := f.last(t).Header.Get("User-Agent"); !strings.Contains(agent, "fieldowner-ec2-operator") {
				t.Errorf("user agent is %q", agent)
			}
			if f.last(t).Deadline.IsZero() {
				t.Error("no deadline")
			}
		})
	}
}

// Of a call that was sent several times nobody could say whether it had an effect; and a second reboot is another reboot.
func TestChangesOfPowerAreSentOnce(t *testing.T) {
	tests := map[string]func(context.Context, Session) error{
		"Terminate": func(ctx context.Context, s Session) error { _, err := s.Terminate(ctx, "i-1"); return err },
		"Stop":      func(ctx context.Context, s Session) error { _, err := s.Stop(ctx, "i-1"); return err },
		"Hibernate": func(ctx context.Context, s Session) error { _, err := s.Hibernate(ctx, "i-1"); return err },
		"Start":     func(ctx context.Context, s Session) error { _, err := s.Start(ctx, "i-1"); return err },
		"Reboot":    func(ctx context.Context, s Session) error { return s.Reboot(ctx, "i-1") },
		"Cancel":    func(ctx context.Context, s Session) error { return s.CancelSpotRequest(ctx, "sir-1") },
	}
	for name, call := range tests {
		f := &fakeAWS{answer: always(failure(http.StatusInternalServerError, "InternalError", "oops"))}
		if e := mustError(t, call(t.Context(), newTestSession(t, f))); e.Class != ClassTransient || e.Definite || len(f.actions()) != 1 {
			t.Errorf("%s: got %#v after %v", name, e, f.actions())
		}
	}
}

// DeleteTags without tags removes all tags, describing without ids describes all instances, and an empty token is a random
// one: what names nothing must not be sent.
func TestCallsThatNameNothingAreNotSent(t *testing.T) {
	tests := map[string]struct {
		call    func(context.Context, Session) error
		refused bool
	}{
		"RemoveTags nil":   {func(ctx context.Context, s Session) error { return s.RemoveTags(ctx, "i-1", nil) }, false},
		"RemoveTags empty": {func(ctx context.Context, s Session) error { return s.RemoveTags(ctx, "i-1", []string{}) }, false},
		"RemoveTags blank": {func(ctx context.Context, s Session) error { return s.RemoveTags(ctx, "i-1", []string{""}) }, false},
		"SetTags":          {func(ctx context.Context, s Session) error { return s.SetTags(ctx, "i-1", nil) }, false},
		"Look":             {func(ctx context.Context, s Session) error { _, err := s.Look(ctx, nil); return err }, false},
		"Look blank":       {func(ctx context.Context, s Session) error { _, err := s.Look(ctx, []string{""}); return err }, false},
		"no id to remove":  {func(ctx context.Context, s Session) error { return s.RemoveTags(ctx, "", []string{"a"}) }, true},
		"no id to set":     {func(ctx context.Context, s Session) error { return s.SetTags(ctx, "", map[string]string{"a": ""}) }, true},
		"Terminate":        {func(ctx context.Context, s Session) error { _, err := s.Terminate(ctx, ""); return err }, true},
		"Stop":             {func(ctx context.Context, s Session) error { _, err := s.Stop(ctx, ""); return err }, true},
		"Start":            {func(ctx context.Context, s Session) error { _, err := s.Start(ctx, ""); return err }, true},
		"Hibernate":        {func(ctx context.Context, s Session) error { _, err := s.Hibernate(ctx, ""); return err }, true},
		"Reboot":           {func(ctx context.Context, s Session) error { return s.Reboot(ctx, "") }, true},
		"CancelSpot":       {func(ctx context.Context, s Session) error { return s.CancelSpotRequest(ctx, "") }, true},
		"FindByID":         {func(ctx context.Context, s Session) error { _, _, err := s.FindByID(ctx, ""); return err }, true},
		"FindByToken":      {func(ctx context.Context, s Session) error { _, err := s.FindByToken(ctx, ""); return err }, true},
		"ResolveImage":     {func(ctx context.Context, s Session) error { _, err := s.ResolveImage(ctx, ""); return err }, true},
		"ReadAttribute": {func(ctx context.Context, s Session) error {
			_, err := s.ReadAttribute(ctx, "", AttributeUserData)
			return err
		}, true},
		"ResolveTemplate": {func(ctx context.Context, s Session) error {
			_, err := s.ResolveTemplate(ctx, TemplateRef{})
			return err
		}, true},
		"two templates": {
			func(ctx context.Context, s Session) error {
				_, err := s.ResolveTemplate(ctx, TemplateRef{ID: "lt-1", Name: "web"})
				return err
			}, true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := &fakeAWS{answer: always(ok("<R/>"))}
			err := test.call(t.Context(), newTestSession(t, f))
			if (err != nil) != test.refused {
				t.Errorf("error is %v", err)
			}
			if test.refused {
				if e := mustError(t, err); e.Class != ClassInvalid || !e.Definite {
					t.Errorf("got %#v", e)
				}
			}
			if len(f.actions()) != 0 {
				t.Errorf("sent %v", f.actions())
			}
		})
	}
}

func TestFindByIDTakesNotFoundForAnAnswer(t *testing.T) {
	f := &fakeAWS{answer: always(failure(http.StatusBadRequest, "InvalidInstanceID.NotFound", "The instance ID 'i-1' does not exist"))}
	if _, found, err := newTestSession(t, f).FindByID(t.Context(), "i-1"); found || err != nil {
		t.Errorf("got %v, %v", found, err)
	}
	f.answer = always(failure(http.StatusBadRequest, "InvalidInstanceID.Malformed", "m"))
	if _, _, err := newTestSession(t, f).FindByID(t.Context(), "i-1"); ClassOf(err) != ClassInvalid {
		t.Errorf("got %v", err)
	}
}

func page(next string, ids ...string) string {
	items := ""
	for _, id := range ids {
		items += "<item><instancesSet><item><instanceId>" + id + "</instanceId></item></instancesSet></item>"
	}
	return "<R><reservationSet>" + items + "</reservationSet><nextToken>" + next + "</nextToken></R>"
}

func TestListGoesThroughAllPages(t *testing.T) {
	pages := map[string]string{"": page("second", "i-1", "i-2"), "second": page("third"), "third": page("", "i-3")}
	f := &fakeAWS{answer: func(r request) answer { return ok(pages[r.Form.Get("NextToken")]) }}
	var got []string
	err := newTestSession(t, f).List(t.Context(), func(page []Instance) error {
		for _, i := range page {
			got = append(got, i.ID)
		}
		return nil
	})
	if err != nil || !slices.Equal(got, []string{"i-1", "i-2", "i-3"}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestListStopsAtTheCallersError(t *testing.T) {
	f := &fakeAWS{answer: always(ok(page("more", "i-1")))}
	stop := errors.New("stop")
	err := newTestSession(t, f).List(t.Context(), func([]Instance) error { return stop })
	if err != stop || len(f.actions()) != 1 { //nolint:errorlint // It is to be the same, unwrapped.
		t.Errorf("got %v after %v", err, f.actions())
	}
}

func TestListDoesNotRunInCircles(t *testing.T) {
	f := &fakeAWS{answer: always(ok(page("again", "i-1")))}
	err := newTestSession(t, f).List(t.Context(), func([]Instance) error { return nil })
	if ClassOf(err) != ClassTransient || len(f.actions()) != 2 {
		t.Errorf("got %v after %v", err, f.actions())
	}
}

func TestLookKeepsToEC2sLimitOfFilterValues(t *testing.T) {
	var ids []string
	for i := range 450 {
		ids = append(ids, fmt.Sprintf("i-%03d", i))
	}
	f := &fakeAWS{answer: func(r request) answer { return ok(page("", r.Form.Get("Filter.1.Value.1"))) }}
	seen, err := newTestSession(t, f).Look(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.actions()) != 3 || len(seen) != 3 {
		t.Errorf("%d calls, %d instances", len(f.actions()), len(seen))
	}
	asked := map[string]bool{}
	for _, r := range f.requests {
		values := 0
		for name, value := range r.Form {
			if strings.HasPrefix(name, "Filter.1.Value.") {
				asked[value[0]] = true
				values++
			}
		}
		if values > 200 {
			t.Errorf("%d values in one call", values)
		}
	}
	if len(asked) != len(ids) {
		t.Errorf("asked for %d of %d", len(asked), len(ids))
	}
}

func TestReadsAreRepeatedBySDK(t *testing.T) {
	calls := 0
	f := &fakeAWS{}
	f.answer = func(request) answer {
		if calls++; calls < 3 {
			return failure(http.StatusInternalServerError, "InternalError", "oops")
		}
		return ok(page("", "i-1"))
	}
	if _, found, err := newTestSession(t, f).FindByID(t.Context(), "i-1"); !found || err != nil {
		t.Errorf("got %v, %v", found, err)
	}
}

func TestResolveImageRefusesWhatIsNoImage(t *testing.T) {
	for _, value := range []string{"", "ami-", "hunter2", "ami-0123456789abcdef0 ", "AMI-0123456789abcdef0"} {
		f := &fakeAWS{answer: always(ok(fmt.Sprintf(`{"Parameter":{"Value":%q}}`, value)))}
		_, err := newTestSession(t, f).ResolveImage(t.Context(), "/images/web")
		e := mustError(t, err)
		if e.Class != ClassInvalid || !strings.Contains(e.Message, "/images/web") {
			t.Errorf("%q: got %v", value, e)
		}
		if value == "hunter2" && strings.Contains(e.Error(), value) {
			t.Error("the parameter's value shows in the error")
		}
	}
}

func TestResolveImageNamesAParameterThatIsNotThere(t *testing.T) {
	f := &fakeAWS{answer: always(answer{status: http.StatusBadRequest, body: `{"__type":"ParameterNotFound"}`})}
	_, err := newTestSession(t, f).ResolveImage(t.Context(), "/images/web")
	if e := mustError(t, err); e.Class != ClassDependency || !strings.Contains(e.Error(), "/images/web") {
		t.Errorf("got %v", e)
	}
}
