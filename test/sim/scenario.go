// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import "time"

// subject is the object that a scenario is about.
const subject = "web"

// scenario is a row of the table of what the operator has to do: how the world is made ready, and one deed that is looked at closely.
// A new row is all that a new capability needs, to be crashed at each of its writes.
type scenario struct {
	name string
	// operators run at once, without leader election; 0 is one.
	operators int
	// before are the deeds that make the world ready. The world comes to rest after each.
	before []deed
	// measured is the deed whose writes are numbered.
	measured deed
	// writes are the most writes to the EC2Instance that it may cost without faults (invariant 6).
	writes int
	// launched and terminated are how many instances the operator launches and terminates without faults, in the whole scenario.
	launched, terminated int
	// quiet is for how long nothing may be written after the measured deed until the world is at rest, where that is more than usual.
	quiet time.Duration
	// moments: the object is also deleted, and deleted and created anew, at each moment of the measured deed.
	moments bool
}

// deed is something that a user does, or somebody in EC2's console.
type deed func(w *world) error

// atOnce does several things before the operator gets to do anything.
func atOnce(deeds ...deed) deed {
	return func(w *world) error {
		for _, d := range deeds {
			if err := d(w); err != nil {
				return err
			}
		}
		return nil
	}
}

func (s scenario) operatorsAtOnce() int { return max(1, s.operators) }

// scenarioNamed finds a row.
func scenarioNamed(name string) *scenario {
	for i := range scenarios {
		if scenarios[i].name == name {
			return &scenarios[i]
		}
	}
	return nil
}
