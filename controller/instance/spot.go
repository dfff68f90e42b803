// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

const (
	fieldMarket    = "marketOptions"
	requestOneTime = "one-time"
)

// openRequest is the Spot request that has to be cancelled before its instance is terminated, or once somebody has terminated it, and
// "" where there is none or it has been: for a persistent one EC2 would launch another instance, which would be no object's (EC2 User
// Guide, "Cancel a Spot Instance request").
func (f facts) openRequest(in Input, e *observer.Entry) string {
	if e == nil || e.SpotRequestID == "" || f.isOneTime(&in.Object.Spec, e) {
		return ""
	}
	call, made := in.Memory.Calls[StepCancelRequest]
	switch {
	case !made || call.Of != e.SpotRequestID:
		return e.SpotRequestID
	case call.Err == nil, cloud.IsSpotRequestNotFound(call.Err) && call.Tries >= unshownTries:
		return ""
	default:
		return e.SpotRequestID
	}
}

// isOneTime tells whether an instance is known to be of a request that ends with it. EC2's list of instances does not tell; spec does
// where it is what the instance was launched with.
func (f facts) isOneTime(spec *ec2v1.EC2InstanceSpec, e *observer.Entry) bool {
	market := spec.MarketOptions
	if market == nil || f.intent == nil || f.intent.Token != e.ClientToken || !f.intent.launchedAs(spec, fieldMarket) {
		return false
	}
	if market.SpotOptions != nil && market.SpotOptions.RequestType != "" {
		return market.SpotOptions.RequestType == requestOneTime
	}
	return spec.LaunchTemplate == nil // EC2's default is one-time; a template may say otherwise.
}

// leavesRequest tells whether the instance has ended and its Spot request is still to be cancelled.
func (f facts) leavesRequest(in Input) bool {
	return f.consumed && !in.suspended() && f.openRequest(in, f.last) != ""
}

// cancelFirst chooses to cancel the Spot request of an instance that is to end, or has ended, before anything else.
func (p *Plan) cancelFirst(in Input, f facts, e *observer.Entry) bool {
	request := f.openRequest(in, e)
	if request == "" {
		return false
	}
	p.only(StepCancelRequest, e.ID, request)
	p.hold(in)
	return true
}

// cancelOfEnded: somebody has terminated a Spot Instance, and its request may launch another one.
func cancelOfEnded(in Input, f facts) Plan {
	p := f.plan()
	p.Verdict = f.waiting(f.endReason(), fmt.Sprintf("The instance %s; cancelling its Spot request %s", f.ended(), f.last.SpotRequestID))
	p.cancelFirst(in, f, f.last)
	return p
}
