// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// Anything that a pass may come upon, and more: objects, records and EC2 need not agree.

var (
	states = []cloud.State{
		cloud.StatePending, cloud.StateRunning, cloud.StateStopping, cloud.StateStopped, cloud.StateShuttingDown, cloud.StateTerminated,
	}
	classes = []cloud.Class{
		cloud.ClassInvalid, cloud.ClassCapacity, cloud.ClassThrottled, cloud.ClassUnauthorized, cloud.ClassNotYetVisible, cloud.ClassTransient,
	}
	remembered = []Step{
		StepLaunch, StepFindByID, StepFindByToken, StepStart, StepStop, StepTag, StepTerminate, StepTerminateSurplus, StepReplace, StepReboot, StepCancelRequest,
		modifying(fieldGroups), modifying("instanceType"), modifying(fieldUserData), reading(fieldUserData),
	}
)

// chance is true one time in n.
func chance(t *rapid.T, n int, label string) bool { return rapid.IntRange(1, n).Draw(t, label) == 1 }

func pick[T any](t *rapid.T, label string, of ...T) T { return rapid.SampledFrom(of).Draw(t, label) }

func anAttempt(t *rapid.T, label string) int64 { return rapid.Int64Range(1, 4).Draw(t, label) }

func aToken(t *rapid.T, label string) string {
	if chance(t, 5, label+" is foreign") {
		return "somebody-elses"
	}
	return token(anAttempt(t, label))
}

func aTime(t *rapid.T, label string) time.Time {
	return begin.Add(time.Duration(rapid.IntRange(-3600, 7200).Draw(t, label)) * time.Second)
}

func aSpec(t *rapid.T, s *ec2v1.EC2InstanceSpec) {
	s.PowerState = pick(t, "power", "", ec2v1.PowerStateRunning, ec2v1.PowerStateStopped, ec2v1.PowerStateHibernated)
	s.ManagementPolicy = pick(t, "management policy", "", ec2v1.ManagementManage, ec2v1.ManagementManage, ec2v1.ManagementObserve)
	if chance(t, 4, "adopt") {
		s.Adopt = &ec2v1.Adopt{InstanceID: instanceID(anAttempt(t, "adopted"))}
	}
	s.ProtectionPolicy = pick(t, "protection policy", "", ec2v1.ProtectionRespect, ec2v1.ProtectionLift)
	s.DeletionPolicy = pick(t, "deletion policy", "", ec2v1.DeletionTerminate, ec2v1.DeletionStop, ec2v1.DeletionRetain)
	s.RecreatePolicy = pick(t, "recreate policy", "", ec2v1.RecreateAlways, ec2v1.RecreateNever)
	s.Suspend = pick(t, "suspend", nil, new(false), new(true))
	s.InstanceType = pick(t, "type", "t3.micro", "t3.large")
	if chance(t, 3, "fallbacks") {
		s.SubnetID, s.SubnetFallbacks = microA.Subnet, pick(t, "fallback subnets", nil, []string{microB.Subnet})
		s.InstanceTypeFallbacks = pick(t, "fallback types", nil, []string{smallA.Type})
	}
	s.KeyName = pick(t, "key", "", "ops")
	s.UserData = pick(t, "user data", nil, &ec2v1.UserData{Inline: "echo"})
	if chance(t, 3, "parameter") {
		s.Image = ec2v1.Image{SSMParameter: pick(t, "parameter name", "/one", "/two")}
	}
	s.UpdatePolicy.Allow = pick(t, "allow", "", ec2v1.UpdateInPlace, ec2v1.UpdateStopStart, ec2v1.UpdateReplace)
	if chance(t, 3, "override") {
		field := pick(t, "overridden", "instanceType", "keyName", fieldGroups, fieldUserData)
		to := pick(t, "to", ec2v1.UpdateIgnore, ec2v1.UpdateInPlace, ec2v1.UpdateStopStart, ec2v1.UpdateReplace)
		s.UpdatePolicy.Overrides = []ec2v1.UpdateOverride{{Field: field, Allow: to}}
	}
	s.SecurityGroupIDs = pick(t, "groups", nil, []string{groupA}, []string{groupB, groupA})
	s.Ignore = pick(t, "ignore", nil, &ec2v1.Ignore{SecurityGroupIDs: []string{groupC}, TagPrefixes: []string{"te"}})
	if chance(t, 4, "reboot") {
		s.RebootRequestedAt = new(metav1.NewTime(aTime(t, "reboot at")))
	}
	s.Tags = nil
	for _, key := range []string{"Name", "team", "new"} {
		if chance(t, 2, "tag "+key) {
			s.Tags = append(s.Tags, ec2v1.Tag{Key: key, Value: pick(t, "value", nil, new("blue"), new("red"))})
		}
	}
}

func aStatus(t *rapid.T, s *ec2v1.EC2InstanceStatus) {
	if chance(t, 3, "status is empty") {
		return
	}
	s.ManagedSecurityGroupIDs = pick(t, "managed groups", nil, []string{groupA}, []string{groupA, groupC})
	s.ManagedTagKeys = pick(t, "managed", nil, []string{"Name"}, []string{"Name", "new", "team"})
	if chance(t, 4, "nothing recorded") {
		return
	}
	s.InstanceID = instanceID(anAttempt(t, "recorded"))
	s.State = string(rapid.SampledFrom(states).Draw(t, "recorded state"))
	if !chance(t, 4, "launch is not recorded") {
		s.Launch = &ec2v1.LaunchStatus{Attempt: rapid.Int64Range(0, 4).Draw(t, "launched"), ClientToken: aToken(t, "launched token")}
		if !chance(t, 3, "no time") {
			s.Launch.At = new(metav1.NewTime(aTime(t, "launched at")))
		}
	}
}

func anIntent(t *rapid.T, in *Input) {
	switch rapid.IntRange(0, 5).Draw(t, "intent") {
	case 0:
	case 1:
		annotated(rapid.String().Draw(t, "annotation"))(in)
	case 2:
		intent(anAttempt(t, "attempt"), func(i *LaunchIntent) {
			i.UID = pick[types.UID](t, "uid", "", testUID, otherUID)
			i.Attempt = rapid.Int64().Draw(t, "any attempt")
			i.Token = cloud.ClientToken(testCluster, testUID, i.Attempt)
		})(in)
	default:
		intent(anAttempt(t, "attempt"), func(i *LaunchIntent) {
			i.At = metav1.NewTime(aTime(t, "intended at"))
			i.SSMParameter = pick(t, "intended parameter", "", "/one")
			i.Generation = pick[int64](t, "intended generation", 0, 3)
			if chance(t, 2, "for a candidate") {
				c := pick(t, "candidate", microA, microB, smallA, smallB)
				i.InstanceType, i.Subnet, i.Holder = c.Type, c.Subnet, pick(t, "holder", "", testIdentity, otherIdentity)
				i.Round, i.Refused = rapid.Int64Range(0, 5).Draw(t, "round"), rapid.Int64Range(0, 9).Draw(t, "refused")
			}
			if chance(t, 3, "replacing") {
				i.Replacing = new(metav1.NewTime(aTime(t, "replacing at")))
			}
		})(in)
	}
}

func anEntry(t *rapid.T, n int) observer.Entry {
	e := observer.Entry{Instance: testInstance(int64(n+1), rapid.SampledFrom(states).Draw(t, "state"))}
	e.ClientToken = aToken(t, "token")
	e.OwnedBy.UID = pick[types.UID](t, "owner", "", testUID, testUID, otherUID)
	e.Gone = chance(t, 6, "gone")
	if chance(t, 2, "interface") {
		interfaceWith(pick(t, "shown groups", []string{groupA}, []string{groupA, groupC}, []string{groupB})...)(&e.Instance)
	}
	if chance(t, 4, "missing") {
		e.Missing = aTime(t, "missing since")
	}
	if e.State == cloud.StateRunning && chance(t, 2, "checked") {
		showsChecks(aResult(t, "system"), aResult(t, "instance"))(&e)
	}
	for _, key := range []string{"team", "new", "foreign"} {
		if chance(t, 3, "tagged "+key) {
			tagged(key, "red")(&e)
		}
	}
	for _, key := range []string{"team", "Name", ec2v1.TagUID} {
		if chance(t, 5, "untagged "+key) {
			untagged(key)(&e)
		}
	}
	return e
}

func aResult(t *rapid.T, label string) cloud.CheckResult {
	return pick(t, label, "", cloud.CheckInitializing, cloud.CheckOK, cloud.CheckOK, cloud.CheckImpaired, cloud.CheckInsufficientData)
}

func anError(t *rapid.T, step Step) *cloud.Error {
	switch rapid.IntRange(0, 2).Draw(t, "error") {
	case 0:
		return nil
	case 1:
		if step == StepFindByID || step == StepFindByToken {
			return errUnseen
		}
		return nil
	default:
		return failureOf(rapid.SampledFrom(classes).Draw(t, "class"))
	}
}

func aMemory(t *rapid.T, in *Input) {
	m := &in.Memory
	for _, step := range remembered {
		if chance(t, 3, "called "+string(step)) {
			of := pick(t, "of", changeOf(cloud.InstanceType{Type: "t3.large"}), instanceID(1)+" b", instanceID(anAttempt(t, "of id")), aToken(t, "of token"), launchedTags(instanceID(1), testTags()))
			m.record(step, of, in.Now.Add(-time.Duration(rapid.IntRange(0, 600).Draw(t, "ago"))*time.Second), anError(t, step))
		}
	}
	for _, into := range []*string{&m.Wrote, &m.Held} {
		if chance(t, 2, "written") {
			*into = aToken(t, "written token")
		}
	}
	m.HeldAt = aTime(t, "held at")
	for _, into := range []*string{&m.Rejected, &m.Terminated, &m.Voiding.Of, &m.Unmatched, &m.Unanswered} {
		if chance(t, 6, "remembered") {
			*into = aToken(t, "remembered token")
		}
	}
	if chance(t, 2, "read") {
		m.Readings = map[string]Reading{fieldUserData: {
			ID: instanceID(anAttempt(t, "read id")), At: aTime(t, "read at"), Generation: pick[int64](t, "read for", 2, 3),
			Value: "a", Wanted: pick(t, "wanted", "a", "b"),
		}}
	}
	m.Voiding.First = aTime(t, "voiding since")
	if chance(t, 6, "gone") {
		m.Gone = instanceID(anAttempt(t, "gone id"))
	}
}

func anyInput(t *rapid.T) Input {
	in := inputOf()
	in.Now = aTime(t, "now")
	aSpec(t, &in.Object.Spec)
	aStatus(t, &in.Object.Status)
	anIntent(t, &in)
	if chance(t, 3, "claimed") {
		in.Claims = Claims{Owner: pick(t, "claim", "", "team/web-2"), Rival: pick(t, "rival", "", "team/web-3")}
	}
	for n := range rapid.IntRange(0, 3).Draw(t, "entries") {
		in.Entries = append(in.Entries, anEntry(t, n))
	}
	aMemory(t, &in)
	in.Synced = !chance(t, 5, "not synced")
	if chance(t, 4, "statuses fail") {
		in.StatusError = failureOf(rapid.SampledFrom(classes).Draw(t, "status class"))
	}
	if chance(t, 3, "checks recorded") {
		recordedChecks(anAttempt(t, "checked attempt"), pick(t, "recorded result", "ok", "impaired"), pick(t, "recorded reachable", passed, failing))(&in)
	}
	if chance(t, 5, "list error") {
		in.ListError = failureOf(rapid.SampledFrom(classes).Draw(t, "list error class"))
	}
	switch rapid.IntRange(0, 9).Draw(t, "account") {
	case 0:
		accountMissing(&in)
	case 1:
		accountNotAllowed(&in)
	}
	switch rapid.IntRange(0, 4).Draw(t, "prepared") {
	case 0:
	case 1:
		in.PrepareError = &PrepareError{Call: failureOf(rapid.SampledFrom(classes).Draw(t, "prepare class")), After: time.Second}
	case 2:
		prepared(otherHash)(&in)
	default:
		prepared(hash)(&in)
	}
	if all := candidatesOf(&in.Object.Spec); in.Prepared != nil && len(all) > 0 {
		in.Prepared.Candidate = rapid.SampledFrom(all).Draw(t, "prepared candidate")
	}
	if chance(t, 3, "deleting") {
		in.Object.DeletionTimestamp = new(metav1.NewTime(aTime(t, "deleted at")))
		in.Object.Finalizers = pick(t, "finalizers", nil, []string{ec2v1.InstanceFinalizer}, []string{"example.com/other", ec2v1.InstanceFinalizer})
	}
	return in
}

// ourLive are the live instances that are the object's by the rule itself: by uid, or by a token that anybody
// derives for an attempt around the one that is known.
func ourLive(in Input) []observer.Entry {
	near := knownAttempt(in.Object, intentOf(in.Object, in.Cluster)) <= attemptsAround
	return slices.DeleteFunc(slices.Clone(in.Entries), func(e observer.Entry) bool {
		return !e.State.Live() || e.Gone || (e.OwnedBy.UID != testUID && (!near || !derived(e.ClientToken)))
	})
}

func derived(clientToken string) bool {
	for attempt := int64(1); attempt <= 4; attempt++ {
		if clientToken == token(attempt) {
			return true
		}
	}
	return false
}

func mutates(s Step) bool {
	switch s {
	case StepIntend, StepTakeOver, StepLaunch, StepStart, StepStop, StepHibernate, StepReboot, StepTag, StepReplace, StepCancelRequest, StepTerminate, StepTerminateSurplus:
		return true
	default:
		return s.modifies()
	}
}

// whateverIsGiven checks what must hold of every decision.
func whateverIsGiven(t *testing.T, holds func(*rapid.T, Input, Plan)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		holds(t, in, Decide(in))
	})
}

func TestDecideIsPure(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		before := snapshot(t, in)
		if diff := cmp.Diff(p, Decide(in), comparablePlans); diff != "" {
			t.Fatalf("two decisions on one input:\n%s", diff)
		}
		if diff := cmp.Diff(before, snapshot(t, in)); diff != "" {
			t.Fatalf("the input was changed:\n%s", diff)
		}
	})
}

func TestDecideIsWellFormed(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, _ Input, p Plan) {
		if problem := malformed(p); problem != "" {
			t.Fatal(problem)
		}
	})
}

func TestDecideLeavesSuspendedInstancesAlone(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		if in.suspended() && in.Object.DeletionTimestamp == nil && mutates(p.Step) {
			t.Fatalf("%s while suspended", p.Step)
		}
		if in.observes() && mutates(p.Step) {
			t.Fatalf("%s while observing", p.Step)
		}
	})
}

// An instance that others have is not touched, and nothing is launched in its place.
func TestDecideTakesNothingFromOthers(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		e := in.adoptee()
		if e == nil || !e.State.Live() || e.Gone || whoseElse(in, e) == "" || derived(e.ClientToken) || e.OwnedBy.UID == testUID {
			return
		}
		if p.ID == e.ID && mutates(p.Step) {
			t.Fatalf("%s of somebody else's instance: %s", p.Step, whoseElse(in, e))
		}
		if p.Step.launches() {
			t.Fatalf("%s in the place of somebody else's instance", p.Step)
		}
	})
}

func TestDecideChangesNothingOnAnIncompleteView(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		notAllowed := in.Account.Reason != "" && in.Object.DeletionTimestamp == nil
		if (!in.Synced || in.Account.Missing || notAllowed) && (mutates(p.Step) || p.Step.looks()) {
			t.Fatalf("%s with account %+v, synced %v", p.Step, in.Account, in.Synced)
		}
	})
}

func TestDecideLaunchesNothingBesideALiveInstance(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		if p.Step.launches() && len(ourLive(in)) > 0 {
			t.Fatalf("%s beside %+v", p.Step, ourLive(in))
		}
		if p.Step == StepIntend && p.Intent.Token != cloud.ClientToken(testCluster, testUID, p.Intent.Attempt) {
			t.Fatalf("intends %+v", p.Intent)
		}
	})
}

// An attempt is launched by its holder, and is given up only when it can launch nothing any more.
func TestDecideKeepsToTheFence(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		f := learn(in)
		if p.Step.launches() && (p.Intent.Holder != "" || len(candidatesOf(&in.Object.Spec)) > 0) && p.Intent.Holder != in.Identity {
			t.Fatalf("%s of %+v by %s", p.Step, p.Intent, in.Identity)
		}
		if p.Step == StepTakeOver && (f.intent == nil || p.Intent.Token != f.intent.Token || p.Intent.Hash != f.intent.Hash) {
			t.Fatalf("takes %+v over, which is %+v", p.Intent, f.intent)
		}
		if p.Step != StepIntend || f.intent == nil || f.consumed {
			return
		}
		answered := in.Memory.Wrote == f.intent.Token && in.Memory.Unanswered != f.intent.Token && f.intent.Holder == in.Identity
		if !answered && in.Memory.Rejected != f.intent.Token && !in.ruledOut(f.intent.Token) {
			t.Fatalf("gives %+v up for %+v", f.intent, p.Intent)
		}
	})
}

func TestDecideLaunchesNothingForAnObjectThatIsBeingDeleted(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		deleted := in.Object.DeletionTimestamp != nil
		if deleted && (p.Step.launches() || p.Step == StepStart || p.Step == StepTag) {
			t.Fatalf("%s in deletion", p.Step)
		}
		if !deleted && (p.Step == StepTerminate || p.Step == StepRelease) {
			t.Fatalf("%s without deletion", p.Step)
		}
	})
}

func TestDecideReleasesNoObjectWhoseInstanceLives(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		policy := in.Object.Spec.DeletionPolicy
		if p.Step == StepRelease && !in.observes() && (policy == "" || policy == ec2v1.DeletionTerminate) && len(ourLive(in)) > 0 {
			t.Fatalf("released with %+v", ourLive(in))
		}
		if p.Step == StepTerminate && policy != "" && policy != ec2v1.DeletionTerminate {
			t.Fatalf("terminates with deletionPolicy %s", policy)
		}
	})
}

func TestDecideTerminatesOnlyOurOwnSurplus(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		if p.Step != StepTerminateSurplus {
			return
		}
		i := slices.IndexFunc(in.Entries, func(e observer.Entry) bool { return e.ID == p.ID })
		if i < 0 || !derived(in.Entries[i].ClientToken) || !in.Entries[i].State.Live() {
			t.Fatalf("terminates %s, which is no surplus of ours", p.ID)
		}
		if p.Instance == nil || p.Instance.ID == p.ID || !p.Instance.State.Live() {
			t.Fatalf("terminates %s and keeps %+v", p.ID, p.Instance)
		}
		if slices.ContainsFunc(ourLive(in), func(e observer.Entry) bool { return e.ID == in.Object.Status.InstanceID }) &&
			p.ID == in.Object.Status.InstanceID {
			t.Fatalf("terminates the recorded instance %s", p.ID)
		}
	})
}

// A decision that waits for nobody's news says when to come back, or there is nothing left to do.
func TestDecideNeverForgetsAnObject(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		if p.Step != StepNone || p.After > 0 {
			return
		}
		// The observer looks at what it shows in motion, and tells its owner.
		inMotion := slices.ContainsFunc(in.Entries, func(e observer.Entry) bool {
			return e.State.InMotion() && e.Missing.IsZero() && (e.OwnedBy.UID == testUID || derived(e.ClientToken))
		})
		upToOthers := in.Object.DeletionTimestamp != nil && !slices.Contains(in.Object.Finalizers, ec2v1.InstanceFinalizer)
		if p.Verdict.Reconciling != nil && !inMotion && !upToOthers {
			t.Fatalf("nothing wakes the object: %+v", p.Verdict.Ready)
		}
	})
}

// A removed tag was recorded as ours, and is no part of the instance's identity.
func TestDecideRemovesOnlyItsOwnTags(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		for _, key := range p.RemoveTags {
			if !slices.Contains(in.Memory.alsoOurs(p.ID, in.Object.Status.ManagedTagKeys), key) || key == ec2v1.TagUID {
				t.Fatalf("removes %q, ours are %v", key, in.Object.Status.ManagedTagKeys)
			}
		}
		for key := range p.SetTags {
			if key == "foreign" {
				t.Fatal("sets a tag of somebody else's")
			}
		}
	})
}

// What policy does not allow is not done, whatever else is so.
func TestDecideGoesNoFurtherThanPolicyAllows(t *testing.T) {
	most := func(in Input) int {
		furthest := slices.Index(disruption, ec2v1.PlanAction(allowanceOf(&in.Object.Spec, "image")))
		for _, f := range fields {
			furthest = max(furthest, slices.Index(disruption, ec2v1.PlanAction(allowanceOf(&in.Object.Spec, f.Name))))
		}
		return furthest
	}
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		stop := p.Step == StepStop && !wantsStopped(in.Object.Spec.PowerState) && in.Object.DeletionTimestamp == nil
		if stop && most(in) < slices.Index(disruption, ec2v1.PlanActionStopStart) {
			t.Fatalf("stops an instance that shall run, for %q", p.Field)
		}
		if p.Step == StepReplace && most(in) < slices.Index(disruption, ec2v1.PlanActionReplace) {
			t.Fatalf("replaces an instance, for %q", p.Field)
		}
	})
}

// A group that is somebody else's stays on the instance.
func TestDecideKeepsTheGroupsOfOthers(t *testing.T) {
	whateverIsGiven(t, func(t *rapid.T, in Input, p Plan) {
		m, ok := p.Modification.(cloud.SecurityGroups)
		if !ok {
			return
		}
		for _, id := range p.Instance.SecurityGroupIDs {
			ours := slices.Contains(learn(in).ourGroups(in), id) && !ignoresGroup(&in.Object.Spec, id)
			if !slices.Contains(m.IDs(), id) && !ours {
				t.Fatalf("takes %s away: %+v", id, m)
			}
		}
	})
}
