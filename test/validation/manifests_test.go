// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The operator's own place, which documentation, IAM policies and the suites name.
const (
	operatorNamespace      = "ec2-operator-system"
	operatorServiceAccount = "ec2-operator"
)

// applyFolder applies a folder as a user does, three times. The first creates, the second stores the status that the schema gives to an
// object which no controller has seen, and the third must change nothing.
func applyFolder(t *testing.T, folder string, args ...string) {
	t.Helper()
	args = append(args, "--kustomize="+filepath.Join(configDir, folder))
	apply := func() { kubectl(t, append([]string{"apply", "--server-side"}, args...)...) }
	versions := func() string {
		const each = `{range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion}{"\n"}{end}`
		return kubectl(t, append([]string{"get", "--output=jsonpath=" + each}, args...)...)
	}
	apply()
	apply()
	before := versions()
	apply()
	if diff := cmp.Diff(before, versions()); diff != "" {
		t.Errorf("applying config/%s again changes objects (-before +after):\n%s", folder, diff)
	}
}

func TestDefaultManifestsApply(t *testing.T) {
	applyFolder(t, "default")
	c := newClient(t)
	account := &corev1.ServiceAccount{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: operatorNamespace, Name: operatorServiceAccount}, account); err != nil {
		t.Error(err)
	}
	deployment := &appsv1.Deployment{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: operatorNamespace, Name: "ec2-operator"}, deployment); err != nil {
		t.Fatal(err)
	}
	if got := deployment.Spec.Template.Spec.ServiceAccountName; got != operatorServiceAccount {
		t.Errorf("the operator runs as %q", got)
	}
	t.Run("its Pods are restricted", func(t *testing.T) { podsAreRestricted(t, c, deployment) })
	t.Run("its Service, PodDisruptionBudget and NetworkPolicy select its Pods", func(t *testing.T) { selectorsMatch(t, deployment) })
}

// podsAreRestricted has the API server's Pod Security admission judge the operator's Pod, and, so that this means something, the same
// Pod with one more right.
func podsAreRestricted(t *testing.T, c client.Client, deployment *appsv1.Deployment) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "judged", Namespace: operatorNamespace, Labels: deployment.Spec.Template.Labels},
		Spec:       deployment.Spec.Template.Spec,
	}
	if err := c.Create(t.Context(), pod.DeepCopy(), client.DryRunAll); err != nil {
		t.Errorf("the operator's Pod is refused: %v", err)
	}
	pod.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = new(true)
	err := c.Create(t.Context(), pod.DeepCopy(), client.DryRunAll)
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `violates PodSecurity "restricted`) {
		t.Errorf("the namespace lets a Pod in that is not restricted: %v", err)
	}
}

// selectorsMatch compares by text what Kubernetes compares by label: nothing of it is checked when it is applied.
func selectorsMatch(t *testing.T, deployment *appsv1.Deployment) {
	t.Helper()
	for name, path := range map[string]string{
		"service/ec2-operator-metrics":             "{.spec.selector}",
		"poddisruptionbudget/ec2-operator":         "{.spec.selector.matchLabels}",
		"networkpolicy/ec2-operator-allow-metrics": "{.spec.podSelector.matchLabels}",
		"deployment/ec2-operator":                  "{.spec.template.spec.topologySpreadConstraints[*].labelSelector.matchLabels}",
	} {
		got := strings.Fields(kubectl(t, "get", name, "--namespace="+operatorNamespace, "--output=jsonpath="+path))
		if len(got) == 0 {
			t.Errorf("%s selects nothing", name)
		}
		for _, labels := range got {
			if want := fmt.Sprintf(`{"app.kubernetes.io/name":%q}`, deployment.Spec.Template.Labels["app.kubernetes.io/name"]); labels != want {
				t.Errorf("%s selects %s instead of %s", name, labels, want)
			}
		}
	}
}

// The Prometheus component is built the way a user takes it in; its kind is not served here.
func TestPrometheusComponentBuilds(t *testing.T) {
	overlay := t.TempDir()
	config, err := filepath.Abs(configDir)
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(overlay, config)
	if err != nil {
		t.Fatal(err)
	}
	kustomization := fmt.Sprintf("resources: [%s/default]\ncomponents: [%s/prometheus]\n", relative, relative)
	if err := os.WriteFile(filepath.Join(overlay, "kustomization.yaml"), []byte(kustomization), 0o600); err != nil {
		t.Fatal(err)
	}
	if output := kubectl(t, "kustomize", overlay); !strings.Contains(output, "kind: ServiceMonitor") || !strings.Contains(output, "kind: Deployment") {
		t.Errorf("the overlay lacks the ServiceMonitor or the Deployment:\n%s", output)
	}
}
