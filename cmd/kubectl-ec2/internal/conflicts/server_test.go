// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// fakeServer answers as it is told to.
type fakeServer struct {
	live      *unstructured.Unstructured
	unread    error
	conflicts []metav1.StatusCause
	refusal   error
}

func (s fakeServer) DryRun(u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	switch {
	case s.refusal != nil:
		return nil, s.refusal
	case len(s.conflicts) > 0:
		return nil, apierrors.NewApplyConflict(s.conflicts, "Apply failed")
	case s.live == nil:
		return u.DeepCopy(), nil
	default:
		return s.live.DeepCopy(), nil
	}
}

func (s fakeServer) Get(*unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return s.live, s.unread
}

func cause(field, owner string) metav1.StatusCause {
	return metav1.StatusCause{Type: metav1.CauseTypeFieldManagerConflict, Field: field, Message: "conflict with " + owner}
}

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

const live = `
apiVersion: ec2.fieldowner.dev/v1
kind: EC2Instance
metadata:
  name: web
  namespace: shop
  resourceVersion: "7"
  managedFields:
    - manager: team
      operation: Apply
      apiVersion: ec2.fieldowner.dev/v1
      fieldsType: FieldsV1
      fieldsV1:
        f:spec:
          f:instanceType: {}
          f:subnetID: {}
          f:userData: {}
    - manager: kubectl-client-side-apply
      operation: Update
      apiVersion: ec2.fieldowner.dev/v1
      fieldsType: FieldsV1
      fieldsV1: {"f:spec": {"f:instanceType": {}, "f:monitoring": {}, "f:tags": {'k:{"key":"a"}': {".": {}, "f:key": {}, "f:value": {}}}}}
spec:
  instanceType: t3.micro
  monitoring: true
  subnetID: subnet-1
  tags: [{key: a, value: "1"}]
  userData: {inline: hush-hush}
`

const wanted = `
apiVersion: ec2.fieldowner.dev/v1
kind: EC2Instance
metadata: {name: web, namespace: shop}
spec:
  instanceType: m5.large
  userData: {inline: other}
`

// contested is a server where wanted is in conflict with two managers.
func contested(t *testing.T) fakeServer {
	t.Helper()
	return fakeServer{live: parse(t, live), conflicts: []metav1.StatusCause{
		cause(".spec.userData", `"team"`),
		cause(".spec.instanceType", `"team"`),
		cause(".spec.instanceType", `"kubectl-client-side-apply" using ec2.fieldowner.dev/v1 at 2026-01-02T03:04:05Z`),
	}}
}
