// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/fieldowner/ec2-operator/config/crd"
)

// instanceCRD is the definition whose schema drives the walk.
const instanceCRD = "ec2instances.ec2.fieldowner.dev"

// element is what the items of a list add to a path.
const element = "[]"

// spec is a spec as a user applies it.
type spec = map[string]any

// specSchema is what the CRD says of spec. It judges edits as a whole and apart from the API server, which asks only the rules of
// what has changed.
type specSchema struct {
	root       *apiextensionsv1.JSONSchemaProps
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
	// paths are all fields, each with its schema, and names are their paths in order.
	paths map[string]*apiextensionsv1.JSONSchemaProps
	names []string
}

// schemaOfSpec compiles the schema once.
var schemaOfSpec = sync.OnceValues(compileSpec)

func compileSpec() (*specSchema, error) {
	all, err := crd.All()
	if err != nil {
		return nil, fmt.Errorf("reading the CRDs: %w", err)
	}
	definition, ok := all[instanceCRD]
	if !ok {
		return nil, fmt.Errorf("there is no CRD %s", instanceCRD)
	}
	root := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&root, internal, nil); err != nil {
		return nil, fmt.Errorf("converting the schema of spec: %w", err)
	}
	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		return nil, fmt.Errorf("the schema of spec is not structural: %w", err)
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return nil, fmt.Errorf("building the validator of spec: %w", err)
	}
	s := &specSchema{
		root: &root, structural: structural, validator: validator, rules: cel.NewValidator(structural, false, celconfig.PerCallLimit),
		paths: map[string]*apiextensionsv1.JSONSchemaProps{},
	}
	s.add("", &root)
	s.names = slices.Sorted(maps.Keys(s.paths))
	return s, nil
}

// add adds the fields below a path.
func (s *specSchema) add(path string, of *apiextensionsv1.JSONSchemaProps) {
	for name := range of.Properties {
		child := of.Properties[name]
		at := below(path, name)
		s.paths[at] = &child
		s.add(at, &child)
	}
	if of.Items != nil {
		s.paths[path+element] = of.Items.Schema
		s.add(path+element, of.Items.Schema)
	}
}

func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// named are the fields that need values of their own: texts that are neither one of a few nor in a format.
func (s *specSchema) named() []string {
	return slices.DeleteFunc(slices.Clone(s.names), func(path string) bool {
		p := s.paths[path]
		return p.Type != "string" || len(p.Enum) > 0 || p.Format != ""
	})
}

// transitional are the fields that a rule compares with their old value.
func (s *specSchema) transitional() []string {
	return slices.DeleteFunc(slices.Clone(s.names), func(path string) bool {
		parent, name := s.root, path
		if at := strings.LastIndex(path, "."); at >= 0 {
			parent, name = s.paths[path[:at]], path[at+1:]
		}
		return !mentions(s.paths[path], "oldSelf") && !mentions(parent, "oldSelf."+name)
	})
}

// mentions tells whether a rule of a field has a text in it.
func mentions(p *apiextensionsv1.JSONSchemaProps, text string) bool {
	return slices.ContainsFunc(p.XValidations, func(r apiextensionsv1.ValidationRule) bool { return strings.Contains(r.Rule, text) })
}

// against is what the schema has against a spec that takes the place of another one, or of none.
func (s *specSchema) against(next, old spec) field.ErrorList {
	path := field.NewPath("spec")
	unknown := pruning.PruneWithOptions(runtime.DeepCopyJSON(next), s.structural, false, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	var errs field.ErrorList
	for _, name := range unknown {
		errs = append(errs, field.Forbidden(path.Child(name), "is not known"))
	}
	next, old = s.defaulted(next), s.defaulted(old)
	errs = append(errs, validation.ValidateCustomResource(path, next, s.validator)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(path, s.structural, next)...)
	if len(errs) > 0 {
		return errs
	}
	var before any
	if old != nil {
		before = old
	}
	errs, _ = s.rules.Validate(context.Background(), path, s.structural, next, before, celconfig.RuntimeCELCostBudget)
	return errs
}

// defaulted is a spec as the API server stores it.
func (s *specSchema) defaulted(of spec) spec {
	if of == nil {
		return nil
	}
	out := runtime.DeepCopyJSON(of)
	defaulting.Default(out, s.structural)
	return out
}

// leaves are the paths of all values of a spec, with items of lists by their keys.
func (s *specSchema) leaves(of spec) map[string]bool {
	out := map[string]bool{}
	s.addLeaves(out, "", "", of)
	return out
}

// addLeaves adds the values below a path; at is the path in the schema.
func (s *specSchema) addLeaves(out map[string]bool, at, path string, value any) {
	switch v := value.(type) {
	case spec:
		for name, inner := range v {
			s.addLeaves(out, below(at, name), below(path, name), inner)
		}
	case []any:
		out[path] = true
		for _, item := range v {
			if len(s.paths[at].XListMapKeys) > 0 {
				s.addLeaves(out, at+element, path+"["+keyOf(s.paths[at], item)+"]", item)
			}
		}
	default:
		out[path] = true
	}
}
