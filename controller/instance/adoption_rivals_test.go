// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// created: the object was made a while ago.
func created(ago time.Duration) given {
	return func(in *Input) { in.Object.CreationTimestamp = metav1.NewTime(in.Now.Add(-ago)) }
}

// Of several objects that are made at once, and name one instance, the cache may show some a moment later.
func TestDecideAdoptsOnceRivalsShow(t *testing.T) {
	there := allOf(names(1), ec2Shows(1, cloud.StateRunning, unowned), after(long))
	decideAll(t, []decision{
		{
			name: "just made: others may be older", given: []given{there, created(time.Second)},
			ready: "False Adopting", flow: "Reconciling", after: adoptSettle - time.Second, also: says("another object"),
		},
		{name: "made a while ago", given: []given{there, created(adoptSettle)}, step: StepTag, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling"},
		{name: "to observe is everybody's right", given: []given{there, created(time.Second), observing}, ready: "True Running"},
		{
			name: "deleted at once: nothing was taken over", given: []given{there, created(time.Second), deleting(time.Millisecond)},
			step: StepRelease, ready: "False Deleting", flow: "Reconciling",
		},
	})
}

// An object that was refused has told of the instance in status: it launches nothing when that is gone.
func TestDecideLaunchesNothingForWhatItNeverHad(t *testing.T) {
	refused := allOf(names(1), recordedTaken(1), after(long), prepared(hash))
	decideAll(t, []decision{
		{
			name: "it is another object's", given: []given{refused, ec2Shows(1, cloud.StateRunning, ownedBy(testCluster, otherUID)), func(in *Input) { in.Claims.Owner = "team/web-2" }},
			ready: "False AdoptionRefused", flow: "Stalled", after: adoptAgain,
		},
		{
			name: "that one's was terminated", given: []given{refused, ec2Shows(1, cloud.StateTerminated, ownedBy(testCluster, otherUID))},
			ready: "False AdoptionRefused", flow: "Stalled", after: adoptAgain,
		},
		{
			name: "EC2 does not know it any more: look again", given: []given{refused, remembers(func(m *Memory) { m.Gone = instanceID(1) })},
			step: StepFindByID, id: instanceID(1), ready: "False AdoptionRefused", flow: "Stalled",
		},
	})
}
