// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package onedoor is a linter that keeps every write to Kubernetes behind one package.
//
// It looks at the type of what is used, not at its name or at the receiver's type. So it sees a write through a client that a struct
// embeds, through an interface that the code declares itself, and through a method value that is called elsewhere; a list of forbidden
// identifiers sees none of these.
package onedoor

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
)

const (
	name = "onedoor"

	clientPackage         = "sigs.k8s.io/controller-runtime/pkg/client"
	controllerutilPackage = "sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metaPackage           = "k8s.io/apimachinery/pkg/apis/meta/v1"
	restPackage           = "k8s.io/client-go/rest"
)

// writeOptions are the types that only a write takes: every writing method of controller-runtime's clients has one of the first as its
// variadic parameter, and every writing method of client-go's typed, dynamic, metadata and scale clients has one of the second.
var writeOptions = map[string]map[string]bool{
	clientPackage: {
		"ApplyOption":             true,
		"CreateOption":            true,
		"DeleteAllOfOption":       true,
		"DeleteOption":            true,
		"PatchOption":             true,
		"SubResourceApplyOption":  true,
		"SubResourceCreateOption": true,
		"SubResourcePatchOption":  true,
		"SubResourceUpdateOption": true,
		"UpdateOption":            true,
	},
	metaPackage: {
		"ApplyOptions":  true,
		"CreateOptions": true,
		"DeleteOptions": true,
		"PatchOptions":  true,
		"UpdateOptions": true,
	},
}

// writers are functions that write and whose parameters do not show it.
var writers = map[string]map[string]bool{
	controllerutilPackage: {"CreateOrPatch": true, "CreateOrUpdate": true},
	restPackage:           {"Delete": true, "Patch": true, "Post": true, "Put": true, "Verb": true},
}

// Settings is the linter's section in .golangci.yml. All are import paths; each stands for the package and all below it.
type Settings struct {
	// Guarded are the packages that may not write.
	Guarded []string `json:"guarded"`
	// Doors are the packages, inside guarded ones, that may.
	Doors []string `json:"doors"`
}

func init() { //nolint:gochecknoinits // How a golangci-lint module plugin announces itself.
	register.Plugin(name, newPlugin)
}

func newPlugin(raw any) (register.LinterPlugin, error) {
	settings, err := register.DecodeSettings[Settings](raw)
	if err != nil {
		return nil, fmt.Errorf("reading the settings of %s: %w", name, err)
	}

	if len(settings.Guarded) == 0 || len(settings.Doors) == 0 {
		return nil, fmt.Errorf("the settings of %s must name guarded and doors: without them it would hold nothing", name)
	}

	return plugin{settings: settings}, nil
}

type plugin struct{ settings Settings }

// BuildAnalyzers implements [register.LinterPlugin].
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{{
		Name: name,
		Doc:  "reports writes to Kubernetes outside the package that is the only door to them",
		Run:  p.run,
	}}, nil
}

// GetLoadMode implements [register.LinterPlugin].
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }

func (p plugin) run(pass *analysis.Pass) (any, error) {
	path := pass.Pkg.Path()
	if !within(path, p.settings.Guarded) || within(path, p.settings.Doors) {
		return nil, nil
	}

	for ident, object := range pass.TypesInfo.Uses {
		if writes(object) && !p.madeByDoor(object) && !inTest(pass, ident) {
			pass.Reportf(ident.Pos(), "%s writes to Kubernetes: only %s may; hand it an apply configuration",
				ident.Name, strings.Join(p.settings.Doors, ", "))
		}
	}

	return nil, nil
}

// madeByDoor reports whether object belongs to a door: calling the door is the way to write.
func (p plugin) madeByDoor(object types.Object) bool {
	return object.Pkg() != nil && within(object.Pkg().Path(), p.settings.Doors)
}

// writes reports whether object is a function, a method or a variable of function type that writes to Kubernetes.
func writes(object types.Object) bool {
	signature, ok := object.Type().Underlying().(*types.Signature)
	if !ok {
		return false
	}

	if pkg := object.Pkg(); pkg != nil && writers[pkg.Path()][object.Name()] {
		return true
	}

	for parameter := range signature.Params().Variables() {
		if isWriteOption(parameter.Type()) {
			return true
		}
	}

	return false
}

// isWriteOption reports whether t is one of the types that only a write takes, or a slice or pointer of one.
func isWriteOption(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Slice:
		return isWriteOption(t.Elem())
	case *types.Pointer:
		return isWriteOption(t.Elem())
	case *types.Named:
		pkg := t.Obj().Pkg()
		return pkg != nil && writeOptions[pkg.Path()][t.Obj().Name()]
	default:
		return false
	}
}

// within reports whether the import path is one of roots or below one. An external test package counts as the one that it tests.
func within(path string, roots []string) bool {
	path = strings.TrimSuffix(path, "_test")

	for _, root := range roots {
		if path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}

	return false
}

// inTest reports whether node stands in a test file: tests play the part of users, who write as they like.
func inTest(pass *analysis.Pass, node ast.Node) bool {
	return strings.HasSuffix(filepath.Base(pass.Fset.Position(node.Pos()).Filename), "_test.go")
}
