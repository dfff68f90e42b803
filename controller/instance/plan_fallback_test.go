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

// The candidates of falling, in order.
var (
	microA = candidate{Type: "t3.micro", Subnet: "subnet-a"}
	microB = candidate{Type: "t3.micro", Subnet: "subnet-b"}
	smallA = candidate{Type: "t3.small", Subnet: "subnet-a"}
	smallB = candidate{Type: "t3.small", Subnet: "subnet-b"}
)

// falling: spec says what to launch where EC2 has no capacity.
func falling(in *Input) {
	in.Object.Spec.SubnetID = microA.Subnet
	in.Object.Spec.InstanceTypeFallbacks, in.Object.Spec.SubnetFallbacks = []string{smallA.Type}, []string{microB.Subnet}
}

// heldFor is an intent for a candidate, with a holder.
func heldFor(c candidate, holder string, edits ...func(*LaunchIntent)) func(*LaunchIntent) {
	return func(i *LaunchIntent) {
		i.InstanceType, i.Subnet, i.Holder, i.Generation = c.Type, c.Subnet, holder, testObject().Generation
		for _, edit := range edits {
			edit(i)
		}
	}
}

func preparedAs(c candidate, hash string) given {
	return func(in *Input) {
		prepared(hash)(in)
		in.Prepared.Candidate, in.Prepared.Parameters.InstanceType, in.Prepared.Parameters.SubnetID = c, c.Type, c.Subnet
	}
}

func wrote(attempt int64) given { return remembers(func(m *Memory) { m.Wrote = token(attempt) }) }

// refusedNow: EC2 has just had no capacity for an attempt.
func refusedNow(attempt int64) given {
	return called(StepLaunch, token(attempt), 0, failureOf(cloud.ClassCapacity))
}

func preparesFor(c candidate) func(*testing.T, Plan) {
	return func(t *testing.T, p Plan) {
		t.Helper()
		if p.Candidate != c {
			t.Errorf("prepares %s, want %s", p.Candidate, c)
		}
	}
}

// intendsFor expects the intent of an attempt for a candidate, held by this process.
func intendsWith(attempt int64, reason string, c candidate, round, refused int64) func(*testing.T, Plan) {
	return func(t *testing.T, p Plan) {
		t.Helper()
		intends(attempt, reason)(t, p)
		i := p.Intent
		if i == nil || i.InstanceType != c.Type || i.Subnet != c.Subnet || i.Holder != testIdentity || i.Round != round || i.Refused != refused {
			t.Errorf("intends %+v, want %s in round %d after %d", i, c, round, refused)
		}
	}
}

func saysNext(text string) func(*testing.T, Plan) {
	return func(t *testing.T, p Plan) {
		t.Helper()
		for _, s := range []State{p.Verdict.Ready, p.Verdict.Launched} {
			if !strings.Contains(s.Message, "Something: Code: words") || !strings.Contains(s.Message, text) {
				t.Errorf("says %q, want EC2's words and %q", s.Message, text)
			}
		}
	}
}

func TestDecideFallback(t *testing.T) {
	first := allOf(falling, intent(1, heldFor(microA, testIdentity)), after(time.Minute))
	last := func(round int64) given {
		return allOf(falling, intent(4, heldFor(smallB, testIdentity, func(i *LaunchIntent) { i.Round, i.Refused = round, 3 })), after(time.Minute), wrote(4))
	}
	pauses := func(round int64, pause time.Duration) decision {
		return decision{
			name:  "the last one is refused: the next round begins after a pause that grows, " + pause.String(),
			given: []given{last(round), refusedNow(4)}, ready: "False InsufficientCapacity", flow: "Reconciling", after: pause,
			also: saysNext("that was t3.small in subnet-b, and there was capacity for no other one; trying t3.micro in subnet-a again after a pause"),
		}
	}
	decideAll(t, []decision{
		{
			name: "nothing is launched yet: find out what to launch first", given: []given{falling},
			step: StepPrepare, ready: "False Launching", flow: "Reconciling", also: preparesFor(microA),
		},
		{
			name: "what to launch first is known", given: []given{falling, preparedAs(microA, hash)},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsWith(1, launchCreated, microA, 0, 0),
		},
		{
			name: "refused: find out the next one at once", given: []given{first, wrote(1), refusedNow(1)},
			step: StepPrepare, ready: "False Launching", flow: "Reconciling", also: preparesFor(microB),
		},
		{
			name: "refused, and the next one is known: the next attempt is for it", given: []given{first, wrote(1), refusedNow(1), preparedAs(microB, otherHash)},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsWith(2, launchFallback, microB, 0, 1),
		},
		{
			name: "the zone does not offer the type: the same", given: []given{
				first, wrote(1), called(StepLaunch, token(1), 0, &cloud.Error{Class: cloud.ClassInvalid, Code: "Unsupported", Definite: true}),
			},
			step: StepPrepare, ready: "False Launching", flow: "Reconciling", also: preparesFor(microB),
		},
		{
			name: "a refusal in another subnet than the first: the next type", given: []given{
				falling, intent(2, heldFor(microB, testIdentity, func(i *LaunchIntent) { i.Round, i.Refused = 2, 7 })), wrote(2), refusedNow(2), preparedAs(smallA, hash),
			},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsWith(3, launchFallback, smallA, 2, 8),
		},
		pauses(0, 30*time.Second), pauses(1, time.Minute), pauses(3, 4*time.Minute), pauses(50, 5*time.Minute),
		{
			name:  "the pause between the rounds is over: begin with the first one",
			given: []given{last(1), called(StepLaunch, token(4), time.Minute, failureOf(cloud.ClassCapacity)), preparedAs(microA, hash)},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsWith(5, launchFallback, microA, 2, 4),
		},
		{
			name: "refused, and user data cannot be read by now: say so",
			given: []given{first, wrote(1), refusedNow(1), func(in *Input) {
				in.PrepareError = &PrepareError{Reason: "UserDataNotFound", Message: "gone", After: time.Second}
			}},
			ready: "False UserDataNotFound", flow: "Stalled", after: time.Second,
		},
		{
			name: "another kind of refusal is of no candidate: wait", given: []given{first, wrote(1), preparedAs(microA, hash), called(StepLaunch, token(1), 0, failureOf(cloud.ClassQuota))},
			ready: "False QuotaExceeded", flow: "Reconciling", after: time.Minute,
		},
		{
			name: "refused, without fallbacks: wait", given: []given{intent(1), wrote(1), prepared(hash), refusedNow(1)},
			ready: "False InsufficientCapacity", flow: "Reconciling", after: 30 * time.Second,
		},
		{
			name: "refused, and suspended: nothing is launched", given: []given{first, wrote(1), refusedNow(1), suspended},
			ready: "False Suspended",
		},
		{
			name: "refused, and being deleted: look for what the attempt may have launched", given: []given{first, wrote(1), refusedNow(1), deleting(time.Second)},
			step: StepFindByToken, ready: "False Deleting", flow: "Reconciling",
		},
	})
}

// The next attempt is begun only when the one before it can launch nothing any more.
func TestDecideFallbackInDoubt(t *testing.T) {
	first := allOf(falling, intent(1, heldFor(microA, testIdentity)), after(time.Minute))
	looks := func(name string, all ...given) decision {
		return decision{
			name: name, given: append([]given{first, refusedNow(1), preparedAs(microB, hash)}, all...),
			step: StepFindByToken, ready: "False InsufficientCapacity", flow: "Reconciling", also: saysNext("trying t3.micro in subnet-b next"),
		}
	}
	decideAll(t, []decision{
		looks("another process has decided the attempt: look for what that one may have launched"),
		looks("a call had no answer: look for what it may have launched", wrote(1), remembers(func(m *Memory) { m.Unanswered = token(1) })),
		looks("what was looked for is another attempt's", remembers(func(m *Memory) { m.Voiding = search{Of: token(2), First: begin} })),
		{
			name:  "the look found nothing: look again in a while",
			given: []given{first, refusedNow(1), called(StepFindByToken, token(1), time.Second, errUnseen)},
			ready: "False InsufficientCapacity", flow: "Reconciling", after: 4 * time.Second, also: saysNext("trying t3.micro in subnet-b next"),
		},
		{
			name: "it was looked for until the window was over: the next attempt", given: []given{
				first, refusedNow(1), preparedAs(microB, otherHash), searched(consistencyWindow), called(StepFindByToken, token(1), 0, errUnseen),
			},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsWith(2, launchFallback, microB, 0, 1),
		},
	})
}

func TestDecideTakeOver(t *testing.T) {
	others := allOf(falling, intent(1, heldFor(microA, otherIdentity)), after(time.Minute))
	takes := func(name string, all ...given) decision {
		return decision{
			name: name, given: all, step: StepTakeOver, ready: "False Launching", flow: "Reconciling",
			also: func(t *testing.T, p Plan) {
				t.Helper()
				i := p.Intent
				if i.Attempt != 1 || i.Token != token(1) || i.Hash != hash || i.Holder != testIdentity || i.Reason != launchCreated || !i.At.Time.Equal(begin) {
					t.Errorf("writes %+v", i)
				}
			},
		}
	}
	held := func(ago time.Duration) given {
		return func(in *Input) { in.Memory.Held, in.Memory.HeldAt = token(1), in.Now.Add(-ago) }
	}
	decideAll(t, []decision{
		takes("another process holds the intent", others, preparedAs(microA, hash)),
		takes("another process holds the intent, and this one was refused before", others, preparedAs(microA, hash), wrote(1),
			called(StepLaunch, token(1), time.Minute, failureOf(cloud.ClassCapacity))),
		takes("spec has got its fallbacks after the intent", falling, intent(1, func(i *LaunchIntent) { i.Subnet = microA.Subnet }), preparedAs(microA, hash)),
		takes("spec has lost its fallbacks, which may come back", intent(1, heldFor(candidate{Type: "t3.micro"}, otherIdentity)), prepared(hash)),
		takes("it was taken over from this process long ago", others, preparedAs(microA, hash), held(takeBackAfter)),
		{
			name:  "another process has taken it over: leave it to that one for a while",
			given: []given{others, preparedAs(microA, hash), held(time.Minute)},
			ready: "False Launching", flow: "Reconciling", after: takeBackAfter - time.Minute, quiet: true,
		},
		{
			name:  "another process holds the intent, and spec asks for something else: look for what it has launched",
			given: []given{others, preparedAs(microA, otherHash)},
			step:  StepFindByToken, ready: "False Launching", flow: "Reconciling",
		},
		{
			name:  "spec has lost its fallbacks, and this process holds the intent: repeat the launch",
			given: []given{intent(1, heldFor(candidate{Type: "t3.micro"}, testIdentity)), prepared(hash)},
			step:  StepLaunch, ready: "False Launching", flow: "Reconciling",
		},
	})
}

func TestDecideFallbackAfterAnEdit(t *testing.T) {
	before := func(i *LaunchIntent) { i.Generation--; i.Round, i.Refused = 2, 9 }
	decideAll(t, []decision{
		{
			name:  "spec was edited, and the candidate is still one: repeat the launch, since the edit may be the answer",
			given: []given{falling, intent(3, heldFor(smallA, testIdentity, before)), wrote(3), preparedAs(smallA, hash)},
			step:  StepLaunch, ready: "False Launching", flow: "Reconciling",
		},
		{
			name:  "it is refused after the edit: begin with what spec prefers",
			given: []given{falling, intent(3, heldFor(smallA, testIdentity, before)), wrote(3), refusedNow(3), preparedAs(microA, hash)},
			step:  StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsWith(4, launchFallback, microA, 0, 10),
		},
		{
			name:  "spec does not have the candidate any more: it is the first one's turn",
			given: []given{falling, intent(3, heldFor(candidate{Type: "t3.large", Subnet: microA.Subnet}, testIdentity, before)), wrote(3)},
			step:  StepPrepare, ready: "False Launching", flow: "Reconciling", also: preparesFor(microA),
		},
		{
			name: "spec does not have the candidate any more: what it may have launched is looked for",
			given: []given{
				falling, intent(3, heldFor(candidate{Type: "t3.large", Subnet: microA.Subnet}, testIdentity, before)), wrote(3), preparedAs(microA, otherHash),
			},
			step: StepFindByToken, ready: "False Launching", flow: "Reconciling",
		},
		{
			name: "spec does not have the candidate any more, and EC2 had refused the parameters: the next attempt",
			given: []given{
				falling, intent(3, heldFor(candidate{Type: "t3.large", Subnet: microA.Subnet}, testIdentity, before)), preparedAs(microA, otherHash),
				remembers(func(m *Memory) { m.Rejected = token(3) }),
			},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsWith(4, launchSpecChanged, microA, 0, 9),
		},
	})
}

// EC2 has accepted the launch, and then had no capacity.
func TestDecideFallbackAfterALaunchThatFailed(t *testing.T) {
	starved := func(e *observer.Entry) { e.StateReasonCode = reasonNoCapacity }
	failed := func(c candidate, attempt int64) given {
		return allOf(falling, intent(attempt, heldFor(c, otherIdentity)), recordedInStatus(attempt), ec2Shows(attempt, cloud.StateTerminated, starved))
	}
	decideAll(t, []decision{
		{
			name: "the next one follows at once", given: []given{failed(microA, 1), preparedAs(microB, hash), after(time.Second)},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsWith(2, launchFallback, microB, 0, 1),
		},
		{
			name: "also where recreatePolicy is Never", given: []given{failed(microA, 1), preparedAs(microB, hash), after(time.Second), spec(func(s *ec2v1.EC2InstanceSpec) { s.RecreatePolicy = ec2v1.RecreateNever })},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsWith(2, launchFallback, microB, 0, 1),
		},
		{
			name: "after the last one comes a pause", given: []given{failed(smallB, 4), preparedAs(microA, hash), after(time.Second)},
			ready: "False LaunchFailed", flow: "Reconciling", after: 29 * time.Second,
		},
		{
			name: "it was the last one, and the pause is over: the first one again", given: []given{failed(smallB, 4), preparedAs(microA, hash), after(time.Minute)},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsWith(5, launchFallback, microA, 1, 1),
		},
		{
			name: "another failure is of no candidate: the same one again, after the pause of all launches",
			given: []given{
				falling, intent(1, heldFor(microA, testIdentity)), recordedInStatus(1), preparedAs(microA, hash), after(time.Second),
				ec2Shows(1, cloud.StateTerminated, func(e *observer.Entry) { e.StateReasonCode = "Server.InternalError" }),
			},
			ready: "False LaunchFailed", flow: "Reconciling", after: 14 * time.Second,
		},
		{
			name: "attempts for which EC2 had no capacity make no pause longer",
			given: []given{
				falling, intent(20, heldFor(smallA, testIdentity, func(i *LaunchIntent) { i.Refused = 19 })), recordedInStatus(20),
				ec2Shows(20, cloud.StateTerminated), preparedAs(microA, hash), after(16 * time.Second),
			},
			step: StepIntend, ready: "False Launching", flow: "Reconciling", also: intendsWith(21, launchTerminated, microA, 0, 19),
		},
	})
}

func TestAFallbackIsNoDrift(t *testing.T) {
	as := func(c candidate) func(*observer.Entry) {
		return func(e *observer.Entry) { e.Type, e.SubnetID = c.Type, c.Subnet }
	}
	for name, test := range map[string]struct {
		spec given
		runs candidate
		want []string
	}{
		"what spec prefers":               {falling, microA, nil},
		"another subnet":                  {falling, microB, nil},
		"another type and another subnet": {falling, smallB, nil},
		"neither":                         {falling, candidate{Type: "t3.large", Subnet: "subnet-c"}, []string{"instanceType", "subnetID"}},
		"spec prefers what was a fallback": {allOf(falling, spec(func(s *ec2v1.EC2InstanceSpec) {
			s.InstanceType, s.InstanceTypeFallbacks = smallA.Type, []string{microA.Type}
		})), microA, nil},
		"the fallback was taken out of spec": {allOf(falling, spec(func(s *ec2v1.EC2InstanceSpec) { s.InstanceTypeFallbacks = nil })), smallA, []string{"instanceType"}},
		"the subnet was taken out of spec":   {allOf(falling, spec(func(s *ec2v1.EC2InstanceSpec) { s.SubnetFallbacks = nil })), microB, []string{"subnetID"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := Decide(inputOf(test.spec, kept(1, cloud.StateRunning, as(test.runs))))
			var got []string
			for _, c := range p.Changes {
				got = append(got, c.Field)
			}
			if strings.Join(got, " ") != strings.Join(test.want, " ") {
				t.Errorf("differs in %v, want %v", got, test.want)
			}
		})
	}
}

// What a plan has yet to write is not told: the attempt in status would be passed over by the next pass, and nobody would have begun it.
func TestAnIntentIsNotToldBeforeItIsWritten(t *testing.T) {
	for _, step := range []Step{StepIntend, StepTakeOver, StepReplace, StepKeep, StepCancelRequest} {
		told := Plan{Step: step, Intent: &LaunchIntent{Attempt: 2}}.soon()
		if told.Intent != nil || told.After != again || told.Step != step {
			t.Errorf("%s: told %+v", step, told)
		}
	}
	if told := (Plan{Step: StepLaunch, Intent: &LaunchIntent{Attempt: 2}}).soon(); told.Intent == nil {
		t.Error("an intent that is written is not told")
	}
}
