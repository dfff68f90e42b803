// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/test/apply/intents"
)

const (
	imageX, imageY, imageZ = "ami-00000000000000001", "ami-00000000000000002", "ami-00000000000000003"

	// noUID is no object's.
	noUID = "11111111-2222-3333-4444-555555555555"

	// patience is how long a second may take to pass on a busy machine.
	patience = time.Minute
)

type specConfig = *ec2v1ac.EC2InstanceSpecApplyConfiguration

func spec() specConfig { return ec2v1ac.EC2InstanceSpec() }

func image(id string) *ec2v1ac.ImageApplyConfiguration { return ec2v1ac.Image().WithID(id) }

func tag(key, value string) *ec2v1ac.TagApplyConfiguration {
	return ec2v1ac.Tag().WithKey(key).WithValue(value)
}

// tagPath is the path of a tag's part.
func tagPath(key, part string) []any {
	return []any{"spec", "tags", fieldpath.KeyByFields("key", key), part}
}

func condition(kind string, status metav1.ConditionStatus) *metav1ac.ConditionApplyConfiguration {
	return metav1ac.Condition().WithType(kind).WithStatus(status).WithReason("Tested").WithMessage("").
		WithLastTransitionTime(metav1.NewTime(time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)))
}

func conditions(config intents.Config, all ...*metav1ac.ConditionApplyConfiguration) intents.Config {
	return config.WithStatus(ec2v1ac.EC2InstanceStatus().WithConditions(all...))
}

func byA(field string) apply.Conflict {
	return apply.Conflict{Field: field, Message: `conflict with "a"`}
}
func byB(field string) apply.Conflict {
	return apply.Conflict{Field: field, Message: `conflict with "b"`}
}

// base is what manager a applies first in most scenarios.
func (r *rig) base() intents.Config {
	return r.config().WithSpec(spec().WithImage(image(imageX)).WithInstanceType("t3.micro").WithTags(tag("a", "1")))
}

// scenarios are named for what they show. In each of their steps the prediction is held to what the API server does.
var scenarios = []struct {
	says string
	run  func(r *rig)
}{
	{"creating owns what was sent", func(r *rig) {
		r.changes(r.main(a, r.base()))
		r.same([]string{".spec.image", ".spec.instanceType", `.spec.tags[key="a"]`, `.spec.tags[key="a"].key`, `.spec.tags[key="a"].value`}, r.owned(a))
	}},
	{"the write after a creation stores the status' default, and changes nothing that can be seen", func(r *rig) {
		r.changes(r.main(a, r.base()))
		before := r.live()
		if !r.predicts(before, r.main(a, r.base())) {
			r.t.Error("it is not predicted to change nothing")
		}
		r.must(r.client.Apply(context.Background(), r.base(), client.FieldOwner(a)))
		after := r.live()
		if after.ResourceVersion == before.ResourceVersion {
			r.t.Error("the API server has stored the default at once: create need not write twice")
		}
		after.ResourceVersion = before.ResourceVersion
		r.same(before, after)
	}},
	{"applying the same a second later", func(r *rig) {
		r.create(a, r.base)
		before := r.live()
		r.nextSecond()
		r.changesNothing(r.main(a, r.base()))
		r.changesNothing(forced(r.main(a, r.base())))
		r.same(before, r.live())
	}},
	{"sharing a value", func(r *rig) {
		r.create(a, r.base)
		generation := r.live().Generation
		r.changes(r.main(b, r.config().WithSpec(spec().WithImage(image(imageX)))))
		r.same(generation, r.live().Generation)
		r.same([]string{"a(Apply)", "b(Apply)"}, r.owners("spec", "image"))
		r.changesNothing(r.main(a, r.base()))
	}},
	{"another value than the owners'", func(r *rig) {
		r.create(a, r.base)
		r.changes(r.main(b, r.config().WithSpec(spec().WithImage(image(imageX)))))
		r.conflicts(r.main(b, r.config().WithSpec(spec().WithImage(image(imageY)))), byA(".spec.image"))
		r.conflicts(r.main(c, r.config().WithSpec(spec().WithImage(image(imageY)))), byA(".spec.image"), byB(".spec.image"))
	}},
	{"taking a value from all owners", func(r *rig) {
		r.create(a, r.base)
		r.changes(r.main(b, r.config().WithSpec(spec().WithImage(image(imageX)))))
		take := func() apply.Intent { return forced(r.main(c, r.config().WithSpec(spec().WithImage(image(imageZ))))) }
		r.changes(take())
		r.same([]string{"c(Apply)"}, r.owners("spec", "image"))
		r.same([]string(nil), r.owned(b))
		r.same(imageZ, r.live().Spec.Image.ID)
		r.changesNothing(take())
		r.conflicts(r.main(a, r.base()), apply.Conflict{Field: ".spec.image", Message: `conflict with "c"`})
	}},
	{"giving up a shared value", func(r *rig) {
		r.create(a, r.base)
		r.changes(r.main(b, r.config().WithSpec(spec().WithImage(image(imageX)))))
		without := func() apply.Intent {
			return r.main(a, r.config().WithSpec(spec().WithInstanceType("t3.micro").WithTags(tag("a", "1"))))
		}
		r.changes(without())
		r.same(imageX, r.live().Spec.Image.ID)
		r.same([]string{"b(Apply)"}, r.owners("spec", "image"))
		r.changesNothing(without())
	}},
	{"giving up values of one's own", func(r *rig) {
		full := r.base()
		full.Spec.WithKeyName("k").WithPowerState(ec2v1.PowerStateStopped).WithSuspend(true)
		r.changes(r.main(a, full))
		r.changes(r.main(a, r.base()))
		live := r.live()
		r.same(ec2v1.EC2InstanceSpec{
			AccountRef: ec2v1.AccountReference{Name: "default"}, Image: ec2v1.Image{ID: imageX}, InstanceType: "t3.micro",
			Tags: []ec2v1.Tag{{Key: "a", Value: new("1")}}, MetadataOptions: ec2v1.MetadataOptions{HTTPTokens: "required"},
			PowerState: ec2v1.PowerStateRunning, RecreatePolicy: ec2v1.RecreateAlways, DeletionPolicy: ec2v1.DeletionTerminate,
		}, live.Spec)
		r.changesNothing(r.main(a, r.base()))
	}},
	{"setting a value to its default", func(r *rig) {
		r.create(a, r.base)
		withDefault := func() apply.Intent {
			return r.main(b, r.config().WithSpec(spec().WithPowerState(ec2v1.PowerStateRunning).WithAccountRef(ec2v1ac.AccountReference().WithName("default"))))
		}
		r.changes(withDefault())
		r.changesNothing(withDefault())
		r.changes(r.main(b, r.config()))
		r.changesNothing(r.main(b, r.config()))
		r.same(ec2v1.PowerStateRunning, r.live().Spec.PowerState)
	}},
	{"after an update by somebody else", func(r *rig) {
		r.create(a, r.base)
		live := r.live()
		live.Spec.InstanceType = "t3.large"
		r.must(r.client.Update(context.Background(), live, editor))
		r.conflicts(r.main(a, r.base()), apply.Conflict{Field: ".spec.instanceType", Message: `conflict with "editor" using ec2.fieldowner.dev/v1`})
		without := func() apply.Intent {
			return r.main(a, r.config().WithSpec(spec().WithImage(image(imageX)).WithTags(tag("a", "1"))))
		}
		r.changesNothing(without())
		r.same("t3.large", r.live().Spec.InstanceType)
		r.same([]string{"editor(Update)"}, r.owners("spec", "instanceType"))
		r.changes(forced(r.main(a, r.base())))
		r.same([]string{"a(Apply)"}, r.owners("spec", "instanceType"))
	}},
	{"an element of a set that two managers have", func(r *rig) {
		groups := func(m apply.Manager, ids ...string) apply.Intent {
			return r.main(m, r.config().WithSpec(spec().WithSecurityGroupIDs(ids...)))
		}
		r.changes(r.main(c, r.base()))
		r.changes(groups(a, "sg-00000001", "sg-00000002"))
		r.changes(groups(b, "sg-00000002", "sg-00000003"))
		r.same([]string{"sg-00000001", "sg-00000002", "sg-00000003"}, r.live().Spec.SecurityGroupIDs)
		r.changes(groups(a, "sg-00000001"))
		r.same([]string{"sg-00000001", "sg-00000002", "sg-00000003"}, r.live().Spec.SecurityGroupIDs)
		r.changes(r.main(b, r.config()))
		r.same([]string{"sg-00000001"}, r.live().Spec.SecurityGroupIDs)
		r.changesNothing(groups(a, "sg-00000001"))
	}},
	{"two orders of one set", func(r *rig) {
		r.create(c, r.base)
		one := func() apply.Intent {
			return r.main(a, r.config().WithSpec(spec().WithSecurityGroupIDs("sg-00000001", "sg-00000002")))
		}
		two := func() apply.Intent {
			return r.main(b, r.config().WithSpec(spec().WithSecurityGroupIDs("sg-00000002", "sg-00000001")))
		}
		r.changes(one())
		r.changes(two())
		generation := r.live().Generation
		r.changes(one())
		r.changes(two())
		r.same(generation+2, r.live().Generation)
	}},
	{"tags of two managers", func(r *rig) {
		r.create(a, r.base)
		theirs := func() apply.Intent { return r.main(b, r.config().WithSpec(spec().WithTags(tag("b", "2")))) }
		r.changes(theirs())
		r.same([]string{"a(Apply)"}, r.owners(tagPath("a", "value")...))
		r.same([]string{"b(Apply)"}, r.owners(tagPath("b", "value")...))
		r.changesNothing(r.main(a, r.base()))
		r.changesNothing(theirs())
		r.conflicts(r.main(b, r.config().WithSpec(spec().WithTags(tag("a", "9")))), byA(`.spec.tags[key="a"].value`))
	}},
	{"a label of two managers", func(r *rig) {
		labels := func(m apply.Manager, all map[string]string) apply.Intent {
			return r.main(m, r.config().WithLabels(all))
		}
		shared := map[string]string{"team": "shop"}
		r.changes(r.main(c, r.base()))
		r.changes(labels(a, shared))
		r.changes(labels(b, shared))
		r.changes(labels(a, nil))
		r.same(shared, r.live().Labels)
		r.changes(labels(b, nil))
		r.same(map[string]string(nil), r.live().Labels)
		r.changesNothing(labels(b, nil))
	}},
	{"a status in the object's own intent", func(r *rig) {
		r.create(a, r.base)
		r.changesNothing(r.main(a, r.base().WithStatus(ec2v1ac.EC2InstanceStatus().WithInstanceID("i-1"))))
		r.same("", r.live().Status.InstanceID)
	}},
	{"a status of no object", func(r *rig) {
		r.gone(r.status(a, conditions(r.config(), condition("Ready", metav1.ConditionTrue))))
		r.absent()
	}},
	{"conditions of two managers", func(r *rig) {
		r.create(c, r.base)
		ready := func(status metav1.ConditionStatus) intents.Config {
			return conditions(r.config(), condition("Ready", status))
		}
		governed := conditions(r.config(), condition("Governed", metav1.ConditionTrue))
		r.changes(r.status(a, ready(metav1.ConditionTrue)))
		r.changes(r.status(b, governed))
		r.changesNothing(r.status(a, ready(metav1.ConditionTrue)))
		r.conflicts(r.status(b, ready(metav1.ConditionFalse)),
			apply.Conflict{Field: `.status.conditions[type="Ready"].status`, Message: `conflict with "a" with subresource "status"`})
		r.changes(r.status(b, r.config()))
		live := r.live().Status.Conditions
		if len(live) != 1 || live[0].Type != "Ready" {
			r.t.Errorf("the conditions are %+v, want Ready alone", live)
		}
	}},
	{"a condition without its time", func(r *rig) {
		r.create(c, r.base)
		r.changes(r.status(a, conditions(r.config(), condition("Ready", metav1.ConditionTrue))))
		timeless := condition("Ready", metav1.ConditionTrue)
		timeless.LastTransitionTime = nil
		r.refused(r.status(a, conditions(r.config(), timeless)), "lastTransitionTime: Required value")
	}},
	{"a status and guards", func(r *rig) {
		r.create(c, r.base)
		ready := func() intents.Config { return conditions(r.config(), condition("Ready", metav1.ConditionTrue)) }
		old := r.live()
		// The API server does not look at the uid: this is why a status intent must carry a version.
		r.changes(r.status(a, ready().WithUID(noUID)))
		r.stale(r.status(a, ready().WithResourceVersion(old.ResourceVersion)))
		r.changesNothing(r.status(a, ready()))
	}},
	{"finalizers of two managers", func(r *rig) {
		r.create(c, r.base)
		ours := func() apply.Intent { return r.main(a, r.config().WithFinalizers("example.com/a")) }
		r.changes(ours())
		r.changes(r.main(b, r.config().WithFinalizers("example.com/b")))
		r.changesNothing(ours())
		r.changes(r.main(b, r.config()))
		r.same([]string{"example.com/a"}, r.live().Finalizers)
		r.changes(r.main(a, r.config()))
		r.same([]string(nil), r.live().Finalizers)
	}},
	{"an object on its way out", func(r *rig) {
		r.create(c, r.base)
		r.changes(r.main(a, r.config().WithFinalizers("example.com/a")))
		r.delete()
		uid := r.live().UID
		ours := func(finalizers ...string) apply.Intent {
			return apply.Intent{Config: r.config().WithUID(uid).WithFinalizers(finalizers...), Manager: a}
		}
		r.changesNothing(ours("example.com/a"))
		r.refused(ours("example.com/a", "example.com/late"), "metadata.finalizers: Forbidden")
		// The last finalizer takes the object with it, and the second try does not make a new one.
		r.changes(ours())
		r.absent()
		r.gone(ours())
		r.absent()
	}},
	{"a uid and no object", func(r *rig) {
		r.gone(apply.Intent{Config: r.base().WithUID(noUID), Manager: a})
		r.absent()
	}},
	{"guards of an object", func(r *rig) {
		r.create(a, r.base)
		old := r.live()
		edited := func() intents.Config { return r.base().WithLabels(map[string]string{"x": "y"}) }
		r.gone(apply.Intent{Config: edited().WithUID(noUID), Manager: a})
		r.changes(apply.Intent{Config: edited().WithUID(old.UID).WithResourceVersion(old.ResourceVersion), Manager: a})
		r.stale(apply.Intent{Config: r.base().WithUID(old.UID).WithResourceVersion(old.ResourceVersion), Manager: a})
		now := r.live()
		r.changesNothing(apply.Intent{Config: edited().WithUID(now.UID).WithResourceVersion(now.ResourceVersion), Manager: a})
		// A guard is no content, so it is not owned.
		r.same(false, slices.ContainsFunc(r.owned(a), func(path string) bool {
			return strings.Contains(path, "uid") || strings.Contains(path, "resourceVersion")
		}))
	}},
	{"an object that was recreated", func(r *rig) {
		r.create(a, r.base)
		old := r.live()
		r.delete()
		r.absent()
		r.create(a, r.base)
		r.stale(r.status(b, conditions(r.config(), condition("Ready", metav1.ConditionTrue)).WithResourceVersion(old.ResourceVersion)))
		r.gone(apply.Intent{Config: r.config().WithUID(old.UID).WithFinalizers("example.com/b"), Manager: b})
		// What was read of the old object says nothing of the new one.
		r.same(false, r.predictor.NoOp(old, r.body(r.config().WithUID(r.live().UID)), apply.Intent{Manager: b}))
		r.same(0, len(r.live().Status.Conditions)+len(r.live().Finalizers))
	}},
	{"a tag's value that was taken by force and is then given up", func(r *rig) {
		r.create(a, r.base)
		r.changes(forced(r.main(b, r.config().WithSpec(spec().WithTags(tag("a", "9"))))))
		r.same([]string{"b(Apply)"}, r.owners(tagPath("a", "value")...))
		// The first owner still has the tag's key, and a tag needs a value: who took it cannot leave it.
		r.refused(r.main(b, r.config()), "spec.tags[0].value: Required value")
		r.changes(forced(r.main(a, r.base())))
		r.changes(r.main(b, r.config()))
		r.same([]string(nil), r.owned(b))
	}},
	{"an intent that is not valid", func(r *rig) {
		r.create(a, r.base)
		r.refused(r.main(a, r.base().WithFinalizers("no slash")), "metadata.finalizers")
	}},
}

// TestScenarios.
func TestScenarios(t *testing.T) {
	for _, scenario := range scenarios {
		t.Run(scenario.says, func(t *testing.T) { scenario.run(newRig(t, nameFor(t))) })
	}
}

// delete asks for the object's deletion.
func (r *rig) delete() {
	r.t.Helper()
	r.must(r.client.Delete(context.Background(), &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{Name: r.name, Namespace: namespace}}))
}

// absent wants that there is no object.
func (r *rig) absent() {
	r.t.Helper()
	if live := r.live(); live != nil {
		r.t.Fatalf("there is an object: %s", pretty(r.t, live))
	}
}

// nextSecond waits until the times of managedFields, which have whole seconds, would be others.
func (r *rig) nextSecond() {
	r.t.Helper()
	latest := time.Time{}
	for _, e := range r.live().ManagedFields {
		if e.Time.After(latest) {
			latest = e.Time.Time
		}
	}
	r.must(wait.PollUntilContextTimeout(context.Background(), 50*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return time.Now().Truncate(time.Second).After(latest), nil
	}))
}
