// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package children

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

const otherUID = "5a1c2b8e-0000-4000-8000-000000000002"

// existing is an object of a child's name, with what is so of it.
func existing(all ...func(*corev1.Service)) *corev1.Service {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "web"}}
	for _, f := range all {
		f(service)
	}
	return service
}

func controlledBy(kind, name string, uid types.UID) func(*corev1.Service) {
	return func(s *corev1.Service) {
		s.OwnerReferences = append(s.OwnerReferences, metav1.OwnerReference{Kind: kind, Name: name, UID: uid, Controller: new(true)})
	}
}

func ownedBy(uid types.UID) func(*corev1.Service) {
	return func(s *corev1.Service) {
		s.OwnerReferences = append(s.OwnerReferences, metav1.OwnerReference{Kind: "EC2Instance", Name: "web-1", UID: uid})
	}
}

func labeled(uid string) func(*corev1.Service) {
	return func(s *corev1.Service) { s.Labels = map[string]string{ec2v1.LabelUID: uid} }
}

func writtenBy(manager apply.Manager, operation metav1.ManagedFieldsOperationType, subresource string) func(*corev1.Service) {
	return func(s *corev1.Service) {
		s.ManagedFields = append(s.ManagedFields, metav1.ManagedFieldsEntry{Manager: string(manager), Operation: operation, Subresource: subresource})
	}
}

var applied = writtenBy(apply.ManagerInstance, metav1.ManagedFieldsOperationApply, "")

func TestControl(t *testing.T) {
	for _, test := range []struct {
		says    string
		object  *corev1.Service
		want    Control
		made    bool
		parents []string
	}{
		{"we made it and control it", existing(controlledBy("EC2Instance", "web-1", testUID), labeled(testUID), applied), Ours, true, []string{testUID}},
		{"we control it, and a user made it", existing(controlledBy("EC2Instance", "web-1", testUID)), Ours, false, []string{testUID}},
		{"it has lost our reference", existing(labeled(testUID), applied), Lost, true, []string{testUID}},
		{"our reference is no controller's any more", existing(ownedBy(testUID), labeled(testUID), applied), Lost, true, []string{testUID}},
		{
			"it has lost our reference, and another owns it without controlling it",
			existing(ownedBy(otherUID), labeled(testUID), applied), Lost, true, []string{testUID},
		},
		{
			"it has lost our reference to another controller",
			existing(controlledBy("Deployment", "shop", otherUID), labeled(testUID), applied), Foreign, false, []string{testUID, otherUID},
		},
		{"it was made for an object of our name that is gone", existing(labeled(otherUID), applied), Foreign, false, []string{otherUID}},
		{"somebody has copied our label", existing(labeled(testUID)), Foreign, false, []string{testUID}},
		{
			"somebody has copied our label and uses our name", existing(labeled(testUID), writtenBy(apply.ManagerInstance, metav1.ManagedFieldsOperationUpdate, "")),
			Foreign, false, []string{testUID},
		},
		{
			"only its status was applied by us", existing(labeled(testUID), writtenBy(apply.ManagerInstance, metav1.ManagedFieldsOperationApply, "status")),
			Foreign, false, []string{testUID},
		},
		{"it was released", existing(writtenBy("user", metav1.ManagedFieldsOperationApply, "")), Foreign, false, nil},
		{"it is anybody's", existing(), Foreign, false, nil},
	} {
		t.Run(test.says, func(t *testing.T) {
			if got := ControlOf(test.object, testUID); got != test.want {
				t.Errorf("it is %s, want %s", got, test.want)
			}
			if got := Made(test.object, testUID); got != test.made {
				t.Errorf("made by us: %t, want %t", got, test.made)
			}
			if got := ParentsOf(test.object); !slices.Equal(got, test.parents) {
				t.Errorf("parents are %v, want %v", got, test.parents)
			}
		})
	}
}

func TestRefusalSaysWhoseItIsAndTheWayOut(t *testing.T) {
	for want, text := range map[string]string{
		`Service "web" exists and is not this object's (nothing controls it): it is left alone; delete it, or choose another name in spec.expose.serviceName`: Refusal(KindService, existing()),
		`(Deployment "shop" controls it)`:    Refusal(KindEndpointSlice, existing(controlledBy("Deployment", "shop", otherUID))),
		"spec.expose.serviceName":            Refusal(KindEndpointSlice, existing()),
		"spec.connection.configMapName":      Refusal(KindConfigMap, existing()),
		`ConfigMap "web" exists and is not `: Refusal(KindConfigMap, existing()),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
}
