// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// admitting makes a MutatingAdmissionPolicy that sets a field of spec in every object of the row's own kind.
type admitting struct{ field, value string }

func (x admitting) text(perfect bool) string {
	return fmt.Sprintf("an admission policy %s `spec: {%s: %s}` in every object", tense(perfect, "sets", "has come to set"), x.field, x.value)
}

func (x admitting) run(s *scene) error {
	s.t.Helper()
	name := s.kind.Group
	policy := fmt.Sprintf(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": %q}, "spec": {
		"reinvocationPolicy": "Never", "failurePolicy": "Fail",
		"matchConstraints": {"resourceRules": [{"apiGroups": [%q], "apiVersions": ["*"], "operations": ["CREATE", "UPDATE"], "resources": [%q]}]},
		"mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": "[JSONPatch{op: 'add', path: '/spec/%s', value: '%s'}]"}}]}}`,
		name, s.kind.Group, s.kind.resource, x.field, x.value)
	binding := fmt.Sprintf(`{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": %q},
		"spec": {"policyName": %q}}`, name, name)
	const group = "/apis/admissionregistration.k8s.io/v1/"
	for path, body := range map[string]string{group + "mutatingadmissionpolicies/" + name: policy, group + "mutatingadmissionpolicybindings/" + name: binding} {
		_, err := direct.do(s.t.Context(), request{
			verb: "PATCH", path: path, patch: types.ApplyYAMLPatchType, params: map[string]string{"fieldManager": "suite"}, body: []byte(body),
		})
		if err != nil {
			return err
		}
	}
	return x.wait(s)
}

// wait waits until the policy is in force.
func (x admitting) wait(s *scene) error {
	probe := marshal(s.t, s.object("spec: {}", false).Object)
	var last error
	err := wait.PollUntilContextTimeout(s.t.Context(), glance, patience, true, func(ctx context.Context) (bool, error) {
		var answer *unstructured.Unstructured
		answer, last = direct.do(ctx, request{
			verb: "PATCH", path: s.path(""), patch: types.ApplyYAMLPatchType, params: map[string]string{"fieldManager": "suite", "dryRun": "All"}, body: probe,
		})
		// The policy may be known before its binding is.
		return last == nil && strings.Contains(pretty(answer), x.value), nil
	})
	return errors.Join(err, last)
}
