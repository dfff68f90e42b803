// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

type cancelledSpotResponse struct {
	wire.Head
	Requests []xmlCancelledSpot `xml:"spotInstanceRequestSet>item"`
}

type xmlCancelledSpot struct {
	ID    string `xml:"spotInstanceRequestId"`
	State string `xml:"state"`
}

// cancelSpotInstanceRequests leaves instances running and terminates those that are stopped (EC2 User Guide, "Cancel a Spot
// Instance request").
func cancelSpotInstanceRequests(c *call) (any, error) {
	if !c.params.Has("SpotInstanceRequestId") {
		return nil, missingParameter("SpotInstanceRequestId")
	}
	requests, err := c.spotRequests(c.settings.ActByIDLag)
	if err != nil {
		return nil, err
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	answer := &cancelledSpotResponse{}
	for _, q := range requests {
		if q.cancelled.IsZero() && q.at(c.now, &c.settings).state != spotClosed {
			q.cancelled = c.now
		}
		if c.in(q.instance, lifecycle.Stopped) {
			q.instance.terminate(c.now, &c.settings, userReason(c.now))
		}
		answer.Requests = append(answer.Requests, xmlCancelledSpot{q.id, q.at(c.now, &c.settings).state})
	}
	return answer, nil
}
