// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package crd holds the CustomResourceDefinitions that this version of the operator was built with.
package crd

import (
	"embed"
	"fmt"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

const folder = "bases"

//go:embed bases/*.yaml
var files embed.FS

// All returns the definitions, by name. They are the caller's.
func All() (map[string]*apiextensionsv1.CustomResourceDefinition, error) {
	known, err := parsed()
	if err != nil {
		return nil, err
	}
	out := make(map[string]*apiextensionsv1.CustomResourceDefinition, len(known))
	for name, crd := range known {
		out[name] = crd.DeepCopy()
	}
	return out, nil
}

// parsed reads the definitions once.
var parsed = sync.OnceValues(parse)

func parse() (map[string]*apiextensionsv1.CustomResourceDefinition, error) {
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
