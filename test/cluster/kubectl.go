// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// kubectlWaitDelay is how long kubectl's output may stay open after kubectl
// itself has been killed: by plugins that it started.
const kubectlWaitDelay = 5 * time.Second

// KubectlPath is the kubectl that belongs to the cluster.
func (c *Cluster) KubectlPath() string { return c.assets.path(kubectlProgram) }

// Kubectl runs the real kubectl as the admin and returns what it writes to
// stdout; the error holds what it writes to stderr. It sees neither the
// configuration nor the cache nor the environment of the person who runs the
// tests. A --kubeconfig among args has it act as somebody else.
func (c *Cluster) Kubectl(ctx context.Context, args ...string) ([]byte, error) {
	return c.KubectlIn(ctx, nil, args...)
}

// KubectlIn is Kubectl with something to read, for `kubectl apply -f -`.
func (c *Cluster) KubectlIn(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, c.KubectlPath(), args...)
	command.Stdin, command.Stdout, command.Stderr = stdin, &stdout, &stderr
	command.Env = c.kubectlEnv()
	command.WaitDelay = kubectlWaitDelay
	if err := command.Run(); err != nil {
		return stdout.Bytes(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.Bytes(), nil
}

// kubectlEnv is all that kubectl gets to see: a home of its own, and where to
// find plugins and temporary files.
func (c *Cluster) kubectlEnv() []string {
	return []string{
		"HOME=" + c.data.join("home"),
		"KUBECONFIG=" + c.kubeconfig,
		"PATH=" + c.kubectlPath(),
		"TMPDIR=" + os.TempDir(),
	}
}

// kubectlPath is where kubectl finds plugins.
func (c *Cluster) kubectlPath() string {
	path := os.Getenv("PATH")
	if c.options.PluginDir != "" {
		path = c.options.PluginDir + string(os.PathListSeparator) + path
	}
	return path
}
