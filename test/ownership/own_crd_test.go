// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// extending adds a field with a default to the operator's own CRD, or takes it away again.
type extending struct {
	field, value string
	remove       bool
}

func (x extending) text(perfect bool) string {
	if x.remove {
		return fmt.Sprintf("the CRD %s `spec.%s`", tense(perfect, "loses", "has lost"), x.field)
	}
	return fmt.Sprintf("the CRD %s `spec.%s`, by default %s", tense(perfect, "gets", "has got"), x.field, x.value)
}

func (x extending) run(s *scene) error {
	s.t.Helper()
	path := "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + s.kind.resource + "." + s.kind.Group
	for {
		crd, err := direct.get(s.t.Context(), path)
		s.must(err)
		s.must(x.change(crd))
		_, err = direct.do(s.t.Context(), request{verb: "PUT", path: path, body: marshal(s.t, crd.Object)})
		if apierrors.IsConflict(err) {
			continue // The API server itself writes its status.
		}
		s.must(err)
		return x.wait(s)
	}
}

// change changes the CRD's only version.
func (x extending) change(crd *unstructured.Unstructured) error {
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	if err != nil || len(versions) != 1 {
		return fmt.Errorf("the CRD has %d versions: %w", len(versions), err)
	}
	version, _ := versions[0].(map[string]any)
	at := []string{"schema", "openAPIV3Schema", "properties", "spec", "properties", x.field}
	if x.remove {
		unstructured.RemoveNestedField(version, at...)
	} else if err := unstructured.SetNestedMap(version, map[string]any{"type": "string", "default": x.value}, at...); err != nil {
		return err
	}
	return unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions")
}

// wait waits until the API server knows the field, or no longer knows it.
func (x extending) wait(s *scene) error {
	probe := fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": %q}, "spec": {%q: "x"}}`, s.kind.GroupVersion(), s.kind.Kind, s.name, x.field)
	return wait.PollUntilContextTimeout(s.t.Context(), glance, patience, true, func(ctx context.Context) (bool, error) {
		_, err := direct.do(ctx, request{
			verb: "PATCH", path: s.path(""), patch: types.ApplyYAMLPatchType,
			params: map[string]string{"fieldManager": "suite", "dryRun": "All"}, body: []byte(probe),
		})
		if x.remove {
			return err != nil, nil
		}
		return err == nil, nil
	})
}
