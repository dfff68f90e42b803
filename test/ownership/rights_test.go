// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// The rights of a user who may patch EC2Instances and nothing else, and the question whether they are in force.
const (
	rbac   = "/apis/rbac.authorization.k8s.io/v1/namespaces/" + namespace
	patchR = `{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "patcher"},
		"rules": [{"apiGroups": ["ec2.fieldowner.dev"], "resources": ["ec2instances"], "verbs": ["patch"]}]}`
	patchB = `{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "patcher"},
		"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "patcher"},
		"subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "` + mayPatch + `"}]}`
	question = `{"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {"user": "` + mayPatch + `",
		"resourceAttributes": {"namespace": "` + namespace + `", "verb": "patch", "group": "ec2.fieldowner.dev", "resource": "ec2instances"}}}`
)

// grant gives the user these rights and waits until the API server knows them.
func grant(t tester) error {
	t.Helper()
	for path, body := range map[string]string{rbac + "/roles/patcher": patchR, rbac + "/rolebindings/patcher": patchB} {
		_, err := direct.do(t.Context(), request{
			verb: "PATCH", path: path, patch: types.ApplyYAMLPatchType, params: map[string]string{"fieldManager": "suite"}, body: []byte(body),
		})
		if err != nil {
			return fmt.Errorf("granting a right: %w", err)
		}
	}
	return wait.PollUntilContextTimeout(t.Context(), glance, patience, true, func(ctx context.Context) (bool, error) {
		answer, err := direct.do(ctx, request{verb: "POST", path: "/apis/authorization.k8s.io/v1/subjectaccessreviews", body: []byte(question)})
		if err != nil {
			return false, err
		}
		allowed, _, err := unstructured.NestedBool(answer.Object, "status", "allowed")
		return allowed, err
	})
}
