// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

const (
	testCluster   = "0b6b5b0e-6b43-4f42-a0e5-2f8b6b5b7f10"
	testUID       = "5a1c2b8e-0000-4000-8000-000000000001"
	otherUID      = "5a1c2b8e-0000-4000-8000-000000000002"
	testRegion    = "eu-central-1"
	testIdentity  = "operator-1"
	otherIdentity = "operator-2"
	testImage     = "ami-0123456789abcdef0"
	hash          = "hash-as-written"
	otherHash     = "hash-of-an-edited-spec"
)

// begin is when the object's first launch was decided; later than it is when a test's pass takes place.
var begin = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// long is long enough after begin for everything to be settled.
const long = time.Hour

func token(attempt int64) string { return cloud.ClientToken(testCluster, testUID, attempt) }

func instanceID(n int64) string { return fmt.Sprintf("i-%017d", n) }

func testObject() *ec2v1.EC2Instance {
	return &ec2v1.EC2Instance{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "web-1", UID: testUID, Generation: 3, ResourceVersion: "7"},
		Spec: ec2v1.EC2InstanceSpec{
			AccountRef:      ec2v1.AccountReference{Name: ec2v1.DefaultAccountName},
			Image:           ec2v1.Image{ID: testImage},
			InstanceType:    "t3.micro",
			Tags:            []ec2v1.Tag{{Key: "team", Value: new("blue")}},
			MetadataOptions: ec2v1.MetadataOptions{HTTPTokens: "required"},
			PowerState:      ec2v1.PowerStateRunning,
			RecreatePolicy:  ec2v1.RecreateAlways,
			DeletionPolicy:  ec2v1.DeletionTerminate,
		},
	}
}

func testOwner() cloud.Owner { return cloud.Owner{UID: testUID, Namespace: "team", Name: "web-1"} }

func testTags() map[string]string {
	return cloud.DesiredTags(testCluster, testOwner(), &testObject().Spec)
}

// testInstance is the instance of an attempt, as testObject's spec asks for it.
func testInstance(attempt int64, state cloud.State) cloud.Instance {
	return cloud.Instance{
		ID: instanceID(attempt), State: state, Type: "t3.micro", ImageID: testImage,
		LaunchTime: begin.Add(time.Duration(attempt) * time.Second), ClientToken: token(attempt), Tags: testTags(),
		MetadataOptions: cloud.MetadataOptions{HTTPTokens: "required"},
		AccountID:       "123456789012", Region: testRegion,
	}
}

// given is one thing that is so.
type given func(*Input)

// inputOf is what a pass observes: an object that nothing is known of, and what is given.
func inputOf(all ...given) Input {
	in := Input{Now: begin, Cluster: testCluster, Identity: testIdentity, Object: testObject(), Region: testRegion, Synced: true}
	for _, g := range all {
		g(&in)
	}
	return in
}

func timeAt(d time.Duration) *metav1.Time { return new(metav1.NewTime(begin.Add(d))) }

func allOf(all ...given) given {
	return func(in *Input) {
		for _, g := range all {
			g(in)
		}
	}
}

// after a while, when EC2 has just described what it shows.
func after(d time.Duration) given {
	return func(in *Input) {
		in.Now = begin.Add(d)
		for i := range in.Entries {
			in.Entries[i].Described = in.Now
		}
	}
}

func spec(edit func(*ec2v1.EC2InstanceSpec)) given { return func(in *Input) { edit(&in.Object.Spec) } }

func annotated(value string) given {
	return func(in *Input) { metav1.SetMetaDataAnnotation(&in.Object.ObjectMeta, ec2v1.AnnotationLaunch, value) }
}

// intent of an attempt is written, with edits to it.
func intent(attempt int64, edits ...func(*LaunchIntent)) given {
	i := LaunchIntent{
		UID: testUID, Attempt: attempt, Token: token(attempt), Hash: hash, Image: testImage, Region: testRegion,
		At: metav1.NewTime(begin), Reason: launchCreated,
	}
	for _, edit := range edits {
		edit(&i)
	}
	value, err := i.encode()
	if err != nil {
		panic(err)
	}
	return annotated(value)
}

func prepared(hash string) given {
	return func(in *Input) {
		in.Prepared = &Prepared{Parameters: cloud.LaunchParameters{ImageID: testImage, InstanceType: "t3.micro", Tags: testTags()}, Hash: hash}
	}
}

// recordedInStatus: status tells of an attempt's instance.
func recordedInStatus(attempt int64) given {
	return func(in *Input) {
		s := &in.Object.Status
		s.InstanceID, s.State = instanceID(attempt), string(cloud.StateRunning)
		s.Launch = &ec2v1.LaunchStatus{Attempt: attempt, ClientToken: token(attempt), At: new(metav1.NewTime(begin)), Reason: launchCreated}
		s.ManagedTagKeys = []string{"Name", "team"}
	}
}

// ec2Shows an attempt's instance, with edits to it.
func ec2Shows(attempt int64, state cloud.State, edits ...func(*observer.Entry)) given {
	return func(in *Input) {
		e := observer.Entry{Instance: testInstance(attempt, state), OwnedBy: testOwner(), Seen: in.Now, Described: in.Now}
		for _, edit := range edits {
			edit(&e)
		}
		in.Entries = append(in.Entries, e)
	}
}

// kept: an attempt's instance is in every record, in a state.
func kept(attempt int64, state cloud.State, edits ...func(*observer.Entry)) given {
	return allOf(intent(attempt), recordedInStatus(attempt), ec2Shows(attempt, state, edits...), after(long))
}

func tagged(key, value string) func(*observer.Entry) {
	return func(e *observer.Entry) {
		e.Tags = maps.Clone(e.Tags)
		e.Tags[key] = value
	}
}

func untagged(key string) func(*observer.Entry) {
	return func(e *observer.Entry) {
		e.Tags = maps.Clone(e.Tags)
		delete(e.Tags, key)
	}
}

// showsChecks: EC2 says this of the instance's status checks.
func showsChecks(system, instance cloud.CheckResult) func(*observer.Entry) {
	return func(e *observer.Entry) {
		e.Status = &cloud.InstanceStatus{
			ID: e.ID, State: e.State, System: cloud.Check{Result: system}, Instance: cloud.Check{Result: instance},
		}
	}
}

// recordedChecks: status tells of checks of an attempt's instance.
func recordedChecks(attempt int64, result string, reachable State) given {
	return func(in *Input) {
		s := &in.Object.Status
		s.LaunchTime = new(metav1.NewTime(testInstance(attempt, "").LaunchTime))
		s.StatusChecks = &ec2v1.StatusChecks{System: result, Instance: result}
		s.ScheduledEvents = []ec2v1.ScheduledEvent{{Code: "instance-stop", NotBefore: new(metav1.NewTime(begin))}}
		s.Conditions = append(s.Conditions, metav1.Condition{
			Type: ec2v1.ConditionReachable, Status: reachable.Status, Reason: reachable.Reason, Message: reachable.Message,
		})
	}
}

func missing(e *observer.Entry) { e.Missing = begin.Add(time.Minute) }

func gone(e *observer.Entry) { e.Gone = true }

func foreignToken(e *observer.Entry) { e.ClientToken = "somebody-elses" }

func remembers(edit func(*Memory)) given { return func(in *Input) { edit(&in.Memory) } }

// called: a step was taken a while ago, with an error or none.
func called(step Step, of string, ago time.Duration, err *cloud.Error) given {
	return func(in *Input) { in.Memory.record(step, of, in.Now.Add(-ago), err) }
}

// searched: the first attempt's instance has been looked for since a while ago.
func searched(ago time.Duration) given {
	return func(in *Input) { in.Memory.Voiding = search{Of: token(1), First: in.Now.Add(-ago), Latest: in.Now} }
}

// deleting: the object was deleted a while ago.
func deleting(ago time.Duration) given {
	return func(in *Input) {
		in.Object.DeletionTimestamp = new(metav1.NewTime(in.Now.Add(-ago)))
		in.Object.Finalizers = []string{ec2v1.InstanceFinalizer}
	}
}

func policy(p ec2v1.DeletionPolicy) given {
	return spec(func(s *ec2v1.EC2InstanceSpec) { s.DeletionPolicy = p })
}

func unsynced(in *Input) { in.Synced = false }

func suspended(in *Input) { in.Object.Spec.Suspend = new(true) }

func accountMissing(in *Input) {
	in.Account = AccountVerdict{Reason: ec2v1.ReasonAccountNotFound, Message: `EC2Account "default" does not exist`, Missing: true}
	in.Synced = false
}

func accountNotAllowed(in *Input) {
	in.Account = AccountVerdict{Reason: ec2v1.ReasonAccountNotAllowed, Message: `EC2Account "default" does not allow namespace "team"`}
}

func failureOf(class cloud.Class) *cloud.Error {
	return &cloud.Error{Op: "Something", Class: class, Code: "Code", Message: "words", Definite: true}
}

// decision is a row: what is given, and what is to be decided.
type decision struct {
	name  string
	given []given
	step  Step
	// id of the instance that the step is about.
	id string
	// ready is the Ready condition's status and reason.
	ready string
	// flow is Reconciling or Stalled, where one of them is there.
	flow string
	// after is when to come back.
	after time.Duration
	// quiet leaves the status alone; there is no verdict then.
	quiet bool
	// also looks further.
	also func(*testing.T, Plan)
}

// comparablePlans lets plans be compared.
var comparablePlans = cmp.Options{
	cmp.AllowUnexported(Change{}), cmp.Comparer(func(a, b cloud.Modification) bool { return a == b }),
}

func decideAll(t *testing.T, rows []decision) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			in := inputOf(row.given...)
			before := snapshot(t, in)
			p := Decide(in)
			got := decision{step: p.Step, id: p.ID, ready: readyOf(p), flow: flowOf(p), after: p.After, quiet: p.Quiet}
			want := decision{step: row.step, id: row.id, ready: row.ready, flow: row.flow, after: row.after, quiet: row.quiet}
			unexported := cmp.AllowUnexported(decision{})
			if diff := cmp.Diff(want, got, unexported, cmpopts.IgnoreFields(decision{}, "also", "given")); diff != "" {
				t.Errorf("decided (-want +got):\n%s\n%+v", diff, p.Verdict)
			}
			if problem := malformed(p); problem != "" {
				t.Error(problem)
			}
			if diff := cmp.Diff(before, snapshot(t, in)); diff != "" {
				t.Errorf("the input was changed:\n%s", diff)
			}
			if row.also != nil {
				row.also(t, p)
			}
		})
	}
}

func readyOf(p Plan) string {
	if p.Verdict.Ready.Status == "" {
		return ""
	}
	return string(p.Verdict.Ready.Status) + " " + p.Verdict.Ready.Reason
}

func flowOf(p Plan) string {
	var flow []string
	if p.Verdict.Reconciling != nil {
		flow = append(flow, ec2v1.ConditionReconciling)
	}
	if p.Verdict.Stalled != nil {
		flow = append(flow, ec2v1.ConditionStalled)
	}
	return strings.Join(flow, "+")
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatal(...any)
}

// snapshot is everything that an input says, as text.
func snapshot(t fataler, in Input) string {
	t.Helper()
	out, err := json.MarshalIndent(in, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// malformed tells what is wrong with a plan whatever was decided: kstatus' rules on conditions, and what a
// step needs.
func malformed(p Plan) string {
	if !p.Quiet && p.Step != StepRelease {
		if problem := malformedVerdict(p.Verdict); problem != "" {
			return problem
		}
	}
	switch p.Step {
	case StepIntend, StepTakeOver, StepLaunch, StepFindByToken:
		if p.Intent == nil || p.Of != p.Intent.Token {
			return fmt.Sprintf("%s is not for its intent: %+v", p.Step, p)
		}
	case StepStart, StepStop, StepHibernate, StepReboot, StepCancelRequest, StepTerminate, StepTerminateSurplus, StepFindByID, StepTag:
		if p.ID == "" || p.Of == "" {
			return fmt.Sprintf("%s names no instance: %+v", p.Step, p)
		}
	case StepReplace, StepKeep:
		if p.Intent == nil || p.ID == "" {
			return fmt.Sprintf("%s is not for its intent: %+v", p.Step, p)
		}
	case StepNone, StepPrepare, StepRelease:
	default:
		if !p.Step.reads() && !p.Step.modifies() {
			return fmt.Sprintf("%q is no step", p.Step)
		}
		if p.ID == "" || p.Of == "" || p.Field == "" {
			return fmt.Sprintf("%s names no instance or no field: %+v", p.Step, p)
		}
		if p.Step.modifies() && p.Modification == nil && p.Field != fieldUserData {
			return fmt.Sprintf("%s changes nothing: %+v", p.Step, p)
		}
	}
	if p.After < 0 {
		return fmt.Sprintf("comes back after %s", p.After)
	}
	if !slices.IsSorted(p.ManagedTagKeys) || len(slices.Compact(slices.Clone(p.ManagedTagKeys))) != len(p.ManagedTagKeys) {
		return fmt.Sprintf("managed tag keys are no sorted set: %v", p.ManagedTagKeys)
	}
	return ""
}

func malformedVerdict(v Verdict) string {
	for name, s := range map[string]*State{
		ec2v1.ConditionReady: &v.Ready, ec2v1.ConditionLaunched: &v.Launched, ec2v1.ConditionSynced: &v.Synced,
		ec2v1.ConditionReachable: &v.Reachable, ec2v1.ConditionReconciling: v.Reconciling, ec2v1.ConditionStalled: v.Stalled,
	} {
		if s != nil && (s.Status == "" || s.Reason == "") {
			return fmt.Sprintf("condition %s is incomplete: %+v", name, *s)
		}
	}
	for _, s := range []*State{v.Reconciling, v.Stalled} {
		if s != nil && s.Status != metav1.ConditionTrue {
			return fmt.Sprintf("there while not True: %+v", *s)
		}
		if s != nil && v.Ready.Status == metav1.ConditionTrue {
			return fmt.Sprintf("Ready is True beside %+v", *s)
		}
	}
	if v.Reconciling != nil && v.Stalled != nil {
		return "both Reconciling and Stalled"
	}
	return ""
}
