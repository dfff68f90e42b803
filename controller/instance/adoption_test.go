// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// names the instance of an attempt, which somebody else launched.
func names(attempt int64) given {
	return spec(func(s *ec2v1.EC2InstanceSpec) { s.Adopt = &ec2v1.Adopt{InstanceID: instanceID(attempt)} })
}

// standsFor: the intent that is written is for the instance that was taken over, with edits to it.
func standsFor(attempt int64, edits ...func(*LaunchIntent)) given {
	return intent(0, append([]func(*LaunchIntent){func(i *LaunchIntent) { i.For, i.Hash, i.Reason = instanceID(attempt), "", launchAdopted }}, edits...)...)
}

// recordedTaken: status tells of an instance that somebody else launched, and the finalizer is there.
func recordedTaken(attempt int64) given {
	return allOf(recordedInStatus(attempt), func(in *Input) {
		in.Object.Status.Launch = &ec2v1.LaunchStatus{ClientToken: "somebody-elses", At: new(metav1.NewTime(begin))}
		in.Object.Finalizers = []string{ec2v1.InstanceFinalizer}
	})
}

// tookOver: the object names the instance, and every record says that it has it.
func tookOver(attempt int64, edits ...func(*LaunchIntent)) given {
	return allOf(names(attempt), recordedTaken(attempt), standsFor(attempt, edits...))
}

// unowned is an instance with a tag of somebody's and none of ours.
func unowned(e *observer.Entry) {
	e.ClientToken, e.OwnedBy, e.Tags = "somebody-elses", cloud.Owner{}, map[string]string{"Name": "db", "team": "blue"}
}

func ownedBy(cluster, uid string) func(*observer.Entry) {
	return func(e *observer.Entry) {
		e.ClientToken, e.OwnedBy, e.Tags = "somebody-elses", cloud.Owner{}, map[string]string{ec2v1.TagCluster: cluster, ec2v1.TagUID: uid}
		if cluster == testCluster {
			e.OwnedBy = cloud.Owner{UID: otherUID, Namespace: "team", Name: "web-2"}
		}
	}
}

func observing(in *Input) { in.Object.Spec.ManagementPolicy = ec2v1.ManagementObserve }

func TestDecideAdopts(t *testing.T) {
	claims := func(t *testing.T, p Plan) {
		t.Helper()
		if p.SetTags[ec2v1.TagUID] != testUID || p.SetTags[ec2v1.TagCluster] != testCluster {
			t.Errorf("sets %v", p.SetTags)
		}
		if name, set := p.SetTags["Name"]; set {
			t.Errorf("renames it to %q", name)
		}
	}
	there := allOf(names(1), ec2Shows(1, cloud.StateRunning, unowned), after(long))
	taken := allOf(tookOver(1), ec2Shows(1, cloud.StateTerminated, foreignToken), after(long))
	notThere := allOf(names(1), after(long), remembers(func(m *Memory) { m.Gone = instanceID(1) }))
	larger := spec(largerType)
	decideAll(t, []decision{
		{name: "it is not known: look for it", given: []given{names(1), after(long)}, step: StepFindByID, id: instanceID(1), ready: "False Adopting", flow: "Reconciling"},
		{
			name: "EC2 does not know it", given: []given{notThere, called(StepFindByID, instanceID(1), time.Minute, nil)},
			ready: "False AdoptionRefused", flow: "Stalled", after: adoptAgain - time.Minute, also: says("EC2 has no instance"),
		},
		{
			name: "EC2 did not know it five minutes ago: look again", given: []given{notThere, called(StepFindByID, instanceID(1), adoptAgain, nil)},
			step: StepFindByID, id: instanceID(1), ready: "False AdoptionRefused", flow: "Stalled", also: says("EC2 has no instance"),
		},
		{
			name:  "EC2 did not know it when it was shown last: look again",
			given: []given{names(1), ec2Shows(1, cloud.StateRunning, unowned, gone), after(long)},
			step:  StepFindByID, id: instanceID(1), ready: "False AdoptionRefused", flow: "Stalled", also: says("EC2 has no instance"),
		},
		{
			name: "it is terminated", given: []given{names(1), ec2Shows(1, cloud.StateTerminated, unowned), after(long), prepared(hash)},
			ready: "False AdoptionRefused", flow: "Stalled", after: adoptAgain, also: says("EC2 has no instance"),
		},
		{name: "it is there: put the identity on it", given: []given{there}, step: StepTag, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", also: claims},
		{
			name:  "it is there, and stopped, and of another type: the identity comes first",
			given: []given{names(1), ec2Shows(1, cloud.StateStopped, unowned), after(long), larger, allow(ec2v1.UpdateReplace)},
			step:  StepTag, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", also: claims,
		},
		{
			name: "the identity cannot be put on it: nothing else is done",
			given: []given{names(1), ec2Shows(1, cloud.StateStopped, unowned), after(long), func(in *Input) {
				called(StepTag, Decide(*in).Of, time.Second, failureOf(cloud.ClassUnauthorized))(in)
			}},
			id: instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second,
		},
		{
			name:  "it bears the identity: that is written down",
			given: []given{names(1), recordedTaken(1), ec2Shows(1, cloud.StateStopped, foreignToken), after(long)},
			step:  StepKeep, id: instanceID(1), ready: "False Starting", flow: "Reconciling", also: func(t *testing.T, p Plan) {
				t.Helper()
				if p.Intent.For != instanceID(1) || p.Intent.Attempt != 0 || p.Intent.launches() {
					t.Errorf("writes %+v", p.Intent)
				}
			},
		},
		{
			name:  "it bears the identity, and the launch intent's place is taken",
			given: []given{names(1), recordedTaken(1), annotated("mine"), ec2Shows(1, cloud.StateStopped, foreignToken), after(long)},
			step:  StepStart, id: instanceID(1), ready: "False Starting", flow: "Reconciling",
		},
		{
			name: "it is taken over, and kept like any other", given: []given{tookOver(1), ec2Shows(1, cloud.StateStopped, foreignToken), after(long)},
			step: StepStart, id: instanceID(1), ready: "False Starting", flow: "Reconciling",
		},
		{
			name: "it is another cluster's", given: []given{names(1), ec2Shows(1, cloud.StateRunning, ownedBy("another", otherUID)), after(long)},
			ready: "False AdoptionRefused", flow: "Stalled", after: adoptAgain, also: says("names another cluster"),
		},
		{
			name: "it is another object's", given: []given{names(1), ec2Shows(1, cloud.StateRunning, ownedBy(testCluster, otherUID)), after(long), func(in *Input) { in.Claims.Owner = "team/web-2" }},
			ready: "False AdoptionRefused", flow: "Stalled", after: adoptAgain, also: says("it is that of EC2Instance team/web-2"),
		},
		{
			name: "its object is gone, and has left it", given: []given{names(1), ec2Shows(1, cloud.StateRunning, ownedBy(testCluster, otherUID)), after(long)},
			step: StepTag, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
		},
		{
			name: "an older object names it, too", given: []given{there, func(in *Input) { in.Claims.Rival = "team/web-2" }},
			ready: "False AdoptionRefused", flow: "Stalled", after: adoptAgain, also: says("team/web-2 names it, too"),
		},
		{
			name:  "another object has taken it over since: nothing is launched beside it",
			given: []given{names(1), recordedInStatus(1), ec2Shows(1, cloud.StateRunning, ownedBy(testCluster, otherUID)), after(long), prepared(hash), func(in *Input) { in.Claims.Owner = "team/web-2" }},
			ready: "False AdoptionRefused", flow: "Stalled", after: adoptAgain, also: says("team/web-2"),
		},
		{
			name: "it was terminated, and spec does not say what to launch", given: []given{taken, spec(func(s *ec2v1.EC2InstanceSpec) { s.Image, s.InstanceType = ec2v1.Image{}, "" })},
			ready: "False Terminated", flow: "Stalled", also: says("no image and instanceType"),
		},
		{
			name: "the object is deleted before anything was taken over", given: []given{there, deleting(time.Second), func(in *Input) { in.Object.Finalizers = nil }},
			ready: "False Deleting", flow: "Reconciling",
		},
	})
}

func TestDecideObserves(t *testing.T) {
	there := allOf(names(1), ec2Shows(1, cloud.StateRunning, unowned), after(long), observing)
	blocked := func(fields ...string) func(*testing.T, Plan) {
		return func(t *testing.T, p Plan) {
			t.Helper()
			var got []string
			for _, c := range p.Changes {
				got = append(got, c.Field)
				if c.State != ec2v1.PlanStateBlocked || !strings.Contains(c.Message, "Observe") {
					t.Errorf("%s is %s: %s", c.Field, c.State, c.Message)
				}
			}
			if strings.Join(got, " ") != strings.Join(fields, " ") {
				t.Errorf("differs in %v, want %v", got, fields)
			}
		}
	}
	decideAll(t, []decision{
		{name: "it is looked for", given: []given{names(1), after(long), observing}, step: StepFindByID, id: instanceID(1), ready: "False Adopting", flow: "Reconciling"},
		{name: "it runs", given: []given{there}, ready: "True Running", also: blocked("tags")},
		{
			name: "it differs, and all is allowed", given: []given{there, spec(largerType), allow(ec2v1.UpdateReplace)},
			ready: "True Running", also: blocked("instanceType", "tags"),
		},
		{
			name: "it is stopped", given: []given{names(1), ec2Shows(1, cloud.StateStopped, unowned), after(long), observing},
			ready: "False Observed", also: blocked("powerState", "tags"),
		},
		{
			name: "it is another object's", given: []given{names(1), ec2Shows(1, cloud.StateRunning, ownedBy(testCluster, otherUID)), after(long), observing, func(in *Input) { in.Claims.Owner = "team/web-2" }},
			ready: "True Running",
		},
		{
			name: "it is terminated", given: []given{names(1), recordedInStatus(1), ec2Shows(1, cloud.StateTerminated, unowned), after(long), observing, prepared(hash)},
			ready: "False NothingToObserve", flow: "Stalled",
		},
		{name: "there is none", given: []given{observing, prepared(hash)}, ready: "False NothingToObserve", flow: "Stalled"},
		{name: "the object's own is there", given: []given{kept(1, cloud.StateStopped), observing}, ready: "False Observed"},
		{name: "the object is deleted: its instance is left", given: []given{kept(1, cloud.StateRunning), observing, deleting(time.Second)}, step: StepRelease, ready: "False Deleting", flow: "Reconciling"},
	})
}
