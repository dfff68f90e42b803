// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"sigs.k8s.io/yaml"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// readDefaults reads the schemas of the operator's own kinds, by kind.
func readDefaults() (map[string]*structuralschema.Structural, error) {
	files, err := filepath.Glob(filepath.Join(crds, "*.yaml"))
	if err != nil {
		return nil, err
	}
	out := map[string]*structuralschema.Structural{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(text, crd); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		internal := &apiextensions.JSONSchemaProps{}
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(crd.Spec.Versions[0].Schema.OpenAPIV3Schema, internal, nil); err != nil {
			return nil, fmt.Errorf("converting %s: %w", file, err)
		}
		if out[crd.Spec.Names.Kind], err = structuralschema.NewStructural(internal); err != nil {
			return nil, fmt.Errorf("reading the schema of %s: %w", file, err)
		}
	}
	return out, nil
}

// door is a door for the scene's kind.
func door(s *scene) *apply.Applier {
	s.t.Helper()
	return apply.New(k8s, s.predictor())
}
