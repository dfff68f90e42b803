// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1

const (
	// InstanceFinalizer keeps an EC2Instance until EC2 says that its instance is terminated, or until
	// deletionPolicy says that the instance stays.
	InstanceFinalizer = GroupName + "/instance"

	// AnnotationLaunch holds the operator's launch intent: what was decided before RunInstances was called,
	// as JSON. It is written by the operator only and is what makes a launch happen once across crashes.
	AnnotationLaunch = GroupName + "/launch"

	// AnnotationReconcileRequestedAt asks for a pass now. Any new value counts; the usual one is a timestamp.
	AnnotationReconcileRequestedAt = GroupName + "/reconcile-requested-at"

	// LabelAccount on a Namespace, with the name of an EC2Account as its value, allows the namespace to use
	// that account where the account itself has no allowedNamespaces.
	LabelAccount = GroupName + "/account"

	// DefaultAccountName is the EC2Account that an EC2Instance uses when it names none.
	DefaultAccountName = "default"
)

// Tags that every instance of ours bears from the moment of its launch. They are its identity: users cannot
// set or remove them.
const (
	// TagPrefix begins every tag that belongs to the operator.
	TagPrefix = GroupName + "/"
	// TagCluster holds the uid of namespace kube-system of the cluster that launched the instance.
	TagCluster = TagPrefix + "cluster"
	// TagUID holds the uid of the EC2Instance.
	TagUID = TagPrefix + "uid"
	// TagNamespace holds the namespace of the EC2Instance.
	TagNamespace = TagPrefix + "namespace"
	// TagName holds the name of the EC2Instance.
	TagName = TagPrefix + "name"
	// TagDisplayName is EC2's own Name tag. It is set to namespace/name unless spec.tags sets it.
	TagDisplayName = "Name"
)
