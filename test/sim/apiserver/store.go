// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// This is what apiserver's pkg/registry/generic/registry does, over a map, in the same order.

var (
	errOptimisticLock = errors.New("the object has been modified; please apply your changes to the latest version and try again")
	errVersionOnNew   = errors.New("resourceVersion should not be set on objects to be created")
)

// all are the objects of a kind, in one namespace or in all, by namespace and name.
func (s *Server) all(k *kind, namespace string) []*stored {
	var out []*stored
	for key, item := range s.objects {
		if key.kind == k && (namespace == "" || key.Namespace == namespace) {
			out = append(out, item)
		}
	}
	slices.SortFunc(out, func(a, b *stored) int {
		return cmp.Or(cmp.Compare(a.loaded.GetNamespace(), b.loaded.GetNamespace()), cmp.Compare(a.loaded.GetName(), b.loaded.GetName()))
	})
	return out
}

// insert stores a new object.
func (s *Server) insert(ctx context.Context, c *call, obj client.Object) (client.Object, error) {
	if err := s.beforeCreate(ctx, c, obj); err != nil {
		return nil, err
	}
	key := objectKey{kind: c.kind, NamespacedName: client.ObjectKeyFromObject(obj)}
	if v, err := versionOf(obj); err == nil && v != 0 && !c.DryRun {
		return nil, errVersionOnNew
	}
	if existing := s.objects[key]; existing != nil {
		err := apierrors.NewAlreadyExists(c.kind.groupResource(), obj.GetName())
		if obj.GetGenerateName() != "" {
			err = apierrors.NewGenerateNameConflict(c.kind.groupResource(), obj.GetName(), 1)
		}
		if existing.loaded.GetDeletionTimestamp() != nil {
			err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
		}
		return nil, err
	}
	return s.put(c, key, nil, obj)
}

// beforeCreate completes and checks a new object.
func (s *Server) beforeCreate(ctx context.Context, c *call, obj client.Object) error {
	obj.SetCreationTimestamp(now())
	obj.SetUID(s.newUID())
	if obj.GetName() == "" && obj.GetGenerateName() != "" {
		obj.SetName(s.generateName(obj.GetGenerateName()))
	}
	if c.kind.beginCreate != nil && c.Subresource == "" {
		if err := c.kind.beginCreate(s, obj); err != nil {
			return err
		}
	}
	return rest.BeforeCreate(c.kind.create, inNamespace(ctx, c), obj)
}

// inNamespace is the context that the registry's code wants. What it logs goes nowhere.
func inNamespace(ctx context.Context, c *call) context.Context {
	return genericapirequest.WithNamespace(logr.NewContext(ctx, logr.Discard()), c.Namespace)
}

// change updates an object, or creates it where there is none and the request may. next makes the new object of the
// existing one, which is empty when there is none.
func (s *Server) change(ctx context.Context, c *call, only *types.UID, create bool, next func(existing client.Object) (client.Object, error)) (client.Object, error) {
	key := objectKey{kind: c.kind, NamespacedName: c.Key()}
	item := s.objects[key]
	create = (create && c.Subresource == "") || c.endpoint.update.AllowCreateOnUpdate(ctx)
	if item == nil && !create {
		return nil, apierrors.NewNotFound(c.kind.groupResource(), c.Name)
	}
	existing := c.kind.existing(item)
	if only != nil && *only != existing.GetUID() {
		return nil, preconditionFailed(c, "UID", string(*only), string(existing.GetUID()))
	}
	obj, err := next(existing)
	if err != nil {
		return nil, err
	}
	version, err := versionOf(obj)
	if err != nil {
		return nil, err
	}
	if item == nil {
		rest.WipeObjectMetaSystemFields(obj)
		if err := s.beforeCreate(ctx, c, obj); err != nil {
			return nil, err
		}
		return s.put(c, key, nil, obj)
	}
	if err := checkVersion(ctx, c, obj, version, item.version); err != nil {
		return nil, err
	}
	return s.replace(ctx, c, key, item, existing, obj)
}

// existing is a copy of an object for a change to work on: empty where there is none.
func (k *kind) existing(item *stored) client.Object {
	if item == nil {
		return k.codec.fresh()
	}
	return copyOf(item.loaded)
}

func preconditionFailed(c *call, what, wanted, got string) error {
	path := c.kind.folder
	if !c.DryRun {
		path = "/registry" + path
	}
	if c.Namespace != "" {
		path += "/" + c.Namespace
	}
	return apierrors.NewConflict(c.kind.groupResource(), c.Name, fmt.Errorf(
		"StorageError: invalid object, Code: 4, Key: %s/%s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: %s in precondition: %v, %s in object meta: %v",
		path, c.Name, what, wanted, what, got))
}

// checkVersion refuses a write that was decided on another version than the latest.
func checkVersion(ctx context.Context, c *call, obj client.Object, version, latest int64) error {
	switch {
	case version == 0 && c.endpoint.update.AllowUnconditionalUpdate(ctx):
		obj.SetResourceVersion(versionText(latest))
		return nil
	case version == 0:
		kind := c.kind.gvk.GroupKind()
		kind.Kind = c.kind.resource
		return apierrors.NewInvalid(kind, c.Name, field.ErrorList{
			field.Invalid(field.NewPath("metadata").Child("resourceVersion"), 0, "must be specified for an update"),
		})
	case version != latest:
		return apierrors.NewConflict(c.kind.groupResource(), c.Name, errOptimisticLock)
	default:
		return nil
	}
}

// replace stores a changed object. One that is being deleted and has no finalizer any more goes.
func (s *Server) replace(ctx context.Context, c *call, key objectKey, item *stored, existing, obj client.Object) (client.Object, error) {
	if c.kind.beginUpdate != nil && c.Subresource == "" {
		if err := c.kind.beginUpdate(s, obj, existing); err != nil {
			return nil, err
		}
	}
	if err := rest.BeforeUpdate(c.endpoint.update, inNamespace(ctx, c), obj, existing); err != nil {
		return nil, err
	}
	same, err := fieldmanager.IgnoreManagedFieldsTimestampsTransformer(ctx, obj, existing)
	if err != nil {
		return nil, fmt.Errorf("comparing managedFields: %w", err)
	}
	if o, ok := same.(client.Object); ok {
		obj = o
	}
	if goes(c.kind, obj, existing) {
		if !c.DryRun {
			if err := s.remove(c, key, item); err != nil {
				return nil, err
			}
		}
		return obj, nil
	}
	return s.put(c, key, item, obj)
}

func goes(k *kind, obj, existing client.Object) bool {
	if len(obj.GetFinalizers()) > 0 || existing.GetDeletionTimestamp() == nil || (k.held != nil && k.held(obj)) {
		return false
	}
	grace := existing.GetDeletionGracePeriodSeconds()
	return grace == nil || *grace == 0
}

// put stores an object unless it is what is stored already, and returns it as it is read.
func (s *Server) put(c *call, key objectKey, before *stored, obj client.Object) (client.Object, error) {
	obj.SetResourceVersion("")
	obj.SetSelfLink("")
	raw, err := c.kind.codec.encode(obj)
	if err != nil {
		return nil, err
	}
	if before != nil && sameJSON(before.raw, raw) {
		return copyOf(before.loaded), nil
	}
	item, err := s.newStored(c.kind, raw)
	if err != nil {
		return nil, err
	}
	if c.DryRun {
		item.loaded.SetResourceVersion("")
		if before != nil {
			item.loaded.SetResourceVersion(versionText(before.version))
		}
		return item.loaded, nil
	}
	s.version = item.version
	s.objects[key] = item
	c.changed = true
	what := watch.Modified
	if before == nil {
		what = watch.Added
	}
	return copyOf(item.loaded), s.tell(what, c.kind, item)
}

func (s *Server) newStored(k *kind, raw map[string]any) (*stored, error) {
	loaded, err := k.codec.load(runtime.DeepCopyJSON(raw))
	if err != nil {
		return nil, err
	}
	item := &stored{raw: raw, loaded: loaded, version: s.version + 1}
	loaded.SetResourceVersion(versionText(item.version))
	return item, nil
}

// remove takes an object out of the store.
func (s *Server) remove(c *call, key objectKey, item *stored) error {
	delete(s.objects, key)
	s.version++
	c.changed = true
	return s.tell(watch.Deleted, c.kind, item)
}

// erase deletes an object, or marks it when it has finalizers.
func (s *Server) erase(ctx context.Context, c *call, options *metav1.DeleteOptions) error {
	key := objectKey{kind: c.kind, NamespacedName: c.Key()}
	item := s.objects[key]
	if item == nil {
		return apierrors.NewNotFound(c.kind.groupResource(), c.Name)
	}
	obj := copyOf(item.loaded)
	if c.kind.held != nil {
		if err := checkNamespacePreconditions(obj, options); err != nil {
			return err
		}
	}
	if _, _, err := rest.BeforeDelete(c.kind.create, ctx, obj, options); err != nil {
		return err
	}
	if c.kind.held != nil && c.kind.held(obj) {
		return s.terminateNamespace(c, key, item, obj, options)
	}
	had := len(obj.GetFinalizers())
	obj.SetFinalizers(withCascade(obj.GetFinalizers(), options))
	if len(obj.GetFinalizers()) > 0 {
		markDeleted(obj)
		_, err := s.put(c, key, item, obj)
		return err
	}
	if c.DryRun {
		return nil
	}
	if only := options.Preconditions; had > 0 && only != nil && only.ResourceVersion != nil {
		// A fault of kube-apiserver's: having taken the last finalizer out, it compares with the version of an
		// object that it has not read (apiserver, registry/generic/registry/store.go: Delete).
		return preconditionFailed(c, "ResourceVersion", "", obj.GetResourceVersion())
	}
	return s.remove(c, key, item)
}

func markDeleted(obj client.Object) {
	if obj.GetDeletionTimestamp() == nil {
		if obj.GetGeneration() > 0 {
			obj.SetGeneration(obj.GetGeneration() + 1)
		}
		obj.SetDeletionTimestamp(new(now()))
	}
	obj.SetDeletionGracePeriodSeconds(new(int64(0)))
}

// withCascade puts in or takes out the finalizers with which the garbage collector is asked to orphan dependents, or to
// delete them first.
func withCascade(finalizers []string, options *metav1.DeleteOptions) []string {
	if options.PropagationPolicy == nil {
		return finalizers
	}
	out := slices.DeleteFunc(slices.Clone(finalizers), func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
	switch *options.PropagationPolicy {
	case metav1.DeletePropagationOrphan:
		out = append(out, metav1.FinalizerOrphanDependents)
	case metav1.DeletePropagationForeground:
		out = append(out, metav1.FinalizerDeleteDependents)
	case metav1.DeletePropagationBackground:
	}
	return out
}
