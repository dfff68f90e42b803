// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Reference names an object in documents.
type Reference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// ReferenceTo names an object.
func ReferenceTo(u *unstructured.Unstructured) Reference {
	return Reference{APIVersion: u.GetAPIVersion(), Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName()}
}

// Argument is the object as kubectl prints it and takes it, such as deployment.apps/web. It does not hold the namespace.
func (r Reference) Argument() string {
	kind := strings.ToLower(r.Kind)
	if group, _, found := strings.Cut(r.APIVersion, "/"); found {
		kind += "." + group
	}
	return kind + "/" + r.Name
}

// String is Argument with the namespace, for people.
func (r Reference) String() string {
	if r.Namespace == "" {
		return r.Argument()
	}
	return r.Argument() + " in namespace " + r.Namespace
}
