// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package account

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

var (
	// now is when the status is built, before is when it was built last.
	now    = start.Truncate(time.Second)
	before = now.Add(-time.Hour)
)

func says(kind string, status metav1.ConditionStatus, reason, message string, since time.Time) metav1.Condition {
	return metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: 3, LastTransitionTime: metav1.NewTime(since),
	}
}

func authenticated(since time.Time) metav1.Condition {
	return says(ec2v1.ConditionReady, metav1.ConditionTrue, ec2v1.ReasonAuthenticated, "AWS account 123456789012 accepts the credentials", since)
}

func notThrottled(since time.Time) metav1.Condition {
	return says(ec2v1.ConditionThrottled, metav1.ConditionFalse, ec2v1.ReasonNotThrottled, "EC2 takes the account's calls", since)
}

// wellBefore is the status of an account that was well.
func wellBefore() ec2v1.EC2AccountStatus {
	return ec2v1.EC2AccountStatus{
		ObservedGeneration: 2, AccountID: awsAccount, Conditions: []metav1.Condition{authenticated(before), notThrottled(before)},
		Instances: []ec2v1.InstanceCount{{State: "running", Count: new(int32(7))}, {State: "stopped", Count: new(int32(0))}},
	}
}

func TestBuildStatus(t *testing.T) {
	const ready, throttled = ec2v1.ConditionReady, ec2v1.ConditionThrottled
	const no = "GetCallerIdentity: CredentialsCode: no"
	first := ec2v1.EC2AccountStatus{ObservedGeneration: -1}
	for _, test := range []struct {
		says   string
		before ec2v1.EC2AccountStatus
		seen   seen
		want   ec2v1.EC2AccountStatus
	}{
		{
			"ready, before the first list", first, seen{accountID: awsAccount},
			ec2v1.EC2AccountStatus{AccountID: awsAccount, Conditions: []metav1.Condition{authenticated(now), notThrottled(now)}},
		},
		{
			"ready, with counts in the order of states", first,
			seen{accountID: awsAccount, synced: true, counts: map[cloud.State]int{"stopped": 2, "pending": 1, "running": 30, "terminated": 4}},
			ec2v1.EC2AccountStatus{
				AccountID: awsAccount, Conditions: []metav1.Condition{authenticated(now), notThrottled(now)},
				Instances: []ec2v1.InstanceCount{{State: "pending", Count: new(int32(1))}, {State: "running", Count: new(int32(30))}, {State: "stopped", Count: new(int32(2))}},
			},
		},
		{
			"still ready: the transition times stay, and the counts are new", wellBefore(),
			seen{accountID: awsAccount, synced: true, counts: map[cloud.State]int{"running": 8}},
			ec2v1.EC2AccountStatus{
				AccountID: awsAccount, Conditions: []metav1.Condition{authenticated(before), notThrottled(before)},
				Instances: []ec2v1.InstanceCount{{State: "running", Count: new(int32(8))}},
			},
		},
		{
			"no instances any more", wellBefore(), seen{accountID: awsAccount, synced: true},
			ec2v1.EC2AccountStatus{AccountID: awsAccount, Conditions: []metav1.Condition{authenticated(before), notThrottled(before)}},
		},
		{
			"what is not known stays as it was told", wellBefore(), seen{accountID: awsAccount, counts: map[cloud.State]int{"running": 1}},
			ec2v1.EC2AccountStatus{
				AccountID: awsAccount, Conditions: []metav1.Condition{authenticated(before), notThrottled(before)}, Instances: wellBefore().Instances,
			},
		},
		{
			"the credentials are not accepted", first, seen{failure: failure(cloud.ClassCredentials)},
			ec2v1.EC2AccountStatus{Conditions: []metav1.Condition{
				says(ready, metav1.ConditionFalse, ec2v1.ReasonCredentialsInvalid, no, now), notThrottled(now),
			}},
		},
		{
			"the credentials are not accepted any more", wellBefore(), seen{failure: failure(cloud.ClassCredentials)},
			ec2v1.EC2AccountStatus{
				AccountID: awsAccount, Instances: wellBefore().Instances,
				Conditions: []metav1.Condition{says(ready, metav1.ConditionFalse, ec2v1.ReasonCredentialsInvalid, no, now), notThrottled(before)},
			},
		},
		{
			"instances may not be listed", wellBefore(), seen{accountID: awsAccount, listing: failure(cloud.ClassUnauthorized)},
			ec2v1.EC2AccountStatus{
				AccountID: awsAccount, Instances: wellBefore().Instances,
				Conditions: []metav1.Condition{
					says(ready, metav1.ConditionFalse, ec2v1.ReasonUnauthorized, "GetCallerIdentity: UnauthorizedCode: no", now), notThrottled(before),
				},
			},
		},
		{
			"EC2 throttles: still ready", wellBefore(), seen{accountID: awsAccount, listing: failure(cloud.ClassThrottled)},
			ec2v1.EC2AccountStatus{
				AccountID: awsAccount, Instances: wellBefore().Instances,
				Conditions: []metav1.Condition{
					authenticated(before), says(throttled, metav1.ConditionTrue, ec2v1.ReasonThrottled, "GetCallerIdentity: ThrottledCode: no", now),
				},
			},
		},
		{
			"STS throttles: still ready", wellBefore(), seen{failure: failure(cloud.ClassThrottled)},
			ec2v1.EC2AccountStatus{
				AccountID: awsAccount, Instances: wellBefore().Instances, Conditions: []metav1.Condition{authenticated(before), notThrottled(before)},
			},
		},
		{
			"STS throttles at first: not known", first, seen{failure: failure(cloud.ClassThrottled)},
			ec2v1.EC2AccountStatus{Conditions: []metav1.Condition{
				says(ready, metav1.ConditionUnknown, ec2v1.ReasonThrottled, "GetCallerIdentity: ThrottledCode: no", now), notThrottled(now),
			}},
		},
		{
			"STS throttles an account that is not ready: still not",
			ec2v1.EC2AccountStatus{
				AccountID:  awsAccount,
				Conditions: []metav1.Condition{says(ready, metav1.ConditionFalse, ec2v1.ReasonCredentialsInvalid, no, before)},
			},
			seen{failure: failure(cloud.ClassThrottled)},
			ec2v1.EC2AccountStatus{AccountID: awsAccount, Conditions: []metav1.Condition{
				says(ready, metav1.ConditionFalse, ec2v1.ReasonCredentialsInvalid, no, before), notThrottled(now),
			}},
		},
		{
			"ready again", ec2v1.EC2AccountStatus{Conditions: []metav1.Condition{
				says(ready, metav1.ConditionFalse, ec2v1.ReasonCredentialsInvalid, no, before), says(throttled, metav1.ConditionTrue, ec2v1.ReasonThrottled, no, before),
			}},
			seen{accountID: awsAccount},
			ec2v1.EC2AccountStatus{AccountID: awsAccount, Conditions: []metav1.Condition{authenticated(now), notThrottled(now)}},
		},
	} {
		t.Run(test.says, func(t *testing.T) {
			obj := newAccount(3, "u")
			obj.Status = test.before
			test.want.ObservedGeneration = 3
			status := buildStatus(obj, test.seen, start)
			// Ever the same on what it has written itself: else it would write for ever.
			got := statusOf(t, status)
			same(t, test.want, got)
			obj.Status = got
			same(t, got, statusOf(t, buildStatus(obj, test.seen, start.Add(time.Hour))))
		})
	}
}

// TestReasons: each class of failure has its reason.
func TestReasons(t *testing.T) {
	for class, want := range map[cloud.Class]string{
		cloud.ClassThrottled: ec2v1.ReasonThrottled, cloud.ClassUnauthorized: ec2v1.ReasonUnauthorized,
		cloud.ClassCredentials: ec2v1.ReasonCredentialsInvalid, cloud.ClassInvalid: ec2v1.ReasonInvalidRequest,
		cloud.ClassTransient: ec2v1.ReasonEC2Unavailable, "Unheard": ec2v1.ReasonEC2Unavailable,
	} {
		same(t, want, reasonOf(failure(class)))
	}
}

// statusOf is what the API server would store.
func statusOf(t *testing.T, config any) ec2v1.EC2AccountStatus {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(config)
	if err != nil {
		t.Fatal(err)
	}
	out := ec2v1.EC2AccountStatus{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
