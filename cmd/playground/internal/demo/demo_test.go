// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/test/cluster"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// complains makes sure that an error is there and says something, or is not there.
func complains(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("Refused: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("The error is %v, want one that says %q", err, want)
	}
}

func instance(id, uid, state string) ec2sim.Instance {
	return ec2sim.Instance{ID: id, State: state, Tags: map[string]string{ec2v1.TagUID: uid}}
}

func TestMatchesComparesAnObjectWithEC2(t *testing.T) {
	object := &ec2v1.EC2Instance{
		ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "u1"},
		Status:     ec2v1.EC2InstanceStatus{InstanceID: "i-1"},
	}
	other := instance("i-9", "u9", "running")
	for _, test := range []struct {
		name string
		ec2  []ec2sim.Instance
		want string
	}{
		{"one that runs", []ec2sim.Instance{other, instance("i-1", "u1", "running")}, ""},
		{"one that runs, after one that was terminated", []ec2sim.Instance{instance("i-0", "u1", "terminated"), instance("i-1", "u1", "running")}, ""},
		{"none", []ec2sim.Instance{other}, "0 live instances"},
		{"none that lives", []ec2sim.Instance{instance("i-1", "u1", "shutting-down")}, "0 live instances"},
		{"two", []ec2sim.Instance{instance("i-1", "u1", "running"), instance("i-2", "u1", "pending")}, "2 live instances"},
		{"one that does not run yet", []ec2sim.Instance{instance("i-1", "u1", "pending")}, "is pending"},
		{"another than status says", []ec2sim.Instance{instance("i-2", "u1", "running")}, `"i-1"`},
	} {
		t.Run(test.name, func(t *testing.T) { complains(t, matches(object, test.ec2), test.want) })
	}
}

func TestAllTerminatedRefusesWhatCosts(t *testing.T) {
	gone := instance("i-1", "u1", "terminated")
	complains(t, allTerminated([]ec2sim.Instance{gone}), "")
	for _, state := range []string{"pending", "running", "stopped", "shutting-down"} {
		complains(t, allTerminated([]ec2sim.Instance{gone, instance("i-2", "u2", state)}), "i-2 is "+state)
	}
}

func TestWritesAreCountedPerObjectAndHeldToABudget(t *testing.T) {
	write := func(name, verb string) cluster.Request {
		return cluster.Request{Verb: verb, Group: ec2v1.GroupName, Resource: "ec2instances", Name: name, Code: 200}
	}
	requests := cluster.Requests{
		write("", "list"), write("", "watch"), write("web", "patch"), write("worker", "patch"), write("web", "patch"), write("web", "get"),
	}
	writes := writesByName(requests)
	if diff := cmp.Diff(map[string]int{"web": 2, "worker": 1}, writes); diff != "" {
		t.Errorf("Writes differ (-want +got):\n%s", diff)
	}
	if got, want := perName(writes), "web 2, worker 1"; got != want {
		t.Errorf("perName returned %q, want %q", got, want)
	}
	complains(t, within(writes, []string{"web", "worker"}, 2), "")
	complains(t, within(writes, []string{"web", "worker"}, 1), "wrote 2 times to web")
	complains(t, within(writes, []string{"batch"}, 2), "wrote 0 times to batch")
}

func TestDisjoint(t *testing.T) {
	field := func(path fieldpath.Path, owners ...string) apply.Field {
		f := apply.Field{Path: path}
		for _, o := range owners {
			f.Owners = append(f.Owners, apply.Owner{Manager: o, Operation: "Apply"})
		}
		return f
	}
	typePath := fieldpath.MakePathOrDie("spec", "instanceType")
	user := field(typePath, userManager)
	tags := field(fieldpath.MakePathOrDie("spec", "tags", fieldpath.KeyByFields("key", "a"), "value"), tagManager)
	status := field(fieldpath.MakePathOrDie("status", "instanceID"), "ec2-instance")
	lifecycle := field(fieldpath.MakePathOrDie("metadata", "finalizers"), "ec2-instance-lifecycle")
	for _, test := range []struct {
		name string
		all  apply.Table
		want string
	}{
		{"each its own", apply.Table{user, tags, status, lifecycle}, ""},
		{"a manager is missing", apply.Table{user, status, lifecycle}, "the managers are"},
		{"a manager too many", apply.Table{user, tags, status, lifecycle, field(fieldpath.MakePathOrDie("metadata", "labels"), "kubelet")}, "the managers are"},
		{"the operator in spec", apply.Table{user, tags, lifecycle,
			field(fieldpath.MakePathOrDie("spec", "powerState"), "ec2-instance")}, "ec2-instance owns fields of spec: [.spec.powerState]"},
		{"two users of one field", apply.Table{tags, status, lifecycle,
			field(typePath, userManager, tagManager)}, "fields have two owners: [.spec.instanceType]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			complains(t, disjoint(test.all, []string{userManager, tagManager}), test.want)
		})
	}
}

// samplesByName reads config/samples.
func samplesByName(t *testing.T) map[string]*ec2v1.EC2Instance {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", samples, "ec2instance_*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*ec2v1.EC2Instance{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var sample ec2v1.EC2Instance
		if err := yaml.UnmarshalStrict(text, &sample); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[sample.Name] = &sample
	}
	return all
}

// What the demo says of the samples is so.
func TestTheDemoKnowsTheSamples(t *testing.T) {
	all := samplesByName(t)
	if len(all) != sampleCount {
		t.Errorf("There are %d samples, want %d", len(all), sampleCount)
	}
	for _, name := range []string{shared, lost} {
		if all[name] == nil {
			t.Errorf("There is no sample %s", name)
		}
	}
	for _, tag := range all[shared].Spec.Tags {
		if tag.Key == tagKey {
			t.Errorf("The sample %s has a tag %s itself", shared, tagKey)
		}
	}
}

func TestTheSecondManagerSaysNothingButItsTag(t *testing.T) {
	var said ec2v1.EC2Instance
	if err := yaml.UnmarshalStrict([]byte(tagManifest), &said); err != nil {
		t.Fatal(err)
	}
	want := ec2v1.EC2Instance{
		TypeMeta:   metav1.TypeMeta{APIVersion: ec2v1.SchemeGroupVersion.String(), Kind: "EC2Instance"},
		ObjectMeta: metav1.ObjectMeta{Name: shared},
		Spec:       ec2v1.EC2InstanceSpec{Tags: []ec2v1.Tag{{Key: tagKey, Value: new(tagValue)}}},
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("The manifest differs (-want +got):\n%s", diff)
	}
}
