// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// servePatch carries a patch out, an apply among them (apiserver, pkg/endpoints/handlers/patch.go).
func (s *Server) servePatch(ctx context.Context, c *call) (client.Object, error) {
	apply := c.patch == types.ApplyYAMLPatchType
	if !apply && !json.Valid(c.body) {
		return nil, apierrors.NewBadRequest("invalid JSON patch")
	}
	return s.change(ctx, c, nil, apply, func(existing client.Object) (client.Object, error) {
		isNew := existing.GetUID() == ""
		if isNew && !apply {
			return nil, apierrors.NewNotFound(c.kind.groupResource(), c.Name)
		}
		obj, err := c.patched(existing)
		if err != nil {
			return nil, err
		}
		if isNew && obj.GetUID() != "" {
			return nil, apierrors.NewConflict(c.kind.groupResource(), c.Name,
				fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", obj.GetUID()))
		}
		if err := c.checkIdentity(obj); err != nil {
			return nil, err
		}
		if isNew {
			err = s.admitCreate(c)
		}
		dedupOwners(obj)
		return obj, err
	})
}

// patched is the existing object with the patch in it.
func (c *call) patched(existing client.Object) (client.Object, error) {
	if c.patch == types.ApplyYAMLPatchType {
		return c.applied(existing)
	}
	merged := c.merged
	if c.patch == types.StrategicMergePatchType {
		merged = c.strategic
	}
	obj, err := merged(existing)
	if err != nil {
		return nil, err
	}
	return asObject(c.endpoint.manager.UpdateNoErrors(copyOf(existing), obj, c.Manager))
}

// merged merges a JSON patch or a merge patch into an object.
func (c *call) merged(existing client.Object) (client.Object, error) {
	before, err := json.Marshal(existing)
	if err != nil {
		return nil, fmt.Errorf("encoding the object: %w", err)
	}
	after, err := c.patchJSON(before)
	if err != nil {
		return nil, err
	}
	obj, err := c.kind.codec.decode(after)
	if err != nil {
		return nil, invalidPatch(string(after), err)
	}
	return obj, nil
}

func (c *call) patchJSON(before []byte) ([]byte, error) {
	switch c.patch {
	case types.JSONPatchType:
		patch, err := jsonpatch.DecodePatch(c.body)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		after, err := patch.Apply(before)
		if err != nil {
			return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
		}
		return after, nil
	case types.MergePatchType:
		after, err := jsonpatch.MergePatch(before, c.body)
		if errors.Is(err, jsonpatch.ErrBadJSONPatch) {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return after, err
	default:
		return nil, fmt.Errorf("patches of type %q are not served", c.patch)
	}
}

// strategic merges a patch into an object as the markers of its Go type say.
func (c *call) strategic(existing client.Object) (client.Object, error) {
	before, err := content(existing)
	if err != nil {
		return nil, err
	}
	var change map[string]any
	if err := utiljson.Unmarshal(c.body, &change); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	after, err := strategicpatch.StrategicMergeMapPatch(before, change, c.kind.codec.fresh())
	if err != nil {
		return nil, err
	}
	obj, err := c.kind.codec.load(after)
	if err != nil {
		return nil, invalidPatch(fmt.Sprintf("%+v", change), err)
	}
	return obj, nil
}

func invalidPatch(value string, err error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), value, err.Error())})
}

// checkPatchType refuses patches of unknown types. Strategic merge patches are for Kubernetes' own kinds.
func (c *call) checkPatchType() error {
	known := []types.PatchType{types.JSONPatchType, types.MergePatchType, types.ApplyYAMLPatchType}
	if _, custom := c.kind.codec.(customModel); !custom {
		known = append(known, types.StrategicMergePatchType)
	}
	if slices.Contains(known, c.patch) {
		return nil
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + strings.Join(names, ", "),
	}}
}

func (c *call) applied(existing client.Object) (client.Object, error) {
	intent := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(c.body, &intent.Object); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	obj, err := c.endpoint.manager.Apply(copyOf(existing), intent, c.Manager, c.Force)
	if _, ok := errors.AsType[*apierrors.StatusError](err); ok {
		return nil, inOrder(err)
	}
	if err != nil {
		return nil, c.firstError(existing, intent, err)
	}
	return asObject(obj)
}

// firstError is what the schema has against the first field of an intent that is not allowed. The merge code names
// any one, another each time.
func (c *call) firstError(existing client.Object, intent *unstructured.Unstructured, first error) error {
	out := first
	alone(intent.Object, func() bool {
		_, err := c.endpoint.manager.Apply(copyOf(existing), intent.DeepCopy(), c.Manager, true)
		if err != nil {
			out = err
		}
		return err != nil
	}, "apiVersion", "kind", "metadata")
	return out
}

// alone takes from a value all but the first part that makes fails true, but for what must stay.
func alone(value map[string]any, fails func() bool, stay ...string) {
	all := maps.Clone(value)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		clear(value)
		for _, s := range stay {
			if kept, there := all[s]; there {
				value[s] = kept
			}
		}
		value[name] = all[name]
		if !fails() {
			continue
		}
		if inner, ok := value[name].(map[string]any); ok {
			alone(inner, fails)
		}
		return
	}
	maps.Copy(value, all)
}

// dedupOwners takes out owner references that are there twice.
func dedupOwners(obj client.Object) {
	refs := obj.GetOwnerReferences()
	var kept []metav1.OwnerReference
	for _, ref := range refs {
		if !slices.ContainsFunc(kept, func(k metav1.OwnerReference) bool { return equality.Semantic.DeepEqual(k, ref) }) {
			kept = append(kept, ref)
		}
	}
	if len(kept) < len(refs) {
		obj.SetOwnerReferences(kept)
	}
}
