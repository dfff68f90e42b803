// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package kubectlec2

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const instanceTree = `FIELD                       OWNERS
metadata
  labels
    [app.example.com/tier]  kubectl
spec
  image                     kubectl
  instanceType              kubectl, team-costs
  securityGroupIDs
    sg-0123456789abcdef0    kubectl
    sg-0aaaaaaaaaaaaaaaa    kubectl
  subnetID                  kubectl
  tags[cost-center]
    key                     team-costs
    value                   team-costs
  tags[role]
    key                     kubectl
    value                   kubectl
  tags[team]
    key                     kubectl
    value                   kubectl
  userData                  kubectl
status
  conditions[Ready]
    lastTransitionTime      ec2-instance
    message                 ec2-instance
    reason                  ec2-instance
    status                  ec2-instance
    type                    ec2-instance
  instanceID                ec2-instance
`

func (r *rig) wantOutput(want, line, stdin string) {
	r.Helper()
	if diff := cmp.Diff(want, r.mustRun(stdin, line)); diff != "" {
		r.Errorf("The output of %s differs (-want +got):\n%s", line, diff)
	}
}

func TestOwnersOfAnEC2Instance(t *testing.T) {
	r := newRig(t)
	r.sharedInstance()
	for _, name := range []string{"ec2i/web", "ec2i web", "ec2instance.ec2.fieldowner.dev/web", "ec2instances.v1.ec2.fieldowner.dev web"} {
		r.wantOutput(instanceTree, "kubectl ec2 owners -n "+r.namespace+" "+name, "")
	}
	r.wantOutput(`FIELD                OWNERS
spec
  instanceType       kubectl, team-costs
  tags[cost-center]
    key              team-costs
    value            team-costs
`, "kubectl ec2 owners ec2i/web --manager=team-costs -n "+r.namespace, "")
}

// TestOwnersOffline: a file says the same as the cluster, and the cluster is not asked.
func TestOwnersOffline(t *testing.T) {
	r := newRig(t)
	r.sharedInstance()
	r.env = append(r.env, "KUBECONFIG=/nowhere")
	text := func() string {
		withCluster := &rig{T: t, namespace: r.namespace, dir: r.dir}
		return withCluster.must("get ec2i web -o yaml --show-managed-fields")
	}()
	r.wantOutput(instanceTree, "kubectl-ec2 owners -f -", text)
	r.write("web.yaml", text)
	r.wantOutput(instanceTree, "kubectl-ec2 owners -f web.yaml", "")
}

func TestOwnersWide(t *testing.T) {
	r := newRig(t)
	r.sharedInstance()
	got := r.ec2("owners ec2i/web -o wide")
	var rows []string
	for line := range strings.Lines(got.stdout) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	times := map[string]string{}
	for _, e := range r.get("ec2i/web").GetManagedFields() {
		times[e.Manager] = e.Time.UTC().Format("2006-01-02T15:04:05Z")
	}
	for _, want := range []string{
		"FIELD MANAGER OPERATION SUBRESOURCE TIME VALUE",
		"instanceType kubectl Apply - " + times["kubectl"] + ` "t3.micro"`,
		"team-costs Apply - " + times["team-costs"],
		"instanceID ec2-instance Apply status " + times["ec2-instance"] + ` "i-0123456789abcdef0"`,
		"userData kubectl Apply - " + times["kubectl"] + ` {"inline":"(masked)"}`,
		"tags[cost-center]",
	} {
		if !slices.Contains(rows, want) {
			r.Errorf("no row %q", want)
		}
	}
	if r.want(got, 0, nil, nil); strings.Contains(got.stdout, "hush-hush") {
		r.Error("a secret is shown")
	}
}

// TestOwnersOfASecret: its values are not shown, by whatever manager and in kubectl's copy neither.
func TestOwnersOfASecret(t *testing.T) {
	r := newRig(t)
	secret := `{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"password": "hush-hush"}}`
	r.mustRun(secret, "kubectl apply -f - -n "+r.namespace)
	got := r.ec2("owners secret/s -o wide")
	r.want(got, 0, []string{"password", "[kubectl.kubernetes.io/last-applied-configuration]", "(masked)"}, nil)
	// aHVzaC1odXNo is hush-hush in base64.
	if strings.Contains(got.stdout, "hush-hush") || strings.Contains(got.stdout, "aHVzaC1odXNo") {
		r.Errorf("a secret is shown:\n%s", got.stdout)
	}
}

func TestOwnersOfOtherKinds(t *testing.T) {
	r := newRig(t)
	r.mustRun(deployment, "kubectl apply -f - -n "+r.namespace)
	r.must("scale deployment/app --replicas=3")
	got := r.ec2("owners deployment/app configmap/c -o wide")
	r.want(got, 2, nil, []string{`configmaps "c" not found`})
	r.apply("one", `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a.properties": "1", "b": "2"}}`)
	got = r.ec2("owners deployment/app configmap/c")
	r.want(got, 0, []string{
		"deployment.apps/app in namespace " + r.namespace + "\nFIELD ",
		"\n  paused ", "\n  replicas                                              kubectl\n",
		"\n      containers[app]\n", "\n        ports[80/TCP]\n          containerPort ",
		"\n\nconfigmap/c in namespace " + r.namespace + "\nFIELD             OWNERS\ndata\n  [a.properties]  one\n  b               one\n",
	}, nil)
	r.want(r.ec2("owners namespace/"+r.namespace), 0, []string{"[kubernetes.io/metadata.name]"}, nil)
}

type ownersDocument struct {
	Object struct{ APIVersion, Kind, Namespace, Name string }
	Fields []struct {
		Path   string
		Owners []struct{ Manager, Operation, Subresource, APIVersion, Time string }
	}
}

func TestOwnersAsJSON(t *testing.T) {
	r := newRig(t)
	r.sharedInstance()
	var got ownersDocument
	r.decode(r.ec2("owners ec2i/web -o json --color=always").stdout, &got)
	if got.Object.Kind != "EC2Instance" || got.Object.Namespace != r.namespace || got.Object.Name != "web" {
		t.Errorf("the object is %v", got.Object)
	}
	owners := map[string][]string{}
	for _, f := range got.Fields {
		for _, o := range f.Owners {
			if o.APIVersion != "ec2.fieldowner.dev/v1" || o.Time == "" || o.Operation != "Apply" {
				t.Errorf("%s has the owner %v", f.Path, o)
			}
			owners[f.Path] = append(owners[f.Path], o.Manager+"/"+o.Subresource)
		}
	}
	for path, want := range map[string][]string{
		".spec.instanceType":                             {"kubectl/", "team-costs/"},
		`.spec.tags[key="cost-center"].value`:            {"team-costs/"},
		`.spec.securityGroupIDs["sg-0aaaaaaaaaaaaaaaa"]`: nil,
		`.status.conditions[type="Ready"].status`:        {"ec2-instance/status"},
		".status.instanceID":                             {"ec2-instance/status"},
	} {
		if diff := cmp.Diff(want, owners[path]); diff != "" {
			t.Errorf("The owners of %s differ (-want +got):\n%s", path, diff)
		}
	}
	if lines := strings.Count(instanceTree, "  kubectl") + strings.Count(instanceTree, "  team-costs") + strings.Count(instanceTree, "  ec2-instance"); len(got.Fields) != lines {
		t.Errorf("%d fields, and the tree has %d", len(got.Fields), lines)
	}
}

// TestAnObjectWithoutManagedFields: somebody has cleared them.
func TestAnObjectWithoutManagedFields(t *testing.T) {
	r := newRig(t)
	r.must("create configmap c --from-literal=a=1")
	r.must(`patch configmap c --type=merge -p '{"metadata":{"managedFields":[{}]}}'`)
	r.want(r.ec2("owners configmap/c"), 0, nil, []string{"configmap/c in namespace " + r.namespace + " has no managedFields: nobody owns a field of it."})
	r.want(r.ec2("owners configmap/c -o json"), 0, []string{`"fields": []`}, nil)
}

func TestWhatIsNotThere(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct{ args, want string }{
		{"owners nix/web", `error: reading the object: the server doesn't have a resource type "nix"`},
		{"owners ec2i/web", `ec2instances.ec2.fieldowner.dev "web" not found`},
		{"owners ec2i", `error: "ec2i" names no object: use ec2i/NAME` + "\nSee 'kubectl ec2 owners --help'.\n"},
		{"owners ec2i/web --context=none", "'kubectl config get-contexts' shows those that there are"},
		{"migrate ec2i/web --from=a --to=b", `ec2instances.ec2.fieldowner.dev "web" not found`},
	} {
		r.want(r.ec2(test.args), 2, nil, []string{test.want})
	}
}
