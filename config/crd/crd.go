// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package crd holds the CustomResourceDefinitions that this version of the operator was built with.
package crd

import (
	"embed"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

const folder = "bases"

//go:embed bases/*.yaml
var files embed.FS

// All returns the definitions, by name.
func All() (map[string]*apiextensionsv1.CustomResourceDefinition, error) {
	entries, err := files.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("listing the CRDs of this build: %w", err)
	}
	out := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, entry := range entries {
		text, err := files.ReadFile(folder + "/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("reading a CRD of this build: %w", err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(text, crd); err != nil {
			return nil, fmt.Errorf("reading %s: %w", entry.Name(), err)
		}
		out[crd.Name] = crd
	}
	return out, nil
}
