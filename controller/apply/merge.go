// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The merge code asks for a conversion between versions, for defaults and for new objects. Our kinds have one
// version, and the objects that it sees come from the API server, with their defaults.

// oneVersion converts between the versions of kinds that have only one.
type oneVersion struct{}

func (oneVersion) Convert(_, _, _ any) error {
	return fmt.Errorf("converting: %w", errOneVersion)
}

func (oneVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

var errOneVersion = fmt.Errorf("the kind has only one version")

// noDefaults leaves objects as they are.
type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

// creater makes empty unstructured objects.
type creater struct{}

func (creater) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	out := &unstructured.Unstructured{}
	out.SetGroupVersionKind(kind)
	return out, nil
}
