// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// SameSchemas tells whether two definitions mean the same in all versions that they serve. Descriptions mean nothing
// to the API server.
func SameSchemas(a, b *apiextensionsv1.CustomResourceDefinition) bool {
	return equality.Semantic.DeepEqual(schemasOf(a), schemasOf(b))
}

func schemasOf(c *apiextensionsv1.CustomResourceDefinition) map[string]*apiextensionsv1.JSONSchemaProps {
	out := map[string]*apiextensionsv1.JSONSchemaProps{}
	for _, v := range c.Spec.Versions {
		if v.Served && v.Schema != nil {
			s := v.Schema.OpenAPIV3Schema.DeepCopy()
			undescribe(s)
			out[v.Name] = s
		}
	}
	return out
}

func undescribe(s *apiextensionsv1.JSONSchemaProps) {
	if s == nil {
		return
	}
	s.Description = ""
	for name, property := range s.Properties {
		undescribe(&property)
		s.Properties[name] = property
	}
	if s.Items != nil {
		undescribe(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		undescribe(s.AdditionalProperties.Schema)
	}
}
