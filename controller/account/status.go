// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package account

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// seen is what a pass has found out about an account.
type seen struct {
	accountID string
	// failure of the credentials, listing of the lists.
	failure, listing *cloud.Error
	synced           bool
	counts           map[cloud.State]int
	// after is when to look again.
	after time.Duration
}

// buildStatus builds the whole status from scratch. What cannot be known at the moment stays as it was told.
func buildStatus(account *ec2v1.EC2Account, s seen, now time.Time) *ec2v1ac.EC2AccountStatusApplyConfiguration {
	out := ec2v1ac.EC2AccountStatus().WithObservedGeneration(account.Generation).WithConditions(
		condition(account, ec2v1.ConditionReady, ready(account, s), now),
		condition(account, ec2v1.ConditionThrottled, throttled(s), now),
	)
	if id := accountID(account, s); id != "" {
		out.WithAccountID(id)
	}
	if s.synced {
		return out.WithInstances(counts(s.counts)...)
	}
	for _, c := range account.Status.Instances {
		if c.Count != nil {
			out.WithInstances(ec2v1ac.InstanceCount().WithState(c.State).WithCount(*c.Count))
		}
	}
	return out
}

func accountID(account *ec2v1.EC2Account, s seen) string {
	if s.accountID != "" {
		return s.accountID
	}
	return account.Status.AccountID
}

// counts leaves terminated instances out: EC2 goes on showing them for about an hour, and each would cost a write when it
// comes and one when it fades.
func counts(all map[cloud.State]int) []*ec2v1ac.InstanceCountApplyConfiguration {
	var out []*ec2v1ac.InstanceCountApplyConfiguration
	for _, state := range slices.Sorted(maps.Keys(all)) {
		if state == cloud.StateTerminated {
			continue
		}
		out = append(out, ec2v1ac.InstanceCount().WithState(string(state)).WithCount(int32(all[state])))
	}
	return out
}

// state is what a condition says.
type state struct {
	status          metav1.ConditionStatus
	reason, message string
}

var reasons = map[cloud.Class]string{
	cloud.ClassThrottled:    ec2v1.ReasonThrottled,
	cloud.ClassUnauthorized: ec2v1.ReasonUnauthorized,
	cloud.ClassCredentials:  ec2v1.ReasonCredentialsInvalid,
	cloud.ClassInvalid:      ec2v1.ReasonInvalidRequest,
}

func reasonOf(e *cloud.Error) string {
	if reason, ok := reasons[e.Class]; ok {
		return reason
	}
	return ec2v1.ReasonEC2Unavailable
}

// ready tells whether the account can be used: AWS knows the credentials and lets them list instances. Being
// throttled for a while changes nothing about that.
func ready(account *ec2v1.EC2Account, s seen) state {
	for _, failure := range []*cloud.Error{s.failure, s.listing} {
		if failure != nil && failure.Class != cloud.ClassThrottled {
			return state{metav1.ConditionFalse, reasonOf(failure), failure.Error()}
		}
	}
	if s.failure != nil {
		return told(account, s.failure)
	}
	return state{metav1.ConditionTrue, ec2v1.ReasonAuthenticated, fmt.Sprintf("AWS account %s accepts the credentials", s.accountID)}
}

// told is what Ready said before, for a check that found out nothing.
func told(account *ec2v1.EC2Account, why *cloud.Error) state {
	live := meta.FindStatusCondition(account.Status.Conditions, ec2v1.ConditionReady)
	if live == nil {
		return state{metav1.ConditionUnknown, reasonOf(why), why.Error()}
	}
	return state{live.Status, live.Reason, live.Message}
}

func throttled(s seen) state {
	if s.listing != nil && s.listing.Class == cloud.ClassThrottled {
		return state{metav1.ConditionTrue, ec2v1.ReasonThrottled, s.listing.Error()}
	}
	return state{metav1.ConditionFalse, ec2v1.ReasonNotThrottled, "EC2 takes the account's calls"}
}

func condition(account *ec2v1.EC2Account, name string, s state, now time.Time) *metav1ac.ConditionApplyConfiguration {
	return apply.Condition(account.Status.Conditions, metav1.Condition{
		Type: name, Status: s.status, Reason: s.reason, Message: s.message, ObservedGeneration: account.Generation,
	}, now)
}
