// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package fieldtext

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func TestSteps(t *testing.T) {
	key := fieldpath.KeyByFields
	item := value.NewValueInterface
	for _, test := range []struct {
		name string
		path []any
		want []string
	}{
		{"a field", []any{"spec", "instanceType"}, []string{"spec", "instanceType"}},
		{"an item with a key", []any{"spec", "tags", key("key", "cost-center"), "value"}, []string{"spec", "tags[cost-center]", "value"}},
		{"an item with two keys", []any{"ports", key("containerPort", 80, "protocol", "TCP")}, []string{"ports[80/TCP]"}},
		{"an item with a number and a boolean for keys", []any{"a", key("b", true, "n", 1.5)}, []string{"a[true/1.5]"}},
		{"a list in a list", []any{"a", key("name", "x"), "b", key("name", "y")}, []string{"a[x]", "b[y]"}},
		{"an item by index", []any{"spec", "args", 3}, []string{"spec", "args[3]"}},
		{"an item of an item", []any{"matrix", 1, 2}, []string{"matrix[1][2]"}},
		{"an item without a list", []any{0, "a"}, []string{"[0]", "a"}},
		{"an item of a set", []any{"spec", "securityGroupIDs", item("sg-1")}, []string{"spec", "securityGroupIDs", "sg-1"}},
		{"a number in a set", []any{"ports", item(80)}, []string{"ports", "80"}},
		{"a finalizer", []any{"metadata", "finalizers", item("ec2.fieldowner.dev/instance")}, []string{"metadata", "finalizers", "ec2.fieldowner.dev/instance"}},
		{"a key of a map with dots", []any{"metadata", "annotations", "ec2.fieldowner.dev/launch"}, []string{"metadata", "annotations", "[ec2.fieldowner.dev/launch]"}},
		{"a plain key of a map", []any{"data", "a_key-1"}, []string{"data", "a_key-1"}},
		{"a key of a map with a space", []any{"data", "a key"}, []string{"data", "[a key]"}},
		{"an empty key of a map", []any{"data", ""}, []string{"data", `[""]`}},
		{"an empty item of a set", []any{"finalizers", item("")}, []string{"finalizers", `""`}},
		{"an item that would move a terminal's cursor", []any{"finalizers", item("\x1b[2J")}, []string{"finalizers", `"\x1b[2J"`}},
		{"a key with a line break", []any{"a", key("name", "x\ny")}, []string{`a["x\ny"]`}},
		{"the object itself", nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, step := range Steps(fieldpath.MakePathOrDie(test.path...)) {
				got = append(got, step.Text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("The steps differ (-want +got):\n%s", diff)
			}
		})
	}
}

// Two keys that read the same are two lines.
func TestStepsAreToldApart(t *testing.T) {
	number := Steps(fieldpath.MakePathOrDie("a", fieldpath.KeyByFields("port", 80)))
	text := Steps(fieldpath.MakePathOrDie("a", fieldpath.KeyByFields("port", "80")))
	if number[0].Text != text[0].Text {
		t.Fatalf("%q and %q read differently: the test is about nothing", number[0].Text, text[0].Text)
	}
	if number[0].ID == text[0].ID {
		t.Errorf("Both are %q", text[0].ID)
	}
}
