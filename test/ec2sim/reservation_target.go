// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// Preferences for capacity reservations.
const (
	reservationsOpen = "open"
	reservationsNone = "none"
	reservationsOnly = "capacity-reservations-only"
)

// reservationTarget says which capacity reservations an instance runs in: those of the preference, or one.
type reservationTarget struct{ preference, id string }

const reservationPrefix = "CapacityReservationSpecification."

// readReservationTarget reads what launches and changes have in common. Nothing given means open reservations.
func readReservationTarget(params wire.Params) (reservationTarget, error) {
	const target = reservationPrefix + "CapacityReservationTarget."
	t := reservationTarget{id: params[target+"CapacityReservationId"]}
	if params.Has(target + "CapacityReservationResourceGroupArn") {
		return t, notModelled(target + "CapacityReservationResourceGroupArn")
	}
	if err := (choice{
		reservationPrefix + "CapacityReservationPreference", &t.preference, []string{reservationsOpen, reservationsNone, reservationsOnly},
	}).read(params); err != nil {
		return t, err
	}
	switch {
	case t.id != "" && (t.preference == reservationsOpen || t.preference == reservationsNone):
		return t, fail(codeInvalidParameterCombination, "A capacity reservation target may not be used in combination with the preference '%s'", t.preference)
	case t.id == "" && t.preference == "":
		t.preference = reservationsOpen
	}
	return t, nil
}

func (w *World) checkReservation(t reservationTarget) error {
	if t.id == "" {
		return nil
	}
	if _, ok := find(w.CapacityReservations, func(c CapacityReservation) bool { return c.ID == t.id }); !ok {
		return fail(codeInvalidReservationIDNotFound, "The capacity reservation '%s' does not exist", t.id)
	}
	return nil
}

// takeReservation finds the reservation that instances run in that ask for one. Those that would take what is open run
// outside: that EC2 puts them into a reservation by itself is not modelled.
func (r *region) takeReservation(spec launchSpec, zone Zone, count int, now time.Time) (string, error) {
	t := spec.reservation
	if t.id == "" && t.preference != reservationsOnly {
		return "", nil
	}
	for _, c := range r.world.CapacityReservations {
		fits := c.InstanceType == spec.instanceType.Name && c.Zone == zone.Name
		if (t.id == "" || t.id == c.ID) && fits && r.roomIn(c, now) >= count {
			return c.ID, nil
		}
	}
	return "", fail(codeReservationCapacityExceeded,
		"The requested capacity reservation has no room for %d %s in %s.", count, spec.instanceType.Name, zone.Name)
}

func (r *region) roomIn(c CapacityReservation, now time.Time) int {
	left := c.Count
	for _, i := range r.order {
		if i.spec.reservedIn == c.ID && i.state(now).Active() {
			left--
		}
	}
	return left
}
