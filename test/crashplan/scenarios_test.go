// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package crashplan

import (
	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// scenario is something that a user does, and what comes of it.
type scenario struct {
	says string
	// before makes what is there before, if anything, and ready tells what is missing until it is.
	before func(s *stage)
	ready  func(s *stage) error
	// does is what the user does. What the operator does then is numbered.
	does func(s *stage)
	// ended tells what is missing until the operator has done what follows.
	ended func(s *stage) error
}

// scenarios are the table.
var scenarios = []scenario{
	{
		says:  "create",
		does:  create,
		ended: (*stage).running,
	},
	{
		says:   "status checks",
		before: create, ready: (*stage).running,
		does: func(s *stage) {
			s.must(s.sim.UpdateSettings(func(settings *ec2sim.Settings) { settings.InitializingDelay = 0 }))
		},
		ended: (*stage).reachable,
	},
	{
		says:   "change tags",
		before: create, ready: (*stage).running,
		does: func(s *stage) {
			s.spec.Tags = nil
			s.spec.WithTags(tag("team", "books"), tag("cost-center", "4711"))
			s.apply()
		},
		ended: (*stage).running,
	},
	{
		says:   "stop, and drop what leads to it",
		before: create, ready: (*stage).running,
		does: func(s *stage) {
			s.spec.WithPowerState(ec2v1.PowerStateStopped)
			s.spec.Expose, s.spec.Connection = nil, nil
			s.apply()
		},
		ended: (*stage).stopped,
	},
	{
		says: "start",
		before: func(s *stage) {
			s.spec.WithPowerState(ec2v1.PowerStateStopped)
			create(s)
		},
		ready: (*stage).stopped,
		does: func(s *stage) {
			s.spec.WithPowerState(ec2v1.PowerStateRunning)
			s.apply()
		},
		ended: (*stage).running,
	},
	{
		says:   "delete",
		before: create, ready: (*stage).running,
		does:  (*stage).delete,
		ended: (*stage).gone,
	},
}

// create applies an object that has children and tags.
func create(s *stage) {
	s.spec.WithTags(tag("team", "shop"), tag("stage", "test")).
		WithExpose(ec2v1ac.Expose().WithServiceName(web).WithPorts(ec2v1ac.ExposePort().WithName("http").WithPort(80).WithTargetPort(8080))).
		WithConnection(ec2v1ac.Connection().WithConfigMapName(web + "-connection"))
	s.apply()
}

func tag(key, value string) *ec2v1ac.TagApplyConfiguration {
	return ec2v1ac.Tag().WithKey(key).WithValue(value)
}
