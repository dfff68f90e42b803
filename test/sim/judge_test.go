// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

const (
	someUID  = types.UID("11111111-1111-4111-8111-111111111111")
	someUser = "operator-1"
)

// broken is a made-up history for each oracle, which it must not stand.
var broken = map[oracle]func(w *world){
	oneLive: func(w *world) {
		w.judge.onePerObject([]ec2sim.Instance{someInstance("i-1"), someInstance("i-2")})
	},
	tokenOfIntent: func(w *world) { w.send("attempt=1; max=1", "RunInstances", "Action=RunInstances&ClientToken=made-up") },
	onlyHolder: func(w *world) {
		w.judge.intended(someObject(), w.heldBy("operator-2", 1), "operator-2")
		w.send("", "RunInstances", "ClientToken="+cloud.ClientToken(w.judge.cluster, someUID, 1))
	},
	onePerAttempt: func(w *world) { w.judge.intended(w.withAttempt(1), w.withAttempt(3), someUser) },
	sameParameters: func(w *world) {
		w.judge.intended(someObject(), w.withAttempt(1), someUser)
		token := cloud.ClientToken(w.judge.cluster, someUID, 1)
		w.send("", "RunInstances", "InstanceType=t3.micro&ClientToken="+token)
		w.send("", "RunInstances", "InstanceType=t3.large&ClientToken="+token)
	},
	attemptRises: func(w *world) {
		w.judge.intended(someObject(), w.withAttempt(1), someUser)
		w.judge.intended(w.withAttempt(1), w.withAttempt(2), someUser)
	},
	emptyRead: func(w *world) {
		w.judge.intended(someObject(), w.withAttempt(1), someUser)
		w.send("", "RunInstances", "ClientToken="+cloud.ClientToken(w.judge.cluster, someUID, 1)).reaches()
	},
	idStays: func(w *world) {
		before := someObject()
		before.Status.InstanceID = "i-1"
		w.judge.recordedStays(before, someObject(), []ec2sim.Instance{someInstance("i-1")}, someUser)
	},
	finalizerLeaves: func(w *world) { w.leftBehind(someInstance("i-1")) },
	finalizerStays: func(w *world) {
		before := someObject()
		before.Finalizers = []string{ec2v1.InstanceFinalizer}
		w.judge.writtenByUs(before, someObject(), nil, apiserver.Change{}, by{user: someUser})
	},
	asPolicySays: func(w *world) {
		w.reads(someObject())
		w.send("", "TerminateInstances", "InstanceId.1=i-1")
	},
	specIsTheUsers: func(w *world) {
		changed := someObject()
		changed.Annotations = map[string]string{"example.com/note": "changed"}
		w.judge.userPart(someObject(), changed)
	},
	nothingForNothing: func(w *world) {
		w.reads(someObject())
		w.judge.changedNothing(apiserver.Record{Request: apiserver.Request{
			User: someUser, Verb: apiserver.VerbApply, Kind: instanceKind, Namespace: namespace, Name: "a",
		}})
	},
	callsHaveEffect: func(w *world) {
		for range effectless + 1 {
			w.judge.hadEffect(&call{action: "CreateTags"}, "")
		}
	},
	sortedLists: func(w *world) {
		w.judge.listsOfIntent(apiserver.Record{
			Request: apiserver.Request{Verb: apiserver.VerbApply}, Body: []byte(`{"status": {"managedTagKeys": ["b", "a"]}}`),
		})
	},
	timesStay: func(w *world) {
		w.judge.conditionTimes(withReady("", time.Unix(1, 0)), withReady("", time.Unix(2, 0)))
	},
	nothingVolatile: func(w *world) {
		w.judge.calls.trouble = time.Now().Add(-time.Hour)
		w.judge.writers[someUID] = &writer{at: time.Now(), revision: 1, since: time.Now().Add(-time.Hour)}
		w.judge.statusWritten(withReady("at 1", time.Unix(1, 0)), withReady("at 2", time.Unix(1, 0)),
			&apiserver.Change{ResourceVersion: 1}, apiserver.Change{ResourceVersion: 2})
	},
	othersSurvive: func(w *world) {
		w.judge.others(labelled("mine"), labelled("yours"), ownedBy("team", "", `{"f:metadata":{"f:labels":{"f:l":{}}}}`),
			ownedBy("team", "", `{"f:metadata":{"f:labels":{"f:l":{}}}}`), true)
	},
	neverFight: func(w *world) {
		obj := someObject()
		obj.ManagedFields = append(ownedBy(lifecycleManager, "", `{"f:status":{"f:state":{}}}`), ownedBy(instanceManager, "status", `{"f:status":{"f:state":{}}}`)...)
		w.judge.ownManagers(obj)
	},
	oursComeBack: func(w *world) {
		obj := someObject()
		obj.Status.InstanceID = "i-1"
		obj.ManagedFields = ownedBy(thief, "status", `{"f:status":{"f:vpcID":{}}}`)
		w.ownsItsOwn(obj, []ec2sim.Instance{someInstance("i-1")})
	},
	tookBackOnce: func(w *world) {
		w.judge.event(someObject(), reasonTookBack, "Took back what nobody had taken")
		w.judge.eventsOfThefts(false)
	},
	othersChildren: func(w *world) {
		w.reads(someObject())
		theirs := &unstructured.Unstructured{Object: map[string]any{"kind": "ConfigMap"}}
		w.judge.childWritten(&apiserver.Change{Object: theirs}, apiserver.Change{Kind: schema.GroupVersionKind{Kind: "ConfigMap"}, Object: theirs}, by{user: someUser})
	},
	childrenAsAsked: func(w *world) {
		obj := someObject()
		obj.Spec.Connection = &ec2v1.Connection{ConfigMapName: "map-x"}
		w.childrenAsAsked(obj, someInstance("i-1"))
	},
	secretsByName: func(w *world) {
		w.judge.asked(apiserver.Record{Request: apiserver.Request{User: someUser, Verb: apiserver.VerbList, Kind: schema.GroupVersionKind{Kind: "Secret"}}})
	},
	secretsStay: func(w *world) {
		w.judge.secrets.learn(&unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"script": "ZWNobyBodXNoaHVzaAo="}}})
		w.judge.logger().Info("A launch", "user data", "echo hushhush")
	},
	withinBuckets: func(w *world) {
		for range 5 {
			w.judge.withinBucket(&call{user: someUser, action: "RunInstances"})
		}
	},
	onceEach: func(w *world) { w.send("attempt=2; max=3", "StopInstances", "") },
}

// TestOraclesFire gives each oracle a history that breaks its invariant.
func TestOraclesFire(t *testing.T) {
	for o := range oracleCount {
		t.Run(o.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, err := newWorld(1)
				if err != nil {
					t.Fatal(err)
				}
				if broken[o] == nil {
					t.Fatal("there is no history that this oracle does not stand")
				}
				broken[o](w)
				if w.judge.broken[o] == 0 || len(w.judge.verdict()) == 0 {
					t.Errorf("the oracle stands it; the verdict is %q", w.judge.verdict())
				}
			})
		})
	}
}

func someInstance(id string) ec2sim.Instance {
	return ec2sim.Instance{ID: id, State: "running", Tags: map[string]string{ec2v1.TagUID: string(someUID)}}
}

func someObject() *ec2v1.EC2Instance {
	return &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "a", UID: someUID}}
}

func withReady(message string, since time.Time) *ec2v1.EC2Instance {
	obj := someObject()
	obj.Status.Conditions = []metav1.Condition{{
		Type: ec2v1.ConditionReady, Status: metav1.ConditionTrue, Message: message, LastTransitionTime: metav1.NewTime(since),
	}}
	return obj
}

func labelled(value string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"labels": map[string]any{"l": value}}}}
}

func ownedBy(manager, subresource, fields string) []metav1.ManagedFieldsEntry {
	return []metav1.ManagedFieldsEntry{{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, Subresource: subresource, FieldsV1: metav1.NewFieldsV1(fields),
	}}
}

func (w *world) withAttempt(n int64) *ec2v1.EC2Instance { return w.heldBy("", n) }

// heldBy is an object with the intent of an attempt that one process may ask for.
func (w *world) heldBy(holder string, n int64) *ec2v1.EC2Instance {
	obj := someObject()
	text, err := json.Marshal(intent{UID: someUID, Attempt: n, Token: cloud.ClientToken(w.judge.cluster, someUID, n), Holder: holder})
	if err != nil {
		panic(err)
	}
	obj.Annotations = map[string]string{ec2v1.AnnotationLaunch: string(text)}
	return obj
}

// reads has an operator read an object that the history has from then on.
func (w *world) reads(obj *ec2v1.EC2Instance) {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetNamespace(obj.Namespace)
	u.SetName(obj.Name)
	c := apiserver.Change{Kind: instanceKind, Object: u, ResourceVersion: 1}
	w.judge.history.add(c)
	w.judge.history.typed(c, obj)
	w.judge.history.readAt(someUser, "get EC2Instance "+obj.Namespace+"/"+obj.Name, 1)
}

func (w *world) send(attempt, action, form string) *call {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return w.judge.sentBy(ctx, someUser, attempt, action, form)
}

// TestAccepted: an answer that lists instances for which nothing was done is a refusal.
func TestAccepted(t *testing.T) {
	for body, want := range map[string]bool{
		"<R><return>true</return></R>":                                                        true,
		"<R><unsuccessfulSet></unsuccessfulSet></R>":                                          true,
		"<R><unsuccessfulSet><item><instanceId>i-1</instanceId></item></unsuccessfulSet></R>": false,
	} {
		answer := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}
		if got := accepted(answer); got != want {
			t.Errorf("%s is accepted: %t", body, got)
		}
		if left, err := io.ReadAll(answer.Body); err != nil || string(left) != body {
			t.Errorf("of %s there is left %s, %v", body, left, err)
		}
	}
}
