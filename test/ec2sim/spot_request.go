// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
)

// spotRequest is the Spot Instance request that a launch made. Its state follows from that of its instance.
type spotRequest struct {
	id        string
	instance  *instance
	created   time.Time
	cancelled time.Time // zero: it is not
}

// States of a Spot Instance request (API reference, SpotInstanceRequest).
const (
	spotOpen      = "open"
	spotActive    = "active"
	spotClosed    = "closed"
	spotCancelled = "cancelled"
	spotDisabled  = "disabled"
)

// spotStatus is a state with the code that explains it (EC2 User Guide, "Get the status of a Spot Instance request").
type spotStatus struct {
	state, code string
	since       time.Time
}

// at is the status at a moment. For a while after an instance has stopped, its request is still marked for stop
// (hashicorp/terraform-provider-aws#33399).
func (q *spotRequest) at(now time.Time, s *Settings) spotStatus {
	is := q.instance.history.At(now)
	byEC2 := interruption(is.Reason)
	if !q.cancelled.IsZero() && !now.Before(q.cancelled) {
		code := "request-canceled-and-instance-running"
		if !is.State.Active() {
			code = "instance-terminated-by-user"
		}
		return spotStatus{spotCancelled, code, q.cancelled}
	}
	switch is.State {
	case lifecycle.Stopping:
		return spotStatus{spotActive, "marked-for-stop", is.Since}
	case lifecycle.Stopped:
		disabled := is.Since.Add(s.SpotStopLag)
		switch {
		case byEC2:
			return spotStatus{spotDisabled, "instance-stopped-no-capacity", is.Since}
		case now.Before(disabled):
			return spotStatus{spotActive, "marked-for-stop", is.Since}
		}
		return spotStatus{spotDisabled, "instance-stopped-by-user", disabled}
	case lifecycle.ShuttingDown, lifecycle.Terminated:
		if q.instance.spec.spot.kind == spotPersistent {
			return spotStatus{spotOpen, "pending-evaluation", is.Since} // EC2 would launch again.
		}
		if byEC2 {
			return spotStatus{spotClosed, "instance-terminated-no-capacity", is.Since}
		}
		return spotStatus{spotClosed, "instance-terminated-by-user", is.Since}
	default:
		return spotStatus{spotActive, "fulfilled", is.Since}
	}
}

// interrupted says whether EC2 stopped the instance and only EC2 starts it again.
func (i *instance) interrupted(now time.Time) bool {
	is := i.history.At(now)
	return is.State == lifecycle.Stopped && interruption(is.Reason)
}

func interruption(why lifecycle.Reason) bool {
	return why.Code == reasonSpotTermination || why.Code == reasonSpotShutdown
}

// Reasons that EC2 documents for interruptions (API reference, StateReason).
const (
	reasonSpotTermination = "Server.SpotInstanceTermination"
	reasonSpotShutdown    = "Server.SpotInstanceShutdown"
)

func interruptionReason(code, text string) lifecycle.Reason {
	return lifecycle.Reason{Code: code, Message: code + ": " + text, Transition: code}
}

// interrupt is what EC2 does when it wants the capacity back.
func (i *instance) interrupt(now time.Time, s *Settings) {
	if i.spec.spot.behavior == spotTerminate {
		i.terminate(now, s, interruptionReason(reasonSpotTermination, "Spot instance termination"))
		return
	}
	i.stop(now, s, interruptionReason(reasonSpotShutdown, "Spot instance shutdown"))
}

// requestSpot makes the request of a Spot Instance.
func (c *call) requestSpot(i *instance) {
	if i.spec.spot == nil {
		return
	}
	const digits = 8 // these ids are shorter than others
	prefix := "sir-"
	i.request = &spotRequest{id: c.sim.ids.next("sir")[:len(prefix)+digits], instance: i, created: c.now}
}

// startableSpot refuses a start that the request does not admit.
func (c *call) startableSpot(i *instance) error {
	if i.request == nil || !c.in(i, lifecycle.Stopped) {
		return nil
	}
	if i.request.at(c.now, &c.settings).state == spotDisabled && !i.interrupted(c.now) {
		return nil
	}
	return fail(codeIncorrectSpotRequestState,
		"You can't start the Spot Instance '%s' because the associated Spot Instance request is not in an appropriate state to support start.", i.id)
}

// stoppableSpot refuses to stop what would not come back.
func (i *instance) stoppableSpot() error {
	if i.request == nil || i.spec.spot.kind == spotPersistent {
		return nil
	}
	return fail(codeUnsupportedOperation, "You can't stop the Spot Instance '%s' because it is associated with a one-time Spot Instance request. "+
		"You can only stop Spot Instances associated with persistent Spot Instance requests.", i.id)
}

// onDemandOnly refuses changes that EC2 does not make to Spot Instances.
func onDemandOnly(attribute string, read func(*call, *instance) (change, error)) func(*call, *instance) (change, error) {
	return func(c *call, i *instance) (change, error) {
		if i.request != nil {
			return nil, fail(codeUnsupportedOperation, "Modifying '%s' is not supported for spot instances", attribute)
		}
		return read(c, i)
	}
}
