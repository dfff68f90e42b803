// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	jsonpatch "github.com/evanphx/json-patch/v5"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// put replaces the object, or its status, as a PUT does: whoever writes, the API server finds out what they changed.
func (s *server) put(wanted *unstructured.Unstructured, subresource, manager string, dryRun bool) (*unstructured.Unstructured, error) {
	if s.object == nil {
		return nil, errNotFound
	}
	if version := wanted.GetResourceVersion(); version != "" && version != s.object.GetResourceVersion() {
		return nil, errOldVersion
	}
	live, next := s.object.DeepCopy(), wanted.DeepCopy()
	if subresource == "" {
		keep(next.Object, live.Object, "status")
	} else {
		next = live.DeepCopy()
		keep(next.Object, wanted.Object, "status")
	}
	fm, err := s.fieldManager(subresource)
	if err != nil {
		return nil, err
	}
	updated, err := fm.Update(live.DeepCopy(), next, manager)
	if err != nil {
		return nil, fmt.Errorf("merging an update: %w", err)
	}
	after, err := untyped(updated)
	if err != nil {
		return nil, err
	}
	if dryRun {
		return after, nil
	}
	return s.store(live, after)
}

// patch carries a JSON patch out.
func (s *server) patch(obj client.Object, patch client.Patch, o *client.PatchOptions) error {
	if err := s.begins(verbPatch); err != nil {
		return err
	}
	if s.object == nil || obj.GetName() != s.object.GetName() || obj.GetNamespace() != s.object.GetNamespace() {
		return errNotFound
	}
	if patch.Type() != types.JSONPatchType {
		return errors.New("the server knows JSON patches only")
	}
	text, err := patch.Data(obj)
	if err != nil {
		return fmt.Errorf("reading the patch: %w", err)
	}
	wanted, err := patched(s.object, text)
	if err != nil {
		return apierrors.NewInvalid(s.kind.GroupKind(), obj.GetName(), nil)
	}
	answer, err := s.put(wanted, "", o.FieldManager, len(o.DryRun) > 0)
	if err != nil {
		return err
	}
	return into(answer, obj)
}

func patched(u *unstructured.Unstructured, patch []byte) (*unstructured.Unstructured, error) {
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, fmt.Errorf("decoding the patch: %w", err)
	}
	before, err := u.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encoding the object: %w", err)
	}
	after, err := operations.Apply(before)
	if err != nil {
		return nil, fmt.Errorf("patching: %w", err)
	}
	out := &unstructured.Unstructured{}
	if err := out.UnmarshalJSON(after); err != nil {
		return nil, fmt.Errorf("decoding the object: %w", err)
	}
	return out, nil
}

// delete removes the object, or marks it when it has finalizers.
func (s *server) delete(obj client.Object, o *client.DeleteOptions) error {
	if err := s.begins(verbDelete); err != nil {
		return err
	}
	if s.object == nil || obj.GetName() != s.object.GetName() {
		return errNotFound
	}
	if o.Preconditions != nil {
		s.deletions = append(s.deletions, client.Preconditions(*o.Preconditions))
		if uid := o.Preconditions.UID; uid != nil && *uid != s.object.GetUID() {
			return apierrors.NewConflict(instances, obj.GetName(), fmt.Errorf("precondition failed: UID in precondition: %s, UID in object meta: %s", *uid, s.object.GetUID()))
		}
		if version := o.Preconditions.ResourceVersion; version != nil && *version != s.object.GetResourceVersion() {
			return apierrors.NewConflict(instances, obj.GetName(), errors.New("precondition failed: ResourceVersion"))
		}
	}
	s.markDeleted()
	if len(s.object.GetFinalizers()) == 0 {
		s.object = nil
	}
	return nil
}

// markDeleted has the object be deleted since.
func (s *server) markDeleted() {
	s.version++
	s.object.SetResourceVersion(strconv.Itoa(s.version))
	s.object.SetDeletionTimestamp(&metav1.Time{Time: someTime})
}

func (s *server) get(key client.ObjectKey, obj client.Object) error {
	if s.object == nil || key != client.ObjectKeyFromObject(s.object) {
		return errNotFound
	}
	return into(s.object.DeepCopy(), obj)
}

// into answers in an object's place.
func into(answer *unstructured.Unstructured, obj client.Object) error {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		u.Object = answer.Object
		return nil
	}
	text, err := json.Marshal(answer.Object)
	if err != nil {
		return fmt.Errorf("encoding the answer: %w", err)
	}
	return fill(text, obj)
}

// fill reads JSON into an object or apply configuration in the place of all that it held.
func fill(text []byte, out any) error {
	reflect.ValueOf(out).Elem().SetZero()
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("decoding the answer: %w", err)
	}
	return nil
}

// serve answers in the intent's place, as clients do.
func (s *server) serve(config runtime.ApplyConfiguration, subresource string, o *client.ApplyOptions) error {
	body, err := Intent{Config: config}.body()
	if err != nil {
		return err
	}
	if typed, ok := config.(instanceConfig); ok && s.answer != nil {
		*typed = *s.answer
		return nil
	}
	answer, err := s.apply(body, subresource, o.FieldManager, o.Force != nil && *o.Force)
	if err != nil {
		return err
	}
	if u, ok := config.(interface{ SetUnstructuredContent(map[string]any) }); ok {
		u.SetUnstructuredContent(answer.Object)
		return nil
	}
	text, err := json.Marshal(answer.Object)
	if err != nil {
		return fmt.Errorf("encoding the answer: %w", err)
	}
	return fill(text, config)
}
