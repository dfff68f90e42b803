// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// beyondCalls are the rights that README.md names and no call of ours by that name needs.
var beyondCalls = []string{
	"iam:CreateServiceLinkedRole", // EC2 makes its role for Spot Instances at an account's first.
	"iam:PassRole",                // EC2 asks whether we may give the profile's role away.
	"ssm:GetParameters",           // EC2 resolves the parameter that a launch template names as its image.
	"sts:AssumeRole",              // The SDK's provider of credentials calls it.
	"sts:TagSession",              // The same call needs it for session tags.
}

// right is an IAM action, as README.md writes it.
var right = regexp.MustCompile("`((?:ec2|iam|ssm|sts):[A-Za-z]+)`")

// TestReadmeNamesTheRights holds the table of IAM rights in README.md to the calls in this package.
func TestReadmeNamesTheRights(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, match := range right.FindAllStringSubmatch(string(readme), -1) {
		named = append(named, match[1])
	}
	slices.Sort(named)
	if diff := cmp.Diff(wantedRights(t), slices.Compact(named)); diff != "" {
		t.Errorf("README.md does not name the IAM actions that are called (-called +named):\n%s", diff)
	}
}

// wantedRights are the actions that this package calls, and those that come with them.
func wantedRights(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	rights := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, action := range calledIn(t, file, parsed) {
			rights[action] = true
		}
	}
	for _, action := range beyondCalls {
		if rights[action] {
			t.Errorf("%s is called, and listed as if it were not", action)
		}
		rights[action] = true
	}
	return slices.Sorted(maps.Keys(rights))
}

// clients are the session's fields that hold AWS's clients.
var clients = []string{"ec2", "ssm", "sts"}

// calledIn lists the actions that one file calls on the session's clients. A client that is handed on is an error: what is called on
// it then cannot be told.
func calledIn(t *testing.T, name string, file *ast.File) []string {
	t.Helper()
	var actions []string
	called := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if client, ok := selector.X.(*ast.SelectorExpr); ok && slices.Contains(clients, client.Sel.Name) {
			called[client] = true
			actions = append(actions, client.Sel.Name+":"+selector.Sel.Name)
		}
		if slices.Contains(clients, selector.Sel.Name) && !called[selector] {
			t.Errorf("%s hands the client for %s on", name, selector.Sel.Name)
		}
		return true
	})
	return actions
}
