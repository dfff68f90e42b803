// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"time"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// In every third world EC2 lacks capacity for some types in some zones only, and objects say what else to launch then.

// short tells whether the world is one of those.
func (w *world) short() bool { return w.seed%3 == 0 }

// shortTypes, shortSubnets and shortZones are what objects may be launched with there.
var (
	shortTypes   = []string{"t3.micro", "t3.small", "t3.medium", ec2sim.TypeInOneZone}
	shortSubnets = []string{ec2sim.SubnetA, ec2sim.SubnetB, ec2sim.SubnetC}
	shortZones   = []string{"eu-central-1a", "eu-central-1b", "eu-central-1c"}
)

// drawFallbacks draws other types and subnets than those of spec, in any order.
func (w *world) drawFallbacks(spec *ec2v1ac.EC2InstanceSpecApplyConfiguration) {
	others := func(all []string, own string) []string {
		left := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == own })
		w.random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		return left[:w.random.IntN(len(left)+1)]
	}
	spec.WithInstanceTypeFallbacks(others(shortTypes, *spec.InstanceType)...)
	spec.WithSubnetFallbacks(others(shortSubnets, *spec.SubnetID)...)
}

// noCapacity is the hazard of a shortage. In the worlds that are short it is half of what goes wrong.
var noCapacity = hazard{"EC2: no capacity", (*world).starve, 10 * time.Minute, 2}

// longestShortage is how long the shortage lasts with which the world begins.
const longestShortage = time.Hour

// beginShort has a short world begin with a shortage, since most launches are made in its beginning.
func (w *world) beginShort() error {
	if !w.short() {
		return nil
	}
	end, _, err := w.lack()
	w.troubles = append(w.troubles, trouble{until: time.Now().Add(time.Duration(w.random.Int64N(int64(longestShortage)))), name: noCapacity.name, end: end})
	return err
}

// starve has EC2 no capacity: for nothing, or, where objects have fallbacks, mostly for some types in some zones.
func (w *world) starve() (end func() error, begun bool, err error) {
	if !w.short() || w.random.IntN(4) == 0 {
		return w.inject(ec2sim.Fault{Action: "RunInstances", Error: &ec2sim.FaultError{Code: "InsufficientInstanceCapacity"}})
	}
	return w.lack()
}

// lack has EC2 no capacity for each type in each zone by the toss of a coin.
func (w *world) lack() (end func() error, begun bool, err error) {
	var names []string
	for _, name := range shortTypes {
		for _, zone := range shortZones {
			if w.random.IntN(2) == 0 {
				names = append(names, name+"/"+zone)
			}
		}
	}
	return func() error { return w.limit(names, false) }, true, w.limit(names, true)
}

// limit has EC2 no capacity for what is named, or any.
func (w *world) limit(names []string, none bool) error {
	return w.ec2.UpdateSettings(func(s *ec2sim.Settings) {
		if s.Capacity == nil {
			s.Capacity = map[string]int{}
		}
		for _, name := range names {
			if delete(s.Capacity, name); none {
				s.Capacity[name] = 0
			}
		}
	})
}
