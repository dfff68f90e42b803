// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package kubectlec2

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

const rival = `
apiVersion: ec2.fieldowner.dev/v1
kind: EC2Instance
metadata: {name: web}
spec:
  instanceType: m5.large
  userData: {inline: "#!/bin/sh\necho other\n"}
  tags: [{key: team, value: other}]
`

func TestConflicts(t *testing.T) {
	r := newRig(t)
	r.sharedInstance()
	before := r.get("ec2i/web")
	r.write("web.yaml", rival)
	got := r.ec2("conflicts -f web.yaml --field-manager=pipeline")
	want := `ec2instance.ec2.fieldowner.dev/web in namespace NS: 3 conflicts

  .spec.instanceType
    owned by  kubectl (Apply), team-costs (Apply)
    theirs    "t3.micro"
    yours     "m5.large"

  .spec.tags[key="team"].value
    owned by  kubectl (Apply)
    theirs    "shop"
    yours     "other"

  .spec.userData
    owned by  kubectl (Apply)
    theirs    {"inline":"(masked)"}
    yours     {"inline":"(masked)"}

  Ways out:
  1. Give way
     Remove .spec.instanceType, .spec.tags[key="team"].value and .spec.userData from what you apply. Values and
     owners stay as they are.
     Or set .spec.instanceType to "t3.micro", .spec.tags[key="team"].value to "shop" and .spec.userData to the
     value that it has, and own it together with them: then whoever wants another value is in conflict with the
     others.
  2. Take it
         kubectl apply --server-side --force-conflicts --field-manager=pipeline -n NS -f web.yaml
     kubectl (Apply) loses .spec.instanceType, .spec.tags[key="team"].value and .spec.userData. Its next apply with
     another value is in conflict with you, unless it forces too.
     team-costs (Apply) loses .spec.instanceType. Its next apply with another value is in conflict with you, unless
     it forces too.
  3. Become the owner, or ask it
     Have kubectl (Apply) leave .spec.instanceType, .spec.tags[key="team"].value and .spec.userData out of what it
     applies; the value goes with its last owner, until you apply yours. Or apply as it:
         kubectl apply --server-side -n NS -f web.yaml
     That gives up what it owns here and you do not apply: 7 of its 11 fields, each removed unless somebody else
     owns it.
     Have team-costs (Apply) leave .spec.instanceType out of what it applies; the value goes with its last owner,
     until you apply yours. Or apply as it:
         kubectl apply --server-side --field-manager=team-costs -n NS -f web.yaml
     That gives up what it owns here and you do not apply: 2 of its 3 fields, each removed unless somebody else
     owns it.

`
	if diff := cmp.Diff(want, strings.ReplaceAll(got.stdout, r.namespace, "NS")); diff != "" {
		t.Errorf("The output differs (-want +got):\n%s", diff)
	}
	r.want(got, 1, nil, nil)
	r.wantUnchanged("ec2i/web", before)

	// The second way out is one: the command does what it says.
	command := regexp.MustCompile(`kubectl apply .*--force-conflicts.*`).FindString(got.stdout)
	r.mustRun("", command)
	r.want(r.ec2("conflicts -f web.yaml --field-manager=pipeline"), 0,
		[]string{"ec2instance.ec2.fieldowner.dev/web in namespace " + r.namespace + ": no conflicts\n"}, nil)
	r.want(r.ec2("owners ec2i/web"), 0, []string{"instanceType              pipeline\n"}, nil)
}

// TestGivingWay: both forms of the first way out are without conflicts.
func TestGivingWay(t *testing.T) {
	r := newRig(t)
	r.sharedInstance()
	without := strings.NewReplacer("  instanceType: m5.large\n", "", "  userData: {inline: \"#!/bin/sh\\necho other\\n\"}\n", "", ", value: other", "").Replace(rival)
	same := strings.NewReplacer("m5.large", "t3.micro", "echo other", "echo hush-hush", "value: other", "value: shop").Replace(rival)
	for _, manifest := range []string{without, same} {
		got := r.run(manifest, "kubectl ec2 conflicts -f - --field-manager=pipeline -n "+r.namespace)
		r.want(got, 0, []string{"no conflicts"}, nil)
	}
}

// TestApplyingAsTheOwner: it removes as many fields as was said.
func TestApplyingAsTheOwner(t *testing.T) {
	r := newRig(t)
	r.apply("team-costs", strings.Replace(instance, "{name: team", "{key: a, value: b}, {name: team", 1))
	r.write("web.yaml", "apiVersion: ec2.fieldowner.dev/v1\nkind: EC2Instance\nmetadata: {name: web}\nspec:\n"+
		"  image: {id: ami-0123456789abcdef0}\n  instanceType: m5.large\n")
	got := r.ec2("conflicts -f web.yaml")
	r.want(got, 1, []string{"9 of its 11 fields"}, nil)
	r.mustRun("", regexp.MustCompile(`kubectl apply .*--field-manager=team-costs.*`).FindString(got.stdout))
	r.want(r.ec2("owners ec2i/web"), 0, []string{"spec\n  image         team-costs\n  instanceType  team-costs\n"}, nil)
}

func TestConflictsWithManyOutcomes(t *testing.T) {
	r := newRig(t)
	r.sharedInstance()
	r.write("all/a/web.yaml", rival)
	r.write("all/b.yaml", `
{apiVersion: v1, kind: ConfigMap, metadata: {name: new}, data: {a: "1"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: wrong}, data: {a: 1}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: lost, namespace: nowhere-`+r.namespace+`}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: nowhere-`+r.namespace+`}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: found, namespace: nowhere-`+r.namespace+`}}
---
{apiVersion: example.com/v1, kind: None, metadata: {name: none}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {generateName: g-}}
---
{apiVersion: v1, kind: ConfigMapList, items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: listed}}]}
`)
	r.mustRun("", "kubectl config view --raw > mine && kubectl config --kubeconfig=mine set-context --current --namespace="+r.namespace)
	got := r.run("", "kubectl ec2 conflicts -R -f all --field-manager=pipeline --kubeconfig=mine")
	r.want(got, 2, []string{
		"ec2instance.ec2.fieldowner.dev/web in namespace " + r.namespace + ": 3 conflicts\n",
		"--force-conflicts --field-manager=pipeline -n " + r.namespace + " --kubeconfig=mine -f all/a/web.yaml\n",
		"configmap/new in namespace " + r.namespace + ": would be created\n",
		"namespace/nowhere-" + r.namespace + ": would be created\n",
		"configmap/found in namespace nowhere-" + r.namespace + ": would be created\n",
		"configmap/listed in namespace " + r.namespace + ": would be created\n",
		"8 objects: 1 in conflict, 4 would be created, 3 failed\n",
	}, []string{
		"error: configmap/wrong in namespace " + r.namespace + ": failed to create typed patch object",
		"error: configmap/lost in namespace nowhere-" + r.namespace + `: namespaces "nowhere-` + r.namespace + `" not found (create the namespace first: kubectl create namespace nowhere-`,
		`error: resource mapping not found for name: "none"`,
		"an apply needs metadata.name",
	})
	r.want(r.run("", "kubectl get configmap new -n "+r.namespace), 1, nil, []string{"NotFound"})
}

func TestConflictsOfAKustomization(t *testing.T) {
	r := newRig(t)
	r.sharedInstance()
	r.write("overlay/kustomization.yaml", "resources: [web.yaml]\nnamespace: "+r.namespace+"\n")
	r.write("overlay/web.yaml", rival)
	r.want(r.run("", "kubectl ec2 conflicts -k overlay"), 1, []string{
		"-n " + r.namespace + " -k overlay\n",
	}, nil)
}

type conflictDocument struct {
	Path         string
	Owners       []struct{ Manager, Operation string }
	Live, Wanted any
}

type conflictsDocument struct {
	FieldManager string
	Objects      []struct {
		Object                struct{ Kind, Namespace, Name string }
		Source, Result, Error string
		Conflicts             []conflictDocument
	}
}

func TestConflictsAsJSON(t *testing.T) {
	r := newRig(t)
	r.sharedInstance()
	done := r.run(rival, "kubectl ec2 conflicts -f - -o json --field-manager=pipeline -n "+r.namespace)
	r.want(done, 1, nil, nil)
	var got conflictsDocument
	r.decode(done.stdout, &got)
	if got.FieldManager != "pipeline" || len(got.Objects) != 1 || got.Objects[0].Result != "Conflicts" {
		t.Fatalf("got %+v", got)
	}
	type owners = []struct{ Manager, Operation string }
	masked := map[string]any{"inline": apply.MaskedValue}
	want := []conflictDocument{
		{Path: ".spec.instanceType", Owners: owners{{"kubectl", "Apply"}, {"team-costs", "Apply"}}, Live: "t3.micro", Wanted: "m5.large"},
		{Path: `.spec.tags[key="team"].value`, Owners: owners{{"kubectl", "Apply"}}, Live: "shop", Wanted: "other"},
		{Path: ".spec.userData", Owners: owners{{"kubectl", "Apply"}}, Live: masked, Wanted: masked},
	}
	if diff := cmp.Diff(want, got.Objects[0].Conflicts); diff != "" {
		t.Errorf("The conflicts differ (-want +got):\n%s", diff)
	}
}

// TestConflictsOfASecret: both values stay where they are.
func TestConflictsOfASecret(t *testing.T) {
	r := newRig(t)
	secret := `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"password": "aHVzaC1odXNo"}}`
	r.apply("one", secret)
	for _, format := range []string{"", " -o yaml"} {
		got := r.run(strings.Replace(secret, "aHVzaC1odXNo", "b3RoZXI=", 1), "kubectl ec2 conflicts -f - -n "+r.namespace+format)
		r.want(got, 1, []string{".data.password", "(masked)"}, nil)
		if strings.Contains(got.stdout, "aHVzaC1odXNo") || strings.Contains(got.stdout, "b3RoZXI=") {
			r.Errorf("a secret is shown:\n%s", got.stdout)
		}
	}
}

// TestConflictsWithAScale: what kubectl scale has set is no part of any file.
func TestConflictsWithAScale(t *testing.T) {
	r := newRig(t)
	r.apply("one", deployment)
	r.must("scale deployment/app --replicas=3")
	got := r.run(deployment, "kubectl ec2 conflicts -f - --field-manager=one -n "+r.namespace)
	r.want(got, 1, []string{
		"owned by  kubectl (Update, scale)\n    theirs    3\n    yours     2\n",
		"It is what a single command has left", "through the subresource scale",
	}, nil)
}

func TestFilesFromTheCluster(t *testing.T) {
	r := newRig(t)
	r.sharedInstance()
	old := r.must("get ec2i web -o json")
	r.must("annotate ec2i web a=b")
	r.want(r.run(old, "kubectl ec2 conflicts -f -"), 2, nil, []string{"(remove metadata.resourceVersion from the file"})
	r.want(r.run(r.must("get ec2i web -o json --show-managed-fields"), "kubectl ec2 conflicts -f -"), 2, nil, []string{"(remove metadata.managedFields from the file)"})
}
