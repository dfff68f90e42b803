// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package children

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// kindParent is the kind of the children's owner.
const kindParent = "EC2Instance"

// Parent is the EC2Instance that the children belong to, and what is known of its instance.
type Parent struct {
	Namespace, Name string
	UID             types.UID
	// Expose and Connection are what spec asks for; nil asks for nothing.
	Expose     *ec2v1.Expose
	Connection *ec2v1.Connection
	// Deleting: the EC2Instance is being deleted.
	Deleting bool
	// Instance is zero while there is none.
	Instance Instance
}

// Instance is what the children tell of an instance in EC2. What is not known is empty.
type Instance struct {
	ID, Region, Zone        string
	PrivateIPv4, PublicIPv4 string
	PrivateDNS, PublicDNS   string
	IPv6                    []string
	// Serving: it runs, and EC2's checks reach it.
	Serving bool
	// Ending: it is on its way to terminated.
	Ending bool
}

// labels are those that every child bears.
func (p Parent) labels() map[string]string {
	labels := map[string]string{
		ec2v1.LabelManagedBy: ec2v1.ManagedByOperator,
		ec2v1.LabelUID:       string(p.UID),
	}
	// An object's name may be longer than a label's value.
	if len(validation.IsValidLabelValue(p.Name)) == 0 {
		labels[ec2v1.LabelName] = p.Name
	}
	return labels
}

// owner makes the parent a child's controller: the API server's garbage collector removes the child with it, and a
// deletion in the foreground waits for the child.
func (p Parent) owner() *metav1ac.OwnerReferenceApplyConfiguration {
	return metav1ac.OwnerReference().
		WithAPIVersion(ec2v1.SchemeGroupVersion.String()).
		WithKind(kindParent).
		WithName(p.Name).
		WithUID(p.UID).
		WithController(true).
		WithBlockOwnerDeletion(true)
}
