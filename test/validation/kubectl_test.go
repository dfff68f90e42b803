// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fieldowner/ec2-operator/test/validation/schema"
)

const (
	// settleInterval is how often something is looked at that the control plane does in its own time.
	settleInterval = 100 * time.Millisecond
	// settleTimeout is more than any of it takes, also on a machine that compiles at the same time.
	settleTimeout = time.Minute
)

// eventually waits until a condition holds.
func eventually(t *testing.T, condition func(ctx context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), settleInterval, settleTimeout, true, func(ctx context.Context) (bool, error) {
		last = condition(ctx)
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("%v: %v", err, last)
	}
}

const shownInstanceStatus = `{
	observedGeneration: 1, instanceID: i-0123456789abcdef0, state: running, availabilityZone: eu-central-1a,
	privateIPAddress: 10.0.0.4, publicIPAddress: 203.0.113.4, imageID: ami-0123456789abcdef0,
	conditions: [
		{type: Ready, status: "False", reason: StopRequired, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"},
		{type: Synced, status: "False", reason: StopRequired, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"},
		{type: Reachable, status: "Unknown", reason: Initializing, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}`

const shownAccountStatus = `{
	observedGeneration: 1, accountID: "123456789012",
	conditions: [{type: Ready, status: "True", reason: Authenticated, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}`

func TestKubectlGet(t *testing.T) {
	c := newClient(t)
	for _, shown := range []struct {
		kind         kind
		spec, status string
	}{
		{instanceKind, ``, shownInstanceStatus},
		{accountKind, `{credentials: {assumeRole: {roleARN: "arn:aws:iam::123456789012:role/ec2"}}}`, shownAccountStatus},
	} {
		object := shown.kind.object(t, "shown", spec, shown.spec)
		if err := c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(object), owner); err != nil {
			t.Fatal(err)
		}
		object = shown.kind.object(t, "shown", status, shown.status)
		delete(object.Object, string(spec))
		if err := c.Status().Apply(t.Context(), client.ApplyConfigurationFromUnstructured(object), owner); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name string
		args []string
		want []string
	}{
		{"instance", []string{"ec2i", "shown"}, []string{
			"NAME INSTANCE TYPE STATE READY REASON AGE",
			"shown i-0123456789abcdef0 t3.micro running False StopRequired AGE",
		}},
		{"instance, wide", []string{"ec2i", "shown", "-o", "wide"}, []string{
			"NAME INSTANCE TYPE STATE READY REASON AGE SYNCED REACHABLE ZONE PRIVATE-IP PUBLIC-IP IMAGE ACCOUNT",
			"shown i-0123456789abcdef0 t3.micro running False StopRequired AGE False Unknown eu-central-1a 10.0.0.4 203.0.113.4 ami-0123456789abcdef0 default",
		}},
		{"account", []string{"ec2acct", "shown"}, []string{
			"NAME ACCOUNT REGION READY REASON AGE",
			"shown 123456789012 eu-central-1 True Authenticated AGE",
		}},
		{"account, wide", []string{"ec2acct", "shown", "-o", "wide"}, []string{
			"NAME ACCOUNT REGION READY REASON AGE ROLE",
			"shown 123456789012 eu-central-1 True Authenticated AGE arn:aws:iam::123456789012:role/ec2",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			output := kubectl(t, append([]string{"get", "--namespace=default"}, test.args...)...)
			if diff := cmp.Diff(test.want, cells(output)); diff != "" {
				t.Errorf("kubectl get differs (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("everything of AWS's", func(t *testing.T) {
		output := kubectl(t, "get", "aws", "--namespace=default", "--output=name")
		for _, name := range []string{"ec2instance.ec2.fieldowner.dev/shown", "ec2account.ec2.fieldowner.dev/shown"} {
			if !strings.Contains(output, name+"\n") {
				t.Errorf("`kubectl get aws` shows no %s, but\n%s", name, output)
			}
		}
	})
}

// age is what kubectl writes for how long ago something was.
var age = regexp.MustCompile(` (\d+[dhms])+( |$)`)

// cells are the lines of a table with one space between columns and AGE for an age.
func cells(table string) []string {
	var lines []string
	for line := range strings.Lines(table) {
		lines = append(lines, age.ReplaceAllString(strings.Join(strings.Fields(line), " "), " AGE$2"))
	}
	return lines
}

// TestKubectlExplain reads all of `kubectl explain` and looks for each field's text in it.
func TestKubectlExplain(t *testing.T) {
	crds, err := schema.Load(configDir + "/crd/bases")
	if err != nil {
		t.Fatal(err)
	}
	for kind, crd := range crds {
		t.Run(kind, func(t *testing.T) {
			short := crd.Spec.Names.ShortNames[0]
			// The API server publishes the schema of a new kind a moment after it serves the kind.
			eventually(t, func(ctx context.Context) error {
				_, err := shared.Kubectl(ctx, "explain", short)
				return err
			})
			explained := 0
			for field := range schema.Fields(crd) {
				if holdsFields(field.Schema) {
					explained += explains(t, short, field)
				}
			}
			t.Logf("%d fields of %s are explained", explained, kind)
		})
	}
}

// holdsFields says whether `kubectl explain` lists fields under it.
func holdsFields(s *apiextensionsv1.JSONSchemaProps) bool {
	return len(s.Properties) > 0 || s.Items != nil && s.Items.Schema != nil && len(s.Items.Schema.Properties) > 0
}

// explains checks the page of one field, which shows the texts of the fields in it, and counts these.
func explains(t *testing.T, short string, field schema.Field) int {
	t.Helper()
	if field.Name == schema.Element {
		return 0 // on the page of its list
	}
	path := short + "." + strings.ReplaceAll(field.Path, schema.Element, "")
	page := flat(kubectl(t, "explain", path))
	inner := field.Schema.Properties
	if field.Schema.Items != nil {
		inner = field.Schema.Items.Schema.Properties
	}
	for name, child := range inner {
		if child.Description == "" || !strings.Contains(page, flat(child.Description)) {
			t.Errorf("`kubectl explain %s` does not tell what %s is", path, name)
		}
	}
	return len(inner)
}

// flat is a text on one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
