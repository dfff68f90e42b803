// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/fieldowner/ec2-operator/test/validation/schema"
)

// apimachinery are the fields whose schema comes from apimachinery's own types. It is tested there.
var apimachinery = []string{"spec.allowedNamespaces", "status.conditions[]"}

// demand is something that the schema asks of one field.
type demand struct {
	// path of the field, with [] for any element.
	path string
	// words are what the API server says, in part, when it is not met.
	words string
}

// TestEveryRuleHasRows fails for every rule, limit, enum, key and required field of the schemas without a row that breaks it, and for
// every one of them whose field no accepted row has.
func TestEveryRuleHasRows(t *testing.T) {
	crds, err := schema.Load(configDir + "/crd/bases")
	if err != nil {
		t.Fatal(err)
	}
	kinds := []kind{instanceKind, accountKind}
	if len(crds) != len(kinds) {
		t.Errorf("there are %d kinds and %d tables", len(crds), len(kinds))
	}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			refused, accepted := kind.refusals(), kind.acceptedPaths(t)
			demands := demandsOf(crds[kind.name])
			for _, demand := range demands {
				if !slices.ContainsFunc(refused, demand.isBrokenBy) {
					t.Errorf("no row breaks this: %s: %s", demand.path, demand.words)
				}
				if !accepted[demand.path] {
					t.Errorf("no row is accepted that has %s, of which is asked: %s", demand.path, demand.words)
				}
			}
			t.Logf("%s: %d demands, %d rows, %d moves", kind.name, len(demands), len(kind.rows), len(kind.moves))
		})
	}
}

// refusals are all reasons of refusal in the kind's tables.
func (k kind) refusals() []string {
	var reasons []string
	for _, row := range k.rows {
		reasons = append(reasons, row.refused...)
	}
	for _, move := range k.moves {
		reasons = append(reasons, move.refused...)
	}
	return reasons
}

// acceptedPaths are the paths of all fields that occur in an accepted object.
func (k kind) acceptedPaths(t *testing.T) map[string]bool {
	t.Helper()
	paths := map[string]bool{}
	for _, row := range k.rows {
		if len(row.refused) == 0 {
			collectPaths(k.object(t, "row", row.section, row.patch), paths)
		}
	}
	for _, move := range k.moves {
		if len(move.refused) == 0 {
			collectPaths(k.object(t, "move", spec, move.after), paths)
		}
	}
	return paths
}

func collectPaths(object *unstructured.Unstructured, paths map[string]bool) {
	for _, s := range []section{spec, status} {
		if value, found := object.Object[string(s)]; found {
			collectValue(value, string(s), paths)
		}
	}
}

func collectValue(value any, path string, paths map[string]bool) {
	paths[path] = true
	switch value := value.(type) {
	case map[string]any:
		for name, child := range value {
			collectValue(child, path+"."+name, paths)
		}
	case []any:
		for _, child := range value {
			collectValue(child, path+schema.Element, paths)
		}
	}
}

// index is the place of an element in a list, or its key.
var index = regexp.MustCompile(`\[[^]]+\]`)

// isBrokenBy says whether a reason of refusal is about the demand.
func (d demand) isBrokenBy(reason string) bool {
	field, message, _ := strings.Cut(reason, ": ")
	return index.ReplaceAllString(field, schema.Element) == d.path && strings.Contains(message, d.words)
}

// demandsOf are all that a kind's schema asks.
func demandsOf(crd *apiextensionsv1.CustomResourceDefinition) []demand {
	var demands []demand
	keys := map[string]bool{}
	for field := range schema.Fields(crd) {
		if slices.ContainsFunc(apimachinery, func(path string) bool { return field.Under(path) && field.Path != path }) {
			continue
		}
		for _, key := range field.Schema.XListMapKeys {
			keys[field.Path+schema.Element+"."+key] = true
		}
		// A list's key is required, too, but a list without it does not get as far as that.
		required := field.Required && !keys[field.Path]
		for _, words := range slices.Concat(limitsOf(field.Schema), identityOf(field.Schema), presenceOf(required)) {
			demands = append(demands, demand{field.Path, words})
		}
		for _, rule := range field.Schema.XValidations {
			demands = append(demands, demand{field.Path + rule.FieldPath, rule.Message})
		}
	}
	return demands
}

// presenceOf are the words about a field that must be there.
func presenceOf(required bool) []string {
	if required {
		return []string{"Required value"}
	}
	return nil
}

// limitsOf are the words about limits and enums.
func limitsOf(s *apiextensionsv1.JSONSchemaProps) []string {
	var words []string
	add := func(asked bool, format string, args ...any) {
		if asked {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	if s.MinLength != nil {
		add(*s.MinLength > 0, "should be at least %d chars long", *s.MinLength)
	}
	if s.MaxLength != nil {
		add(true, "may not be more than %d bytes", *s.MaxLength)
	}
	if s.MinItems != nil {
		add(true, "should have at least %d items", *s.MinItems)
	}
	if s.MaxItems != nil {
		add(true, "must have at most %d items", *s.MaxItems)
	}
	if s.Minimum != nil {
		add(true, "should be greater than or equal to %v", *s.Minimum)
	}
	if s.Maximum != nil {
		add(true, "should be less than or equal to %v", *s.Maximum)
	}
	for _, value := range s.Enum {
		add(true, "%s", value.Raw)
	}
	return words
}

// identityOf are the words about lists whose elements are told apart.
func identityOf(s *apiextensionsv1.JSONSchemaProps) []string {
	if s.XListType == nil || *s.XListType == "atomic" {
		return nil
	}
	words := []string{"duplicate entries"}
	for _, key := range s.XListMapKeys {
		words = append(words, fmt.Sprintf("omits all key fields [%q]", key))
	}
	return words
}
