// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"errors"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fieldowner/ec2-operator/applyconfig"
)

// customKind compiles a CRD: the version that is stored, which must be the only one.
func customKind(scheme *runtime.Scheme, definition *apiextensionsv1.CustomResourceDefinition) (*kind, error) {
	if len(definition.Spec.Versions) != 1 {
		return nil, errors.New("only kinds with one version are served")
	}
	version := definition.Spec.Versions[0]
	gvk := schema.GroupVersionKind{Group: definition.Spec.Group, Version: version.Name, Kind: definition.Spec.Names.Kind}
	strategy, err := newCustomStrategy(gvk, definition.Spec.Scope == apiextensionsv1.NamespaceScoped, version)
	if err != nil {
		return nil, err
	}
	m := customModel{gvk: gvk, schema: strategy.schema}
	types := applyconfig.NewTypeConverter(scheme)
	main, err := newEndpoint(gvk, "", types, m, strategy, "status")
	if err != nil {
		return nil, err
	}
	status, err := newEndpoint(gvk, subresourceStatus, types, m, customStatusStrategy{strategy}, "metadata", "spec")
	if err != nil {
		return nil, err
	}
	return &kind{
		gvk: gvk, resource: definition.Spec.Names.Plural, namespaced: strategy.namespaced,
		folder: "/" + gvk.Group + "/" + definition.Spec.Names.Plural, codec: m, create: strategy, endpoints: map[string]*endpoint{"": main, subresourceStatus: status},
	}, nil
}

func newCustomStrategy(gvk schema.GroupVersionKind, namespaced bool, version apiextensionsv1.CustomResourceDefinitionVersion) (*customStrategy, error) {
	if version.Subresources == nil || version.Subresources.Status == nil {
		return nil, errors.New("only kinds with a status subresource are served")
	}
	internal := &apiextensions.CustomResourceValidation{}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(version.Schema, internal, nil); err != nil {
		return nil, fmt.Errorf("converting the schema: %w", err)
	}
	structural, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, fmt.Errorf("the schema is not structural: %w", err)
	}
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, fmt.Errorf("pruning defaults: %w", err)
	}
	whole, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, fmt.Errorf("building the validator: %w", err)
	}
	statusSchema := internal.OpenAPIV3Schema.Properties["status"]
	status, _, err := validation.NewSchemaValidator(&statusSchema)
	if err != nil {
		return nil, fmt.Errorf("building the validator of status: %w", err)
	}
	return &customStrategy{
		common: common{gvk: gvk, namespaced: namespaced}, schema: structural, whole: whole, status: status,
		rules: newCustomRules(structural),
	}, nil
}

// customModel is the form of a kind that a CRD defines: unstructured.
type customModel struct {
	oneVersion

	gvk    schema.GroupVersionKind
	schema *structuralschema.Structural
}

func (m customModel) ConvertToVersion(in runtime.Object, gv runtime.GroupVersioner) (runtime.Object, error) {
	if !isVersion(m.gvk, gv) {
		return nil, fmt.Errorf("request to convert CR to an invalid group/version: %s", gv.Identifier())
	}
	return in, nil
}

func (m customModel) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetGroupVersionKind(gvk)
	return out, nil
}

// Default sets the defaults of the CRD.
func (m customModel) Default(in runtime.Object) {
	if u, ok := in.(*unstructured.Unstructured); ok && m.knows(u) {
		defaulting.Default(u.Object, m.schema)
	}
}

func (m customModel) fresh() client.Object {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetGroupVersionKind(m.gvk)
	return out
}

// knows tells whether an object says that it is of the kind.
func (m customModel) knows(u *unstructured.Unstructured) bool {
	return u.GroupVersionKind().GroupKind() == m.gvk.GroupKind()
}

func (m customModel) decode(body []byte) (client.Object, error) {
	out := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(body, &out.Object); err != nil {
		return nil, err
	}
	if out.Object == nil {
		out.Object = map[string]any{}
	}
	withKind(out, m.gvk)
	if err := m.coerce(out); err != nil {
		return nil, err
	}
	m.Default(out)
	return out, nil
}

func (m customModel) encode(obj client.Object) (map[string]any, error) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("%s is %T", m.gvk.Kind, obj)
	}
	return u.Object, nil
}

func (m customModel) load(raw map[string]any) (client.Object, error) {
	out := &unstructured.Unstructured{Object: raw}
	if err := m.coerce(out); err != nil {
		return nil, err
	}
	m.Default(out)
	return out, nil
}

// coerce drops what the schema does not know, and nulls that mean nothing, and brings metadata into its canonical form
// (apiextensions-apiserver, pkg/apiserver: unstructuredSchemaCoercer).
func (m customModel) coerce(u *unstructured.Unstructured) error {
	metadata, found, err := objectmeta.GetObjectMeta(u.Object, false)
	if err != nil {
		return err
	}
	if m.knows(u) {
		gvk := u.GroupVersionKind()
		pruning.Prune(u.Object, m.schema, true)
		defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, m.schema)
		if err := objectmeta.Coerce(nil, u.Object, m.schema, false, false); err != nil {
			return err
		}
		u.SetGroupVersionKind(gvk)
	}
	if !found {
		return nil
	}
	return objectmeta.SetObjectMeta(u.Object, metadata)
}
