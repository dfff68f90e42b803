// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"errors"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

const operatorNamespace = "ec2-operator-system"

func testAccount(selector *metav1.LabelSelector) *ec2v1.EC2Account {
	return &ec2v1.EC2Account{
		ObjectMeta: metav1.ObjectMeta{Name: ec2v1.DefaultAccountName, UID: "e4c8b1b8-0000-4000-8000-000000000001", Generation: 1},
		Spec:       ec2v1.EC2AccountSpec{Region: testRegion, AllowedNamespaces: selector},
	}
}

func TestAllowed(t *testing.T) {
	byTeam := &metav1.LabelSelector{MatchLabels: map[string]string{"team": "blue"}}
	tests := map[string]struct {
		selector  *metav1.LabelSelector
		namespace string
		labels    map[string]string
		want      bool
		says      string
	}{
		"no selector, a namespace without a label": {says: "label it ec2.fieldowner.dev/account=default"},
		"no selector, the label names the account": {labels: map[string]string{ec2v1.LabelAccount: "default"}, want: true},
		"no selector, the label names another account": {
			labels: map[string]string{ec2v1.LabelAccount: "other"}, says: "label it ec2.fieldowner.dev/account=default",
		},
		"no selector, the operator's own namespace": {namespace: operatorNamespace, want: true},
		"the selector matches":                      {selector: byTeam, labels: map[string]string{"team": "blue"}, want: true},
		"the selector does not match": {
			selector: byTeam, labels: map[string]string{"team": "red"}, says: "labels that spec.allowedNamespaces selects",
		},
		"the label does not count beside a selector": {
			selector: byTeam, labels: map[string]string{ec2v1.LabelAccount: "default"}, says: "labels that spec.allowedNamespaces selects",
		},
		"the operator's own namespace does not count beside a selector": {
			selector: byTeam, namespace: operatorNamespace, says: "labels that spec.allowedNamespaces selects",
		},
		"the empty selector is every namespace": {selector: &metav1.LabelSelector{}, want: true},
		"the selector is none": {
			selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: "Resembles"}}},
			says:     `spec.allowedNamespaces of EC2Account "default" is not a selector`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			namespace := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "team", Labels: test.labels}}
			if test.namespace != "" {
				namespace.Name = test.namespace
			}
			got := allowed(testAccount(test.selector), namespace, operatorNamespace)
			if test.want != (got.Reason == "") || got.Missing {
				t.Errorf("got %+v", got)
			}
			if !test.want && (got.Reason != ec2v1.ReasonAccountNotAllowed || !strings.Contains(got.Message, test.says)) {
				t.Errorf("got %+v, want it to say %q", got, test.says)
			}
		})
	}
}

func TestAccountName(t *testing.T) {
	obj := testObject()
	obj.Spec.AccountRef.Name = ""
	if got := accountName(obj); got != ec2v1.DefaultAccountName {
		t.Errorf("got %q", got)
	}
	obj.Spec.AccountRef.Name = "prod"
	if got := accountName(obj); got != "prod" {
		t.Errorf("got %q", got)
	}
}

func TestRegion(t *testing.T) {
	obj, account := testObject(), testAccount(nil)
	if got := regionOf(obj, account); got != testRegion {
		t.Errorf("got %q, want the account's", got)
	}
	obj.Spec.Region = "us-east-1"
	if got := regionOf(obj, account); got != "us-east-1" {
		t.Errorf("got %q, want the object's", got)
	}
}

// brokenReader fails.
type brokenReader struct{ client.Reader }

var errBroken = errors.New("the API server is out")

func (brokenReader) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return errBroken
}

func TestAccount(t *testing.T) {
	namespace := testNamespace(map[string]string{ec2v1.LabelAccount: "default"})
	r := &Reconciler{Reader: newFakeClient(testAccount(nil), namespace), OperatorNamespace: operatorNamespace}
	account, verdict, err := r.account(t.Context(), testObject())
	if err != nil || account == nil || verdict.Reason != "" {
		t.Errorf("allowed: got %v, %+v, %v", account, verdict, err)
	}
	r.Reader = newFakeClient(testAccount(nil), testNamespace(nil))
	account, verdict, err = r.account(t.Context(), testObject())
	if err != nil || account == nil || verdict.Reason != ec2v1.ReasonAccountNotAllowed || verdict.Missing {
		t.Errorf("not allowed: got %v, %+v, %v", account, verdict, err)
	}
	r.Reader = newFakeClient(namespace)
	account, verdict, err = r.account(t.Context(), testObject())
	if err != nil || account != nil || verdict.Reason != ec2v1.ReasonAccountNotFound || !verdict.Missing {
		t.Errorf("missing: got %v, %+v, %v", account, verdict, err)
	}
	r.Reader = brokenReader{}
	if _, _, err := r.account(t.Context(), testObject()); !errors.Is(err, errBroken) {
		t.Errorf("unreadable: got %v", err)
	}
}
