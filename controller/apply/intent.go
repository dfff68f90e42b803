// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// SubresourceStatus is the status subresource.
const SubresourceStatus = "status"

// Intent is what one manager wants one object to say: complete, since a field that the manager owns and the
// intent leaves out is given up.
type Intent struct {
	// Config is a generated apply configuration, built for this intent: Apply overwrites it with the answer.
	//
	// It carries the intent's guard. An intent for an object that exists names its uid, so that a late apply
	// cannot create the object anew. An intent for status names its resourceVersion, because the API server
	// does not check the uid there. An intent that was decided on what the object said names its
	// resourceVersion, too.
	Config runtime.ApplyConfiguration
	// Manager is the field manager to apply as.
	Manager Manager
	// Subresource is empty for the object itself, or SubresourceStatus.
	Subresource string
	// Force takes fields from managers that own them. It is for objects and fields that are ours alone.
	Force bool
	// Create allows an intent without a guard: it may create the object.
	Create bool
}

// body returns the intent as the API server will see it.
func (i Intent) body() (*unstructured.Unstructured, error) {
	if i.Config == nil {
		return nil, fmt.Errorf("the intent of %s has no apply configuration", i.Manager)
	}
	body, err := bodyOf(i.Config)
	if err != nil {
		return nil, fmt.Errorf("reading the intent of %s: %w", i.Manager, err)
	}
	return body, nil
}

// bodyOf returns an apply configuration as the API server will see it, as a copy.
func bodyOf(config runtime.ApplyConfiguration) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(config)
	if err != nil {
		return nil, fmt.Errorf("converting an apply configuration: %w", err)
	}
	return (&unstructured.Unstructured{Object: content}).DeepCopy(), nil
}

// answerInto makes a configuration what the API server has answered with, as client.Apply does with the one that it sends.
func answerInto(config runtime.ApplyConfiguration, answer *unstructured.Unstructured) error {
	into := reflect.ValueOf(config).Elem()
	filled := reflect.New(into.Type())
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(answer.Object, filled.Interface()); err != nil {
		return fmt.Errorf("converting to an apply configuration: %w", err)
	}
	into.Set(filled.Elem())
	return nil
}

// check refuses intents that could do harm which no answer of the API server would show.
func (i Intent) check(body *unstructured.Unstructured) error {
	switch {
	case i.Manager == "":
		return errors.New("an intent must name its field manager")
	case body.GetKind() == "" || body.GetAPIVersion() == "" || body.GetName() == "":
		return fmt.Errorf("the intent of %s must have apiVersion, kind and name", i.Manager)
	case i.Subresource == SubresourceStatus && body.GetResourceVersion() == "":
		return fmt.Errorf("the status intent of %s for %s must carry a resourceVersion: the API server does not check the uid of a status apply",
			i.Manager, body.GetName())
	case i.Subresource == "" && body.GetUID() == "" && !i.Create:
		return fmt.Errorf("the intent of %s for %s must carry a uid, or say that it may create the object", i.Manager, body.GetName())
	}
	return nil
}
