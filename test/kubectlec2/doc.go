// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package kubectlec2 runs the plugin kubectl-ec2 as users do, through the real kubectl against a real API server: what it
// says of owners and conflicts is what the API server says, the commands that it tells people to run do what it promises, and
// what is called a dry run stores nothing.
package kubectlec2
