// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"

type monitoringResponse struct {
	wire.Head
	Instances []xmlInstanceMonitoring `xml:"instancesSet>item"`
}

type xmlInstanceMonitoring struct {
	ID         string        `xml:"instanceId"`
	Monitoring xmlMonitoring `xml:"monitoring"`
}

// setMonitoring is MonitorInstances and UnmonitorInstances. The answer tells what is under way.
func setMonitoring(wanted bool, underWay string) func(*call) (any, error) {
	return func(c *call) (any, error) {
		instances, err := c.targets()
		if err != nil {
			return nil, err
		}
		if err := c.dryRun(); err != nil {
			return nil, err
		}
		answer := &monitoringResponse{}
		for _, i := range instances {
			i.reconfigure(c.now, func(s *launchSpec) { s.monitoring = wanted })
			answer.Instances = append(answer.Instances, xmlInstanceMonitoring{i.id, xmlMonitoring{underWay}})
		}
		return answer, nil
	}
}
