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

	// LabelManagedBy is Kubernetes' recommended label for the tool that manages an object; with ManagedByOperator as
	// its value it is on the operator's children, which are watched by it.
	LabelManagedBy = "app.kubernetes.io/managed-by"

	// ManagedByOperator is the value of LabelManagedBy on the operator's children.
	ManagedByOperator = "ec2-operator"

	// LabelUID on a Service, EndpointSlice or ConfigMap holds the uid of the EC2Instance that it was made for.
	LabelUID = GroupName + "/uid"

	// LabelName on a Service, EndpointSlice or ConfigMap holds the name of the EC2Instance that it was made for,
	// unless that is longer than a label's value may be.
	LabelName = GroupName + "/name"

	// EndpointSliceManager is the value of endpointslice.kubernetes.io/managed-by on the operator's EndpointSlices.
	EndpointSliceManager = "ec2-operator.fieldowner.dev"

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
