// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/operatorrig"
)

// stage is where the rows with an operator play: one operator and one EC2 for all of them, and a namespace for each.
type stage struct {
	sim *ec2sim.Sim
}

// The name of every row's object, and the account of all.
const (
	web     = "web"
	account = "ownership"
)

// How long the operator is watched at rest: for six polls of the account, and for one.
const (
	long    = time.Minute
	briefly = 12 * time.Second
)

// newStage starts the operator for the namespaces.
func newStage(t *testing.T, namespaces []string) *stage {
	t.Helper()
	settings := ec2sim.Fast()
	sim, url := ec2sim.StartTest(t, ec2sim.Options{Settings: &settings})
	installed, err := operatorrig.Install(t.Context(), shared, "../..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	setUp := newScene(t, accounts, account)
	setUp.must(manager("suite").applies(`spec: {region: eu-central-1, pollIntervalSeconds: 10, allowedNamespaces: {}}`).run(setUp))
	for _, name := range namespaces {
		_, err := shared.Kubectl(t.Context(), "create", "namespace", name)
		setUp.must(err)
	}
	installed.Start(t, operatorrig.Settings{Namespaces: namespaces, EC2: url})
	return &stage{sim: sim}
}

// enact carries a row out beside the operator. Each step waits until what the row says has come true.
func (st *stage) enact(t *testing.T, r row, namespace string) {
	t.Helper()
	s := newScene(t, r.kindOf(), web)
	s.stage, s.namespace = st, namespace
	for _, done := range r.given {
		s.try(done)
	}
	for _, next := range r.then {
		s.await(next)
	}
	if s.now != nil {
		s.disjoint()
	}
	tally.row(len(r.then))
}

// try does something to the object as it is now, and again when the operator has been faster.
func (s *scene) try(do action) {
	s.t.Helper()
	if err := s.attempt(do); err != nil {
		s.t.Fatalf("%s: %v", do.text(false), err)
	}
}

func (s *scene) attempt(do action) error {
	s.t.Helper()
	for {
		s.look()
		err := do.run(s)
		if x, is := do.(updating); is && !x.stale && apierrors.IsConflict(err) {
			continue
		}
		return err
	}
}

// await takes a step and waits until what the row says has come true.
func (s *scene) await(st step) {
	s.t.Helper()
	on := s
	if x, is := st.do.(onChild); is {
		on = s.child(x.of, x.name)
	}
	switch st.do.(type) {
	case observing, settling, resting:
	default:
		s.mark = len(s.requests())
	}
	err := s.attempt(st.do)
	if st.conflict != ok {
		s.refused(st, err)
	} else if err != nil {
		s.t.Fatalf("%s: refused: %v", st.do.text(false), err)
	}
	effect, fields := effectOf(st.value)
	s.eventually(st.do.text(false), func() error {
		on.look()
		if effect == gone {
			if on.now != nil {
				return notYet("the object is there: %v", on.now.GetFinalizers())
			}
			return nil
		}
		if wrong := append(on.values(fields), ownersOf(on.now).complaints(st.owners)...); len(wrong) > 0 {
			return errors.New(strings.Join(wrong, "; "))
		}
		return nil
	}, func() string { return pretty(on.now) })
}

// eventually waits until check has nothing to complain of, and tells what it looked at when it gives up.
func (s *scene) eventually(what string, check func() error, looked func() string) {
	s.t.Helper()
	last := errors.New("not looked at")
	err := wait.PollUntilContextTimeout(s.t.Context(), glance, patience, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		s.t.Fatalf("%s: %v: %v\n%s", what, err, last, looked())
	}
}

// disjoint holds the operator to owning nothing of spec.
func (s *scene) disjoint() {
	s.t.Helper()
	s.look()
	known := ownersOf(s.now)
	for owner, paths := range known.leaves {
		if !strings.HasPrefix(owner, "ec2-") {
			continue
		}
		for _, path := range paths {
			if s.kind == instances && strings.HasPrefix(path, ".spec") {
				s.t.Errorf("%s owns %s", owner, path)
			}
		}
	}
}

// instance is the scene's object as its Go type.
func (s *scene) instance() *ec2v1.EC2Instance {
	s.t.Helper()
	if s.now == nil {
		s.t.Fatal("there is no object")
	}
	out := &ec2v1.EC2Instance{}
	s.must(runtime.DefaultUnstructuredConverter.FromUnstructured(s.now.Object, out))
	return out
}

// settled says what keeps the object from being at rest.
func (s *scene) settled() error {
	s.t.Helper()
	s.look()
	if s.now == nil {
		return notYet("there is no object")
	}
	obj := s.instance()
	for _, kind := range []string{ec2v1.ConditionReady, ec2v1.ConditionLaunched, ec2v1.ConditionSynced, ec2v1.ConditionReachable} {
		c := meta.FindStatusCondition(obj.Status.Conditions, kind)
		if c == nil || c.Status != metav1.ConditionTrue || c.ObservedGeneration != obj.Generation {
			return notYet("conditions are %+v at generation %d", obj.Status.Conditions, obj.Generation)
		}
	}
	return nil
}

// requests are the operator's requests in the scene's namespace, but for watches and events.
func (s *scene) requests() cluster.Requests {
	s.t.Helper()
	all, err := shared.Requests()
	s.must(err)
	return all.By(operatorrig.User()).In(s.namespace).Where(func(r cluster.Request) bool { return r.Verb != "watch" && r.Resource != "events" })
}

// machine is the object's only live instance in EC2.
func (s *scene) machine() (ec2sim.Instance, error) {
	s.t.Helper()
	var out []ec2sim.Instance
	for _, i := range s.stage.sim.Instances() {
		if i.Live() && i.Tags[ec2v1.TagUID] == string(s.now.GetUID()) {
			out = append(out, i)
		}
	}
	if len(out) != 1 {
		return ec2sim.Instance{}, fmt.Errorf("EC2 has %d live instances of the object", len(out))
	}
	return out[0], nil
}

// events are the notes of the object's events with a reason, one for each time that they were told.
func (s *scene) events(reason string) []string {
	s.t.Helper()
	answer, err := direct.do(s.t.Context(), request{verb: "GET", path: "/apis/events.k8s.io/v1/namespaces/" + s.namespace + "/events"})
	s.must(err)
	items, _, err := unstructured.NestedSlice(answer.Object, "items")
	s.must(err)
	var out []string
	for _, item := range items {
		event, isMap := item.(map[string]any)
		if !isMap || event["reason"] != reason {
			continue
		}
		note, _ := event["note"].(string)
		count, _, _ := unstructured.NestedInt64(event, "series", "count")
		out = append(out, slices.Repeat([]string{note}, int(max(count, 1)))...)
	}
	return out
}

// idle lets time pass: that nothing happens cannot be waited for.
func (s *scene) idle(d time.Duration) {
	s.t.Helper()
	select {
	case <-time.After(d):
	case <-s.t.Context().Done():
	}
}
