// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package plugin

import "github.com/spf13/cobra"

const completionLong = `Generate a script that completes kubectl-ec2 in a shell.

What most people want is completion of 'kubectl ec2'. That is kubectl's own: set it up as 'kubectl completion --help' says, and
give kubectl a program named kubectl_complete-ec2 on the PATH, to ask for the plugin's part. A link does it:

  ln -s "$(command -v kubectl-ec2)" "$(dirname "$(command -v kubectl-ec2)")/kubectl_complete-ec2"

Commands, flags, kinds, names and managers are completed; the latter three come from the cluster.
The scripts below are for those who type kubectl-ec2.`

// addCompletion adds cobra's command for scripts, and says how it is done for kubectl.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short = "Complete commands, objects and managers in a shell"
			c.Long = completionLong
		}
	}
}
