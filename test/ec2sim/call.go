// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// call is one request on its way through an action. Actions run one at a time,
// under Sim.mu.
type call struct {
	sim      *Sim
	settings Settings // as they were when the call began
	caller   caller
	region   *region
	now      time.Time
	action   string
	params   wire.Params // of Query calls, without Action and Version
	body     []byte      // of JSON calls
	effects  effects
	outcome  outcome
}

// outcome is what an action did, for counts and log.
type outcome struct {
	instances []string // launched, or found again
	replayed  bool
}

// dryRun ends a call that asks for a check of permissions only.
func (c *call) dryRun() error {
	asked, err := c.params.Bool("DryRun")
	if err != nil {
		return err
	}
	if asked {
		return fail(codeDryRunOperation, "Request would have succeeded, but DryRun flag is set.")
	}
	return nil
}
