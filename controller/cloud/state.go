// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

// State is EC2's word for the state of an instance.
// See https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html.
type State string

// The states of an instance.
const (
	// StatePending: launched or started, and on its way to running.
	StatePending State = "pending"
	// StateRunning: up, as far as EC2 can tell without status checks.
	StateRunning State = "running"
	// StateStopping: on its way to stopped.
	StateStopping State = "stopping"
	// StateStopped: down; it keeps its volumes and can be started.
	StateStopped State = "stopped"
	// StateShuttingDown: on its way to terminated, from which there is no way back.
	StateShuttingDown State = "shutting-down"
	// StateTerminated: gone for good; EC2 shows it for about an hour more.
	StateTerminated State = "terminated"
)

// Live reports whether the instance exists and is not on its way out.
func (s State) Live() bool {
	switch s {
	case StatePending, StateRunning, StateStopping, StateStopped:
		return true
	default:
		return false
	}
}

// InMotion reports whether EC2 changes the state by itself soon.
func (s State) InMotion() bool {
	switch s {
	case StatePending, StateStopping, StateShuttingDown:
		return true
	default:
		return false
	}
}

// Doomed reports whether the instance is terminated or about to be: EC2 has no way back from there.
func (s State) Doomed() bool {
	return s == StateShuttingDown || s == StateTerminated
}
