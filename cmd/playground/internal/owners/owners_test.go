// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const object = `{
  "apiVersion": "ec2.fieldowner.dev/v1", "kind": "EC2Instance",
  "metadata": {"name": "web", "managedFields": [
    {"manager": "kubectl", "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {
      "f:instanceType": {}, "f:image": {},
      "f:securityGroupIDs": {"v:\"sg-2\"": {}, "v:\"sg-1\"": {}},
      "f:tags": {
        "k:{\"key\":\"role\"}": {".": {}, "f:key": {}, "f:value": {}},
        "k:{\"key\":\"team\"}": {".": {}, "f:key": {}, "f:value": {}}}}}},
    {"manager": "team-costs", "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {
      "f:tags": {"k:{\"key\":\"cost-center\"}": {".": {}, "f:key": {}, "f:value": {}}}}}},
    {"manager": "ec2-instance-lifecycle", "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": {
      "f:annotations": {"f:ec2.fieldowner.dev/launch": {}},
      "f:finalizers": {"v:\"ec2.fieldowner.dev/instance\"": {}}}}},
    {"manager": "ec2-instance", "operation": "Apply", "subresource": "status", "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {
      "f:instanceID": {},
      "f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}}},
      "f:conditions": {"k:{\"type\":\"Ready\"}": {".": {}, "f:status": {}}}}}}
  ]}}`

func parse(t *testing.T, object string) []Owner {
	t.Helper()
	owners, err := Of([]byte(object))
	if err != nil {
		t.Fatal(err)
	}
	return owners
}

func TestSummaryNamesFields(t *testing.T) {
	got := map[string][]string{}
	for _, o := range parse(t, object) {
		got[o.Manager+"/"+o.Operation+"/"+o.Subresource] = o.Summary()
	}
	want := map[string][]string{
		"kubectl/Apply/":    {"spec.image", "spec.instanceType", "spec.securityGroupIDs{sg-1, sg-2}", "spec.tags{role, team}"},
		"team-costs/Apply/": {"spec.tags{cost-center}"},
		"ec2-instance-lifecycle/Apply/": {
			"metadata.annotations[ec2.fieldowner.dev/launch]", "metadata.finalizers{ec2.fieldowner.dev/instance}",
		},
		"ec2-instance/Apply/status": {"status.conditions{Ready}", "status.instanceID", "status.ports{80/TCP}"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Fields differ (-want +got):\n%s", diff)
	}
}

func TestBelowTellsWhoOwnsPartsOfAField(t *testing.T) {
	got := map[string]bool{}
	for _, o := range parse(t, object) {
		got[o.Manager] = o.Below("spec")
	}
	want := map[string]bool{"kubectl": true, "team-costs": true, "ec2-instance-lifecycle": false, "ec2-instance": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Owners of spec differ (-want +got):\n%s", diff)
	}
}

func TestSharedFindsFieldsWithTwoOwners(t *testing.T) {
	if shared := Shared(parse(t, object)); len(shared) > 0 {
		t.Errorf("Disjoint owners are said to share %q", shared)
	}
	both := strings.Replace(object, "cost-center", "team", 1)
	want := []string{"spec.tags{team}: kubectl and team-costs"}
	if diff := cmp.Diff(want, Shared(parse(t, both))); diff != "" {
		t.Errorf("Shared fields differ (-want +got):\n%s", diff)
	}
}

func TestTableHasARowForEachOwner(t *testing.T) {
	var got strings.Builder
	if err := Table(&got, parse(t, object)); err != nil {
		t.Fatal(err)
	}
	want := `MANAGER                 OPERATION  SUBRESOURCE  FIELDS
kubectl                 Apply      -            spec.image, spec.instanceType, spec.securityGroupIDs{sg-1, sg-2},
                                                spec.tags{role, team}
team-costs              Apply      -            spec.tags{cost-center}
ec2-instance-lifecycle  Apply      -            metadata.annotations[ec2.fieldowner.dev/launch],
                                                metadata.finalizers{ec2.fieldowner.dev/instance}
ec2-instance            Apply      status       status.conditions{Ready}, status.instanceID, status.ports{80/TCP}
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("Table differs (-want +got):\n%s", diff)
	}
}

func TestOfRefusesWhatItCannotRead(t *testing.T) {
	for name, object := range map[string]string{
		"no JSON":   "Error from server (NotFound)",
		"no fields": `{"metadata": {"managedFields": [{"manager": "m", "fieldsV1": {"spec": {}}}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if owners, err := Of([]byte(object)); err == nil {
				t.Errorf("Of returned %v and no error", owners)
			}
		})
	}
}

func TestAnObjectWithoutManagersHasNoOwners(t *testing.T) {
	if owners := parse(t, `{"metadata": {"name": "web"}}`); len(owners) > 0 {
		t.Errorf("There are owners: %v", owners)
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		name  string
		words []string
		want  []string
	}{
		{"none", nil, []string{""}},
		{"one", []string{"one"}, []string{"one"}},
		{"exactly full", []string{"1234", "6789"}, []string{"1234, 6789"}},
		{"one too many", []string{"12345", "6789"}, []string{"12345,", "6789"}},
		{"too long for a line", []string{"a", "12345678901234", "b"}, []string{"a,", "12345678901234,", "b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, wrap(test.words, 10)); diff != "" {
				t.Errorf("Lines differ (-want +got):\n%s", diff)
			}
		})
	}
}
