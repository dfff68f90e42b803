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

// intends expects the intent of an attempt.
func intends(attempt int64, reason string) func(*testing.T, Plan) {
	return func(t *testing.T, p Plan) {
		t.Helper()
		i := p.Intent
		if i == nil || i.Attempt != attempt || i.Token != token(attempt) || i.UID != testUID || i.Reason != reason {
			t.Errorf("intends %+v, want attempt %d, %s", i, attempt, reason)
		}
	}
}

func TestDecideFirstLaunch(t *testing.T) {
	decideAll(t, []decision{
		{
			name: "an object that nothing is known of: find out what to launch",
			step: StepPrepare, ready: "False Launching", flow: "Reconciling",
		},
		{
			name:  "launch parameters are known: write the intent of attempt 1, and launch",
			given: []given{prepared(hash)},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling",
			also: func(t *testing.T, p Plan) {
				t.Helper()
				intends(1, launchCreated)(t, p)
				if p.Intent.Hash != hash || p.Intent.Image != testImage || p.Intent.Region != testRegion || !p.Intent.At.Time.Equal(begin) {
					t.Errorf("intends %+v", p.Intent)
				}
			},
		},
		{
			name:  "the launch intent was taken away, and the finalizer is there: what it launched is looked for first",
			given: []given{prepared(hash), func(in *Input) { in.Object.Finalizers = []string{ec2v1.InstanceFinalizer} }},
			step:  StepFindByToken, ready: "False Launching", flow: "Reconciling",
		},
		{
			name: "the launch intent was taken away, and what it launched was not found for the whole window: launch",
			given: []given{prepared(hash), func(in *Input) {
				in.Object.Finalizers = []string{ec2v1.InstanceFinalizer}
				in.Memory.Voiding = search{Of: token(1), First: in.Now.Add(-consistencyWindow)}
			}, called(StepFindByToken, token(1), 0, errUnseen)},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(1, launchCreated),
		},
		{
			name: "user data is missing: say so, and look again",
			given: []given{func(in *Input) {
				in.PrepareError = &PrepareError{Reason: ec2v1.ReasonUserDataNotFound, Message: "spec.userData.secretKeyRef: …", After: userDataAgain}
			}},
			ready: "False UserDataNotFound", flow: "Stalled", after: userDataAgain,
		},
		{
			name: "the SSM parameter does not exist: say so, and look again",
			given: []given{func(in *Input) {
				in.PrepareError = &PrepareError{Call: failureOf(cloud.ClassInvalid), After: time.Minute}
			}},
			ready: "False ImageNotFound", flow: "Stalled", after: time.Minute,
		},
		{
			name: "SSM does not answer: that heals by itself",
			given: []given{func(in *Input) {
				in.PrepareError = &PrepareError{Call: failureOf(cloud.ClassTransient), After: time.Second}
			}},
			ready: "False EC2Unavailable", flow: "Reconciling", after: time.Second,
		},
		{
			name:  "suspended before the launch: nothing is launched",
			given: []given{suspended, prepared(hash)},
			ready: "False Suspended",
		},
		{
			name: "status knows an attempt though neither its intent nor an instance is left: that attempt is asked for again",
			given: []given{prepared(hash), func(in *Input) {
				in.Object.Status.Launch = &ec2v1.LaunchStatus{Attempt: 3, ClientToken: token(3)}
			}},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(3, launchCreated),
		},
	})
}

func TestDecideIntentThatIsWritten(t *testing.T) {
	repeats := func(t *testing.T, p Plan) {
		t.Helper()
		if p.Intent.Hash != hash || p.Intent.Attempt != 1 || !p.Intent.At.Time.Equal(begin) {
			t.Errorf("repeats %+v", p.Intent)
		}
	}
	decideAll(t, []decision{
		{
			name:  "an intent and no instance: find out the parameters again",
			given: []given{intent(1), after(time.Minute)},
			step:  StepPrepare, ready: "False Launching", flow: "Reconciling",
		},
		{
			name:  "the same parameters: repeat the launch word for word",
			given: []given{intent(1), prepared(hash), after(time.Minute)},
			step:  StepLaunch, ready: "False Launching", flow: "Reconciling", also: repeats,
		},
		{
			name:  "the same parameters long after: still the same launch",
			given: []given{intent(1), prepared(hash), after(24 * time.Hour)},
			step:  StepLaunch, ready: "False Launching", flow: "Reconciling", also: repeats,
		},
		{
			name:  "the launch has just failed: say why, wait, and repeat",
			given: []given{intent(1), prepared(hash), called(StepLaunch, token(1), 10*time.Second, failureOf(cloud.ClassCapacity))},
			ready: "False InsufficientCapacity", flow: "Reconciling", after: 20 * time.Second,
		},
		{
			name:  "EC2 refuses the launch as invalid: that needs help",
			given: []given{intent(1), prepared(hash), called(StepLaunch, token(1), time.Minute, failureOf(cloud.ClassInvalid))},
			ready: "False InvalidRequest", flow: "Stalled", after: 9 * time.Minute,
		},
		{
			name:  "throttled: wait for the turn, and say nothing",
			given: []given{intent(1), prepared(hash), called(StepLaunch, token(1), time.Second, failureOf(cloud.ClassThrottled))},
			ready: "False Launching", flow: "Reconciling", after: time.Second, quiet: true,
		},
		{
			name:  "the pause after a failure is over: repeat",
			given: []given{intent(1), prepared(hash), called(StepLaunch, token(1), time.Minute, failureOf(cloud.ClassCapacity))},
			step:  StepLaunch, ready: "False Launching", flow: "Reconciling", also: repeats,
		},
		{
			name:  "suspended after the intent was written: it is not repeated",
			given: []given{intent(1), prepared(hash), suspended},
			ready: "False Suspended",
		},
		{
			name:  "EC2 knows the token with other parameters: look for its instance",
			given: []given{intent(1), prepared(hash), remembers(func(m *Memory) { m.Unmatched = token(1) })},
			step:  StepFindByToken, ready: "False Launching", flow: "Reconciling",
		},
		{
			name: "EC2 knows the token with other parameters: its words are told while its instance is looked for",
			given: []given{
				intent(1), prepared(hash), remembers(func(m *Memory) { m.Unmatched = token(1) }),
				called(StepLaunch, token(1), time.Second, failureOf(cloud.ClassNotYetVisible)),
			},
			step: StepFindByToken, ready: "False NotYetVisible", flow: "Reconciling",
		},
		{
			name: "EC2 knows the token with other parameters and does not show the instance: look again in a while",
			given: []given{
				intent(1), prepared(otherHash), remembers(func(m *Memory) { m.Unmatched = token(1) }), after(long),
				called(StepFindByToken, token(1), 2*time.Second, errUnseen),
			},
			ready: "False Launching", flow: "Reconciling", after: 3 * time.Second,
		},
		{
			name: "EC2 knows the token with other parameters, and shows no instance of it for the whole window: ask once more",
			given: []given{
				intent(1), prepared(hash), after(long), remembers(func(m *Memory) { m.Unmatched = token(1) }), searched(consistencyWindow),
				called(StepFindByToken, token(1), 0, errUnseen),
			},
			step: StepLaunch, ready: "False Launching", flow: "Reconciling", also: repeats,
		},
		{
			name:  "EC2 says the token's instance is terminated: the next attempt",
			given: []given{intent(1), prepared(hash), after(long), remembers(func(m *Memory) { m.Terminated = token(1) })},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(2, launchTerminated),
		},
	})
}

func TestDecideIntentThatIsVoid(t *testing.T) {
	first := func(name string, g given) decision {
		return decision{
			name: name, given: []given{g, prepared(hash), after(long)},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(1, launchCreated),
		}
	}
	decideAll(t, []decision{
		first("the intent is of another object: void", intent(4, func(i *LaunchIntent) {
			i.UID, i.Token = otherUID, cloud.ClientToken(testCluster, otherUID, 4)
		})),
		first("the intent bears another token than we derive: void", intent(4, func(i *LaunchIntent) { i.Token = "made-up" })),
		first("the intent's token is another attempt's: void", intent(4, func(i *LaunchIntent) { i.Token = token(1) })),
		first("the intent's attempt is none: void", intent(0)),
		first("the intent is of another cluster: void", intent(4, func(i *LaunchIntent) { i.Token = cloud.ClientToken("other", testUID, 4) })),
		first("the intent is not JSON: void", annotated("{")),
		first("the intent is other JSON: void", annotated(`["launch"]`)),
		first("the intent is empty: void", annotated("")),
	})
}

// The parameters are no longer those of the intent.
func TestDecideSpecChangedBeforeTheLaunch(t *testing.T) {
	changed := allOf(intent(1), prepared(otherHash), after(long))
	voiding := func(since time.Duration) given {
		return remembers(func(m *Memory) { m.Voiding = search{Of: token(1), First: begin.Add(long - since)} })
	}
	next := func(name string, all ...given) decision {
		return decision{
			name: name, given: append([]given{changed}, all...),
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(2, launchSpecChanged),
		}
	}
	decideAll(t, []decision{
		{
			name:  "nothing is known of the attempt: look whether EC2 had accepted it, however old it is",
			given: []given{changed},
			step:  StepFindByToken, ready: "False Launching", flow: "Reconciling",
		},
		{
			name:  "the look found nothing: look again until the consistency window is over",
			given: []given{changed, voiding(4 * time.Minute), called(StepFindByToken, token(1), time.Second, errUnseen)},
			ready: "False Launching", flow: "Reconciling", after: 4 * time.Second,
		},
		{
			name:  "the consistency window is over, and the last look was before its end: look once more",
			given: []given{changed, voiding(6 * time.Minute), called(StepFindByToken, token(1), 2*time.Minute, errUnseen)},
			step:  StepFindByToken, ready: "False Launching", flow: "Reconciling",
		},
		{
			name:  "the consistency window is over and no look was answered: that is no evidence",
			given: []given{changed, voiding(time.Hour), called(StepFindByToken, token(1), time.Second, failureOf(cloud.ClassUnauthorized))},
			ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second,
		},
		next("a look after the consistency window found nothing: the attempt is void, the next one begins",
			voiding(consistencyWindow+time.Second), called(StepFindByToken, token(1), time.Second, errUnseen)),
		{
			name: "a look of another token found nothing: that is no evidence",
			given: []given{changed, called(StepFindByToken, token(9), time.Second, errUnseen), remembers(func(m *Memory) {
				m.Voiding = search{Of: token(9), First: begin}
			})},
			step: StepFindByToken, ready: "False Launching", flow: "Reconciling",
		},
		next("EC2 has refused the attempt for certain: the next one begins at once", remembers(func(m *Memory) { m.Rejected = token(1) })),
		{
			name:  "EC2 has refused another attempt: that says nothing of this one",
			given: []given{changed, remembers(func(m *Memory) { m.Rejected = token(2) })},
			step:  StepFindByToken, ready: "False Launching", flow: "Reconciling",
		},
	})
}

func TestDecideLostInstance(t *testing.T) {
	lost := allOf(intent(1), recordedInStatus(1), prepared(hash))
	decideAll(t, []decision{
		{
			name:  "the recorded instance is young and not visible: look for it alone, launch nothing",
			given: []given{lost, after(10 * time.Second)},
			step:  StepFindByID, id: instanceID(1), ready: "False NotYetVisible", flow: "Reconciling",
		},
		{
			name:  "it was not found a moment ago: look again in a while",
			given: []given{lost, after(10 * time.Second), called(StepFindByID, instanceID(1), time.Second, errUnseen)},
			ready: "False NotYetVisible", flow: "Reconciling", after: lookAgain - time.Second,
			// Still looked for: the id stays named.
			id: instanceID(1),
		},
		{
			name:  "the lookup failed: say why",
			given: []given{lost, after(10 * time.Second), called(StepFindByID, instanceID(1), time.Second, failureOf(cloud.ClassUnauthorized))},
			id:    instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second,
		},
		{
			name:  "the recorded instance is old and not visible: it is looked for, too, before anything is launched",
			given: []given{lost, after(24 * time.Hour)},
			step:  StepFindByID, id: instanceID(1), ready: "False NotYetVisible", flow: "Reconciling",
		},
		{
			name:  "suspended: looking is allowed",
			given: []given{lost, after(24 * time.Hour), suspended},
			step:  StepFindByID, id: instanceID(1), ready: "False NotYetVisible", flow: "Reconciling",
		},
		{
			name:  "it was found: it is kept",
			given: []given{lost, ec2Shows(1, cloud.StateRunning), after(24 * time.Hour)},
			ready: "True Running",
		},
		{
			name:  "it is gone: the next attempt",
			given: []given{lost, after(24 * time.Hour), remembers(func(m *Memory) { m.Gone = instanceID(1) })},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(2, launchTerminated),
		},
		{
			name:  "another instance is gone: that says nothing of this one",
			given: []given{lost, after(24 * time.Hour), remembers(func(m *Memory) { m.Gone = instanceID(9) })},
			step:  StepFindByID, id: instanceID(1), ready: "False NotYetVisible", flow: "Reconciling",
		},
		{
			name:  "status recorded that it was terminated: the next attempt, without a look",
			given: []given{lost, after(24 * time.Hour), func(in *Input) { in.Object.Status.State = string(cloud.StateTerminated) }},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(2, launchTerminated),
		},
		{
			name:  "the intent is lost, too: the instance is looked for by its id",
			given: []given{recordedInStatus(1), prepared(hash), after(24 * time.Hour)},
			step:  StepFindByID, id: instanceID(1), ready: "False NotYetVisible", flow: "Reconciling",
		},
		{
			name:  "what is recorded is of an earlier attempt than the intent: the intent is repeated",
			given: []given{recordedInStatus(1), intent(2), prepared(hash), after(24 * time.Hour)},
			step:  StepLaunch, ready: "False Launching", flow: "Reconciling",
		},
		{
			name:  "a live instance is young and EC2 does not show it: it is kept, the observer looks for it",
			given: []given{lost, ec2Shows(1, cloud.StatePending, missing), after(2 * time.Minute)},
			ready: "False Starting", flow: "Reconciling", after: 3 * time.Minute,
		},
		{
			name:  "a live instance is old and EC2 has ceased to show it: it is looked for alone, and not called ready",
			given: []given{lost, ec2Shows(1, cloud.StateRunning, missing), after(24 * time.Hour)},
			step:  StepFindByID, id: instanceID(1), ready: "False NotYetVisible", flow: "Reconciling",
		},
		{
			name:  "EC2 has ceased to show the instance and it is gone: the next attempt",
			given: []given{lost, ec2Shows(1, cloud.StateRunning, missing, gone), after(24 * time.Hour)},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(2, launchTerminated),
		},
		{
			name:  "an instance that was shutting down is not shown any more: look for it alone",
			given: []given{lost, ec2Shows(1, cloud.StateShuttingDown, missing), after(24 * time.Hour)},
			step:  StepFindByID, id: instanceID(1), ready: "False NotYetVisible", flow: "Reconciling",
		},
		{
			name: "somebody has put an old intent back and EC2 shows older instances only: look for the recorded one",
			given: []given{
				recordedInStatus(3), intent(2), ec2Shows(1, cloud.StateRunning), ec2Shows(2, cloud.StateTerminated), prepared(hash), after(long),
			},
			step: StepFindByID, id: instanceID(3), ready: "False NotYetVisible", flow: "Reconciling",
		},
	})
}

// etcd was restored from a backup, or status was lost: EC2 knows more than the object.
func TestDecideInstanceThatStatusDoesNotKnow(t *testing.T) {
	keeps := func(id string, attempt int64) func(*testing.T, Plan) {
		return func(t *testing.T, p Plan) {
			t.Helper()
			if p.Instance == nil || p.Instance.ID != id || p.Attempt != attempt {
				t.Errorf("status tells %+v of attempt %d", p.Instance, p.Attempt)
			}
		}
	}
	decideAll(t, []decision{
		{
			name:  "a live instance bears our uid: it is ours",
			given: []given{ec2Shows(1, cloud.StateRunning), prepared(hash), after(long)},
			ready: "True Running", also: keeps(instanceID(1), 1),
		},
		{
			name:  "it was launched many attempts later than we know: it is ours all the same",
			given: []given{intent(1), ec2Shows(attemptsAround, cloud.StateRunning), prepared(hash), after(long)},
			ready: "True Running", also: keeps(instanceID(attemptsAround), attemptsAround),
		},
		{
			name:  "a live instance bears our uid with a token of somebody's: it is ours, of no attempt",
			given: []given{ec2Shows(1, cloud.StateRunning, foreignToken), prepared(hash), after(long)},
			ready: "True Running", also: keeps(instanceID(1), 0),
		},
		{
			name: "a live instance bears a token of ours, its tags are gone: it is ours, and is tagged again",
			given: []given{intent(1), after(long), prepared(hash), ec2Shows(1, cloud.StateRunning, func(e *observer.Entry) {
				e.OwnedBy, e.Tags = cloud.Owner{}, nil
			})},
			step: StepTag, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
		},
		{
			name: "the recorded instance is somebody else's: it is not ours",
			given: []given{recordedInStatus(1), prepared(hash), after(long), ec2Shows(1, cloud.StateRunning, foreignToken, func(e *observer.Entry) {
				e.OwnedBy.UID = otherUID
			})},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(2, launchTerminated),
		},
		{
			name:  "a terminated instance bears our uid, and nothing else is known: launch",
			given: []given{ec2Shows(1, cloud.StateTerminated), prepared(hash), after(long)},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(2, launchTerminated),
		},
		{
			name:  "an instance that bears our uid was shutting down when EC2 ceased to show it: look for it alone",
			given: []given{ec2Shows(1, cloud.StateShuttingDown, missing), prepared(hash), after(long)},
			step:  StepFindByID, id: instanceID(1), ready: "False NotYetVisible", flow: "Reconciling",
		},
		{
			name:  "the same, and it is gone: launch",
			given: []given{ec2Shows(1, cloud.StateShuttingDown, missing, gone), prepared(hash), after(long)},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(2, launchTerminated),
		},
		{
			name:  "an instance that bears our uid is shutting down, and nothing else is known: wait for its end",
			given: []given{ec2Shows(1, cloud.StateShuttingDown), prepared(hash), after(long)},
			ready: "False Terminating", flow: "Reconciling",
		},
	})
}

func TestDecideTerminatedOutside(t *testing.T) {
	ended := allOf(intent(1), recordedInStatus(1), ec2Shows(1, cloud.StateTerminated), prepared(hash))
	never := spec(func(s *ec2v1.EC2InstanceSpec) { s.RecreatePolicy = ec2v1.RecreateNever })
	pauses := func(attempt int64, want time.Duration) decision {
		return decision{
			name: "attempt " + string(rune('0'+attempt%10)) + " ended as soon as it began: the pause has grown to " + want.String(),
			given: []given{
				intent(attempt), recordedInStatus(attempt), ec2Shows(attempt, cloud.StateTerminated), prepared(hash), after(time.Second),
			},
			ready: "False Recreating", flow: "Reconciling", after: want - time.Second,
		}
	}
	shows := func(t *testing.T, p Plan) {
		t.Helper()
		if p.Instance == nil || p.Instance.State != cloud.StateTerminated {
			t.Errorf("status tells of %+v", p.Instance)
		}
	}
	decideAll(t, []decision{
		{
			name:  "it lived longer than the pause: launch again at once",
			given: []given{ended, after(long)},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling",
			also: func(t *testing.T, p Plan) { t.Helper(); intends(2, launchTerminated)(t, p); shows(t, p) },
		},
		pauses(1, 15*time.Second), pauses(2, 30*time.Second), pauses(4, 2*time.Minute), pauses(7, 15*time.Minute), pauses(30, 15*time.Minute),
		{
			name:  "parameters have changed since, too: the attempt is used up all the same",
			given: []given{ended, prepared(otherHash), after(long)},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(2, launchTerminated),
		},
		{
			name:  "recreatePolicy is Never: leave it at that, and say the way out",
			given: []given{ended, never, after(long)},
			ready: "False Terminated", flow: "Stalled",
			also: func(t *testing.T, p Plan) {
				t.Helper()
				shows(t, p)
				if !strings.Contains(p.Verdict.Ready.Message, "recreatePolicy to Always") || p.Verdict.Launched.Status != metav1.ConditionFalse {
					t.Errorf("says %+v", p.Verdict)
				}
			},
		},
		{
			name:  "recreatePolicy is Never and nothing was launched yet: launch",
			given: []given{never, prepared(hash)},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling", also: intends(1, launchCreated),
		},
		{
			name:  "it is shutting down: wait for its end, which the observer tells",
			given: []given{intent(1), recordedInStatus(1), ec2Shows(1, cloud.StateShuttingDown), prepared(hash), after(long)},
			ready: "False Terminating", flow: "Reconciling",
		},
		{
			name:  "suspended: nothing is launched",
			given: []given{ended, suspended, after(long)},
			ready: "False Suspended",
		},
		{
			name:  "it has just been terminated, attempt 2 is written: attempt 2 is repeated",
			given: []given{intent(2), recordedInStatus(1), ec2Shows(1, cloud.StateTerminated), prepared(hash), after(long)},
			step:  StepLaunch, ready: "False Launching", flow: "Reconciling",
		},
	})
}
