// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"

type maintenanceOptionsResponse struct {
	wire.Head
	InstanceID string `xml:"instanceId"`
	xmlMaintenanceOptions
}

// modifyInstanceMaintenanceOptions changes what is given, in any state.
func modifyInstanceMaintenanceOptions(c *call) (any, error) {
	i, err := c.target()
	if err != nil {
		return nil, err
	}
	if err := c.apply(i, changeMaintenance); err != nil {
		return nil, err
	}
	now := i.spec.maintenance
	return &maintenanceOptionsResponse{InstanceID: i.id, xmlMaintenanceOptions: xmlMaintenanceOptions{now.autoRecovery, now.rebootMigration}}, nil
}

func changeMaintenance(c *call, i *instance) (change, error) {
	if !c.params.Has("AutoRecovery") && !c.params.Has("RebootMigration") {
		return nil, missingParameter("AutoRecovery or RebootMigration")
	}
	wanted := i.spec.maintenance
	err := wanted.read(c.params, "")
	return func(s *launchSpec) { s.maintenance = wanted }, err
}
