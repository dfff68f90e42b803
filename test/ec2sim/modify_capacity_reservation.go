// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

// modifyInstanceCapacityReservationAttributes changes which reservations a stopped instance will run in.
func modifyInstanceCapacityReservationAttributes(c *call) (any, error) {
	i, err := c.target()
	if err != nil {
		return nil, err
	}
	if !c.params.Has("CapacityReservationSpecification") {
		return nil, missingParameter("CapacityReservationSpecification")
	}
	return c.reconfigure(i, whileStopped(changeReservation))
}

func changeReservation(c *call, _ *instance) (change, error) {
	target, err := readReservationTarget(c.params)
	if err != nil {
		return nil, err
	}
	return func(s *launchSpec) { s.reservation = target }, c.region.world.checkReservation(target)
}
