// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// blinding are the reasons that leave nothing to be foreseen; with the others there is a prediction, which is not
// to be relied on.
var blinding = []Reason{ReasonNotCached, ReasonOtherAPIVersion, ReasonUnreadable, ReasonUnknownKind, ReasonOtherObject}

// blind tells whether a reason leaves nothing to be foreseen at all.
func (r Reason) blind() bool {
	return slices.Contains(blinding, r)
}

// unsafe tells why a prediction on live cannot be relied on. before is live as the merge code sees it.
func (p *Predictor) unsafe(live client.Object, before, body *unstructured.Unstructured, subresource string) Reason {
	switch {
	case live == nil:
		return ReasonNotCached
	case before == nil:
		return ReasonUnreadable
	}
	if m, err := p.mergers.of(before.GroupVersionKind(), subresource); err != nil || m.FieldManager == nil {
		return ReasonUnknownKind
	}
	if reason := doubts(live.GetManagedFields(), before, body, subresource); reason != "" {
		return reason
	}
	if p.isLossy(live) {
		return ReasonLossyType
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.differs[groupKind(before)] {
		return ReasonSchemaDiffers
	}
	return ""
}

// doubts are the reasons that lie in the object and the intent. The blind ones come first.
func doubts(entries []metav1.ManagedFieldsEntry, before, body *unstructured.Unstructured, subresource string) Reason {
	if reason := ownersDoubts(entries, body.GetAPIVersion()); reason != "" {
		return reason
	}
	switch {
	case !isFor(body, before):
		return ReasonOtherObject
	case body.GetResourceVersion() != "" && body.GetResourceVersion() != before.GetResourceVersion():
		return ReasonGuarded
	case len(entries) == 0:
		return ReasonNoManagedFields
	case before.GetDeletionTimestamp() != nil && subresource == "":
		return ReasonDeleting
	}
	return ""
}

// ownersDoubts are the reasons that lie in managedFields.
func ownersDoubts(entries []metav1.ManagedFieldsEntry, apiVersion string) Reason {
	for _, e := range entries {
		if e.APIVersion != apiVersion && e.FieldsV1 != nil {
			return ReasonOtherAPIVersion
		}
		if _, err := FieldsOf(e); err != nil {
			return ReasonUnreadable
		}
	}
	return ""
}

// isFor tells whether an intent is for an object. Without a uid it is for any of its name.
func isFor(body, obj *unstructured.Unstructured) bool {
	return obj.GetKind() == body.GetKind() && obj.GetName() == body.GetName() && obj.GetNamespace() == body.GetNamespace() &&
		(body.GetUID() == "" || body.GetUID() == obj.GetUID())
}

// isLossy remembers the answer for each type.
func (p *Predictor) isLossy(live client.Object) bool {
	if _, ok := live.(runtime.Unstructured); ok {
		return false
	}
	t := reflect.TypeOf(live)
	p.mu.RLock()
	known, ok := p.lossy[t]
	p.mu.RUnlock()
	if ok {
		return known
	}
	found := lossy(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lossy[t] = found
	return found
}
