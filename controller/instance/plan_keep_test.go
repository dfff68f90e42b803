// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

func wants(s ec2v1.PowerState) given {
	return spec(func(spec *ec2v1.EC2InstanceSpec) { spec.PowerState = s })
}

func TestDecidePowerState(t *testing.T) {
	const stopped, running = ec2v1.PowerStateStopped, ec2v1.PowerStateRunning
	row := func(state cloud.State, want ec2v1.PowerState, step Step, ready, flow string) decision {
		d := decision{
			name:  fmt.Sprintf("it is %s and shall be %s", state, want),
			given: []given{kept(1, state), wants(want)},
			step:  step, ready: ready, flow: flow,
		}
		if step != StepNone {
			d.id = instanceID(1)
		}
		return d
	}
	decideAll(t, []decision{
		row(cloud.StatePending, running, StepNone, "False Starting", "Reconciling"),
		row(cloud.StateRunning, running, StepNone, "True Running", ""),
		row(cloud.StateStopping, running, StepNone, "False Starting", "Reconciling"),
		row(cloud.StateStopped, running, StepStart, "False Starting", "Reconciling"),
		row(cloud.StatePending, stopped, StepNone, "False Stopping", "Reconciling"),
		row(cloud.StateRunning, stopped, StepStop, "False Stopping", "Reconciling"),
		row(cloud.StateStopping, stopped, StepNone, "False Stopping", "Reconciling"),
		row(cloud.StateStopped, stopped, StepNone, "True Stopped", ""),
		// Objects of before the field had a default.
		row(cloud.StateStopped, "", StepStart, "False Starting", "Reconciling"),
		row(cloud.StateRunning, "", StepNone, "True Running", ""),
	})
	decideAll(t, []decision{
		{
			name:  "it was asked to start a moment ago: wait until that shows",
			given: []given{kept(1, cloud.StateStopped), called(StepStart, instanceID(1), time.Second, nil)},
			id:    instanceID(1), ready: "False Starting", flow: "Reconciling", after: settle - time.Second,
		},
		{
			name:  "it was asked to start and still does not: ask again",
			given: []given{kept(1, cloud.StateStopped), called(StepStart, instanceID(1), settle, nil)},
			step:  StepStart, id: instanceID(1), ready: "False Starting", flow: "Reconciling",
		},
		{
			name:  "starting failed for want of capacity: say so, and wait",
			given: []given{kept(1, cloud.StateStopped), called(StepStart, instanceID(1), time.Second, failureOf(cloud.ClassCapacity))},
			id:    instanceID(1), ready: "False InsufficientCapacity", flow: "Reconciling", after: 29 * time.Second,
		},
		{
			name:  "stopping is refused by stop protection: that needs help",
			given: []given{kept(1, cloud.StateRunning), wants(stopped), called(StepStop, instanceID(1), time.Second, failureOf(cloud.ClassProtected))},
			id:    instanceID(1), ready: "False Protected", flow: "Stalled", after: 59 * time.Second,
		},
		{
			name:  "starting is throttled: it is still being started",
			given: []given{kept(1, cloud.StateStopped), called(StepStart, instanceID(1), time.Second, failureOf(cloud.ClassThrottled))},
			id:    instanceID(1), ready: "False Starting", flow: "Reconciling", after: time.Second,
		},
		{
			name:  "another instance was asked to start: that says nothing of this one",
			given: []given{kept(1, cloud.StateStopped), called(StepStart, instanceID(9), time.Second, nil)},
			step:  StepStart, id: instanceID(1), ready: "False Starting", flow: "Reconciling",
		},
		{
			name:  "suspended while it is stopped: it is not started, and not called ready",
			given: []given{kept(1, cloud.StateStopped), suspended},
			ready: "False Suspended",
			also: func(t *testing.T, p Plan) {
				t.Helper()
				if p.Verdict.Synced.Reason != ec2v1.ReasonSuspended {
					t.Errorf("Synced is %+v", p.Verdict.Synced)
				}
			},
		},
		{
			name:  "suspended and as spec asks: ready",
			given: []given{kept(1, cloud.StateRunning), suspended},
			ready: "True Running",
		},
		{
			name:  "suspended is false: not suspended",
			given: []given{kept(1, cloud.StateStopped), spec(func(s *ec2v1.EC2InstanceSpec) { s.Suspend = new(false) })},
			step:  StepStart, id: instanceID(1), ready: "False Starting", flow: "Reconciling",
		},
		{
			name: "power state and tags differ: power first",
			given: []given{
				kept(1, cloud.StateStopped, untagged("team")),
			},
			step: StepStart, id: instanceID(1), ready: "False Starting", flow: "Reconciling",
			also: func(t *testing.T, p Plan) {
				t.Helper()
				if len(p.Changes) != 2 || p.Changes[0].Field != "powerState" || p.Changes[1].Field != "tags" {
					t.Errorf("changes %+v", p.Changes)
				}
			},
		},
	})
}

func TestDecideTags(t *testing.T) {
	add := func(key, value string) given {
		return spec(func(s *ec2v1.EC2InstanceSpec) { s.Tags = append(s.Tags, ec2v1.Tag{Key: key, Value: &value}) })
	}
	noTags := spec(func(s *ec2v1.EC2InstanceSpec) { s.Tags = nil })
	tags := func(set map[string]string, remove []string, managed ...string) func(*testing.T, Plan) {
		return func(t *testing.T, p Plan) {
			t.Helper()
			if !maps.Equal(p.SetTags, set) {
				t.Errorf("sets %v, want %v", p.SetTags, set)
			}
			if diff := cmp.Diff(remove, p.RemoveTags); diff != "" {
				t.Errorf("removes (-want +got): %s", diff)
			}
			if diff := cmp.Diff(managed, p.ManagedTagKeys); diff != "" {
				t.Errorf("manages (-want +got): %s", diff)
			}
		}
	}
	change := func(name string, also func(*testing.T, Plan), all ...given) decision {
		return decision{
			name: name, given: all, step: StepTag, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling", also: also,
		}
	}
	running := kept(1, cloud.StateRunning)
	launchedAgo := func(ago time.Duration, tags map[string]string) given {
		return called(StepLaunch, launchedTags(instanceID(1), tags), ago, nil)
	}
	decideAll(t, []decision{
		{
			name: "all tags are as spec says: nothing to do", given: []given{running}, ready: "True Running",
			also: tags(nil, nil, "Name", "team"),
		},
		change("spec has one more: set it, and know it for ours", tags(map[string]string{"new": "1"}, nil, "Name", "new", "team"), running, add("new", "1")),
		change("a value was changed in EC2: set it back", tags(map[string]string{"team": "blue"}, nil, "Name", "team"),
			kept(1, cloud.StateRunning, tagged("team", "red"))),
		change("a tag was removed in EC2: set it again", tags(map[string]string{"team": "blue"}, nil, "Name", "team"),
			kept(1, cloud.StateRunning, untagged("team"))),
		change("an identity tag was removed in EC2: set it again", tags(map[string]string{ec2v1.TagUID: testUID}, nil, "Name", "team"),
			kept(1, cloud.StateRunning, untagged(ec2v1.TagUID))),
		change("spec has one without a value: it is empty", tags(map[string]string{"new": ""}, nil, "Name", "new", "team"),
			running, spec(func(s *ec2v1.EC2InstanceSpec) { s.Tags = append(s.Tags, ec2v1.Tag{Key: "new"}) })),
		change("spec has lost one that is ours: remove it, and know it for ours until it is gone",
			tags(map[string]string{}, []string{"team"}, "Name", "team"), running, noTags),
		{
			name:  "spec has lost one that is ours and EC2 does not show it any more: it is ours no longer",
			given: []given{kept(1, cloud.StateRunning, untagged("team")), noTags}, ready: "True Running",
			also: tags(nil, nil, "Name"),
		},
		{
			name:  "somebody else has set one more: leave it alone",
			given: []given{kept(1, cloud.StateRunning, tagged("cost-center", "42"))}, ready: "True Running",
			also: tags(nil, nil, "Name", "team"),
		},
		change("one was set and one removed: both are one change", func(t *testing.T, p Plan) {
			t.Helper()
			tags(map[string]string{"new": "1"}, []string{"team"}, "Name", "new", "team")(t, p)
			if c := p.Changes; len(c) != 1 || c[0].Field != "tags" || c[0].Desired != "new=1" || c[0].Message != "to remove: team" {
				t.Errorf("changes %+v", c)
			}
		}, running, noTags, add("new", "1")),
		{
			name:  "launched a moment ago, tags do not show yet: give them time",
			given: []given{kept(1, cloud.StateRunning, untagged("team")), launchedAgo(tagSettle-time.Second, testTags())}, ready: "True Running",
			after: time.Second, // When they are set, should they not show by then.
			also:  tags(nil, nil, "Name", "team"),
		},
		change("launched long enough ago and tags do not show: set them", tags(map[string]string{"team": "blue"}, nil, "Name", "team"),
			kept(1, cloud.StateRunning, untagged("team")), launchedAgo(tagSettle, testTags())),
		change("launched a moment ago and edited since: set them", tags(map[string]string{"new": "1"}, nil, "Name", "new", "team"),
			running, add("new", "1"), launchedAgo(time.Second, testTags())),
		change("another instance was launched a moment ago: set them", tags(map[string]string{"team": "blue"}, nil, "Name", "team"),
			kept(1, cloud.StateRunning, untagged("team")), called(StepLaunch, launchedTags(instanceID(9), testTags()), time.Second, nil)),
		{
			name:  "set a moment ago and dropped before it shows: it stays ours",
			given: []given{kept(1, cloud.StateRunning), managed("cost-center"), tagSet("cost-center", time.Second)}, ready: "True Running",
			after: consistencyWindow - time.Second, // When it is looked for again.
			also:  tags(nil, nil, "Name", "cost-center", "team"),
		},
		{
			name:  "set long ago and dropped, and it does not show: it is gone",
			given: []given{kept(1, cloud.StateRunning), managed("cost-center"), tagSet("cost-center", consistencyWindow)}, ready: "True Running",
			also: tags(nil, nil, "Name", "team"),
		},
		{
			name: "set long ago and dropped, and it did not show in what was asked for soon after: it stays ours",
			given: []given{kept(1, cloud.StateRunning, untagged("cost-center")), managed("cost-center"), tagSet("cost-center", 2*consistencyWindow), func(in *Input) {
				in.Entries[0].Described = in.Now.Add(-consistencyWindow - time.Second)
			}},
			ready: "True Running", after: lookAgain,
			also: tags(nil, nil, "Name", "cost-center", "team"),
		},
		{
			name:  "recorded by an earlier process, dropped, and it does not show: it stays ours for as long as it may take",
			given: []given{kept(1, cloud.StateRunning), managed("cost-center"), func(in *Input) { in.Memory.Since = in.Now }}, ready: "True Running",
			after: consistencyWindow,
			also:  tags(nil, nil, "Name", "cost-center", "team"),
		},
		change("set by this process, dropped, and somebody has emptied the status: it is ours",
			tags(nil, []string{"cost-center"}, "Name", "cost-center", "team"),
			kept(1, cloud.StateRunning, tagged("cost-center", "42")), tagSet("cost-center", time.Second),
			func(in *Input) { in.Object.Status = ec2v1.EC2InstanceStatus{} }),
		change("launched with a tag that spec dropped before anything was recorded: remove it",
			tags(nil, []string{"cost-center"}, "Name", "cost-center", "team"),
			intent(1, func(i *LaunchIntent) { i.TagKeys = []string{"Name", "cost-center", "team"} }),
			ec2Shows(1, cloud.StateRunning, tagged("cost-center", "42")), after(long)),
		change("the same, and the intent was taken away: this process remembers what it launched with",
			tags(nil, []string{"cost-center"}, "Name", "cost-center", "team"),
			ec2Shows(1, cloud.StateRunning, tagged("cost-center", "42")), after(long), func(in *Input) {
				in.Memory.Launched, in.Memory.LaunchedKeys = instanceID(1), []string{"Name", "cost-center", "team"}
			}),
		change("launched a moment ago, tagged since, and put back: set it", tags(map[string]string{"team": "blue"}, nil, "Name", "team"),
			kept(1, cloud.StateRunning, tagged("team", "red")), launchedAgo(10*time.Second, testTags()),
			called(StepTag, instanceID(1)+" +team=red -", time.Second, nil)),
		{
			name:  "suspended: nothing is set",
			given: []given{kept(1, cloud.StateRunning, untagged("team")), suspended}, ready: "False Suspended",
			also: tags(nil, nil, "Name", "team"),
		},
		change("an instance in motion is tagged, too", tags(map[string]string{"new": "1"}, nil, "Name", "new", "team"),
			kept(1, cloud.StateRunning), add("new", "1")),
	})
}

// tagSet: a tag was set a while ago, and another one after it.
func tagSet(key string, ago time.Duration) given {
	return func(in *Input) {
		in.Memory.tagged(instanceID(1), map[string]string{key: "42"}, nil, in.Now.Add(-ago))
		in.Memory.record(StepTag, instanceID(1)+" +other=1 -", in.Now.Add(-ago/2), nil)
	}
}

// managed: a tag is recorded as ours.
func managed(key string) given {
	return func(in *Input) { in.Object.Status.ManagedTagKeys = append(in.Object.Status.ManagedTagKeys, key) }
}

// The same tags to set, asked for a moment ago, are not asked for again; others are.
func TestDecideTagsAreGivenTimeToShow(t *testing.T) {
	drifted := kept(1, cloud.StateRunning, untagged("team"))
	asked := Decide(inputOf(drifted)).Of
	if asked == "" {
		t.Fatal("nothing was asked for")
	}
	decideAll(t, []decision{
		{
			name:  "asked for a moment ago: wait until that shows",
			given: []given{drifted, called(StepTag, asked, time.Second, nil)},
			id:    instanceID(1), ready: "False UpdatePending", flow: "Reconciling", after: settle - time.Second,
		},
		{
			name:  "refused: say why",
			given: []given{drifted, called(StepTag, asked, time.Second, failureOf(cloud.ClassUnauthorized))},
			id:    instanceID(1), ready: "False Unauthorized", flow: "Stalled", after: 59 * time.Second,
		},
		{
			name: "refused, and spec was edited since: ask for the new ones at once",
			given: []given{
				drifted, called(StepTag, asked, time.Second, failureOf(cloud.ClassInvalid)),
				spec(func(s *ec2v1.EC2InstanceSpec) { s.Tags[0].Value = new("green") }),
			},
			step: StepTag, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
		},
	})
}

// What policy does not allow is told, and is in nobody's way.
func TestDecideChangesThatAreNotAllowed(t *testing.T) {
	synced := func(reason string, fields ...string) func(*testing.T, Plan) {
		return func(t *testing.T, p Plan) {
			t.Helper()
			if p.Verdict.Synced.Reason != reason {
				t.Errorf("Synced is %+v, want %s", p.Verdict.Synced, reason)
			}
			var got []string
			for _, c := range p.Changes {
				got = append(got, c.Field)
			}
			if diff := cmp.Diff(fields, got); diff != "" {
				t.Errorf("changes (-want +got): %s", diff)
			}
		}
	}
	running := kept(1, cloud.StateRunning)
	typ := spec(func(s *ec2v1.EC2InstanceSpec) { s.InstanceType = "t3.large" })
	key := spec(func(s *ec2v1.EC2InstanceSpec) { s.KeyName = "ops" })
	decideAll(t, []decision{
		{name: "nothing differs", given: []given{running}, ready: "True Running", also: synced(ec2v1.ReasonInSync)},
		{name: "it takes a stop", given: []given{running, typ}, ready: "True Running", also: synced(ec2v1.ReasonStopRequired, "instanceType")},
		{name: "it takes another instance", given: []given{running, key}, ready: "True Running", also: synced(ec2v1.ReasonReplacementRequired, "keyName")},
		{
			name: "the most disruptive is told", given: []given{running, typ, key}, ready: "True Running",
			also: synced(ec2v1.ReasonReplacementRequired, "instanceType", "keyName"),
		},
		{
			name: "what is under way comes first", given: []given{kept(1, cloud.StateStopped), typ, key},
			step: StepStart, id: instanceID(1), ready: "False Starting", flow: "Reconciling",
			also: synced(ec2v1.ReasonUpdatePending, "instanceType", "keyName", "powerState"),
		},
		{
			name: "nothing can bring EC2 there: a volume does not shrink", given: []given{running, smallerVolume}, ready: "True Running",
			after: readAgain + spread(testUID, fieldDevices, readAgain/readSpread), also: synced(ec2v1.ReasonBlocked, fieldDevices),
		},
		{
			name: "suspended, with nothing that would be carried out", given: []given{running, typ, suspended}, ready: "True Running",
			also: synced(ec2v1.ReasonStopRequired, "instanceType"),
		},
	})
}

// smallerVolume asks for a volume of less than it has.
func smallerVolume(in *Input) {
	in.Object.Spec.BlockDevices = []ec2v1.BlockDevice{{DeviceName: "/dev/xvda", SizeGiB: 8}}
	in.Entries[0].Volumes = []cloud.Volume{{DeviceName: "/dev/xvda", ID: "vol-1"}}
	in.Memory.Readings = map[string]Reading{fieldDevices: {
		ID: instanceID(1), At: in.Now, Generation: in.Object.Generation, Volumes: map[string]cloud.VolumeDetail{"vol-1": {ID: "vol-1", SizeGiB: 20}},
	}}
}

func TestDecideLeavesToOthersWhatOverridesIgnore(t *testing.T) {
	leftPower := override(fieldPower, ec2v1.UpdateIgnore)
	stopStart := func(in *Input) {
		in.Object.Spec.InstanceType, in.Object.Spec.UpdatePolicy.Allow = "t3.large", ec2v1.UpdateStopStart
	}
	decideAll(t, []decision{
		{name: "somebody has stopped it", given: []given{kept(1, cloud.StateStopped), leftPower}, ready: "True Stopped"},
		{name: "somebody has started it", given: []given{kept(1, cloud.StateRunning), wants(ec2v1.PowerStateStopped), leftPower}, ready: "True Running"},
		{
			name: "a change needs a stop, which is others' business", given: []given{kept(1, cloud.StateRunning), stopStart, leftPower}, ready: "True Running",
			also: func(t *testing.T, p Plan) {
				t.Helper()
				if len(p.Changes) != 1 || p.Changes[0].State != ec2v1.PlanStateBlocked || p.Changes[0].Message != stopByOthers {
					t.Errorf("the changes are %+v", p.Changes)
				}
			},
		},
		{
			name: "it is stopped, and the change is made", given: []given{kept(1, cloud.StateStopped), stopStart, leftPower},
			step: modifying("instanceType"), id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
		},
		{
			name: "tags of spec are left alone, and its identity is not",
			given: []given{kept(1, cloud.StateRunning), override(fieldTags, ec2v1.UpdateIgnore), func(in *Input) {
				value := "blue"
				in.Object.Spec.Tags = []ec2v1.Tag{{Key: "team", Value: &value}}
				in.Entries[0].Tags = maps.Clone(in.Entries[0].Tags)
				delete(in.Entries[0].Tags, ec2v1.TagName)
			}},
			step: StepTag, id: instanceID(1), ready: "False UpdatePending", flow: "Reconciling",
			also: func(t *testing.T, p Plan) {
				t.Helper()
				if _, ok := p.SetTags[ec2v1.TagName]; !ok || len(p.SetTags) != 1 {
					t.Errorf("it sets %v", p.SetTags)
				}
			},
		},
	})
}

// An instance that was launched by an edit of the intent's spec keeps what it has.
func TestDecideKeepsWhateverTheIntentsHash(t *testing.T) {
	decideAll(t, []decision{{
		name:  "the parameters have changed since the launch: the instance is kept",
		given: []given{kept(1, cloud.StateRunning), prepared(otherHash)},
		ready: "True Running",
		also: func(t *testing.T, p Plan) {
			t.Helper()
			if p.Instance == nil || p.Intent != nil {
				t.Errorf("got %+v", p)
			}
		},
	}, {
		name: "the instance is launched, and status does not know it yet: kept",
		given: []given{intent(1), ec2Shows(1, cloud.StatePending, func(e *observer.Entry) {
			e.Missing = time.Time{}
		})},
		ready: "False Starting", flow: "Reconciling",
	}})
}

// While the object is suspended nobody replaces its instance: who ends it later is somebody else.
func TestDecideTakesReplacingBackWhileSuspended(t *testing.T) {
	decideAll(t, []decision{
		{
			name: "decided a window ago", given: []given{intent(1, replacing(consistencyWindow)), recordedInStatus(1), ec2Shows(1, cloud.StateRunning), after(long), suspended, spec(otherImage), allow(ec2v1.UpdateReplace)},
			step: StepKeep, id: instanceID(1), ready: "False Suspended", also: func(t *testing.T, p Plan) {
				t.Helper()
				if p.Intent.Replacing != nil {
					t.Errorf("keeps %+v", p.Intent)
				}
			},
		},
	})
}
