// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// conditionsPath is where each manager has its own part: what is below is not copied, but built anew.
var conditionsPath = fieldpath.MakePathOrDie("status", "conditions")

// asRecorded returns the object with what status records of the instance: without what others have put there, since to copy it
// would be to claim it, and to tell it as if EC2 had. Conditions are as they are.
func asRecorded(obj *ec2v1.EC2Instance) *ec2v1.EC2Instance {
	foreign, err := apply.Foreign(obj, apply.ManagerInstance, apply.SubresourceStatus)
	if err != nil {
		return obj // The API server does not keep managedFields that cannot be read.
	}
	var paths []fieldpath.Path
	for _, path := range foreign {
		if inStatus(path) && !path[:min(len(path), len(conditionsPath))].Equals(conditionsPath) {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return obj
	}
	recorded := &ec2v1.EC2Instance{}
	if err := apply.Without(obj, paths, recorded); err != nil {
		return obj // Fields of a typed object and its type are the same.
	}
	return recorded
}

func inStatus(path fieldpath.Path) bool {
	return len(path) > 0 && path[0].FieldName != nil && *path[0].FieldName == "status"
}
