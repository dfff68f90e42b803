// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package kubectlec2

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// managersOf lists an object's managers, such as kubectl/Apply, in the order of their names: the API server's goes by time.
func (r *rig) managersOf(object string) string {
	r.Helper()
	var out []string
	for _, e := range r.get(object).GetManagedFields() {
		name := e.Manager + "/" + string(e.Operation)
		if e.Subresource != "" {
			name += "/" + e.Subresource
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestFromClientSideToServerSideApply goes all the way: conflicts name the way, a dry run shows it, it is gone, and what the
// file leaves out is removed by the next apply.
func TestFromClientSideToServerSideApply(t *testing.T) {
	r := newRig(t)
	r.mustRun(deployment, "kubectl apply -f - -n "+r.namespace)
	changed := strings.NewReplacer("app:1", "app:2", "  paused: true\n", "").Replace(deployment)
	r.write("app.yaml", changed)

	conflicts := r.ec2("conflicts -f app.yaml --field-manager=pipeline")
	r.want(conflicts, 1, []string{
		`.spec.template.spec.containers[name="app"].image` + "\n    owned by  kubectl-client-side-apply (Update)\n",
		"you own all of its 23 fields then",
	}, nil)
	before := r.get("deployment/app")

	command := regexp.MustCompile(`kubectl ec2 migrate .*`).FindString(conflicts.stdout)
	dry := r.run("", command)
	r.want(dry, 0, []string{
		"deployment.apps/app in namespace " + r.namespace + " (dry run: nothing is stored)\n",
		"Before:\n  kubectl-client-side-apply (Update)  23 fields\n",
		"After:\n  pipeline (Apply)                    23 fields\n",
		"23 fields would move to pipeline (Apply):\n", "\n  .spec.paused\n",
	}, nil)
	r.wantUnchanged("deployment/app", before)

	_, command, _ = strings.Cut(dry.stdout, "To do it:\n")
	r.want(r.run("", strings.TrimSpace(command)), 0, []string{"23 fields moved to pipeline (Apply):\n"}, nil)
	if got := r.managersOf("deployment/app"); got != "pipeline/Apply" {
		t.Errorf("the managers are %s", got)
	}

	r.want(r.ec2("conflicts -f app.yaml --field-manager=pipeline"), 0, []string{"no conflicts"}, nil)
	r.apply("pipeline", changed)
	if paused := r.must("get deployment app -o 'jsonpath={.spec.paused}{.spec.template.spec.containers[0].image}'"); paused != "example.com/app:2" {
		t.Errorf("what the file leaves out is not removed: %s", paused)
	}
	r.want(r.run("", strings.TrimSpace(command)), 2, nil, []string{
		`error: "kubectl-client-side-apply" owns nothing of deployment.apps/app in namespace ` + r.namespace + " by Update. The managers are: ",
	})
}

func TestMigrateSeveralManagers(t *testing.T) {
	r := newRig(t)
	r.mustRun(instance, "kubectl create -f - -n "+r.namespace)
	r.apply("team-costs", costs)
	r.must("label ec2i web edited=yes --field-manager=kubectl-edit")
	got := r.ec2("migrate ec2i web --from=kubectl-create,kubectl-edit --to=team-costs --dry-run=none")
	r.want(got, 0, []string{
		"Before:\n  kubectl-create (Update)  19 fields\n  kubectl-edit (Update)    1 field\n  team-costs (Apply)       3 fields\n",
		"After:\n  team-costs (Apply)       22 fields\n",
		"19 fields moved to team-costs (Apply), which owned 1 field together with the old owner:\n",
	}, nil)
	if managers := r.managersOf("ec2i/web"); managers != "team-costs/Apply" {
		t.Errorf("the managers are %s", managers)
	}
}

func TestMigrateAStatus(t *testing.T) {
	r := newRig(t)
	r.apply("kubectl", instance)
	r.must(`patch ec2i web --subresource=status --type=merge --field-manager=old -p '{"status":{"instanceID":"i-0123456789abcdef0"}}'`)
	r.want(r.ec2("migrate ec2i/web --from=old --to=ec2-instance"), 2, nil, []string{"It wrote through a subresource: add --subresource=status."})
	got := r.ec2("migrate ec2i/web --from=old --to=ec2-instance --subresource=status --dry-run=none")
	r.want(got, 0, []string{"1 field moved to ec2-instance (Apply, status):\n  .status.instanceID\n"}, nil)
	if managers := r.managersOf("ec2i/web"); managers != "ec2-instance/Apply/status kubectl/Apply" {
		t.Errorf("the managers are %s", managers)
	}
}

func TestMigrateFromNobody(t *testing.T) {
	r := newRig(t)
	r.sharedInstance()
	before := r.get("ec2i/web")
	for _, test := range []struct{ args, want string }{
		{"--from=helm", `"helm" owns nothing of ec2instance.ec2.fieldowner.dev/web in namespace ` + r.namespace +
			" by Update. The managers are: ec2-instance (Apply, status), kubectl (Apply), team-costs (Apply).\n"},
		{"--from=kubectl", "It uses server-side apply, whose fields are not moved"},
		{"--from=kubectl --dry-run=client", "--dry-run must be server or none"},
		{"", "name the managers whose fields move, with --from"},
	} {
		r.want(r.ec2("migrate ec2i/web --to=pipeline --dry-run=none "+test.args), 2, nil, []string{test.want})
	}
	r.wantUnchanged("ec2i/web", before)
	if operation := before.GetManagedFields()[0].Operation; operation != metav1.ManagedFieldsOperationApply {
		t.Errorf("the first manager has the operation %s: the test is about nothing", operation)
	}
}
