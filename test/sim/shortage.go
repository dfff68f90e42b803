// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

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
	shortZones   = []string{"eu-central-1a", "eu-central-1b", "eu-central-1c", "*"}
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

// starve has EC2 no capacity: for nothing, or, where objects have fallbacks, mostly for some types in some zones.
func (w *world) starve() (end func() error, begun bool, err error) {
	if !w.short() || w.random.IntN(4) == 0 {
		return w.inject(ec2sim.Fault{Action: "RunInstances", Error: &ec2sim.FaultError{Code: "InsufficientInstanceCapacity"}})
	}
	var names []string
	for range 1 + w.random.IntN(3) {
		names = append(names, w.pick(shortTypes...)+"/"+w.pick(shortZones...))
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
