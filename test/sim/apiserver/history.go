// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"slices"
	"sort"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Change is what a watch would tell.
type Change struct {
	// Type is watch.Added, watch.Modified or watch.Deleted.
	Type watch.EventType
	Kind schema.GroupVersionKind
	// Object as it is after the change, or as it was before it was deleted, with the resourceVersion of the change.
	// It is everybody's: do not change it.
	Object *unstructured.Unstructured
	// ResourceVersion of the change.
	ResourceVersion int64
}

// Key is the object's namespace and name.
func (c Change) Key() types.NamespacedName {
	return types.NamespacedName{Namespace: c.Object.GetNamespace(), Name: c.Object.GetName()}
}

// Changes are those after a resourceVersion, in order.
func (s *Server) Changes(since int64) []Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := sort.Search(len(s.changes), func(i int) bool { return s.changes[i].ResourceVersion > since })
	return slices.Clone(s.changes[first:])
}

// tell adds a change to the history.
func (s *Server) tell(what watch.EventType, k *kind, item *stored) error {
	u, err := unstructuredOf(item.loaded)
	if err != nil {
		return err
	}
	u.SetResourceVersion(versionText(s.version))
	s.changes = append(s.changes, Change{Type: what, Kind: k.gvk, Object: u, ResourceVersion: s.version})
	return nil
}
