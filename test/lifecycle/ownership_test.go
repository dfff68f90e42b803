// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// TestTwoManagersShareTags: a user and a second team, both with the real kubectl, each own their tags of one
// object; the operator brings both to EC2 and owns nothing of spec.
func TestTwoManagersShareTags(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.spec().WithTags(ec2v1ac.Tag().WithKey("team").WithValue("shop")))
	r.waitRunning("web")

	r.kubectlApply("costs", `{"spec": {"tags": [{"key": "cost-center", "value": "4711"}]}}`)
	r.eventually("waiting for both tags in EC2", func() error {
		tags := r.one(r.get("web")).Tags
		if tags["team"] != "shop" || tags["cost-center"] != "4711" {
			return fmt.Errorf("tags are %v", tags)
		}
		return nil
	})
	obj := r.waitFor("web", ec2v1.ConditionSynced, metav1.ConditionTrue, ec2v1.ReasonInSync)
	owners := ownersOf(t, obj)
	t.Logf("owners:\n%s", strings.Join(owners.lines(), "\n"))
	owners.wantDisjoint(t)
	for _, manager := range []string{"user", "costs", string(apply.ManagerInstance)} {
		if owners[manager] == nil {
			t.Errorf("%s owns nothing", manager)
		}
	}
	for _, manager := range []apply.Manager{apply.ManagerInstance, apply.ManagerInstanceLifecycle} {
		if slices.ContainsFunc(owners[string(manager)], func(path string) bool { return strings.HasPrefix(path, ".spec") }) {
			t.Errorf("%s owns fields of spec: %v", manager, owners[string(manager)])
		}
	}

	r.waitReachable("web")
	before := len(r.requests().Writes())
	r.kubectlApply("costs", `{}`)
	r.eventually("waiting for the tag to leave EC2", func() error {
		if tags := r.one(r.get("web")).Tags; tags["cost-center"] != "" || tags["team"] != "shop" {
			return fmt.Errorf("tags are %v", tags)
		}
		return nil
	})
	r.waitFor("web", ec2v1.ConditionSynced, metav1.ConditionTrue, ec2v1.ReasonInSync)
	if writes := r.requests().Writes()[before:]; len(writes) > 2 {
		t.Errorf("a change of a tag cost %d writes: %v", len(writes), writes)
	}
}

// TestForeignFieldsSurvive: a label, an annotation, a finalizer, a condition and a tag in EC2 that others have
// set are still there after every kind of pass.
func TestForeignFieldsSurvive(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.spec())
	r.waitRunning("web")
	r.kubectlApply("audit", `{"metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": ["example.com/audit"]}}`)
	r.kubectlApplyStatus("audit", `{"status": {"conditions": [{"type": "Compliant", "status": "True", "reason": "Audited", "message": "",
		"lastTransitionTime": "2026-01-01T00:00:00Z"}]}}`)
	r.must(r.client.Apply(t.Context(), ec2v1ac.EC2Instance("web", r.namespace).WithSpec(r.spec().WithPowerState(ec2v1.PowerStateStopped)), user))
	r.waitFor("web", ec2v1.ConditionReady, metav1.ConditionTrue, ec2v1.ReasonStopped)
	r.delete("web")
	r.eventually("waiting for our finalizer to leave", func() error {
		if slices.Contains(r.get("web").Finalizers, ec2v1.InstanceFinalizer) {
			return errNotYet
		}
		return nil
	})
	obj := r.get("web")
	if obj.Labels["a"] != "b" || obj.Annotations["c"] != "d" || !slices.Equal(obj.Finalizers, []string{"example.com/audit"}) {
		t.Errorf("foreign metadata is gone: %v %v %v", obj.Labels, obj.Annotations, obj.Finalizers)
	}
	if !slices.ContainsFunc(obj.Status.Conditions, func(c metav1.Condition) bool { return c.Type == "Compliant" }) {
		t.Errorf("the foreign condition is gone: %v", obj.Status.Conditions)
	}
	r.kubectlApply("audit", `{}`)
	r.waitGone("web")
}

// TestStatusTakenAndTakenBack: a manager that forces a field of status loses it again.
func TestStatusTakenAndTakenBack(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.spec())
	id := r.waitRunning("web").Status.InstanceID
	r.kubectlApplyStatus("thief", `{"status": {"instanceID": "i-00000000000000000"}}`)
	r.eventually("waiting for the id to come back", func() error {
		if got := r.get("web").Status.InstanceID; got != id {
			return fmt.Errorf("status.instanceID is %q", got)
		}
		return nil
	})
	if owned := ownersOf(t, r.get("web"))[string(apply.ManagerInstance)]; !slices.Contains(owned, ".status.instanceID") {
		t.Errorf("the operator owns %v", owned)
	}
	if r.launched() != 1 {
		t.Errorf("%d instances were launched", r.launched())
	}
}

// TestFinalizerHeldByAnotherManager: a tool that has written the object back, finalizer and all, owns the
// finalizer too; deletion then says so, and ends when the tool's part is taken away.
func TestFinalizerHeldByAnotherManager(t *testing.T) {
	r := newRig(t)
	startOperator(r)
	r.apply("web", r.spec())
	r.waitRunning("web")
	r.kubectlApply("restore", `{"metadata": {"finalizers": ["`+ec2v1.InstanceFinalizer+`"]}}`)
	r.delete("web")
	r.waitFor("web", ec2v1.ConditionStalled, metav1.ConditionTrue, ec2v1.ReasonOwnershipConflict)
	if live := r.sim.Live(); len(live) != 0 {
		t.Errorf("left in EC2: %+v", live)
	}
	r.kubectlApply("restore", `{}`)
	r.waitGone("web")
}

// TestManagedFieldsClearedBeforeDeletion: somebody clears managedFields while no operator is there, so that nobody owns the
// finalizer; deletion ends all the same.
func TestManagedFieldsClearedBeforeDeletion(t *testing.T) {
	for _, test := range []struct {
		name string
		// meanwhile happens after the clearing.
		meanwhile func(*rig)
	}{
		{"and nobody writes", func(*rig) {}},
		{"and a user applies", func(r *rig) { r.kubectlApply("user", `{"metadata": {"labels": {"a": "b"}}}`) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			first := startOperator(r)
			r.apply("web", r.spec())
			r.waitRunning("web")
			first.Stop()
			r.delete("web")
			patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"managedFields": [{}]}}`))
			r.must(r.client.Patch(t.Context(), r.get("web"), patch, client.FieldOwner("cleaner")))
			test.meanwhile(r)
			startOperator(r)
			r.waitGone("web")
			if live := r.sim.Live(); len(live) != 0 {
				t.Errorf("left in EC2: %+v", live)
			}
		})
	}
}

// kubectlApply applies a part of the object named web with the real kubectl.
func (r *rig) kubectlApply(manager, patch string) { r.kubectl(manager, patch) }

// kubectlApplyStatus does the same through the status subresource, taking what others own.
func (r *rig) kubectlApplyStatus(manager, patch string) {
	r.kubectl(manager, patch, "--subresource=status", "--force-conflicts")
}

func (r *rig) kubectl(manager, patch string, flags ...string) {
	r.t.Helper()
	manifest := map[string]any{}
	r.must(json.Unmarshal([]byte(patch), &manifest))
	metadata, _ := manifest["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["name"], metadata["namespace"] = "web", r.namespace
	manifest["apiVersion"], manifest["kind"], manifest["metadata"] = ec2v1.SchemeGroupVersion.String(), "EC2Instance", metadata
	body, err := json.Marshal(manifest)
	r.must(err)
	args := append([]string{"apply", "--server-side", "--field-manager=" + manager, "-f", "-"}, flags...)
	_, err = shared.KubectlIn(r.t.Context(), strings.NewReader(string(body)), args...)
	r.must(err)
}

// owners are the leaves that each manager owns.
type owners map[string][]string

func ownersOf(t *testing.T, obj *ec2v1.EC2Instance) owners {
	t.Helper()
	out := owners{}
	for _, entry := range obj.ManagedFields {
		set := &fieldpath.Set{}
		if err := set.FromJSON(strings.NewReader(string(entry.FieldsV1.GetRawBytes()))); err != nil {
			t.Fatal(err)
		}
		for path := range set.Leaves().All() {
			out[entry.Manager] = append(out[entry.Manager], path.String())
		}
	}
	return out
}

func (o owners) lines() []string {
	var out []string
	for manager, paths := range o {
		for _, path := range paths {
			out = append(out, manager+" "+path)
		}
	}
	slices.Sort(out)
	return out
}

func (o owners) wantDisjoint(t *testing.T) {
	t.Helper()
	first := map[string]string{}
	for manager, paths := range o {
		for _, path := range paths {
			if other, taken := first[path]; taken && other != manager {
				t.Errorf("%s is owned by %s and %s", path, other, manager)
			}
			first[path] = manager
		}
	}
}
