// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// EC2's reasons for the end, or the stop, of an instance (API reference, StateReason).
const (
	reasonUserShutdown    = "Client.UserInitiatedShutdown"
	reasonOwnShutdown     = "Client.InstanceInitiatedShutdown"
	reasonSpotTermination = "Server.SpotInstanceTermination"
	reasonSpotStop        = "Server.SpotInstanceShutdown"
	reasonNoCapacity      = "Server.InsufficientInstanceCapacity"
	reasonScheduledStop   = "Server.ScheduledStop"
)

// launchFailures are the reasons of an instance that EC2 has accepted and could not start. The code can be a general one, with the
// reason at the beginning of the message (EC2 User Guide, "Instance terminates immediately").
var launchFailures = []string{
	reasonNoCapacity, "Server.InternalError", "Client.InternalError", "Client.InvalidSnapshot.NotFound",
	"Client.VolumeLimitExceeded",
}

// launchFailed tells whether EC2 has accepted a launch and could not carry it out.
func launchFailed(e *observer.Entry) bool {
	return e != nil && slices.ContainsFunc(launchFailures, func(reason string) bool { return endedFor(e, reason) })
}

// endedFor tells whether EC2 names a reason for the end of an instance.
func endedFor(e *observer.Entry, reason string) bool {
	return e.StateReasonCode == reason || strings.HasPrefix(e.StateReasonMessage, reason+":")
}

// replaced tells whether the latest instance was terminated for another one to take its place.
func (f facts) replaced() bool { return f.intent != nil && f.intent.Replacing != nil }

// ended tells who has ended the latest instance, or why: the end of a sentence.
func (f facts) ended() string {
	switch {
	case f.replaced():
		return "was terminated to be replaced"
	case f.last == nil:
		return "was terminated by somebody else"
	case launchFailed(f.last):
		return "could not be started by EC2 (" + inEC2sWords(f.last) + ")"
	case f.last.StateReasonCode == reasonOwnShutdown:
		return "was terminated by its own operating system, as shutdownBehavior has it"
	case f.last.StateReasonCode == reasonSpotTermination:
		return "was terminated by EC2, which took the Spot capacity back"
	case f.last.StateReasonCode == "" || f.last.StateReasonCode == reasonUserShutdown:
		return "was terminated by somebody else"
	default:
		return "was terminated by EC2 (" + inEC2sWords(f.last) + ")"
	}
}

// endReason is the reason of the conditions while the latest instance is on its way out.
func (f facts) endReason() string {
	switch {
	case f.replaced():
		return ec2v1.ReasonReplacing
	case launchFailed(f.last):
		return ec2v1.ReasonLaunchFailed
	default:
		return ec2v1.ReasonTerminating
	}
}

// interrupted tells whether EC2 has stopped a Spot Instance, and alone can start it again (EC2 User Guide, "Spot Instance
// interruptions").
func interrupted(e *observer.Entry) bool {
	return e.State == cloud.StateStopped && e.StateReasonCode == reasonSpotStop
}

// stoppedBy tells who has stopped an instance, where EC2 tells and it was neither a person nor we; else "". Its hardware may be retired
// (EC2 User Guide, "Scheduled events for your instances"), of which nobody would know after the start.
func stoppedBy(e *observer.Entry) string {
	switch {
	case e.State != cloud.StateStopping && e.State != cloud.StateStopped:
		return ""
	case e.StateReasonCode == reasonScheduledStop:
		return "by EC2 as it had scheduled, such as for retirement (" + inEC2sWords(e) + ")"
	case e.StateReasonCode == reasonOwnShutdown:
		return "by its own operating system"
	case strings.HasPrefix(e.StateReasonCode, "Server."):
		return "by EC2 (" + inEC2sWords(e) + ")"
	default:
		return ""
	}
}

// inEC2sWords is EC2's reason in its own words; the message mostly begins with the code.
func inEC2sWords(e *observer.Entry) string {
	if e.StateReasonMessage == "" || strings.HasPrefix(e.StateReasonMessage, e.StateReasonCode) {
		return cmp.Or(e.StateReasonMessage, e.StateReasonCode)
	}
	return fmt.Sprintf("%s: %s", e.StateReasonCode, e.StateReasonMessage)
}
