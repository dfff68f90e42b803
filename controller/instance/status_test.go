// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// statusOf is the status that is applied, as the API server stores it.
func statusOf(t fataler, obj *ec2v1.EC2Instance, p Plan, now time.Time) ec2v1.EC2InstanceStatus {
	t.Helper()
	status := ec2v1.EC2InstanceStatus{}
	if err := json.Unmarshal([]byte(statusJSON(t, obj, p, now)), &status); err != nil {
		t.Fatal(err)
	}
	return status
}

func statusJSON(t fataler, obj *ec2v1.EC2Instance, p Plan, now time.Time) string {
	t.Helper()
	out, err := json.Marshal(buildStatus(obj, testCluster, p, now))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// fullInstance has every member set.
func fullInstance() cloud.Instance {
	i := testInstance(1, cloud.StateRunning)
	i.StateReasonCode, i.StateReasonMessage = "Client.UserInitiatedShutdown", "User initiated"
	i.SubnetID, i.VPCID, i.Zone = "subnet-00000001", "vpc-00000001", "eu-central-1a"
	i.PrivateIP, i.PublicIP, i.PrivateDNS, i.PublicDNS = "10.0.0.7", "192.0.2.7", "ip-10-0-0-7.internal", "ec2-192-0-2-7.example.com"
	i.IPv6 = []string{"2001:db8::1", "2001:db8::2"}
	i.SecurityGroupIDs = []string{"sg-00000001", "sg-00000002"}
	i.IAMInstanceProfileARN = "arn:aws:iam::123456789012:instance-profile/web"
	i.NetworkInterfaces = []cloud.NetworkInterface{{
		ID: "eni-00000001", SubnetID: "subnet-00000001", PrivateIP: "10.0.0.7", PublicIP: "192.0.2.7", MAC: "0a:00:00:00:00:01",
		SecurityGroupIDs: []string{"sg-00000001"},
	}, {ID: "eni-00000002", DeviceIndex: 1}}
	i.Volumes = []cloud.Volume{{DeviceName: "/dev/sda1", ID: "vol-00000001", DeleteOnTermination: true}, {DeviceName: "/dev/sdb"}}
	return i
}

// What was recorded from EC2 is kept word for word for as long as EC2 shows nothing.
func TestStatusIsKeptWhileEC2ShowsNothing(t *testing.T) {
	obj := testObject()
	entry := &observer.Entry{Instance: fullInstance()}
	showsChecks(cloud.CheckOK, cloud.CheckInsufficientData)(entry)
	entry.Status.AttachedEBS.Result = cloud.CheckImpaired
	entry.Status.Events = []cloud.ScheduledEvent{
		{Code: "instance-reboot"}, {Code: "instance-stop", Description: "degraded", NotBefore: begin, NotAfter: begin.Add(time.Hour)},
	}
	p := Decide(inputOf(kept(1, cloud.StateRunning)))
	p.Instance = entry
	obj.Status = statusOf(t, obj, p, begin)
	if obj.Status.InstanceID != entry.ID || obj.Status.PublicIPAddress == "" || len(obj.Status.Volumes) != 2 || obj.Status.LaunchTime == nil ||
		obj.Status.StatusChecks == nil || len(obj.Status.ScheduledEvents) != 2 {
		t.Fatalf("got %+v", obj.Status)
	}
	p.Instance = nil
	if diff := cmp.Diff(obj.Status, statusOf(t, obj, p, begin.Add(long))); diff != "" {
		t.Errorf("recorded (-before +after):\n%s", diff)
	}
}

// What others have put into status is not copied: it would be ours, too.
func TestWhatOthersHaveRecordedIsNotCopied(t *testing.T) {
	obj := testObject()
	p := Decide(inputOf(kept(1, cloud.StateRunning)))
	p.Instance = &observer.Entry{Instance: fullInstance()}
	obj.Status = statusOf(t, obj, p, begin)
	ours := obj.Status.DeepCopy()
	obj.Status.VPCID = "vpc-0000beef"
	obj.Status.SecurityGroupIDs = append(obj.Status.SecurityGroupIDs, "sg-0000beef")
	obj.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "thief", Operation: metav1.ManagedFieldsOperationApply, Subresource: apply.SubresourceStatus, APIVersion: ec2v1.SchemeGroupVersion.String(),
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:conditions":{},"f:vpcID":{},"f:securityGroupIDs":{"v:\"sg-0000beef\"":{}}}}`),
	}}
	p.Instance, ours.VPCID = nil, ""
	if diff := cmp.Diff(*ours, statusOf(t, obj, p, begin.Add(long))); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

func TestStatusTellsWhatEC2Shows(t *testing.T) {
	obj := testObject()
	p := Plan{Instance: &observer.Entry{Instance: fullInstance()}, ManagedTagKeys: []string{"Name", "team"}}
	s := statusOf(t, obj, p, begin)
	if diff := cmp.Diff([]string{"10.0.0.7", "2001:db8::1", "2001:db8::2"}, s.Addresses); diff != "" {
		t.Errorf("addresses (-want +got): %s", diff)
	}
	if s.ARN != "arn:aws:ec2:eu-central-1:123456789012:instance/"+instanceID(1) || s.State != "running" || s.ObservedGeneration != obj.Generation {
		t.Errorf("got %+v", s)
	}
	if n := s.NetworkInterfaces; len(n) != 2 || n[0].DeviceIndex == nil || *n[0].DeviceIndex != 0 || *n[1].DeviceIndex != 1 {
		t.Errorf("network interfaces %+v", n)
	}
	p.Instance.Gone = true
	if s := statusOf(t, obj, p, begin); s.State != string(cloud.StateTerminated) {
		t.Errorf("an instance that is gone is %s", s.State)
	}
}

func TestAddresses(t *testing.T) {
	i := cloud.Instance{PrivateIP: "10.0.0.7", IPv6: []string{"2001:db8::2", "10.0.0.7", "2001:db8::1", "2001:db8::2"}}
	before := strings.Join(i.IPv6, " ")
	want := []string{"10.0.0.7", "2001:db8::1", "2001:db8::2"}
	if diff := cmp.Diff(want, addressesOf(&i)); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
	if after := strings.Join(i.IPv6, " "); after != before {
		t.Errorf("the store's list was changed to %s", after)
	}
}

func TestTransitionTimes(t *testing.T) {
	obj := testObject()
	p := Plan{Verdict: Decide(inputOf(kept(1, cloud.StateRunning))).Verdict}
	obj.Status = statusOf(t, obj, p, begin)
	p.Verdict.Ready.Reason, p.Verdict.Ready.Message = "Other", "other words"
	p.Verdict.Synced.Status = metav1.ConditionFalse
	now := begin.Add(long + 300*time.Millisecond)
	conditions := statusOf(t, obj, p, now).Conditions
	for name, want := range map[string]time.Time{
		ec2v1.ConditionReady:    begin,
		ec2v1.ConditionLaunched: begin,
		ec2v1.ConditionSynced:   begin.Add(long),
	} {
		c := meta.FindStatusCondition(conditions, name)
		if c == nil || !c.LastTransitionTime.Time.Equal(want) || c.ObservedGeneration != obj.Generation {
			t.Errorf("%s is %+v, want it since %s", name, c, want)
		}
	}
	if c := meta.FindStatusCondition(conditions, ec2v1.ConditionReady); c.Reason != "Other" || c.Message != "other words" {
		t.Errorf("Ready is %+v", c)
	}
	if len(conditions) != 4 {
		t.Errorf("conditions that are not True are there: %+v", conditions)
	}
}

func TestMessagesAreCutAtARunesEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.Rune(), 0, 2000, 4000).Draw(t, "text")
		got := shortened(text)
		switch {
		case len(got) > maxMessage:
			t.Fatalf("%d bytes", len(got))
		case len(text) <= maxMessage && got != text:
			t.Fatal("a short text was changed")
		case utf8.ValidString(text) && !utf8.ValidString(got):
			t.Fatal("cut within a rune")
		case len(text) > maxMessage && (!strings.HasSuffix(got, "…") || !strings.HasPrefix(text, strings.TrimSuffix(got, "…"))):
			t.Fatalf("got %q", got)
		case len(text) > maxMessage && len(got) < maxMessage-utf8.UTFMax:
			t.Fatalf("cut to %d bytes", len(got))
		}
	})
}

func TestEveryTextOfOursIsCut(t *testing.T) {
	long := strings.Repeat("ä", maxMessage)
	v := Decide(inputOf()).Verdict
	v.Ready.Message = long
	p := Plan{Verdict: v, Changes: []Change{{
		Field: "tags", Current: long, Desired: long, Message: long, Action: ec2v1.PlanActionInPlace, State: ec2v1.PlanStatePending,
	}}, Instance: &observer.Entry{Instance: fullInstance()}}
	p.Instance.StateReasonMessage = long
	s := statusOf(t, testObject(), p, begin)
	texts := []string{s.Plan[0].Current, s.Plan[0].Desired, s.Plan[0].Message, s.StateReason.Message}
	for _, c := range s.Conditions {
		texts = append(texts, c.Message)
	}
	for _, text := range texts {
		if len(text) > maxMessage || !utf8.ValidString(text) {
			t.Errorf("%d bytes", len(text))
		}
	}
}

// The same world gives the same apply, to the letter, whenever it is looked at: nothing volatile is in it.
func TestStatusIsTheSameForTheSameWorld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		p := Decide(in)
		if p.Quiet || p.Step == StepRelease {
			return
		}
		in.Object.Status = statusOf(t, in.Object, p, in.Now)
		first := statusJSON(t, in.Object, p, in.Now)
		if p.Instance != nil {
			seen := *p.Instance
			seen.Seen = in.Now.Add(time.Minute)
			p.Instance = &seen
		}
		if diff := cmp.Diff(first, statusJSON(t, in.Object, p, in.Now.Add(time.Minute))); diff != "" {
			t.Fatalf("(-before +after): %s", diff)
		}
	})
}

func TestLaunchStatus(t *testing.T) {
	at := metav1.NewTime(begin)
	recordedAttempt := func(n int64) *ec2v1.LaunchStatus {
		return &ec2v1.LaunchStatus{Attempt: n, ClientToken: token(n), At: &at, Reason: launchCreated}
	}
	entry := func(n int64, edits ...func(*observer.Entry)) *observer.Entry {
		e := &observer.Entry{Instance: testInstance(n, cloud.StateRunning)}
		for _, edit := range edits {
			edit(e)
		}
		return e
	}
	written := func(n int64) *LaunchIntent { return intentOf(inputOf(intent(n)).Object, testCluster) }
	tests := map[string]struct {
		given []given
		plan  Plan
		want  *ec2v1.LaunchStatus
	}{
		"nothing is launched": {},
		"the launch that is about to be made": {
			plan: Plan{Intent: written(1)}, want: recordedAttempt(1),
		},
		"the launch that is written": {
			given: []given{intent(1)}, want: recordedAttempt(1),
		},
		"what is recorded stays while the instance is not shown": {
			given: []given{intent(2), recordedInStatus(1)}, want: recordedAttempt(1),
		},
		"nothing was recorded of the launch of a recorded instance": {
			given: []given{intent(2), recordedInStatus(1), func(in *Input) { in.Object.Status.Launch = nil }},
		},
		"the instance is the intent's": {
			given: []given{intent(2), recordedInStatus(1)}, plan: Plan{Instance: entry(2), Attempt: 2}, want: recordedAttempt(2),
		},
		"the instance is an earlier attempt's, as recorded": {
			given: []given{intent(2), recordedInStatus(1)}, plan: Plan{Instance: entry(1), Attempt: 1}, want: recordedAttempt(1),
		},
		"the instance is an attempt's that is not recorded: what EC2 tells of it": {
			plan: Plan{Instance: entry(3), Attempt: 3},
			want: &ec2v1.LaunchStatus{Attempt: 3, ClientToken: token(3), At: new(metav1.NewTime(begin.Add(3 * time.Second)))},
		},
		"the instance is no attempt's": {
			plan: Plan{Instance: entry(3, foreignToken)},
			want: &ec2v1.LaunchStatus{ClientToken: "somebody-elses", At: new(metav1.NewTime(begin.Add(3 * time.Second)))},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := statusOf(t, inputOf(test.given...).Object, test.plan, begin.Add(long)).Launch
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
