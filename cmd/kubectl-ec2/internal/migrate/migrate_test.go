// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/paint"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

const (
	applied = metav1.ManagedFieldsOperationApply
	updated = metav1.ManagedFieldsOperationUpdate
)

var name = cli.Reference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "app"}

func entry(manager string, operation metav1.ManagedFieldsOperationType, subresource, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: operation, Subresource: subresource, APIVersion: "apps/v1",
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
	}
}

func TestOptions(t *testing.T) {
	good := options{from: []string{"a"}, to: "b", dryRun: "server"}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		name   string
		change func(*options)
		want   string
	}{
		{"no --from", func(o *options) { o.from = nil }, "with --from"},
		{"an empty --from", func(o *options) { o.from = []string{"a", ""} }, "with --from"},
		{"no --to", func(o *options) { o.to = "" }, "with --to"},
		{"--dry-run=client", func(o *options) { o.dryRun = "client" }, `--dry-run must be server or none, not "client"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := good
			test.change(&o)
			err := o.check()
			if _, usage := errors.AsType[*cli.UsageError](err); !usage || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRefuse(t *testing.T) {
	entries := []metav1.ManagedFieldsEntry{
		entry("kubectl-client-side-apply", updated, "", `{}`),
		entry("kubectl-edit", updated, "", `{}`),
		entry("pipeline", applied, "", `{}`),
		entry("controller", updated, "status", `{}`),
	}
	for _, test := range []struct {
		name        string
		from        []string
		subresource string
		entries     []metav1.ManagedFieldsEntry
		want        string
	}{
		{"one that is there", []string{"kubectl-edit"}, "", entries, ""},
		{"two that are there", []string{"kubectl-edit", "kubectl-client-side-apply"}, "", entries, ""},
		{"one that is there, through a subresource", []string{"controller"}, "status", entries, ""},
		{"one of two is not there", []string{"kubectl-edit", "helm"}, "", entries,
			`"helm" owns nothing of deployment.apps/app in namespace shop by Update. The managers are: controller (Update, status), ` +
				"kubectl-client-side-apply (Update), kubectl-edit (Update), pipeline (Apply)."},
		{"one that applies", []string{"pipeline"}, "", entries, "It uses server-side apply, whose fields are not moved"},
		{"through a subresource only", []string{"controller"}, "", entries, "add --subresource=status"},
		{"not through the subresource", []string{"kubectl-edit"}, "status", entries, "through the subresource status. It wrote to the object itself"},
		{"without managedFields", []string{"kubectl-edit"}, "", nil, "The object has no managedFields"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := refuse(name, test.entries, apply.Migration{From: test.from, To: "pipeline", Subresource: test.subresource})
			if (err == nil) != (test.want == "") || (err != nil && !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestReport(t *testing.T) {
	moved := apply.Migrated{
		Before: []metav1.ManagedFieldsEntry{
			entry("pipeline", applied, "", `{"f:spec":{"f:replicas":{}}}`),
			entry("kubectl-client-side-apply", updated, "", `{"f:spec":{"f:paused":{},"f:replicas":{}}}`),
			entry("kubectl-edit", updated, "", `{"f:spec":{"f:minReadySeconds":{}}}`),
			entry("controller", updated, "status", `{"f:status":{"f:replicas":{}}}`),
		},
		After: []metav1.ManagedFieldsEntry{
			entry("pipeline", applied, "", `{"f:spec":{"f:paused":{},"f:replicas":{}}}`),
			entry("controller", updated, "status", `{"f:status":{"f:replicas":{}}}`),
		},
		Changed: true,
	}
	o := &options{from: []string{"kubectl-client-side-apply", "kubectl-edit"}, to: "pipeline", toCluster: []string{"--context=prod"}}
	m := apply.Migration{From: o.from, To: apply.Manager(o.to), DryRun: true}
	wantReport(t, moved, m, o, `deployment.apps/app in namespace shop (dry run: nothing is stored)

Before:
  controller (Update, status)         1 field
  kubectl-client-side-apply (Update)  2 fields
  kubectl-edit (Update)               1 field
  pipeline (Apply)                    1 field

After:
  controller (Update, status)         1 field
  pipeline (Apply)                    2 fields

1 field would move to pipeline (Apply), which owned 1 field together with the old owner:
  .spec.paused

1 field without an owner afterwards:
  .spec.minReadySeconds

To do it:
  kubectl ec2 migrate deployment.apps/app -n shop --context=prod --from=kubectl-client-side-apply --from=kubectl-edit --to=pipeline --dry-run=none
`)

	o.from, m.From, m.DryRun = []string{"kubectl-edit"}, []string{"kubectl-edit"}, false
	moved.After = []metav1.ManagedFieldsEntry{
		entry("pipeline", applied, "", `{"f:spec":{"f:minReadySeconds":{},"f:replicas":{}}}`),
		moved.Before[1], moved.Before[3],
	}
	wantReport(t, moved, m, o, `deployment.apps/app in namespace shop

Before:
  controller (Update, status)         1 field
  kubectl-client-side-apply (Update)  2 fields
  kubectl-edit (Update)               1 field
  pipeline (Apply)                    1 field

After:
  controller (Update, status)         1 field
  kubectl-client-side-apply (Update)  2 fields
  pipeline (Apply)                    2 fields

1 field moved to pipeline (Apply):
  .spec.minReadySeconds
`)
}

func wantReport(t *testing.T, moved apply.Migrated, m apply.Migration, o *options, want string) {
	t.Helper()
	r, err := reportOf(name, moved, m)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	r.write(&got, paint.Painter{}, o.again(name))
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("The report differs (-want +got):\n%s", diff)
	}
}

func TestTheCommandThatDoesItNamesTheSubresource(t *testing.T) {
	o := &options{from: []string{"a"}, to: "b", subresource: "status"}
	want := "kubectl ec2 migrate ec2account.ec2.fieldowner.dev/default --from=a --to=b --subresource=status --dry-run=none"
	if got := o.again(cli.Reference{APIVersion: "ec2.fieldowner.dev/v1", Kind: "EC2Account", Name: "default"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReportOfBrokenFields(t *testing.T) {
	broken := []metav1.ManagedFieldsEntry{entry("a", updated, "", `{"spec":{}}`)}
	for _, moved := range []apply.Migrated{{Before: broken}, {After: broken}} {
		if _, err := reportOf(name, moved, apply.Migration{}); err == nil || !strings.Contains(err.Error(), "deployment.apps/app") {
			t.Errorf("got %v", err)
		}
	}
}
