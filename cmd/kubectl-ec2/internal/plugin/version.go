// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
)

func newVersion(env *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use:                   "version",
		Short:                 "Show the plugin's version",
		Long:                  "Show the plugin's version, and those of Go and of the Kubernetes client that it is built with.",
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     cobra.NoFileCompletions,
		Run: func(*cobra.Command, []string) {
			info, _ := debug.ReadBuildInfo()
			fmt.Fprintln(env.Out, version(info))
		},
	}
}

// version says what the Go toolchain has recorded.
func version(info *debug.BuildInfo) string {
	plugin, client := "unknown", "unknown"
	if info != nil {
		if info.Main.Version != "" {
			plugin = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				plugin += " " + s.Value
			}
		}
		for _, module := range info.Deps {
			if module.Path == "k8s.io/client-go" {
				client = module.Version
			}
		}
	}
	return fmt.Sprintf("%s %s (client-go %s, %s, %s/%s)", cli.Name, plugin, client, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
