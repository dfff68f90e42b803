// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"github.com/fieldowner/ec2-operator/test/operatorrig"
)

// operatorProcess is a running operator.
type operatorProcess struct{ *operatorrig.Process }

// startOperator starts an operator for the rig's namespace and its simulated EC2.
func startOperator(r *rig, flags ...string) *operatorProcess {
	r.t.Helper()
	return &operatorProcess{installed.Start(r.t, operatorrig.Settings{Namespaces: []string{r.namespace}, EC2: r.ec2URL, Flags: flags})}
}

func (p *operatorProcess) kill()          { p.Kill() }
func (p *operatorProcess) running() error { return p.Running() }
