// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
)

func TestReady(t *testing.T) {
	if got := kubectl(t, "get", "--raw", "/readyz"); got != "ok" {
		t.Errorf("/readyz says %q", got)
	}
	if got := kubectl(t, "auth", "whoami", "-o", "jsonpath={.status.userInfo.groups}"); !strings.Contains(got, mastersGroup) {
		t.Errorf("the admin's groups are %s, want %s among them", got, mastersGroup)
	}
}

// Clients decide by the version what a server can do; a build without one says
// v0.0.0-master.
func TestVersion(t *testing.T) {
	var version struct {
		ClientVersion, ServerVersion struct{ Major, Minor, GitVersion string }
	}
	if err := json.Unmarshal([]byte(kubectl(t, "version", "-o", "json")), &version); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]struct{ Major, Minor, GitVersion string }{
		"client": version.ClientVersion, "server": version.ServerVersion,
	} {
		if v.Major != "1" || v.Minor == "" || !strings.HasPrefix(v.GitVersion, "v1."+v.Minor+".") {
			t.Errorf("the %s's version is %+v", name, v)
		}
	}
}

// kubectl must not see what the person who runs the tests has configured.
func TestKubectlIsIsolated(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "elsewhere"))
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	kubectl(t, "get", "namespaces")
	if got := kubectl(t, "config", "current-context"); got != kubeconfigEntry {
		t.Errorf("the current context is %q", got)
	}
}

func TestKubectlFailureHoldsStderr(t *testing.T) {
	_, err := shared.Kubectl(t.Context(), "get", "nosuchthings")
	if err == nil || !strings.Contains(err.Error(), `the server doesn't have a resource type "nosuchthings"`) {
		t.Errorf("got %v", err)
	}
}

func TestServiceAccountHasTheRightsOfRBACOnly(t *testing.T) {
	namespace := newNamespace(t)
	kubectl(t, "create", "serviceaccount", "worker", "-n", namespace)
	config, err := shared.ServiceAccountConfig(t.Context(), namespace, "worker")
	if err != nil {
		t.Fatal(err)
	}
	worker, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	list := func(ctx context.Context, in string) error {
		_, err := worker.CoreV1().ConfigMaps(in).List(ctx, metav1.ListOptions{})
		return err
	}
	if err := list(t.Context(), namespace); !apierrors.IsForbidden(err) {
		t.Fatalf("a fresh ServiceAccount lists ConfigMaps and gets: %v", err)
	}

	kubectl(t, "create", "role", "reader", "-n", namespace, "--verb=list", "--resource=configmaps")
	kubectl(t, "create", "rolebinding", "worker-reads", "-n", namespace, "--role=reader", "--serviceaccount="+namespace+":worker")
	eventually(t, "listing once the Role is bound", func(ctx context.Context) error { return list(ctx, namespace) })
	if err := list(t.Context(), metav1.NamespaceDefault); !apierrors.IsForbidden(err) {
		t.Errorf("listing in another namespace gets: %v", err)
	}
}

func TestServiceAccountKubeconfig(t *testing.T) {
	namespace := newNamespace(t)
	kubectl(t, "create", "serviceaccount", "worker", "-n", namespace)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := shared.ServiceAccountKubeconfig(t.Context(), namespace, "worker", path); err != nil {
		t.Fatal(err)
	}
	got := kubectl(t, "--kubeconfig", path, "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
	if want := ServiceAccountUser(namespace, "worker"); got != want {
		t.Errorf("the kubeconfig's user is %s, want %s", got, want)
	}
}

func TestServiceAccountMustExist(t *testing.T) {
	_, err := shared.ServiceAccountConfig(t.Context(), metav1.NamespaceDefault, "nobody")
	if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "default/nobody") {
		t.Errorf("got %v", err)
	}
}

func TestOwnedObjectsAreCollected(t *testing.T) {
	for name, owner := range map[string]struct{ apiVersion, kind, resource string }{
		"owner of a built-in type": {"v1", "ConfigMap", "configmaps"},
		"owner of a CRD's type":    {"test.fieldowner.dev/v1", "Widget", "widgets.test.fieldowner.dev"},
	} {
		t.Run(name, func(t *testing.T) {
			clients, namespace := adminClients(t), "collected-"+strings.ToLower(owner.kind)
			kubectl(t, "create", "namespace", namespace)
			apply(t, fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: owner, namespace: %s}}", owner.apiVersion, owner.kind, namespace))
			uid := kubectl(t, "get", owner.resource, "owner", "-n", namespace, "-o", "jsonpath={.metadata.uid}")
			apply(t, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: child, namespace: %s, ownerReferences: [{apiVersion: %s, kind: %s, name: owner, uid: %s}]}}",
				namespace, owner.apiVersion, owner.kind, uid))
			apply(t, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: stranger, namespace: %s}}", namespace))

			kubectl(t, "delete", owner.resource, "owner", "-n", namespace)
			eventually(t, "collecting the child", func(ctx context.Context) error {
				_, err := clients.CoreV1().ConfigMaps(namespace).Get(ctx, "child", metav1.GetOptions{})
				if apierrors.IsNotFound(err) {
					return nil
				}
				if err != nil {
					return err
				}
				return errors.New("the child is still there")
			})
			if _, err := clients.CoreV1().ConfigMaps(namespace).Get(t.Context(), "stranger", metav1.GetOptions{}); err != nil {
				t.Errorf("an object without owner: %v", err)
			}
		})
	}
}

func TestDeletedNamespaceGoesWithAllThatIsInIt(t *testing.T) {
	namespace := newNamespace(t)
	kubectl(t, "create", "configmap", "inside", "-n", namespace)
	kubectl(t, "delete", "namespace", namespace, "--timeout", patience.String())
	_, err := adminClients(t).CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("getting the deleted namespace: %v", err)
	}
}

func TestNamespacesGetTheirDefaults(t *testing.T) {
	clients, namespace := adminClients(t), newNamespace(t)
	eventually(t, "the default ServiceAccount", func(ctx context.Context) error {
		_, err := clients.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	var ca *corev1.ConfigMap
	eventually(t, "the root certificate", func(ctx context.Context) (err error) {
		ca, err = clients.CoreV1().ConfigMaps(namespace).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
		return err
	})
	if ca.Data["ca.crt"] != string(shared.RESTConfig().CAData) {
		t.Error("kube-root-ca.crt is not the certificate of the API server's authority")
	}
}

func TestInstallCRDs(t *testing.T) {
	t.Run("again", func(t *testing.T) {
		if err := shared.InstallCRDs(t.Context(), "testdata/crds"); err != nil {
			t.Error(err)
		}
	})
	t.Run("folder that is not there", func(t *testing.T) {
		if err := shared.InstallCRDs(t.Context(), "testdata/nothing-here"); err == nil || !strings.Contains(err.Error(), "nothing-here") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("folder without any", func(t *testing.T) {
		if err := shared.InstallCRDs(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "there is none") {
			t.Errorf("got %v", err)
		}
	})
}

// The RBAC informer, the controllers and everything else of the cluster run on
// while these requests are counted: the filters have to keep them out.
func TestRequestsAreCountedExactly(t *testing.T) {
	clients, namespace := adminClients(t), newNamespace(t)
	const manager, objects = "counting", 20
	before := len(recorded(t))
	ours := func() Requests { return recorded(t)[before:].Of("", "configmaps").In(namespace).By("admin") }
	for i := range objects {
		config := corev1ac.ConfigMap(fmt.Sprintf("object-%d", i), namespace).WithData(map[string]string{"key": "value"})
		if _, err := clients.CoreV1().ConfigMaps(namespace).Apply(t.Context(), config, metav1.ApplyOptions{FieldManager: manager, Force: true}); err != nil {
			t.Fatal(err)
		}
		// At once, and after every single one: that is the promise.
		if got := ours().Writes(); len(got) != i+1 {
			t.Fatalf("%d writes are recorded after %d applies:%s", len(got), i+1, lines(got))
		}
	}
	if _, err := clients.CoreV1().ConfigMaps(namespace).Get(t.Context(), "object-0", metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := ours().With("get"); len(got) != 1 || got[0].Name != "object-0" {
		t.Errorf("want the one get, have:%s", lines(got))
	}
	if got := ours(); len(got) != objects+1 {
		t.Errorf("want %d requests in all, have %d:%s", objects+1, len(got), lines(got))
	}
}

func TestRequestsOfManyAtOnceAreCountedExactly(t *testing.T) {
	namespace := newNamespace(t)
	const workers, each = 8, 25
	before := len(recorded(t))
	failures := make(chan error, workers)
	for w := range workers {
		go func() {
			clients, err := kubernetes.NewForConfig(shared.RESTConfig())
			for i := 0; i < each && err == nil; i++ {
				config := corev1ac.ConfigMap(fmt.Sprintf("object-%d-%d", w, i), namespace)
				_, err = clients.CoreV1().ConfigMaps(namespace).Apply(t.Context(), config, metav1.ApplyOptions{FieldManager: "counting"})
			}
			failures <- err
		}()
	}
	for range workers {
		if err := <-failures; err != nil {
			t.Fatal(err)
		}
	}
	if got := recorded(t)[before:].Of("", "configmaps").In(namespace).By("admin").Writes(); len(got) != workers*each {
		t.Errorf("%d writes are recorded, want %d", len(got), workers*each)
	}
}

func TestRequestsTellWhatWasAsked(t *testing.T) {
	namespace := newNamespace(t)
	kubectl(t, "create", "serviceaccount", "worker", "-n", namespace)
	before := len(recorded(t))
	askThreeThings(t, namespace)

	got := recorded(t)[before:].Writes().Where(func(r Request) bool { return r.User == "admin" || r.UserAgent == workerAgent })
	want := Requests{
		{User: "admin", Verb: "patch", Resource: "configmaps", Namespace: namespace, Name: "one", FieldManager: "somebody", Force: true, DryRun: true, Code: 201},
		{User: ServiceAccountUser(namespace, "worker"), Verb: "create", Resource: "configmaps", Namespace: namespace, Code: 403},
		{User: "admin", Verb: "patch", Resource: "namespaces", Subresource: "status", Namespace: namespace, Name: namespace, FieldManager: "somebody", Code: 200},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Request{}, "ID", "Time", "URI", "UserAgent")); diff != "" {
		t.Error(diff)
	}
	for _, r := range got {
		if r.ID == "" || r.Time.IsZero() || r.URI == "" || r.UserAgent == "" {
			t.Errorf("something is missing: %s", r)
		}
	}
}

const workerAgent = "these-tests/1"

// askThreeThings sends a dry run and a status as the admin, and in between what
// a ServiceAccount may not do.
func askThreeThings(t *testing.T, namespace string) {
	t.Helper()
	clients := adminClients(t)
	config, err := shared.ServiceAccountConfig(t.Context(), namespace, "worker")
	if err != nil {
		t.Fatal(err)
	}
	config.UserAgent = workerAgent
	worker, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	_, err = clients.CoreV1().ConfigMaps(namespace).Apply(t.Context(), corev1ac.ConfigMap("one", namespace),
		metav1.ApplyOptions{FieldManager: "somebody", Force: true, DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = worker.CoreV1().ConfigMaps(namespace).Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "two"}}, metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) {
		t.Fatalf("the worker creates and gets: %v", err)
	}
	_, err = clients.CoreV1().Namespaces().ApplyStatus(t.Context(),
		corev1ac.Namespace(namespace).WithStatus(corev1ac.NamespaceStatus().WithConditions(corev1ac.NamespaceCondition().
			WithType("Seen").WithStatus(corev1.ConditionTrue).WithReason("Test").WithMessage("").WithLastTransitionTime(metav1.Now()))),
		metav1.ApplyOptions{FieldManager: "somebody"})
	if err != nil {
		t.Fatal(err)
	}
}

// A watch may never end, and who watches what is worth knowing.
func TestRequestsHoldWatchesThatGoOn(t *testing.T) {
	clients, namespace := adminClients(t), newNamespace(t)
	before := len(recorded(t))
	watch, err := clients.CoreV1().ConfigMaps(namespace).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	watches := func() Requests { return recorded(t)[before:].In(namespace).With("watch").By("admin") }
	if got := watches(); len(got) != 1 || got[0].Code != 200 {
		t.Errorf("want the open watch, have:%s", lines(got))
	}
	watch.Stop()
	for range watch.ResultChan() {
		// Until it is closed.
	}
	if got := watches(); len(got) != 1 {
		t.Errorf("want the closed watch once, have:%s", lines(got))
	}
}
