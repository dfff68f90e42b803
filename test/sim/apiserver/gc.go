// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The users that the work of kube-controller-manager is recorded under, and its field manager.
const (
	UserGarbageCollector    = "system:serviceaccount:kube-system:generic-garbage-collector"
	UserNamespaceController = "system:serviceaccount:kube-system:namespace-controller"

	controllerManager = "kube-controller-manager"
)

// CollectGarbage does, all at once, what kube-controller-manager's garbage collector and namespace controller do in
// the course of time, and returns how many changes it made. Dependents go whose owners are all gone, and references
// to some that are gone; deletions that orphan dependents or wait for them end; and terminating namespaces lose their
// content and go. An owner of a kind that the server does not know counts as there.
//
// Its requests are recorded and not intercepted.
func (s *Server) CollectGarbage(ctx context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for s.collected != s.version {
		before := s.version
		n, err := s.collectOnce(ctx)
		total += n
		if err != nil {
			return total, err
		}
		s.collected = before
	}
	return total, nil
}

func (s *Server) collectOnce(ctx context.Context) (int, error) {
	before := s.version
	for _, k := range s.catalog.sorted {
		for _, item := range s.all(k, "") {
			if s.objects[objectKey{kind: k, NamespacedName: client.ObjectKeyFromObject(item.loaded)}] != item {
				continue // It has changed in this pass.
			}
			if err := s.attend(ctx, k, item); err != nil {
				return int(s.version - before), err
			}
		}
	}
	return int(s.version - before), nil
}

// attend does what is to be done about one object.
func (s *Server) attend(ctx context.Context, k *kind, item *stored) error {
	obj := item.loaded
	if n, ok := obj.(*corev1.Namespace); ok && n.Status.Phase == corev1.NamespaceTerminating {
		return s.emptyNamespace(ctx, k, item)
	}
	if obj.GetDeletionTimestamp() != nil {
		switch finalizers := obj.GetFinalizers(); {
		case slices.Contains(finalizers, metav1.FinalizerOrphanDependents):
			return s.orphan(ctx, k, item)
		case slices.Contains(finalizers, metav1.FinalizerDeleteDependents):
			return s.finishForeground(ctx, k, item)
		}
	}
	return s.attendOwners(ctx, k, item)
}

// attendOwners deletes an object whose owners are all gone or wait for it, and else forgets those.
func (s *Server) attendOwners(ctx context.Context, k *kind, item *stored) error {
	refs := item.loaded.GetOwnerReferences()
	solid := slices.DeleteFunc(slices.Clone(refs), func(r metav1.OwnerReference) bool { return !s.holds(item.loaded.GetNamespace(), r) })
	switch {
	case len(solid) == len(refs):
		return nil
	case len(solid) > 0:
		return s.patchAs(ctx, k, item, map[string]any{"ownerReferences": solid})
	case item.loaded.GetDeletionTimestamp() != nil:
		return nil
	default:
		return s.eraseAs(ctx, UserGarbageCollector, k, item.loaded)
	}
}

// holds tells whether an owner keeps its dependents alive: it is there and is not being deleted in the foreground.
func (s *Server) holds(namespace string, ref metav1.OwnerReference) bool {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return true
	}
	k := s.catalog.byKind[schema.GroupKind{Group: gv.Group, Kind: ref.Kind}]
	if k == nil {
		return true
	}
	key := types.NamespacedName{Name: ref.Name}
	if k.namespaced {
		key.Namespace = namespace
	}
	owner := s.objects[objectKey{kind: k, NamespacedName: key}]
	if owner == nil || owner.loaded.GetUID() != ref.UID {
		return false
	}
	return owner.loaded.GetDeletionTimestamp() == nil || !slices.Contains(owner.loaded.GetFinalizers(), metav1.FinalizerDeleteDependents)
}

// dependents are the objects that name an owner.
func (s *Server) dependents(uid types.UID, which func(metav1.OwnerReference) bool) []dependent {
	var out []dependent
	for _, k := range s.catalog.sorted {
		for _, item := range s.all(k, "") {
			if slices.ContainsFunc(item.loaded.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return r.UID == uid && which(r) }) {
				out = append(out, dependent{kind: k, item: item})
			}
		}
	}
	return out
}

type dependent struct {
	kind *kind
	item *stored
}

func (s *Server) orphan(ctx context.Context, k *kind, item *stored) error {
	uid := item.loaded.GetUID()
	for _, d := range s.dependents(uid, func(metav1.OwnerReference) bool { return true }) {
		others := slices.DeleteFunc(slices.Clone(d.item.loaded.GetOwnerReferences()), func(r metav1.OwnerReference) bool { return r.UID == uid })
		if err := s.patchAs(ctx, d.kind, d.item, map[string]any{"ownerReferences": others}); err != nil {
			return err
		}
	}
	return s.dropFinalizer(ctx, k, item, metav1.FinalizerOrphanDependents)
}

func (s *Server) finishForeground(ctx context.Context, k *kind, item *stored) error {
	blocking := func(r metav1.OwnerReference) bool { return r.BlockOwnerDeletion != nil && *r.BlockOwnerDeletion }
	if len(s.dependents(item.loaded.GetUID(), blocking)) > 0 {
		return nil // They are deleted as dependents, each in its turn.
	}
	return s.dropFinalizer(ctx, k, item, metav1.FinalizerDeleteDependents)
}

func (s *Server) dropFinalizer(ctx context.Context, k *kind, item *stored, finalizer string) error {
	rest := slices.DeleteFunc(slices.Clone(item.loaded.GetFinalizers()), func(f string) bool { return f == finalizer })
	return s.patchAs(ctx, k, item, map[string]any{"finalizers": rest})
}

// emptyNamespace deletes what is in a namespace, and the namespace when nothing is left.
func (s *Server) emptyNamespace(ctx context.Context, k *kind, item *stored) error {
	left := 0
	for _, other := range s.catalog.sorted {
		if !other.namespaced {
			continue
		}
		for _, inside := range s.all(other, item.loaded.GetName()) {
			left++
			if inside.loaded.GetDeletionTimestamp() != nil {
				continue
			}
			if err := s.eraseAs(ctx, UserNamespaceController, other, inside.loaded); err != nil {
				return err
			}
		}
	}
	if left > 0 || len(item.loaded.GetFinalizers()) > 0 {
		return nil
	}
	c := s.internal(UserNamespaceController, VerbUpdate, k, item.loaded)
	err := s.remove(c, objectKey{kind: k, NamespacedName: c.Key()}, item)
	s.recordInternal(c, err)
	return err
}

// internal is a call of kube-controller-manager's.
func (s *Server) internal(user, verb string, k *kind, obj client.Object) *call {
	return &call{
		Request: Request{User: user, Verb: verb, Kind: k.gvk, Namespace: obj.GetNamespace(), Name: obj.GetName(), Manager: controllerManager},
		kind:    k, endpoint: k.endpoints[""],
	}
}

func (s *Server) recordInternal(c *call, err error) {
	record := Record{Request: c.Request, Time: time.Now(), Changed: c.changed, Err: err}
	if item := s.objects[objectKey{kind: c.kind, NamespacedName: c.Key()}]; item != nil && err == nil {
		record.ResourceVersion = versionText(item.version)
	}
	s.records = append(s.records, record)
}

func (s *Server) eraseAs(ctx context.Context, user string, k *kind, obj client.Object) error {
	c := s.internal(user, VerbDelete, k, obj)
	err := s.erase(ctx, c, &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(obj.GetUID())}})
	s.recordInternal(c, err)
	return err
}

// patchAs merges metadata into an object.
func (s *Server) patchAs(ctx context.Context, k *kind, item *stored, metadata map[string]any) error {
	metadata["uid"], metadata["resourceVersion"] = item.loaded.GetUID(), item.loaded.GetResourceVersion()
	body, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return fmt.Errorf("encoding a patch: %w", err)
	}
	c := s.internal(UserGarbageCollector, VerbPatch, k, item.loaded)
	c.patch, c.body = types.MergePatchType, body
	_, err = s.servePatch(ctx, c)
	s.recordInternal(c, err)
	return err
}
