// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// Owner is the EC2Instance object that an instance belongs to.
type Owner struct {
	// UID of the object: what counts. A recreated object of the same name is another owner.
	UID types.UID
	// Namespace of the object.
	Namespace string
	// Name of the object.
	Name string
}

// Owner reads the identity tags: the object of the cluster that the instance belongs to, or false when the instance is not
// this cluster's. Tags can be forged by whoever may tag instances, so they prove nothing.
func (i Instance) Owner(cluster string) (Owner, bool) {
	o := Owner{
		UID:       types.UID(i.Tags[ec2v1.TagUID]),
		Namespace: i.Tags[ec2v1.TagNamespace],
		Name:      i.Tags[ec2v1.TagName],
	}
	ok := cluster != "" && i.Tags[ec2v1.TagCluster] == cluster && o.UID != "" && o.Namespace != "" && o.Name != ""
	if !ok {
		return Owner{}, false
	}
	return o, true
}
