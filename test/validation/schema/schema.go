// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package schema reads CustomResourceDefinitions and walks their schemas, for tests that speak of every field.
package schema

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// Element is the path element of a list's items and of a map's values.
const Element = "[]"

// Field is one place in an object, with what its schema says of it.
type Field struct {
	// Path is the way from the object's root, such as spec.tags[].key.
	Path string
	// Name is the field's JSON name; Element for the items of a list.
	Name string
	// Required says that the object around it cannot be without it.
	Required bool
	// Schema is the field's own, with those of its children in it.
	Schema *apiextensionsv1.JSONSchemaProps
}

// Under says whether the field is at the path or below it.
func (f Field) Under(path string) bool {
	rest, found := strings.CutPrefix(f.Path, path)
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Load reads the CustomResourceDefinitions in a folder, by kind. An unknown field in a file is an error.
func Load(dir string) (map[string]*apiextensionsv1.CustomResourceDefinition, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", dir, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no CustomResourceDefinition", dir)
	}
	crds := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading a CustomResourceDefinition: %w", err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(content, crd); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		crds[crd.Spec.Names.Kind] = crd
	}
	return crds, nil
}

// Fields are spec and status of the definition's first version and all that is in them, parents first, in the order of their names.
func Fields(crd *apiextensionsv1.CustomResourceDefinition) iter.Seq[Field] {
	root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	return func(yield func(Field) bool) {
		for _, name := range []string{"spec", "status"} {
			child, found := root.Properties[name]
			if !found {
				continue
			}
			top := Field{Path: name, Name: name, Required: slices.Contains(root.Required, name), Schema: &child}
			if !walk(top, yield) {
				return
			}
		}
	}
}

// walk yields a field and its children until yield has enough, which it reports.
func walk(field Field, yield func(Field) bool) bool {
	if !yield(field) {
		return false
	}
	for child := range field.children() {
		if !walk(child, yield) {
			return false
		}
	}
	return true
}

// children are the fields one level below.
func (f Field) children() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for _, name := range slices.Sorted(maps.Keys(f.Schema.Properties)) {
			child := f.Schema.Properties[name]
			required := slices.Contains(f.Schema.Required, name)
			if !yield(Field{Path: f.Path + "." + name, Name: name, Required: required, Schema: &child}) {
				return
			}
		}
		if items := f.items(); items != nil {
			yield(Field{Path: f.Path + Element, Name: Element, Schema: items})
		}
	}
}

// items is the schema of a list's items or of a map's values, nil for anything else.
func (f Field) items() *apiextensionsv1.JSONSchemaProps {
	switch {
	case f.Schema.Items != nil:
		return f.Schema.Items.Schema
	case f.Schema.AdditionalProperties != nil:
		return f.Schema.AdditionalProperties.Schema
	}
	return nil
}
