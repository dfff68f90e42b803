// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1_test

import (
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/validation/schema"
)

// apimachinery are the fields whose schema comes from apimachinery's own types, which we do not word or bound.
var apimachinery = []string{"spec.allowedNamespaces", "status.conditions[]"}

// check judges one field and says what is wrong with it; nothing when all is well.
type check func(field schema.Field) (problem string)

// eachField runs a check on every field of every kind.
func eachField(t *testing.T, judge check) {
	t.Helper()
	for kind, crd := range crds(t) {
		t.Run(kind, func(t *testing.T) {
			for field := range schema.Fields(crd) {
				if problem := judge(field); problem != "" {
					t.Errorf("%s %s", field.Path, problem)
				}
			}
		})
	}
}

// own is a check that leaves out what is inside apimachinery's types.
func own(judge check) check {
	return func(field schema.Field) string {
		for _, path := range apimachinery {
			if field.Under(path) && field.Path != path {
				return ""
			}
		}
		return judge(field)
	}
}

func crds(t *testing.T) map[string]*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crds, err := schema.Load("../../config/crd/bases")
	if err != nil {
		t.Fatal(err)
	}
	return crds
}

func TestEveryListSaysHowItIsShared(t *testing.T) {
	eachField(t, func(field schema.Field) string {
		if field.Schema.Type == "array" && field.Schema.XListType == nil {
			return "has no list type: server-side apply takes it for atomic without anybody having said so"
		}
		return ""
	})
}

func TestEveryStringListAndMapIsBounded(t *testing.T) {
	eachField(t, own(func(field schema.Field) string {
		if missing := missingBound(field.Schema); missing != "" {
			return "has no " + missing + ": without it the cost of rules is unknown and one object may fill etcd"
		}
		return ""
	}))
}

// missingBound names the maximum that the schema should have and has not.
func missingBound(s *apiextensionsv1.JSONSchemaProps) string {
	switch {
	case s.Type == "string" && s.MaxLength == nil && len(s.Enum) == 0 && s.Format != "date-time":
		return "maxLength"
	case s.Type == "array" && s.MaxItems == nil:
		return "maxItems"
	case s.AdditionalProperties != nil && s.MaxProperties == nil:
		return "maxProperties"
	}
	return ""
}

func TestEveryNumberInSpecIsABoundedInteger(t *testing.T) {
	eachField(t, own(func(field schema.Field) string {
		switch s := field.Schema; {
		case s.Type == "number", s.XIntOrString:
			return "is no integer: its text could differ while its value is the same, and appliers would conflict"
		case field.Under("spec") && s.Type == "integer" && (s.Minimum == nil || s.Maximum == nil):
			return "has no minimum or no maximum"
		}
		return ""
	}))
}

func TestEveryRuleSaysWhatMustBe(t *testing.T) {
	rules := 0
	eachField(t, func(field schema.Field) string {
		for _, rule := range field.Schema.XValidations {
			rules++
			if !strings.HasPrefix(rule.Message, "must ") || strings.HasSuffix(rule.Message, ".") {
				return "has a rule whose message does not begin with \"must\" or ends with a full stop: " + rule.Message
			}
		}
		return ""
	})
	if rules == 0 {
		t.Error("no rule found: is the walk broken?")
	}
}

func TestEveryFieldIsExplained(t *testing.T) {
	eachField(t, own(func(field schema.Field) string {
		first, _, _ := strings.Cut(field.Schema.Description, " ")
		switch {
		case field.Name == schema.Element && field.Schema.Type != "object":
			return "" // strings in a list are explained by the list
		case field.Schema.Description == "":
			return "has no description for `kubectl explain`"
		case field.Name != schema.Element && strings.Trim(first, ",:") != field.Name:
			return "has a description that begins with " + first + " instead of its name"
		}
		return ""
	}))
}

// An atomic struct is one leaf to server-side apply. With a default inside, it differs from what was applied, and two
// appliers of the same intent conflict.
func TestNothingAtomicHasADefaultInside(t *testing.T) {
	for kind, crd := range crds(t) {
		t.Run(kind, func(t *testing.T) {
			var atomic []string
			for field := range schema.Fields(crd) {
				inside := slices.ContainsFunc(atomic, field.Under)
				if inside && field.Schema.Default != nil {
					t.Errorf("%s has a default and is inside something atomic", field.Path)
				}
				if isAtomic(field.Schema) {
					atomic = append(atomic, field.Path)
				}
			}
		})
	}
}

func isAtomic(s *apiextensionsv1.JSONSchemaProps) bool {
	return s.XMapType != nil && *s.XMapType == "atomic" || s.XListType != nil && *s.XListType == "atomic"
}

// A one-of is one choice. Were it granular, a second manager could never make another one: with force it would add its
// own member beside the first manager's, and the object would be refused.
func TestEveryOneOfIsAtomic(t *testing.T) {
	oneOfs := 0
	eachField(t, func(field schema.Field) string {
		for _, rule := range field.Schema.XValidations {
			if !strings.HasPrefix(rule.Message, "must set exactly one of") {
				continue
			}
			oneOfs++
			if !isAtomic(field.Schema) {
				return "is a one-of and not atomic"
			}
		}
		return ""
	})
	if oneOfs == 0 {
		t.Error("no one-of found: have the messages changed?")
	}
}

func TestUnknownFieldsAreNotKept(t *testing.T) {
	eachField(t, func(field schema.Field) string {
		if field.Schema.XPreserveUnknownFields != nil || field.Schema.XEmbeddedResource {
			return "takes fields that it does not know, so a misspelled one is not noticed"
		}
		return ""
	})
}

func TestADefaultIsNeverRequired(t *testing.T) {
	eachField(t, func(field schema.Field) string {
		if field.Required && field.Schema.Default != nil {
			return "is required and has a default: one of the two means nothing"
		}
		return ""
	})
}

func TestEveryKindHasWhatUsersExpect(t *testing.T) {
	for kind, crd := range crds(t) {
		t.Run(kind, func(t *testing.T) {
			version := crd.Spec.Versions[0]
			if version.Subresources == nil || version.Subresources.Status == nil {
				t.Error("it has no status subresource")
			}
			if !slices.Contains(crd.Spec.Names.Categories, "aws") {
				t.Error("`kubectl get aws` does not show it")
			}
			if len(crd.Spec.Names.ShortNames) == 0 {
				t.Error("it has no short name")
			}
			for _, column := range []string{"Ready", "Reason", "Age"} {
				if !hasNarrowColumn(version, column) {
					t.Errorf("`kubectl get` does not show %s", column)
				}
			}
		})
	}
}

func hasNarrowColumn(version apiextensionsv1.CustomResourceDefinitionVersion, name string) bool {
	return slices.ContainsFunc(version.AdditionalPrinterColumns, func(c apiextensionsv1.CustomResourceColumnDefinition) bool {
		return c.Name == name && c.Priority == 0
	})
}

func TestEveryKindIsRegistered(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := ec2v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for kind, crd := range crds(t) {
		for _, name := range []string{kind, crd.Spec.Names.ListKind} {
			if !scheme.Recognizes(ec2v1.SchemeGroupVersion.WithKind(name)) {
				t.Errorf("the scheme does not know %s", name)
			}
		}
		if crd.Spec.Group != ec2v1.GroupName {
			t.Errorf("%s is of the group %s instead of %s", kind, crd.Spec.Group, ec2v1.GroupName)
		}
	}
}
