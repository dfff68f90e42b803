// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// AccountVerdict tells whether an object's account can be used; an empty reason says that it can.
type AccountVerdict struct {
	Reason, Message string
	// Missing: there is no account to speak to.
	Missing bool
}

// account reads the object's EC2Account and tells whether the object may use it.
func (r *Reconciler) account(ctx context.Context, obj *ec2v1.EC2Instance) (*ec2v1.EC2Account, AccountVerdict, error) {
	name := accountName(obj)
	account := &ec2v1.EC2Account{}
	err := r.Reader.Get(ctx, client.ObjectKey{Name: name}, account)
	if apierrors.IsNotFound(err) {
		return nil, AccountVerdict{Reason: ec2v1.ReasonAccountNotFound, Message: fmt.Sprintf("EC2Account %q does not exist", name), Missing: true}, nil
	}
	if err != nil {
		return nil, AccountVerdict{}, fmt.Errorf("reading EC2Account %q: %w", name, err)
	}
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(namespaceKind)
	if err := r.Reader.Get(ctx, client.ObjectKey{Name: obj.Namespace}, namespace); err != nil {
		return nil, AccountVerdict{}, fmt.Errorf("reading namespace %q: %w", obj.Namespace, err)
	}
	return account, allowed(account, namespace, r.OperatorNamespace), nil
}

func accountName(obj *ec2v1.EC2Instance) string {
	if obj.Spec.AccountRef.Name == "" {
		return ec2v1.DefaultAccountName
	}
	return obj.Spec.AccountRef.Name
}

// allowed tells whether an account allows a namespace.
func allowed(account *ec2v1.EC2Account, namespace *metav1.PartialObjectMetadata, operatorNamespace string) AccountVerdict {
	ok := namespace.Name == operatorNamespace || namespace.Labels[ec2v1.LabelAccount] == account.Name
	way := fmt.Sprintf("label it %s=%s", ec2v1.LabelAccount, account.Name)
	if account.Spec.AllowedNamespaces != nil {
		selector, err := metav1.LabelSelectorAsSelector(account.Spec.AllowedNamespaces)
		if err != nil {
			return AccountVerdict{Reason: ec2v1.ReasonAccountNotAllowed, Message: fmt.Sprintf("spec.allowedNamespaces of EC2Account %q is not a selector: %v", account.Name, err)}
		}
		ok = selector.Matches(labels.Set(namespace.Labels))
		way = "give it labels that spec.allowedNamespaces selects"
	}
	if ok {
		return AccountVerdict{}
	}
	return AccountVerdict{
		Reason:  ec2v1.ReasonAccountNotAllowed,
		Message: fmt.Sprintf("EC2Account %q does not allow namespace %q: %s", account.Name, namespace.Name, way),
	}
}
