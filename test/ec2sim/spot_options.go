// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"
	"strconv"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// Words of the Spot market.
const (
	marketSpot     = "spot"
	spotOneTime    = "one-time"
	spotPersistent = "persistent"

	spotTerminate = "terminate"
	spotStop      = "stop"
	spotHibernate = "hibernate"
)

// spotOptions are what a launch asks of the Spot market.
type spotOptions struct {
	kind, behavior string // of the request, and on interruption
	maxPrice       string // US dollars an hour; empty: no more than On-Demand
	validUntil     time.Time
}

const spotPrefix = "InstanceMarketOptions.SpotOptions."

var spotMembers = []string{"InstanceInterruptionBehavior", "MaxPrice", "SpotInstanceType", "ValidUntil"}

// leastMaxPrice is the bound of MaxPrice (API reference, SpotMarketOptions).
const leastMaxPrice = 0.001

// readSpotOptions gives nil for a launch that is not of the Spot market.
func readSpotOptions(params wire.Params, hibernation bool) (*spotOptions, error) {
	if !params.Has("InstanceMarketOptions") {
		return nil, nil
	}
	if market := params["InstanceMarketOptions.MarketType"]; market != marketSpot {
		return nil, notModelled("InstanceMarketOptions.MarketType " + market)
	}
	for _, name := range params.Struct("InstanceMarketOptions.SpotOptions").Roots() {
		if !slices.Contains(spotMembers, name) {
			return nil, notModelled(spotPrefix + name)
		}
	}
	o := spotOptions{kind: spotOneTime, behavior: spotTerminate, maxPrice: params[spotPrefix+"MaxPrice"]}
	if hibernation {
		o.behavior = spotHibernate
	}
	for _, choice := range []choice{
		{spotPrefix + "SpotInstanceType", &o.kind, []string{spotOneTime, spotPersistent}},
		{spotPrefix + "InstanceInterruptionBehavior", &o.behavior, []string{spotTerminate, spotStop, spotHibernate}},
	} {
		if err := choice.read(params); err != nil {
			return nil, err
		}
	}
	if err := o.readValidUntil(params[spotPrefix+"ValidUntil"]); err != nil {
		return nil, err
	}
	return &o, o.check(hibernation)
}

func (o *spotOptions) readValidUntil(text string) error {
	if text == "" {
		return nil
	}
	until, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil:
		return invalidValue("validUntil", text, "Expecting a time as in 2026-01-02T03:04:05Z.")
	case o.kind != spotPersistent:
		return fail(codeInvalidParameterCombination, "The parameter validUntil is supported for persistent Spot requests only.")
	}
	o.validUntil = until
	return nil
}

// check holds what the API reference says of SpotMarketOptions, and that requests whose instances stop are persistent (EC2
// User Guide, "Behavior of Spot Instance interruptions").
func (o *spotOptions) check(hibernation bool) error {
	if o.maxPrice != "" {
		if price, err := strconv.ParseFloat(o.maxPrice, 64); err != nil || price < leastMaxPrice {
			return invalidValue("maxPrice", o.maxPrice, "Expecting a price of at least 0.001.")
		}
	}
	switch {
	case hibernation && o.behavior != spotHibernate:
		return fail(codeInvalidParameterCombination,
			"The interruption behavior '%s' is not supported for instances that are enabled for hibernation.", o.behavior)
	case (o.kind == spotPersistent) == (o.behavior == spotTerminate):
		return fail(codeInvalidParameterCombination,
			"The interruption behavior '%s' is not supported for Spot requests of type '%s'.", o.behavior, o.kind)
	}
	return nil
}
