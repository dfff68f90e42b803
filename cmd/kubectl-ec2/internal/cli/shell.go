// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/resource"
)

// clusterFlags choose a cluster and who acts in it, without secrets. A command that we tell people to run has to act where
// this one did.
var clusterFlags = []string{"kubeconfig", "context", "cluster", "user", "server", "as"}

// ClusterFlags are those that were given.
func ClusterFlags(flags *pflag.FlagSet) []string {
	var out []string
	for _, name := range clusterFlags {
		if flag := flags.Lookup(name); flag != nil && flag.Changed {
			out = append(out, "--"+name+"="+flag.Value.String())
		}
	}
	return out
}

// FileFlags have kubectl read the file that an object came from.
func FileFlags(source string, given resource.FilenameOptions) []string {
	switch {
	case given.Kustomize != "":
		return []string{"-k", given.Kustomize}
	case source == stdinSource:
		return []string{"-f", StdinName}
	default:
		return []string{"-f", source}
	}
}

// safe is what no shell takes for something else.
var safe = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Quote writes words as a line for a POSIX shell.
func Quote(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = word
		if !safe.MatchString(word) {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
