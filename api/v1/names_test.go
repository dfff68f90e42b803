// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

func TestNamesAreValidInKubernetes(t *testing.T) {
	for _, name := range []string{
		ec2v1.InstanceFinalizer, ec2v1.AnnotationLaunch, ec2v1.AnnotationReconcileRequestedAt, ec2v1.LabelAccount,
	} {
		if problems := validation.IsQualifiedName(name); len(problems) > 0 {
			t.Errorf("%s: %s", name, strings.Join(problems, "; "))
		}
	}
}

// EC2 takes keys of at most 128 characters.
func TestIdentityTagsAreReservedAndValidInEC2(t *testing.T) {
	const maxKey = 128
	for _, key := range []string{ec2v1.TagCluster, ec2v1.TagUID, ec2v1.TagNamespace, ec2v1.TagName} {
		if !strings.HasPrefix(key, ec2v1.TagPrefix) {
			t.Errorf("%s does not begin with %s, so a user could set it", key, ec2v1.TagPrefix)
		}
		if len(key) > maxKey {
			t.Errorf("%s is longer than %d characters", key, maxKey)
		}
	}
}

// Condition types and reasons are API: people match on them in scripts and alerts.
func TestConditionNames(t *testing.T) {
	camelCase := regexp.MustCompile(`^([A-Z][a-z0-9]*)+$`)
	constants := stringConstants(t, "conditions.go")
	if len(constants) == 0 {
		t.Fatal("no constant found")
	}
	for name, value := range constants {
		want, found := strings.CutPrefix(name, "Reason")
		if !found {
			want, found = strings.CutPrefix(name, "Condition")
		}
		switch {
		case !found:
			t.Errorf("%s is neither a Reason nor a Condition", name)
		case want != value:
			t.Errorf("%s is %q instead of %q", name, value, want)
		case !camelCase.MatchString(value):
			t.Errorf("%s: %q is not CamelCase", name, value)
		}
	}
}

// stringConstants are the string constants that a file of this package declares, by name.
func stringConstants(t *testing.T, file string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants := map[string]string{}
	ast.Inspect(parsed, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			literal, ok := spec.Values[i].(*ast.BasicLit)
			if !ok {
				t.Fatalf("%s is not a plain string", name.Name)
			}
			constants[name.Name], err = strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatalf("%s: %v", name.Name, err)
			}
		}
		return true
	})
	return constants
}
