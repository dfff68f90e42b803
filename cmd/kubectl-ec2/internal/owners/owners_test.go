// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/paint"
)

const object = `
apiVersion: ec2.fieldowner.dev/v1
kind: EC2Instance
metadata:
  name: web
  namespace: shop
  annotations: {ec2.fieldowner.dev/launch: "{}"}
  finalizers: [ec2.fieldowner.dev/instance]
  managedFields:
    - manager: kubectl
      operation: Apply
      apiVersion: ec2.fieldowner.dev/v1
      time: "2026-01-02T03:04:05Z"
      fieldsType: FieldsV1
      fieldsV1:
        f:spec:
          f:instanceType: {}
          f:securityGroupIDs: {'v:"sg-1"': {}, 'v:"sg-2"': {}}
          f:tags: {'k:{"key":"team"}': {".": {}, "f:key": {}, "f:value": {}}}
          f:userData: {}
    - manager: team-costs
      operation: Apply
      apiVersion: ec2.fieldowner.dev/v1
      fieldsType: FieldsV1
      fieldsV1:
        f:spec:
          f:instanceType: {}
          f:tags: {'k:{"key":"cost-center"}': {".": {}, "f:key": {}, "f:value": {}}}
    - manager: ec2-instance-lifecycle
      operation: Apply
      apiVersion: ec2.fieldowner.dev/v1
      fieldsType: FieldsV1
      fieldsV1:
        f:metadata:
          f:annotations: {"f:ec2.fieldowner.dev/launch": {}}
          f:finalizers: {'v:"ec2.fieldowner.dev/instance"': {}}
    - manager: kubectl
      operation: Update
      subresource: status
      apiVersion: ec2.fieldowner.dev/v1
      fieldsType: FieldsV1
      fieldsV1: {"f:status": {"f:instanceID": {}, "f:conditions": {'k:{"type":"Ready"}': {"f:status": {}}}}}
spec:
  instanceType: t3.micro
  securityGroupIDs: [sg-1, sg-2]
  tags: [{key: team, value: shop}, {key: cost-center, value: "4711"}]
  userData: {inline: hush-hush}
status:
  conditions: [{type: Ready, status: "True"}]
`

// ownersOf runs the command on what stands on standard input.
func ownersOf(t *testing.T, stdin string, color paint.Mode, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errOut bytes.Buffer
	env := &cli.Env{
		IOStreams: genericiooptions.IOStreams{In: strings.NewReader(stdin), Out: &out, ErrOut: &errOut},
		Cluster:   genericclioptions.NewConfigFlags(true),
		Getenv:    func(string) string { return "" },
		Color:     color,
	}
	command := New(env)
	command.SilenceErrors, command.SilenceUsage = true, true
	command.SetArgs(append([]string{"-f", "-"}, args...))
	err = command.ExecuteContext(t.Context())
	return out.String(), errOut.String(), err
}

func wantShown(t *testing.T, want, stdin string, color paint.Mode, args ...string) {
	t.Helper()
	got, stderr, err := ownersOf(t, stdin, color, args...)
	if err != nil || stderr != "" {
		t.Errorf("stderr %q, error %v", stderr, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("The output differs (-want +got):\n%s", diff)
	}
}

func TestTree(t *testing.T) {
	wantShown(t, `FIELD                            OWNERS
metadata
  annotations
    [ec2.fieldowner.dev/launch]  ec2-instance-lifecycle
  finalizers
    ec2.fieldowner.dev/instance  ec2-instance-lifecycle
spec
  instanceType                   kubectl, team-costs
  securityGroupIDs
    sg-1                         kubectl
    sg-2                         kubectl
  tags[cost-center]
    key                          team-costs
    value                        team-costs
  tags[team]
    key                          kubectl
    value                        kubectl
  userData                       kubectl
status
  conditions[Ready]
    status                       kubectl
  instanceID                     kubectl
`, object, paint.Auto)
}

func TestWide(t *testing.T) {
	wantShown(t, `FIELD                            MANAGER                 OPERATION  SUBRESOURCE  TIME                  VALUE
metadata
  annotations
    [ec2.fieldowner.dev/launch]  ec2-instance-lifecycle  Apply      -            -                     "{}"
  finalizers
    ec2.fieldowner.dev/instance  ec2-instance-lifecycle  Apply      -            -                     "ec2.fieldowner.dev/instance"
spec
  instanceType                   kubectl                 Apply      -            2026-01-02T03:04:05Z  "t3.micro"
                                 team-costs              Apply      -            -
  securityGroupIDs
    sg-1                         kubectl                 Apply      -            2026-01-02T03:04:05Z  "sg-1"
    sg-2                         kubectl                 Apply      -            2026-01-02T03:04:05Z  "sg-2"
  tags[cost-center]
    key                          team-costs              Apply      -            -                     "cost-center"
    value                        team-costs              Apply      -            -                     "4711"
  tags[team]
    key                          kubectl                 Apply      -            2026-01-02T03:04:05Z  "team"
    value                        kubectl                 Apply      -            2026-01-02T03:04:05Z  "shop"
  userData                       kubectl                 Apply      -            2026-01-02T03:04:05Z  {"inline":"(masked)"}
status
  conditions[Ready]
    status                       kubectl                 Update     status       -                     "True"
  instanceID                     kubectl                 Update     status       -                     -
`, object, paint.Auto, "-o", "wide")
}

func TestOnlySomeManagers(t *testing.T) {
	wantShown(t, `FIELD                            OWNERS
metadata
  annotations
    [ec2.fieldowner.dev/launch]  ec2-instance-lifecycle
  finalizers
    ec2.fieldowner.dev/instance  ec2-instance-lifecycle
spec
  instanceType                   kubectl, team-costs
  tags[cost-center]
    key                          team-costs
    value                        team-costs
`, object, paint.Auto, "--manager=team-costs", "--manager=ec2-instance-lifecycle")
}

func TestColours(t *testing.T) {
	got, _, err := ownersOf(t, object, paint.Always, "--manager=team-costs")
	if err != nil {
		t.Fatal(err)
	}
	p := (&cli.Env{Color: paint.Always}).Painter().With([]string{"ec2-instance-lifecycle", "kubectl", "team-costs"})
	shared := "  instanceType       " + p.Name("kubectl", "kubectl") + ", " + p.Name("team-costs", "team-costs") + "\n"
	if !strings.Contains(got, shared) {
		t.Errorf("no line %q in %q", shared, got)
	}
	if plain, _, _ := ownersOf(t, object, paint.Never); strings.Contains(plain, "\x1b") {
		t.Errorf("colours in %q", plain)
	}
}

func TestDocuments(t *testing.T) {
	wantShown(t, `{
  "object": {
    "apiVersion": "ec2.fieldowner.dev/v1",
    "kind": "EC2Instance",
    "namespace": "shop",
    "name": "web"
  },
  "fields": [
    {
      "path": ".spec.instanceType",
      "owners": [
        {
          "manager": "kubectl",
          "operation": "Apply",
          "apiVersion": "ec2.fieldowner.dev/v1",
          "time": "2026-01-02T03:04:05Z"
        },
        {
          "manager": "team-costs",
          "operation": "Apply",
          "apiVersion": "ec2.fieldowner.dev/v1"
        }
      ]
    },
    {
      "path": ".spec.tags[key=\"cost-center\"].key",
      "owners": [
        {
          "manager": "team-costs",
          "operation": "Apply",
          "apiVersion": "ec2.fieldowner.dev/v1"
        }
      ]
    },
    {
      "path": ".spec.tags[key=\"cost-center\"].value",
      "owners": [
        {
          "manager": "team-costs",
          "operation": "Apply",
          "apiVersion": "ec2.fieldowner.dev/v1"
        }
      ]
    }
  ]
}
`, object, paint.Always, "--manager=team-costs", "-o", "json")
	wantShown(t, `fields: []
object:
  apiVersion: v1
  kind: ConfigMap
  name: a
---
fields: []
object:
  apiVersion: v1
  kind: ConfigMap
  name: b
`, bare("a")+"---"+bare("b"), paint.Auto, "-o", "yaml")
}

func bare(name string) string {
	return "\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n"
}

// One field, and two entries of one manager.
const twice = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: twice
  managedFields:
    - {manager: m, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}}}}
    - {manager: m, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {".": {}, "f:a": {}}}}
    - {manager: other, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {}}}
data: {a: "1"}
`

func TestOwnersOfOneName(t *testing.T) {
	wantShown(t, `FIELD  OWNERS
data   other
  a    m (Apply), m (Update)
`, twice, paint.Auto)
}

func TestSeveralObjectsAreNamed(t *testing.T) {
	got, stderr, err := ownersOf(t, twice+"---"+bare("bare")+"---"+strings.ReplaceAll(twice, "name: twice", "name: thrice"), paint.Auto)
	want := `configmap/twice
FIELD  OWNERS
data   other
  a    m (Apply), m (Update)

configmap/thrice
FIELD  OWNERS
data   other
  a    m (Apply), m (Update)
`
	if diff := cmp.Diff(want, got); diff != "" || err != nil || !strings.HasPrefix(stderr, "configmap/bare has no managedFields") {
		t.Errorf("stderr %q, error %v, the output differs (-want +got):\n%s", stderr, err, diff)
	}
}

func TestNothingToShow(t *testing.T) {
	for _, test := range []struct {
		name, stdin string
		args        []string
		want        string
	}{
		{"no managedFields in a file", bare("a"), nil,
			"configmap/a has no managedFields in the file. Write it with 'kubectl get -o yaml --show-managed-fields', or name the object instead of the file.\n"},
		{"no such manager", object, []string{"--manager=nobody"},
			`ec2instance.ec2.fieldowner.dev/web in namespace shop has no field that "nobody" owns. Its managers are: ` +
				"ec2-instance-lifecycle, kubectl, team-costs.\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			stdout, stderr, err := ownersOf(t, test.stdin, paint.Auto, test.args...)
			if stdout != "" || stderr != test.want || err != nil {
				t.Errorf("got %q, %q and %v", stdout, stderr, err)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name, stdin string
		args        []string
		want        string
		usage       bool
	}{
		{"an unknown format", object, []string{"-o", "xml"}, `--output must be one of wide, json, yaml, not "xml"`, true},
		{"a file and an object", object, []string{"ec2i/web"}, "not both", true},
		{"no object", "", nil, "there is no object in -", false},
		{"no YAML", "a: b: c", nil, "standard input", false},
		{"no kind", "metadata: {name: a}", nil, "'Kind' is missing", false},
		{"broken managedFields", strings.Replace(twice, `{"f:data": {}}`, `{"data": {}}`, 1), nil, `configmap/twice: reading the fields of manager "other"`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			stdout, _, err := ownersOf(t, test.stdin, paint.Auto, test.args...)
			if err == nil || !strings.Contains(err.Error(), test.want) || stdout != "" {
				t.Errorf("got %q and %v", stdout, err)
			}
			if _, usage := errors.AsType[*cli.UsageError](err); usage != test.usage {
				t.Errorf("a usage error: %v", usage)
			}
		})
	}
}
