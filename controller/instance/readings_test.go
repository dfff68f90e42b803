// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// saysSynced expects what Synced says.
func saysSynced(status metav1.ConditionStatus, reason string) func(*testing.T, Plan) {
	return func(t *testing.T, p Plan) {
		t.Helper()
		if s := p.Verdict.Synced; s.Status != status || s.Reason != reason {
			t.Errorf("Synced is %+v, want %s %s", s, status, reason)
		}
	}
}

// told: status tells, for this spec, what Synced is, and of differences in these fields.
func told(synced metav1.ConditionStatus, fields ...string) given {
	return func(in *Input) {
		in.Object.Status.ObservedGeneration = in.Object.Generation
		in.Object.Status.Conditions = []metav1.Condition{{Type: ec2v1.ConditionSynced, Status: synced, ObservedGeneration: in.Object.Generation}}
		for _, field := range fields {
			in.Object.Status.Plan = append(in.Object.Status.Plan, ec2v1.PlannedChange{Field: field, State: ec2v1.PlanStatePending})
		}
	}
}

func TestDecideReads(t *testing.T) {
	data := spec(func(s *ec2v1.EC2InstanceSpec) { s.UserData = &ec2v1.UserData{Inline: "echo"} })
	wasRead := func(ago time.Duration, generation int64, value, wanted string) given {
		return remembers(func(m *Memory) {
			m.Readings = map[string]Reading{fieldUserData: {
				ID: instanceID(1), At: begin.Add(long - ago), Generation: generation, Value: value, Wanted: wanted,
			}}
		})
	}
	step, change := reading(fieldUserData), modifying(fieldUserData)
	inSync := func(in *Input) {
		in.Memory.Since = in.Now
		in.Object.Status.Conditions = []metav1.Condition{{Type: ec2v1.ConditionSynced, Status: metav1.ConditionTrue, ObservedGeneration: in.Object.Generation}}
	}
	running := kept(1, cloud.StateRunning)
	forThisSpec := allOf(
		intent(1, func(i *LaunchIntent) { i.Generation = 3 }), recordedInStatus(1), ec2Shows(1, cloud.StateRunning), after(long), data,
		remembers(func(m *Memory) { m.Since = begin.Add(long) }),
	)
	stoppedNow := func(in *Input) { in.Entries[0].State = cloud.StateStopped }
	toldOfUserData := told(metav1.ConditionFalse, fieldUserData)
	first := spread(testUID, fieldUserData, readAgain)
	again := readAgain + spread(testUID, fieldUserData, readAgain/readSpread)
	decideAll(t, []decision{
		{name: "it was never read, and nothing is known of it", given: []given{running, data}, step: step, id: instanceID(1), ready: "True Running"},
		{name: "it was never read, and was in sync: not all at once", given: []given{running, data, inSync}, ready: "True Running", after: first},
		{
			name:  "it was launched for this spec",
			given: []given{forThisSpec},
			ready: "True Running", after: first,
		},
		{
			name:  "it was launched for this spec, and an earlier process has told of a difference: not what it was launched with counts",
			given: []given{forThisSpec, toldOfUserData}, step: step, id: instanceID(1), ready: "True Running",
		},
		{
			name:  "an earlier process has stopped it for the bytes that a Secret has now: it is not started before they are compared",
			given: []given{forThisSpec, stoppedNow, toldOfUserData}, step: step, id: instanceID(1), ready: "False Starting", flow: "Reconciling",
		},
		{
			name:  "an earlier process has told of another difference: what it was launched with counts",
			given: []given{forThisSpec, told(metav1.ConditionFalse, fieldTags)}, ready: "True Running", after: first,
		},
		{
			name:  "an earlier process could not compare: what it was launched with says nothing",
			given: []given{forThisSpec, told(metav1.ConditionUnknown)}, step: step, id: instanceID(1), ready: "True Running",
		},
		{
			name:  "a difference was told and reading fails now: do not say that EC2 matches",
			given: []given{forThisSpec, toldOfUserData, called(step, instanceID(1), time.Second, failureOf(cloud.ClassThrottled))},
			ready: "True Running", after: time.Second, also: saysSynced(metav1.ConditionUnknown, ec2v1.ReasonUpdatePending),
		},
		{name: "spec has changed since", given: []given{running, data, wasRead(time.Minute, 2, "a", "a")}, step: step, id: instanceID(1), ready: "True Running"},
		{name: "it was read, and is the same", given: []given{running, data, wasRead(time.Minute, 3, "a", "a")}, ready: "True Running", after: again - time.Minute},
		{
			name: "another process has told of a difference since",
			given: []given{running, data, wasRead(time.Minute, 3, "a", "a"), func(in *Input) {
				in.Object.Status.ObservedGeneration = in.Object.Generation
				in.Object.Status.Plan = []ec2v1.PlannedChange{{Field: fieldUserData, Action: ec2v1.PlanActionStopStart, State: ec2v1.PlanStateBlocked}}
			}},
			step: step, id: instanceID(1), ready: "True Running",
		},
		{name: "it was read long ago", given: []given{running, data, wasRead(2*readAgain, 3, "a", "a")}, step: step, id: instanceID(1), ready: "True Running"},
		{
			name: "it was read of another instance", given: []given{running, data, wasRead(time.Minute, 3, "a", "a"), remembers(func(m *Memory) {
				r := m.Readings[fieldUserData]
				r.ID = instanceID(2)
				m.Readings[fieldUserData] = r
			})},
			step: step, id: instanceID(1), ready: "True Running",
		},
		{
			name: "it was read, and is another one", given: []given{kept(1, cloud.StateStopped), data, wasRead(time.Minute, 3, "a", "b"), allow(ec2v1.UpdateStopStart)},
			step: change, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: again - time.Minute,
		},
		{
			name:  "it was changed a moment ago: it is read when that should show",
			given: []given{kept(1, cloud.StateStopped), data, wasRead(time.Minute, 3, "a", "b"), allow(ec2v1.UpdateStopStart), called(change, instanceID(1)+" b", time.Second, nil)},
			id:    instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: settle - time.Second,
		},
		{
			name:  "it was changed long enough ago: it is read before it is changed again",
			given: []given{kept(1, cloud.StateStopped), data, wasRead(time.Minute, 3, "a", "b"), allow(ec2v1.UpdateStopStart), called(change, instanceID(1)+" b", settle, nil)},
			step:  step, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
		},
		{
			name: "it was refused while a change is under way: it is read before it is asked for again",
			given: []given{
				kept(1, cloud.StateStopped), data, wasRead(time.Minute, 3, "a", "b"), allow(ec2v1.UpdateStopStart),
				called(change, instanceID(1)+" b", 2*time.Second, failureOf(cloud.ClassWrongState)),
			},
			step: step, id: instanceID(1), ready: "False WrongState", flow: "Reconciling",
		},
		{
			name:  "reading failed: say so, and hold nothing else up",
			given: []given{kept(1, cloud.StateRunning, untagged("team")), data, called(step, instanceID(1), time.Second, failureOf(cloud.ClassUnauthorized))},
			step:  StepTag, id: instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second,
		},
		{
			name:  "the type was changed since: EC2 may have dropped it",
			given: []given{running, data, wasRead(time.Minute, 3, "a", "a"), called(modifying("instanceType"), "another type", settle, nil)},
			step:  step, id: instanceID(1), ready: "True Running",
		},
		{
			name:  "reading failed, and nothing is known of this spec: do not say that EC2 matches it",
			given: []given{running, data, called(step, instanceID(1), time.Second, failureOf(cloud.ClassInvalid))},
			ready: "False InvalidRequest", flow: "Stalled", after: 10*time.Minute - time.Second,
			also: saysSynced(metav1.ConditionUnknown, ec2v1.ReasonInvalidRequest),
		},
		{
			name:  "reading is throttled, and nothing is known of this spec: that is no news",
			given: []given{running, data, called(step, instanceID(1), time.Second, failureOf(cloud.ClassThrottled))},
			ready: "True Running", after: time.Second,
			also: saysSynced(metav1.ConditionUnknown, ec2v1.ReasonUpdatePending),
		},
		{
			name:  "reading failed this time, and EC2 matched this spec before",
			given: []given{running, data, inSync, wasRead(2*readAgain, 3, "a", "a"), called(step, instanceID(1), time.Second, failureOf(cloud.ClassUnauthorized))},
			ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second,
			also: saysSynced(metav1.ConditionTrue, ec2v1.ReasonInSync),
		},
		{
			name: "an override says to leave it alone", given: []given{running, data, override(fieldUserData, ec2v1.UpdateIgnore)},
			ready: "True Running",
		},
	})
}

func TestDecideReadsVolumesAsSoonAsTheyShow(t *testing.T) {
	device := spec(func(s *ec2v1.EC2InstanceSpec) {
		s.BlockDevices = []ec2v1.BlockDevice{{DeviceName: "/dev/xvda", SizeGiB: 40}}
	})
	with := func(volumes ...cloud.Volume) given {
		return kept(1, cloud.StateRunning, func(e *observer.Entry) { e.Volumes = volumes })
	}
	root, other := cloud.Volume{DeviceName: "/dev/xvda", ID: "vol-1"}, cloud.Volume{DeviceName: "/dev/sdf", ID: "vol-2"}
	wasRead := func(ago time.Duration, volumes ...string) given {
		return remembers(func(m *Memory) {
			r := Reading{ID: instanceID(1), At: begin.Add(long - ago), Generation: 3, Volumes: map[string]cloud.VolumeDetail{}}
			for _, id := range volumes {
				r.Volumes[id] = cloud.VolumeDetail{ID: id, SizeGiB: 40}
			}
			m.Readings = map[string]Reading{fieldDevices: r}
		})
	}
	step := reading(fieldDevices)
	again := readAgain + spread(testUID, fieldDevices, readAgain/readSpread) - time.Minute
	decideAll(t, []decision{
		{name: "none showed when it was read", given: []given{with(root), device, wasRead(time.Minute)}, step: step, id: instanceID(1), ready: "True Running"},
		{name: "another one is attached by now", given: []given{with(root), device, wasRead(time.Minute, "vol-0")}, step: step, id: instanceID(1), ready: "True Running"},
		{name: "it was read just now: not over and over", given: []given{with(root), device, wasRead(time.Second)}, ready: "True Running", after: settle - time.Second},
		{name: "all of spec's were read", given: []given{with(root, other), device, wasRead(time.Minute, "vol-1")}, ready: "True Running", after: again},
		{name: "none shows", given: []given{with(), device, wasRead(time.Minute)}, ready: "True Running", after: again},
	})
}
