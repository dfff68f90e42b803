// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

// childKinds are what the operator makes for an EC2Instance.
var childKinds = []string{"Service", "EndpointSlice", "ConfigMap"}

// childWritten looks at an operator's write of anything but an EC2Instance.
func (j *judge) childWritten(old *apiserver.Change, c apiserver.Change, by by) {
	if c.Kind.Kind == "EC2Account" {
		if old != nil {
			j.others(old.Object, c.Object, old.Object.GetManagedFields(), c.Object.GetManagedFields(), true)
		}
		return
	}
	what := c.Kind.Kind + " " + c.Object.GetName()
	if !slices.Contains(childKinds, c.Kind.Kind) {
		j.holds(othersChildren, false, "the operator wrote %s", what)
		return
	}
	parent := j.history.decidedOn(by.user)
	if parent == nil {
		j.holds(othersChildren, false, "the operator wrote %s in no pass", what)
		return
	}
	if old == nil {
		j.holds(othersChildren, controllerOf(c.Object) == parent.UID, "the operator made %s, which %s does not control", what, parent.Name)
		return
	}
	// Server-side apply cannot only create: what appears between the operator's look at the API server and its write is written into.
	unseen := j.history.madeAfter(c, j.history.looked[readKey{by.user, idOf(c)}])
	j.holds(othersChildren, unseen || isChild(old.Object, parent.UID), "the operator wrote %s, which %s does not control: %v", what, parent.Name, old.Object.GetOwnerReferences())
	before := old.Object.GetManagedFields()
	if c.Type == watch.Deleted {
		j.holds(othersSurvive, !sharedWithOthers(before), "the operator deleted %s, in which others have a part", what)
		return
	}
	after := c.Object.GetManagedFields()
	j.others(old.Object, c.Object, before, after, false)
	if tookFromOthers(before, after) {
		j.thefts.fromChildren[parent.UID]++
	}
}

func controllerOf(obj *unstructured.Unstructured) types.UID {
	if c := metav1.GetControllerOfNoCopy(obj); c != nil {
		return c.UID
	}
	return ""
}

// isChild: the parent controls it; or it was made for the parent, and nobody controls it since somebody took that away.
func isChild(obj *unstructured.Unstructured, parent types.UID) bool {
	switch controllerOf(obj) {
	case parent:
		return true
	case "":
		return obj.GetLabels()[ec2v1.LabelUID] == string(parent) && slices.ContainsFunc(obj.GetManagedFields(), isOurs)
	default:
		return false
	}
}

// sharedWithOthers tells whether others own anything but finalizers and status.
func sharedWithOthers(entries []metav1.ManagedFieldsEntry) bool {
	for _, e := range entries {
		if isOurs(e) || e.Manager == nobody || e.Subresource != "" {
			continue
		}
		for _, path := range fieldsIn(e).leaves {
			if len(path) < 2 || path[1].FieldName == nil || *path[1].FieldName != "finalizers" {
				return true
			}
		}
	}
	return false
}

// tookFromOthers tells whether others have lost fields to us.
func tookFromOthers(before, after []metav1.ManagedFieldsEntry) bool {
	for _, e := range before {
		if isOurs(e) || e.Manager == nobody {
			continue
		}
		left := entryLike(after, e)
		if slices.ContainsFunc(fieldsIn(e).leaves, func(path fieldPath) bool { return !left.set.Has(path) && ownedByUs(after, path) }) {
			return true
		}
	}
	return false
}
