// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package children

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// Control is whose an object is that has the name of a child.
type Control string

const (
	// Ours: the parent controls it.
	Ours Control = "Ours"
	// Lost: it was made for the parent and somebody took our controller reference away; nobody else controls it.
	Lost Control = "Lost"
	// Foreign: it is somebody else's, or nobody's. It is never touched.
	Foreign Control = "Foreign"
)

// ControlOf tells whose an object is, as seen by the parent with the uid.
func ControlOf(object metav1.Object, parent types.UID) Control {
	controller := metav1.GetControllerOfNoCopy(object)
	switch {
	case controller != nil && controller.UID == parent:
		return Ours
	case controller == nil && object.GetLabels()[ec2v1.LabelUID] == string(parent) && madeByUs(object):
		return Lost
	default:
		return Foreign
	}
}

// Made tells whether an object is the parent's and was made by the operator: users may have the garbage collector
// remove objects of theirs with the parent, and those are not the operator's to give up.
func Made(object metav1.Object, parent types.UID) bool {
	return ControlOf(object, parent) != Foreign && madeByUs(object)
}

// madeByUs tells whether our field manager owns anything in an object.
func madeByUs(object metav1.Object) bool {
	return slices.ContainsFunc(object.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == string(apply.ManagerInstance) && e.Operation == metav1.ManagedFieldsOperationApply && e.Subresource == ""
	})
}

// Refusal tells that an object of a child's name is not the parent's, whose it is, and the way out.
func Refusal(kind string, object metav1.Object) string {
	whose := "nothing controls it"
	if c := metav1.GetControllerOfNoCopy(object); c != nil {
		whose = fmt.Sprintf("%s %q controls it", c.Kind, c.Name)
	}
	return fmt.Sprintf("%s %q exists and is not this object's (%s): it is left alone; delete it, or choose another name in spec.%s",
		kind, object.GetName(), whose, fieldOf[kind])
}

// fieldOf is the field of spec that names a child of a kind.
var fieldOf = map[string]string{
	KindService:       "expose.serviceName",
	KindEndpointSlice: "expose.serviceName",
	KindConfigMap:     "connection.configMapName",
}

// The kinds of children.
const (
	KindService       = "Service"
	KindEndpointSlice = "EndpointSlice"
	KindConfigMap     = "ConfigMap"
)

// ParentsOf are the uids of the parents that an object may be a child of: its controller's and its label's. The
// cache is indexed by it.
func ParentsOf(object metav1.Object) []string {
	var uids []string
	if uid := object.GetLabels()[ec2v1.LabelUID]; uid != "" {
		uids = append(uids, uid)
	}
	if c := metav1.GetControllerOfNoCopy(object); c != nil && !slices.Contains(uids, string(c.UID)) {
		uids = append(uids, string(c.UID))
	}
	return uids
}
