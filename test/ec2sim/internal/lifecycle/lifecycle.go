// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package lifecycle computes the state of an instance from its recorded history.
//
// Nothing here moves by itself: a history is a list of transitions with their
// times, and the state at any moment is a pure function of it. That is what lets
// the simulator run under a fake clock or in virtual time without goroutines.
package lifecycle

import (
	"net/netip"
	"slices"
	"time"
)

// State is an EC2 instance state name.
type State string

// The states of an instance (EC2 API reference, InstanceState).
const (
	Pending      State = "pending"
	Running      State = "running"
	ShuttingDown State = "shutting-down"
	Terminated   State = "terminated"
	Stopping     State = "stopping"
	Stopped      State = "stopped"
)

var codes = map[State]int{Pending: 0, Running: 16, ShuttingDown: 32, Terminated: 48, Stopping: 64, Stopped: 80}

// Code is the low byte of EC2's numeric instance state.
func (s State) Code() int { return codes[s] }

// Active says that the instance occupies capacity and counts against vCPU quotas.
func (s State) Active() bool { return s == Pending || s == Running }

// Reason explains the latest transition as EC2 reports it.
type Reason struct {
	// Code and Message are EC2's StateReason.
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	// Transition is EC2's StateTransitionReason, `reason` on the wire.
	Transition string `json:"transition,omitempty"`
}

// Transition is one recorded change: from At the instance is in Via, from Settles in To.
type Transition struct {
	At, Settles time.Time
	Via, To     State
	Reason      Reason
	// PublicIP is the address that the instance holds from At on. A transition
	// without one, such as stopping, gives the address back.
	PublicIP netip.Addr
}

// History is the record of an instance, in order of time. It may end with
// transitions that lie in the future (scheduled ones).
type History []Transition

// Status is the state of an instance at one moment.
type Status struct {
	State    State
	Reason   Reason
	Since    time.Time // when State began
	PublicIP netip.Addr
}

// Record appends tr. Transitions that were scheduled for later than tr.At are
// dropped: what happens now takes precedence over what would have happened.
func (h History) Record(tr Transition) History {
	kept := slices.DeleteFunc(slices.Clone(h), func(old Transition) bool { return old.At.After(tr.At) })
	return append(kept, tr)
}

// Schedule appends a transition that lies in the future of all recorded ones.
func (h History) Schedule(tr Transition) History { return append(slices.Clone(h), tr) }

// At is the status at the moment t. A moment before the launch gives the status
// at launch: there is no earlier one to show.
func (h History) At(t time.Time) Status {
	if len(h) == 0 {
		return Status{}
	}
	current := h[0]
	for _, tr := range h[1:] {
		if tr.At.After(t) {
			break
		}
		current = tr
	}
	status := Status{State: current.Via, Reason: current.Reason, Since: current.At, PublicIP: current.PublicIP}
	if !t.Before(current.Settles) {
		status.State, status.Since = current.To, current.Settles
	}
	return status
}

// Launched is the moment of the launch.
func (h History) Launched() time.Time {
	if len(h) == 0 {
		return time.Time{}
	}
	return h[0].At
}

// LastStarted is the latest moment up to t at which the instance was launched or
// started; EC2 reports it as the launch time.
func (h History) LastStarted(t time.Time) time.Time {
	started := h.Launched()
	for _, tr := range h {
		if tr.Via == Pending && !tr.At.After(t) {
			started = tr.At
		}
	}
	return started
}

// Ended is the moment at which the instance is terminated, and whether its
// history leads there at all.
func (h History) Ended() (time.Time, bool) {
	for _, tr := range h {
		if tr.To == Terminated {
			return tr.Settles, true
		}
	}
	return time.Time{}, false
}
