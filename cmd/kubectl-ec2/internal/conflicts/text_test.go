// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"pgregory.net/rapid"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/paint"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

func written(o *options, color paint.Mode, found []finding, err error) (stdout, stderr string) {
	var out, errOut bytes.Buffer
	env := &cli.Env{IOStreams: genericiooptions.IOStreams{Out: &out, ErrOut: &errOut}, Color: color, Getenv: func(string) string { return "" }}
	writeText(env, o, found, err)
	return out.String(), errOut.String()
}

func found(t *testing.T, s fakeServer) finding {
	t.Helper()
	c := checker{}
	return c.check(manifest{object: parse(t, wanted), file: []string{"-f", "my web.yaml"}, server: s})
}

func TestTextOfConflicts(t *testing.T) {
	o := &options{manager: "pipeline", toCluster: []string{"--context=prod"}}
	stdout, stderr := written(o, paint.Auto, []finding{found(t, contested(t))}, nil)
	want := `ec2instance.ec2.fieldowner.dev/web in namespace shop: 2 conflicts

  .spec.instanceType
    owned by  kubectl-client-side-apply (Update), team (Apply)
    theirs    "t3.micro"
    yours     "m5.large"

  .spec.userData
    owned by  team (Apply)
    theirs    {"inline":"(masked)"}
    yours     {"inline":"(masked)"}

  Ways out:
  1. Give way
     Remove .spec.instanceType and .spec.userData from what you apply. Values and owners stay as they are.
     Or set .spec.instanceType to "t3.micro" and .spec.userData to the value that it has, and own it together with
     them: then whoever wants another value is in conflict with the others.
  2. Take it
         kubectl apply --server-side --force-conflicts --field-manager=pipeline -n shop --context=prod -f 'my web.yaml'
     kubectl-client-side-apply (Update) loses .spec.instanceType. Whoever uses kubectl apply without --server-side
     overwrites your value the next time, and is not told of a conflict.
     team (Apply) loses .spec.instanceType and .spec.userData. Its next apply with another value is in conflict
     with you, unless it forces too.
  3. Become the owner, or ask it
     Make what kubectl-client-side-apply (Update) owns yours:
         kubectl ec2 migrate ec2instance.ec2.fieldowner.dev/web -n shop --context=prod --from=kubectl-client-side-apply --to=pipeline
     It shows what it would do, and does it with --dry-run=none. Then apply: you own all of its 4 fields then, and
     your apply removes those that it leaves out, now 3.
     Have team (Apply) leave .spec.instanceType and .spec.userData out of what it applies; the value goes with its
     last owner, until you apply yours. Or apply as it:
         kubectl apply --server-side --field-manager=team -n shop --context=prod -f 'my web.yaml'
     That gives up what it owns here and you do not apply: 1 of its 3 fields, each removed unless somebody else
     owns it.

`
	if diff := cmp.Diff(want, stdout); diff != "" || stderr != "" {
		t.Errorf("stderr %q, the text differs (-want +got):\n%s", stderr, diff)
	}
	if plain, _ := written(o, paint.Always, []finding{found(t, contested(t))}, nil); !strings.Contains(plain, "m"+"team (Apply)\x1b[0m") {
		t.Errorf("no colours in %q", plain)
	}
}

func TestTextOfTheRest(t *testing.T) {
	refused := found(t, fakeServer{refusal: errors.New("no\ngood")})
	stdout, stderr := written(&options{manager: defaultManager}, paint.Auto,
		[]finding{found(t, fakeServer{live: parse(t, live)}), found(t, fakeServer{}), refused},
		utilerrors.NewAggregate([]error{errors.New("file a"), utilerrors.NewAggregate([]error{errors.New("file b"), errors.New("file c")})}))
	wantOut := `ec2instance.ec2.fieldowner.dev/web in namespace shop: no conflicts
ec2instance.ec2.fieldowner.dev/web in namespace shop: would be created
3 objects: 1 would be created, 1 without conflicts, 1 failed
`
	wantErr := `error: ec2instance.ec2.fieldowner.dev/web in namespace shop: no; good
error: file a
error: file b
error: file c
`
	if diff := cmp.Diff([]string{wantOut, wantErr}, []string{stdout, stderr}); diff != "" {
		t.Errorf("The text differs (-want +got):\n%s", diff)
	}
}

func TestDocument(t *testing.T) {
	var got bytes.Buffer
	d := documentOf("kubectl", []finding{found(t, contested(t)), found(t, fakeServer{}), found(t, fakeServer{refusal: errors.New("no")})}, errors.New("file a"))
	if err := cli.PrintDocument(&got, cli.FormatYAML, d, true); err != nil {
		t.Fatal(err)
	}
	want := `errors:
- file a
fieldManager: kubectl
objects:
- conflicts:
  - live: t3.micro
    owners:
    - apiVersion: ec2.fieldowner.dev/v1
      manager: kubectl-client-side-apply
      operation: Update
    - apiVersion: ec2.fieldowner.dev/v1
      manager: team
      operation: Apply
    path: .spec.instanceType
    wanted: m5.large
  - live:
      inline: (masked)
    owners:
    - apiVersion: ec2.fieldowner.dev/v1
      manager: team
      operation: Apply
    path: .spec.userData
    wanted:
      inline: (masked)
  object: &object
    apiVersion: ec2.fieldowner.dev/v1
    kind: EC2Instance
    name: web
    namespace: shop
  result: Conflicts
  source: -f my web.yaml
- object:
    apiVersion: ec2.fieldowner.dev/v1
    kind: EC2Instance
    name: web
    namespace: shop
  result: WouldBeCreated
  source: -f my web.yaml
- error: "no"
  object:
    apiVersion: ec2.fieldowner.dev/v1
    kind: EC2Instance
    name: web
    namespace: shop
  result: Failed
  source: -f my web.yaml
`
	if diff := cmp.Diff(strings.Replace(want, " &object", "", 1), got.String()); diff != "" {
		t.Errorf("The document differs (-want +got):\n%s", diff)
	}
}

func TestNatures(t *testing.T) {
	const applied, updated = metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	for _, test := range []struct {
		manager   string
		operation metav1.ManagedFieldsOperationType
		want      nature
	}{
		{"kubectl", applied, applier},
		{"deploy-pipeline", applied, applier},
		{"argocd-controller", applied, controller},
		{"kustomize-controller", applied, controller},
		{"flux", applied, controller},
		{"kube-controller-manager", updated, controller},
		{"kubelet", updated, controller},
		{"manager", updated, controller},
		{"Prometheus-Operator", updated, controller},
		{"vpa-autoscaler", updated, controller},
		{"ec2-instance", applied, controller},
		{"ec2-instance-lifecycle", applied, controller},
		{"ec2-governance-costs", applied, controller},
		{"kubectl-client-side-apply", updated, clientSide},
		{"kubectl-edit", updated, trace},
		{"kubectl", updated, trace},
		{"before-first-apply", updated, trace},
		{"helm", updated, writer},
		{"python-requests", updated, writer},
	} {
		if got := natureOf(apply.Owner{Manager: test.manager, Operation: test.operation}); got != test.want {
			t.Errorf("%s (%s): got %d, want %d", test.manager, test.operation, got, test.want)
		}
	}
}

// TestWaysForEachOwner: what is said of an owner fits what it is.
func TestWaysForEachOwner(t *testing.T) {
	for _, test := range []struct {
		name, owner string
		take        []string
		become      []string
		never       []string
	}{
		{"a controller", `"kustomize-controller"`,
			[]string{"it takes the field back when it writes next"},
			[]string{"Have kustomize-controller (Apply) let go of .spec.subnetID"},
			[]string{"--field-manager=kustomize-controller", "kubectl ec2 migrate"}},
		{"a controller by Update", `"kube-controller-manager" using v1`,
			[]string{"it takes the field back"},
			[]string{"Have kube-controller-manager (Update) let go of .spec.subnetID"},
			[]string{"kubectl ec2 migrate"}},
		{"an autoscaler", `"kube-controller-manager" with subresource "scale" using v1`,
			[]string{"kube-controller-manager (Update, scale) loses .spec.subnetID"},
			[]string{"through the subresource scale", "such as an autoscaler, leave it to that"},
			[]string{"kubectl ec2 migrate"}},
		{"a single command", `"kubectl-edit" using v1`,
			[]string{"nobody takes the field back"},
			[]string{"--from=kubectl-edit --to=kubectl"},
			[]string{"--field-manager=kubectl-edit"}},
		{"something that writes", `"helm" using v1`,
			[]string{"It writes without asking who owns what"},
			[]string{"--from=helm --to=kubectl"}, nil},
		{"an applier of whom nothing else is there", `"team-b"`,
			[]string{"unless it forces too"},
			[]string{"kubectl apply --server-side --field-manager=team-b -n shop -f 'my web.yaml'"},
			[]string{"kubectl ec2 migrate", "of its 0"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := found(t, fakeServer{live: parse(t, live), conflicts: []metav1.StatusCause{cause(".spec.subnetID", test.owner)}})
			ways := f.ways(defaultManager, nil)
			wantSaid(t, ways[1], test.take, test.never)
			wantSaid(t, ways[2], test.become, test.never)
		})
	}
}

func wantSaid(t *testing.T, w way, want, never []string) {
	t.Helper()
	var text strings.Builder
	writeWays(&text, []way{w})
	said := strings.Join(strings.Fields(text.String()), " ")
	for _, words := range want {
		if !strings.Contains(said, words) {
			t.Errorf("%q is not in: %s", words, said)
		}
	}
	for _, words := range never {
		if strings.Contains(said, words) {
			t.Errorf("%q is in: %s", words, said)
		}
	}
}

func TestAnOwnerWhoseFieldsAreAllAppliedLosesNone(t *testing.T) {
	f := found(t, contested(t))
	f.object = parse(t, live)
	wantSaid(t, f.become(defaultManager, nil), []string{
		"You apply all that it owns here (3 fields), so that nothing is lost.",
		"your apply removes those that it leaves out, now 0.",
	}, nil)
}

func TestAValueThatCannotBeSaidIsNotToBeCopied(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{"short", `"short"`},
		{strings.Repeat("x", sharedWidth), "the value that it has"},
		{apply.MaskedValue, "the value that it has"},
		{map[string]any{"inline": apply.MaskedValue}, "the value that it has"},
	} {
		if got := shared(test.value); got != test.want {
			t.Errorf("%v: got %q, want %q", test.value, got, test.want)
		}
	}
}

// TestWrap: no word is lost, and only a long word makes a long line.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zü]{1,8}`), 1, 20).Draw(t, "words")
		width := rapid.IntRange(1, 20).Draw(t, "width")
		lines := wrap(strings.Join(words, " "), width)
		if got := strings.Fields(strings.Join(lines, " ")); !slices.Equal(words, got) {
			t.Fatalf("got the words %q", got)
		}
		for i, line := range lines {
			if len([]rune(line)) > width && strings.Contains(line, " ") {
				t.Errorf("%q is longer than %d", line, width)
			}
			if i > 0 && len([]rune(lines[i-1]))+1+len([]rune(strings.Fields(line)[0])) <= width {
				t.Errorf("%q had room for the first word of %q", lines[i-1], line)
			}
		}
	})
}
