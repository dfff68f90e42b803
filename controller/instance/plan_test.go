// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// describedAgo: EC2 has not been asked for an instance for so long.
func describedAgo(id string, ago time.Duration) given {
	return func(in *Input) {
		for i := range in.Entries {
			if in.Entries[i].ID == id {
				in.Entries[i].Described = in.Now.Add(-ago)
			}
		}
	}
}

func TestDecideTwoInstances(t *testing.T) {
	both := allOf(intent(2), ec2Shows(1, cloud.StateRunning), ec2Shows(2, cloud.StateRunning), after(long))
	tells := func(id string) func(*testing.T, Plan) {
		return func(t *testing.T, p Plan) {
			t.Helper()
			if p.Instance == nil || p.Instance.ID != id || p.Intent != nil || p.SetTags != nil || p.RemoveTags != nil {
				t.Errorf("keeps %+v with %+v", p.Instance, p)
			}
		}
	}
	decideAll(t, []decision{
		{
			name:  "the recorded one stays, the other is terminated",
			given: []given{both, recordedInStatus(2)},
			step:  StepTerminateSurplus, id: instanceID(1), ready: "True Running", also: tells(instanceID(2)),
		},
		{
			name:  "none is recorded: the oldest stays",
			given: []given{both},
			step:  StepTerminateSurplus, id: instanceID(2), ready: "True Running", also: tells(instanceID(1)),
		},
		{
			name:  "one of them is young: the other may be dead, and EC2 not show it yet",
			given: []given{intent(2), recordedInStatus(1), ec2Shows(1, cloud.StateRunning), ec2Shows(2, cloud.StateRunning), after(time.Minute)},
			ready: "True Running", after: consistencyWindow + 2*time.Second - time.Minute, also: tells(instanceID(1)),
		},
		{
			name:  "EC2 has not been asked for one of them since that was certain: it may be dead",
			given: []given{both, recordedInStatus(2), describedAgo(instanceID(2), 2*time.Hour)},
			ready: "True Running", after: settle, also: tells(instanceID(2)),
		},
		{
			name:  "nor for the surplus",
			given: []given{both, recordedInStatus(2), describedAgo(instanceID(1), 2*time.Hour)},
			ready: "True Running", after: settle, also: tells(instanceID(2)),
		},
		{
			name:  "the surplus has a token that we do not derive: tags can be forged, it is left alone",
			given: []given{intent(1), recordedInStatus(1), ec2Shows(1, cloud.StateRunning), ec2Shows(2, cloud.StateRunning, foreignToken), after(long)},
			ready: "True Running", also: tells(instanceID(1)),
		},
		{
			name:  "the surplus is shutting down: it is none",
			given: []given{intent(1), recordedInStatus(1), ec2Shows(1, cloud.StateRunning), ec2Shows(2, cloud.StateShuttingDown), after(long)},
			ready: "True Running", also: tells(instanceID(1)),
		},
		{
			name:  "suspended: neither is touched",
			given: []given{both, recordedInStatus(2), suspended},
			ready: "True Running", also: tells(instanceID(2)),
		},
		{
			name:  "the surplus was just asked to go: wait until that shows",
			given: []given{both, recordedInStatus(2), called(StepTerminateSurplus, instanceID(1), time.Second, nil)},
			id:    instanceID(1), ready: "True Running", after: settle - time.Second, also: tells(instanceID(2)),
		},
		{
			name:  "the surplus cannot be terminated: say why for as long as it is so",
			given: []given{both, recordedInStatus(2), called(StepTerminateSurplus, instanceID(1), time.Second, failureOf(cloud.ClassUnauthorized))},
			id:    instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second, also: tells(instanceID(2)),
		},
		{
			name: "the one that stays differs from spec: first the surplus goes",
			given: []given{both, recordedInStatus(2), spec(func(s *ec2v1.EC2InstanceSpec) {
				s.Tags = append(s.Tags, ec2v1.Tag{Key: "new", Value: new("1")})
			})},
			step: StepTerminateSurplus, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", also: tells(instanceID(2)),
		},
		{
			name: "EC2 has ceased to show the recorded one: nothing is terminated before it is known whether it is there",
			given: []given{
				intent(2), recordedInStatus(2), ec2Shows(1, cloud.StateRunning), ec2Shows(2, cloud.StateRunning, missing), after(long),
			},
			step: StepFindByID, id: instanceID(2), ready: "False NotYetVisible", flow: "Reconciling",
		},
	})
}

func TestDecideAccountOrListInTheWay(t *testing.T) {
	listError := func(in *Input) { in.Synced, in.ListError = false, failureOf(cloud.ClassCredentials) }
	decideAll(t, []decision{
		{
			name:  "the account is missing: nothing is asked of it",
			given: []given{accountMissing, prepared(hash)},
			ready: "False AccountNotFound", flow: "Stalled", after: accountAgain,
		},
		{
			name:  "the account does not allow the namespace: nothing is asked of it",
			given: []given{accountNotAllowed, prepared(hash)},
			ready: "False AccountNotAllowed", flow: "Stalled", after: accountAgain,
			also: func(t *testing.T, p Plan) {
				t.Helper()
				if p.Verdict.Launched.Status != metav1.ConditionFalse || p.Verdict.Launched.Reason != ec2v1.ReasonAccountNotAllowed {
					t.Errorf("Launched is %+v", p.Verdict.Launched)
				}
			},
		},
		{
			name:  "the account is not allowed any more: the instance is left as it is",
			given: []given{kept(1, cloud.StateStopped), accountNotAllowed},
			ready: "False AccountNotAllowed", flow: "Stalled", after: accountAgain,
		},
		{
			name:  "EC2 was not listed yet: nothing is launched on an empty view, and nothing is said",
			given: []given{unsynced, prepared(hash)},
			after: firstList, quiet: true,
		},
		{
			name:  "EC2 was not listed yet, the instance is recorded: it is not taken for lost",
			given: []given{unsynced, intent(1), recordedInStatus(1), prepared(hash), after(long)},
			after: firstList, quiet: true,
		},
		{
			name:  "EC2 cannot be listed: say why",
			given: []given{listError, prepared(hash)},
			ready: "False CredentialsInvalid", flow: "Reconciling", after: firstList,
		},
		{
			name:  "EC2 cannot be listed, an instance is known: that is the account's news, and not the object's",
			given: []given{kept(1, cloud.StateRunning), listError},
			ready: "False CredentialsInvalid", flow: "Reconciling", after: firstList, quiet: true,
		},
		{
			name:  "EC2 was listed once and cannot be at the moment: what it showed counts",
			given: []given{kept(1, cloud.StateRunning), func(in *Input) { in.ListError = failureOf(cloud.ClassTransient) }},
			ready: "True Running",
		},
	})
}
