// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadAttribute(t *testing.T) {
	tests := map[string]struct {
		attribute Attribute
		answer    string
		want      AttributeValue
	}{
		"user data":              {AttributeUserData, "<userData><value>IyEvYmluL3NoCgD/</value></userData>", AttributeValue{Bytes: []byte("#!/bin/sh\n\x00\xff")}},
		"empty user data":        {AttributeUserData, "<userData/>", AttributeValue{}},
		"no user data":           {AttributeUserData, "", AttributeValue{}},
		"termination protection": {AttributeDisableAPITermination, "<disableApiTermination><value>true</value></disableApiTermination>", AttributeValue{Flag: true}},
		"no stop protection":     {AttributeDisableAPIStop, "<disableApiStop><value>false</value></disableApiStop>", AttributeValue{}},
		"stop protection":        {AttributeDisableAPIStop, "<disableApiStop><value>true</value></disableApiStop>", AttributeValue{Flag: true}},
		"shutdown behavior": {
			AttributeShutdownBehavior, "<instanceInitiatedShutdownBehavior><value>stop</value></instanceInitiatedShutdownBehavior>", AttributeValue{Text: "stop"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := &fakeAWS{answer: always(ok("<R><instanceId>" + testID + "</instanceId>" + test.answer + "</R>"))}
			got, err := newTestSession(t, f).ReadAttribute(t.Context(), testID, test.attribute)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
			want := lines("Action=DescribeInstanceAttribute", "InstanceId="+testID, "Attribute="+string(test.attribute))
			if diff := cmp.Diff(want, wire(f.last(t))); diff != "" || len(f.actions()) != 1 {
				t.Errorf("%v (-want +got):\n%s", f.actions(), diff)
			}
		})
	}
}

// What the answer does not hold is not taken for off: a protection would be set again and again, or thought to be gone.
func TestReadAttributeWantsAnAnswer(t *testing.T) {
	tests := map[string]struct {
		attribute Attribute
		answer    string
	}{
		"no flag":        {AttributeDisableAPIStop, "<disableApiTermination><value>true</value></disableApiTermination>"},
		"no other flag":  {AttributeDisableAPITermination, ""},
		"an empty flag":  {AttributeDisableAPITermination, "<disableApiTermination/>"},
		"no text":        {AttributeShutdownBehavior, ""},
		"an unknown one": {"kernel", "<kernel><value>aki-1</value></kernel>"},
		"no base64":      {AttributeUserData, "<userData><value>hunter2!</value></userData>"},
	}
	for name, test := range tests {
		f := &fakeAWS{answer: always(ok("<R>" + test.answer + "</R>"))}
		_, err := newTestSession(t, f).ReadAttribute(t.Context(), testID, test.attribute)
		e := mustError(t, err)
		if e.Class != ClassTransient || e.Op != "DescribeInstanceAttribute" {
			t.Errorf("%s: got %#v", name, e)
		}
		if strings.Contains(fmt.Sprintf("%+v", *e), "hunter2") {
			t.Errorf("%s: the user data shows: %+v", name, *e)
		}
	}
}

func TestReadAttributeFails(t *testing.T) {
	f := &fakeAWS{answer: always(failure(http.StatusBadRequest, "InvalidInstanceID.NotFound", "m"))}
	_, err := newTestSession(t, f).ReadAttribute(t.Context(), testID, AttributeUserData)
	if !IsNotFound(err) {
		t.Errorf("got %v", err)
	}
}

const describedVolumes = `<R><volumeSet>
<item><volumeId>vol-2</volumeId><size>8</size><volumeType>standard</volumeType><status>available</status></item>
<item><volumeId>vol-1</volumeId><size>100</size><volumeType>gp3</volumeType><iops>4000</iops><throughput>250</throughput>
<encrypted>true</encrypted><kmsKeyId>arn:aws:kms:eu-central-1:123456789012:key/1</kmsKeyId><snapshotId>snap-1</snapshotId>
<status>in-use</status><tagSet><item><key>a</key><value>1</value></item></tagSet></item>
</volumeSet></R>`

func TestVolumes(t *testing.T) {
	f := &fakeAWS{answer: always(ok(describedVolumes))}
	got, err := newTestSession(t, f).Volumes(t.Context(), []string{"vol-2", "vol-1", "vol-2"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]VolumeDetail{
		"vol-1": {
			ID: "vol-1", SizeGiB: 100, Type: "gp3", IOPS: 4000, ThroughputMiBps: 250, Encrypted: true,
			KMSKeyID: "arn:aws:kms:eu-central-1:123456789012:key/1", SnapshotID: "snap-1", State: "in-use", Tags: map[string]string{"a": "1"},
		},
		"vol-2": {ID: "vol-2", SizeGiB: 8, Type: "standard", State: "available"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("volumes (-want +got):\n%s", diff)
	}
}

func TestCredits(t *testing.T) {
	f := &fakeAWS{answer: always(ok("<R><instanceCreditSpecificationSet><item><instanceId>i-1</instanceId><cpuCredits>unlimited</cpuCredits></item>" +
		"</instanceCreditSpecificationSet></R>"))}
	got, err := newTestSession(t, f).Credits(t.Context(), []string{"i-1", "i-2"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"i-1": "unlimited"}, got); diff != "" {
		t.Errorf("credits (-want +got):\n%s", diff)
	}
}

// Each of them lists by a filter, in as many batches as EC2's limit demands, and through all pages of each.
func TestListsByIDGoThroughBatchesAndPages(t *testing.T) {
	tests := map[string]struct {
		action, filter, set, id string
		read                    func(context.Context, Session, []string) (int, error)
	}{
		"Volumes": {
			"DescribeVolumes", "volume-id", "volumeSet", "volumeId",
			func(ctx context.Context, s Session, ids []string) (int, error) {
				got, err := s.Volumes(ctx, ids)
				return len(got), err
			},
		},
		"Credits": {
			"DescribeInstanceCreditSpecifications", "instance-id", "instanceCreditSpecificationSet", "instanceId",
			func(ctx context.Context, s Session, ids []string) (int, error) {
				got, err := s.Credits(ctx, ids)
				return len(got), err
			},
		},
	}
	var ids []string
	for n := range 450 {
		ids = append(ids, fmt.Sprintf("%03d", n))
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			// Each batch has two pages, which show its first and its second id.
			f := &fakeAWS{answer: func(r request) answer {
				show, next := "Filter.1.Value.1", "second"
				if r.Form.Get("NextToken") != "" {
					show, next = "Filter.1.Value.2", ""
				}
				return ok(fmt.Sprintf("<R><%[1]s><item><%[2]s>%[3]s</%[2]s></item></%[1]s><nextToken>%[4]s</nextToken></R>",
					test.set, test.id, r.Form.Get(show), next))
			}}
			s := newTestSession(t, f)
			if got, err := test.read(t.Context(), s, ids); err != nil || got != 6 || len(f.actions()) != 6 {
				t.Errorf("%d things of %d calls, %v", got, len(f.actions()), err)
			}
			if asked := filterValues(f.requests); len(asked) != len(ids) {
				t.Errorf("asked for %d of %d", len(asked), len(ids))
			}
			if got, err := test.read(t.Context(), s, []string{"a", "b"}); err != nil || got != 2 {
				t.Errorf("%d things, %v", got, err)
			}
			want := lines("Action="+test.action, "Filter.1.Name="+test.filter, "Filter.1.Value.1=a", "Filter.1.Value.2=b", "MaxResults=200", "NextToken=second")
			if diff := cmp.Diff(want, wire(f.last(t))); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			f.answer = always(failure(http.StatusForbidden, "UnauthorizedOperation", "no"))
			if _, err := test.read(t.Context(), s, []string{"a"}); ClassOf(err) != ClassUnauthorized || mustError(t, err).Op != test.action {
				t.Errorf("got %v", err)
			}
			sent := len(f.actions())
			if got, err := test.read(t.Context(), s, []string{""}); err != nil || got != 0 || len(f.actions()) != sent {
				t.Errorf("nothing asked for: %d, %v, sent %v", got, err, f.actions()[sent:])
			}
		})
	}
}

// filterValues are all values of the requests' first filters.
func filterValues(requests []request) map[string]bool {
	values := map[string]bool{}
	for _, r := range requests {
		for name, value := range r.Form {
			if strings.HasPrefix(name, "Filter.1.Value.") {
				values[value[0]] = true
			}
		}
	}
	return values
}
