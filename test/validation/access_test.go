// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"context"
	"fmt"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/cluster"
)

// shop is the namespace in which people of these tests have the cluster's own roles.
const shop = "shop"

// right is something that a user may or may not do.
type right struct {
	user string
	may  bool
	verb string
	on
}

func (r right) String() string {
	may := "may"
	if !r.may {
		may = "may not"
	}
	resource := r.resource
	if r.subresource != "" {
		resource += "/" + r.subresource
	}
	return fmt.Sprintf("%s %s %s %s in %q", r.user, may, r.verb, resource, r.namespace)
}

func TestRights(t *testing.T) {
	applyFolder(t, "default")
	c := newClient(t)
	if err := client.IgnoreAlreadyExists(c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: shop}})); err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"admin", "edit", "view"} {
		bind(t, c, role)
	}
	for _, right := range allRights() {
		t.Run(right.String(), func(t *testing.T) {
			// The cluster's own roles take ours in a moment after these are there.
			eventually(t, func(ctx context.Context) error { return right.ask(ctx, c) })
		})
	}
}

// bind gives a role in the namespace shop to the user of the same name.
func bind(t *testing.T, c client.Client, role string) {
	t.Helper()
	err := c.Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role, Namespace: shop},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: role}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ask has the API server say whether the user may, and returns an error when that is not what is wanted.
func (r right) ask(ctx context.Context, c client.Client) error {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: r.user,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: r.verb, Group: r.group, Resource: r.resource, Subresource: r.subresource, Namespace: r.namespace, Name: "any",
		},
	}}
	if err := c.Create(ctx, review); err != nil {
		return err
	}
	if review.Status.Allowed != r.may {
		return fmt.Errorf("allowed: %t: %s", review.Status.Allowed, review.Status.Reason)
	}
	return nil
}

// on is a resource in a namespace.
type on struct{ group, resource, subresource, namespace string }

// rights are what one user may do and may not do with it.
func (o on) rights(user string, may, mayNot []string) []right {
	var rights []right
	for _, verb := range may {
		rights = append(rights, right{user, true, verb, o})
	}
	for _, verb := range mayNot {
		rights = append(rights, right{user, false, verb, o})
	}
	return rights
}

func allRights() []right {
	var (
		none  []string
		read  = []string{"get", "list", "watch"}
		write = []string{"create", "update", "patch", "delete", "deletecollection"}
		every = append(append([]string{}, read...), write...)
		// What takes making objects by server-side apply and giving them up.
		children = append([]string{"create", "patch", "delete"}, read...)

		instances, accounts = "ec2instances", "ec2accounts"
		ours                = ec2v1.GroupName
		operator            = cluster.ServiceAccountUser(operatorNamespace, operatorServiceAccount)
	)
	var rights []right
	for _, list := range [][]right{
		// People.
		on{ours, instances, "", shop}.rights("view", read, write),
		on{ours, instances, "status", shop}.rights("view", []string{"get"}, []string{"update", "patch"}),
		on{ours, instances, "", shop}.rights("edit", every, none),
		on{ours, instances, "status", shop}.rights("edit", []string{"get"}, []string{"update", "patch"}),
		on{ours, instances, "", "default"}.rights("edit", none, every),
		on{ours, instances, "", shop}.rights("admin", every, none),
		on{ours, instances, "status", shop}.rights("admin", []string{"get"}, []string{"update", "patch"}),
		on{ours, accounts, "", ""}.rights("admin", none, every),

		// The operator changes objects by server-side apply, and so by patch only: without create, an apply that comes too late cannot
		// make a deleted object again.
		on{ours, instances, "", shop}.rights(operator, append([]string{"patch"}, read...), []string{"create", "update", "delete", "deletecollection"}),
		on{ours, instances, "status", shop}.rights(operator, []string{"patch"}, []string{"update"}),
		// An account decides which namespaces act with which credentials: making one is a right of its own (config/default-account).
		on{ours, accounts, "", ""}.rights(operator, read, write),
		on{ours, accounts, "status", ""}.rights(operator, []string{"patch"}, []string{"update"}),
		// It reads user data when it is needed and keeps none of it.
		on{"", "secrets", "", shop}.rights(operator, []string{"get"}, []string{"list", "watch", "create", "update", "patch", "delete"}),
		// The children. It watches those that bear its label, and asks for one by its name before it makes it.
		on{"", "configmaps", "", shop}.rights(operator, children, []string{"update", "deletecollection"}),
		on{"", "services", "", shop}.rights(operator, children, []string{"update", "deletecollection"}),
		on{"", "services", "status", shop}.rights(operator, none, []string{"update", "patch"}),
		on{"discovery.k8s.io", "endpointslices", "", shop}.rights(operator, children, []string{"update", "deletecollection"}),
		on{ours, instances, "finalizers", shop}.rights(operator, []string{"update"}, none),
		on{"coordination.k8s.io", "leases", "", operatorNamespace}.rights(operator, []string{"create", "get", "update"}, none),
		on{"coordination.k8s.io", "leases", "", shop}.rights(operator, none, []string{"create", "get", "update"}),
		on{"events.k8s.io", "events", "", shop}.rights(operator, []string{"create", "patch"}, []string{"delete"}),
		on{"authentication.k8s.io", "tokenreviews", "", ""}.rights(operator, []string{"create"}, none),
		on{"authorization.k8s.io", "subjectaccessreviews", "", ""}.rights(operator, []string{"create"}, none),
		on{"rbac.authorization.k8s.io", "clusterroles", "", ""}.rights(operator, none, []string{"create", "bind", "escalate"}),
		on{"", "pods", "", operatorNamespace}.rights(operator, none, []string{"create", "get"}),
	} {
		rights = append(rights, list...)
	}
	return rights
}
