// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"

// terminateInstances is idempotent. A protected instance keeps all instances of its
// zone that the call names, while those of other zones are terminated although the
// call reports failure (API reference, TerminateInstances).
func terminateInstances(c *call) (any, error) {
	instances, err := c.targets()
	if err != nil {
		return nil, err
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	spared := map[string]bool{}
	var refusal error
	for _, i := range instances {
		if attribute := c.protection(i); attribute != "" {
			spared[i.zone.Name] = true
			refusal = fail(codeOperationNotPermitted,
				"The instance '%s' may not be terminated. Modify its '%s' instance attribute and try again.", i.id, attribute)
		}
	}
	answer := c.change(instances, func(i *instance) {
		if !spared[i.zone.Name] && !c.in(i, lifecycle.ShuttingDown, lifecycle.Terminated) {
			i.terminate(c.now, &c.settings, userReason(c.now))
		}
	})
	if refusal != nil {
		return nil, refusal
	}
	return answer, nil
}

// protection names the attribute that forbids termination, if any. Stop protection
// forbids it too.
func (c *call) protection(i *instance) string {
	switch {
	case c.in(i, lifecycle.ShuttingDown, lifecycle.Terminated):
		return ""
	case i.spec.disableAPITermination:
		return "disableApiTermination"
	case i.spec.disableAPIStop:
		return "disableApiStop"
	}
	return ""
}
