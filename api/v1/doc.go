// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package v1 is the API of group ec2.fieldowner.dev: the contract between users and the operator.
//
// The types carry their validation as CEL rules and their merge behavior as list-type markers, so that
// everything a user can get wrong is refused at admission, and every list is shared by its real identity.
//
// +kubebuilder:object:generate=true
// +kubebuilder:ac:generate=true
// +kubebuilder:ac:output:package="../../applyconfig"
// +groupName=ec2.fieldowner.dev
package v1
