// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"strings"
	"testing"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

const spotRequest = "sir-0a1b2c3d"

// ofRequest: the instance is a Spot Instance.
func ofRequest(e *observer.Entry) { e.Lifecycle, e.SpotRequestID = "spot", spotRequest }

// asksSpot has spec ask for a Spot Instance by a type of request.
func asksSpot(requestType string) given {
	return spec(func(s *ec2v1.EC2InstanceSpec) {
		s.MarketOptions = &ec2v1.MarketOptions{MarketType: "spot", SpotOptions: &ec2v1.SpotOptions{RequestType: requestType}}
	})
}

// spotLaunched: an instance is there that was launched as spec asks.
func spotLaunched(requestType string, state cloud.State, edits ...func(*observer.Entry)) given {
	market := &ec2v1.MarketOptions{MarketType: "spot", SpotOptions: &ec2v1.SpotOptions{RequestType: requestType}}
	launchedSo := intent(1, func(i *LaunchIntent) {
		i.Generation, i.Fields = 1, launchedFields(&ec2v1.EC2InstanceSpec{MarketOptions: market})
	})
	return allOf(asksSpot(requestType), launchedSo, recordedInStatus(1), ec2Shows(1, state, append(edits, ofRequest)...), after(long))
}

func TestDecideCancelsASpotRequestBeforeItsInstanceEnds(t *testing.T) {
	gone := deleting(time.Minute)
	persistent, once := spotLaunched("persistent", cloud.StateRunning), spotLaunched("one-time", cloud.StateRunning)
	cancelled := called(StepCancelRequest, spotRequest, time.Second, nil)
	says := func(words string) func(*testing.T, Plan) {
		return func(t *testing.T, p Plan) {
			t.Helper()
			if !strings.Contains(p.Verdict.Ready.Message, words) {
				t.Errorf("it says %q, want %q", p.Verdict.Ready.Message, words)
			}
		}
	}
	ofIt := func(t *testing.T, p Plan) {
		t.Helper()
		if p.Of != spotRequest {
			t.Errorf("it is of %q", p.Of)
		}
	}
	template := spec(func(s *ec2v1.EC2InstanceSpec) { s.LaunchTemplate = &ec2v1.LaunchTemplate{Name: "web"} })
	cancels := decision{step: StepCancelRequest, id: instanceID(1), ready: "False Deleting", flow: "Reconciling", also: ofIt}
	terminates := decision{step: StepTerminate, id: instanceID(1), ready: "False Deleting", flow: "Reconciling"}
	row := func(d decision, name string, given ...given) decision {
		d.name, d.given = name, given
		return d
	}
	decideAll(t, []decision{
		row(cancels, "persistent", persistent, gone),
		row(cancels, "another one was cancelled", persistent, gone, called(StepCancelRequest, "sir-00000000", time.Second, nil)),
		row(cancels, "a template may say persistent", spotLaunched("", cloud.StateRunning), template, gone),
		row(cancels, "spec was edited since the launch", persistent, asksSpot("one-time"), gone),
		row(cancels, "nothing is known of the launch", kept(1, cloud.StateRunning, ofRequest), asksSpot("one-time"), gone),
		row(cancels, "spec says nothing of Spot", kept(1, cloud.StateRunning, ofRequest), gone),
		row(terminates, "cancelled", persistent, gone, cancelled),
		row(terminates, "one-time", once, gone),
		row(terminates, "one-time by EC2's default", spotLaunched("", cloud.StateRunning), gone),
		row(terminates, "On-Demand", kept(1, cloud.StateRunning), gone),
		{
			name: "refused", given: []given{persistent, gone, called(StepCancelRequest, spotRequest, time.Second, failureOf(cloud.ClassUnauthorized))},
			id: instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second,
		},
		{
			name: "not to be seen", given: []given{persistent, gone, called(StepCancelRequest, spotRequest, time.Second, failureOf(cloud.ClassNotYetVisible))},
			id: instanceID(1), ready: "False NotYetVisible", flow: "Reconciling", after: time.Second,
		},
		{
			name: "never to be seen", given: []given{persistent, gone, remembers(func(m *Memory) {
				m.Calls = map[Step]Call{StepCancelRequest: {Of: spotRequest, Tries: unshownTries, Err: &cloud.Error{Class: cloud.ClassNotYetVisible, Code: "InvalidSpotInstanceRequestID.NotFound"}}}
			})},
			step: StepTerminate, id: instanceID(1), ready: "False Deleting", flow: "Reconciling",
		},
		{name: "left running", given: []given{persistent, gone, policy(ec2v1.DeletionRetain)}, step: StepRelease, ready: "False Deleting", flow: "Reconciling"},
		{
			name: "left stopped", given: []given{persistent, gone, policy(ec2v1.DeletionStop)},
			step: StepStop, id: instanceID(1), ready: "False Deleting", flow: "Reconciling",
		},
	})

	never := spec(func(s *ec2v1.EC2InstanceSpec) { s.RecreatePolicy = ec2v1.RecreateNever })
	ended := spotLaunched("persistent", cloud.StateTerminated)
	decideAll(t, []decision{
		{
			name: "terminated outside", given: []given{ended, prepared(hash)},
			step: StepCancelRequest, id: instanceID(1), ready: "False Terminating", flow: "Reconciling", also: says("cancelling its Spot request " + spotRequest),
		},
		{
			name: "terminated outside, and not recreated", given: []given{ended, never},
			step: StepCancelRequest, id: instanceID(1), ready: "False Terminating", flow: "Reconciling",
		},
		{name: "terminated outside, not recreated, cancelled", given: []given{ended, never, cancelled}, ready: "False Terminated", flow: "Stalled"},
		{name: "terminated outside, cancelled", given: []given{ended, prepared(hash), cancelled}, step: StepIntend, ready: "False Launching", flow: "Reconciling"},
		{name: "terminated outside, one-time", given: []given{spotLaunched("one-time", cloud.StateTerminated), prepared(hash)}, step: StepIntend, ready: "False Launching", flow: "Reconciling"},
		{name: "terminated outside, suspended", given: []given{ended, suspended}, ready: "False Suspended"},
	})

	image := spec(func(s *ec2v1.EC2InstanceSpec) { s.Image.ID = "ami-0fedcba9876543210" })
	mayReplace := spec(func(s *ec2v1.EC2InstanceSpec) { s.UpdatePolicy.Allow = ec2v1.UpdateReplace })
	surplus := ec2Shows(2, cloud.StateRunning, ofRequest)
	decideAll(t, []decision{
		{
			name: "replaced", given: []given{persistent, image, mayReplace},
			step: StepCancelRequest, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", also: func(t *testing.T, p Plan) {
				t.Helper()
				if !p.tellsFirst() || !p.writesIntent() || p.Intent.Replacing == nil || p.Field != "image" {
					t.Errorf("it is not told before, or not written that it is replaced: %+v", p)
				}
			},
		},
		{
			name: "replaced, cancelled", given: []given{persistent, image, mayReplace, cancelled},
			step: StepReplace, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
		},
		{
			name: "a surplus one", given: []given{kept(1, cloud.StateRunning), surplus, after(long)},
			step: StepCancelRequest, id: instanceID(2), ready: "True Running", also: ofIt,
		},
	})
}
