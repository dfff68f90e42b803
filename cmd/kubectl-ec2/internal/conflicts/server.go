// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/resource"
)

// server is what is asked of the API server about one object. The errors are its own.
type server interface {
	// DryRun applies the object without force and stores nothing.
	DryRun(u *unstructured.Unstructured) (*unstructured.Unstructured, error)
	// Get reads the object that has the name of this one.
	Get(u *unstructured.Unstructured) (*unstructured.Unstructured, error)
}

// endpoint is the API server's endpoint of one kind.
type endpoint struct{ helper *resource.Helper }

// strict has the API server refuse unknown and double fields, as kubectl apply has it.
const strict = metav1.FieldValidationStrict

func serverFor(info *resource.Info, manager string) server {
	return endpoint{helper: resource.NewHelper(info.Client, info.Mapping).WithFieldManager(manager).WithFieldValidation(strict).DryRun(true)}
}

func (e endpoint) DryRun(u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	body, err := runtime.Encode(unstructured.UnstructuredJSONScheme, u)
	if err != nil {
		return nil, fmt.Errorf("encoding the object: %w", err)
	}
	answer, err := e.helper.Patch(u.GetNamespace(), u.GetName(), types.ApplyPatchType, body, &metav1.PatchOptions{Force: new(false)})
	return asUnstructured(answer, err)
}

func (e endpoint) Get(u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return asUnstructured(e.helper.Get(u.GetNamespace(), u.GetName()))
}

func asUnstructured(answer runtime.Object, err error) (*unstructured.Unstructured, error) {
	if err != nil {
		return nil, err
	}
	u, ok := answer.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("the API server answered with a %T", answer)
	}
	return u, nil
}
