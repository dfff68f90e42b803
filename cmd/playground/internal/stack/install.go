// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"context"
	"fmt"
	"strings"

	"github.com/fieldowner/ec2-operator/cmd/playground/internal/screen"
)

// install is config/default without the operator's Pods: there are no nodes that
// could run them, so the operator runs as a process of this machine. Everything else
// is as in any cluster, and so are the operator's rights.
var install = [][]string{
	{"apply", "--server-side", "-k", "config/crd"},
	{"wait", "--for=condition=Established", "--timeout=60s", "-f", "config/crd/bases"},
	{"apply", "--server-side", "-f", "config/manager/namespace.yaml"},
	{"apply", "--server-side", "-k", "config/rbac"},
	{"apply", "--server-side", "-k", "config/default-account"},
}

// Manager is the field manager of what the playground itself sets.
const Manager = "playground"

// pollFast has what happens in EC2 on its own noticed within seconds, not within the
// default of a minute. Everything else of the account is the operator's default.
const pollFast = `apiVersion: ec2.fieldowner.dev/v1
kind: EC2Account
metadata:
  name: default
spec:
  pollIntervalSeconds: 10 # the least that is allowed
`

// settled are the conditions under which a first EC2Instance is launched at once.
var settled = [][]string{
	{"wait", "--for=create", "--timeout=60s", "ec2account/default"},
	{"apply", "--server-side", "--field-manager=" + Manager, "-f", "-"},
	{"wait", "--for=condition=Ready", "--timeout=60s", "ec2account/default"},
}

func (s *Stack) installConfig(ctx context.Context) error {
	return s.kubectl(ctx, "", install)
}

// settle waits until the operator has made its default account and can use it.
func (s *Stack) settle(ctx context.Context) error {
	if err := s.kubectl(ctx, pollFast, settled); err != nil {
		return fmt.Errorf("waiting for the operator's account: %w\n%s", err, s.OperatorLogTail())
	}
	return nil
}

func (s *Stack) kubectl(ctx context.Context, stdin string, commands [][]string) error {
	for _, args := range commands {
		s.say("kubectl %s", screen.Quote(args))
		if _, err := s.Cluster.KubectlIn(ctx, strings.NewReader(stdin), args...); err != nil {
			return err
		}
	}
	return nil
}
