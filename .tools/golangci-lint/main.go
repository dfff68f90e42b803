// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Command golangci-lint is golangci-lint with kube-api-linter and this repository's own linter compiled in.
//
// It is golangci-lint's module plugin system without `golangci-lint custom`, which clones a git repository at build time:
// here go.mod alone decides what is built, go.sum checks it, and no tool has to exist before the tool.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	// Registers the linter "kubeapilinter".
	_ "sigs.k8s.io/kube-api-linter"

	// Registers the linter "onedoor".
	_ "github.com/fieldowner/ec2-operator/tools/golangci-lint/onedoor"
)

// linterModule is the module whose version this binary reports: .golangci.yml is checked against it.
const linterModule = "github.com/golangci/golangci-lint/v2"

func main() {
	info := commands.BuildInfo{
		GoVersion: runtime.Version(),
		Version:   moduleVersion(linterModule),
		Commit:    "unknown",
		Date:      "unknown",
	}

	if err := commands.Execute(info); err != nil {
		fmt.Fprintf(os.Stderr, "golangci-lint: %v\n", err)
		os.Exit(exitcodes.Failure)
	}
}

// moduleVersion is the version, without its "v", at which the module path was linked into this binary.
func moduleVersion(path string) string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range build.Deps {
			if dep.Path == path {
				return strings.TrimPrefix(dep.Version, "v")
			}
		}
	}

	return "unknown"
}
