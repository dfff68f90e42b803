// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"

type cpuOptionsResponse struct {
	wire.Head
	InstanceID string `xml:"instanceId"`
	xmlCPUOptions
}

// modifyInstanceCPUOptions changes what is given, while the instance is stopped.
func modifyInstanceCPUOptions(c *call) (any, error) {
	i, err := c.target()
	if err != nil {
		return nil, err
	}
	if err := c.apply(i, whileStopped(changeCPUOptions)); err != nil {
		return nil, err
	}
	return &cpuOptionsResponse{InstanceID: i.id, xmlCPUOptions: i.spec.cpu.effective(i.spec.instanceType).xml()}, nil
}

func changeCPUOptions(c *call, i *instance) (change, error) {
	asked, err := readCPUOptions(c.params, "")
	if err != nil {
		return nil, err
	}
	if asked == (cpuOptions{}) {
		return nil, missingParameter("CoreCount, ThreadsPerCore or NestedVirtualization")
	}
	wanted := i.spec.cpu.with(asked)
	return func(s *launchSpec) { s.cpu = wanted }, i.spec.instanceType.checkCPU(wanted)
}
