// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// truth is what EC2 has, by its names for it (ec2sim.Sim.Configuration); a name with an empty value is not there.
type truth map[string]string

// fieldRow is a row of the table of spec's fields: two values of one field, or of a part of it, and what becomes of them.
type fieldRow struct {
	// field is its name in instance.Fields, and part tells rows of one field apart.
	field, part string
	// needs are what both values need beside a small instance.
	needs []func(*specOf)
	// from and to are the values, and launched and changed what EC2 has then.
	from, to          func(*specOf)
	launched, changed truth
	// later is the call that sets what EC2 does not take at a launch.
	later string
	// action is what the change from one to the other takes, and stops how often it stops the instance where that is not what
	// the action tells.
	action ec2v1.PlanAction
	stops  int
	// oneWay is why the change cannot be taken back, if it cannot.
	oneWay string
	// drift is what somebody does to the instance in EC2, or noDrift why nobody can, or why it cannot be seen.
	drift   *drift
	noDrift string
}

// drift is a change that somebody makes in EC2, of an instance that has the row's second value.
type drift struct {
	// does changes the instance, and leaves what EC2 has then.
	does   func(context.Context, hand) error
	leaves truth
	// stopped: EC2 makes the change of a stopped instance only.
	stopped bool
	// repair is what it takes to bring the instance back: None where nothing does.
	repair ec2v1.PlanAction
	// apart: EC2 tells of it only when it is asked for this instance.
	apart bool
	// noIgnore is why overrides cannot leave it alone, or where that is shown.
	noIgnore string
}

// name tells the row in subtests and in the page.
func (r *fieldRow) name() string {
	if r.part == "" {
		return r.field
	}
	return r.field + " (" + r.part + ")"
}

// object is the name of the row's object.
func (r *fieldRow) object() string {
	return strings.ToLower(strings.NewReplacer(" ", "-", "(", "", ")", "").Replace(r.name()))
}

// spec is the object's spec with one of the values.
func (r *fieldRow) spec(value func(*specOf), more ...func(*specOf)) *specOf {
	changes := append([]func(*specOf){}, r.needs...)
	return specWith(append(append(changes, value), more...)...)
}

// inPlace tells whether the change is made with the instance as it is.
func (r *fieldRow) inPlace() bool { return r.action == ec2v1.PlanActionInPlace }

// mismatches tells how EC2 differs from what is wanted.
func (t truth) mismatches(have map[string]string) (out []string) {
	for name, want := range t {
		if have[name] != want {
			out = append(out, name+" is "+quoted(have[name])+" in EC2, not "+quoted(want))
		}
	}
	return out
}

func quoted(text string) string {
	if text == "" {
		return "nothing"
	}
	return `"` + text + `"`
}

// Names of EC2 that several rows use.
const (
	primary    = "networkInterfaceSet.0."
	rootDevice = "/dev/xvda"
	dataDevice = "/dev/sdf"
	onRoot     = "blockDeviceMapping." + rootDevice + "."
	onData     = "blockDeviceMapping." + dataDevice + "."
	// reboots is how often the instance was rebooted.
	reboots = "reboots"
)

// simRegion is where everything is.
const simRegion = "eu-central-1"

// What EC2 has in the world of the rows beside what every account finds: a second key pair and a second license configuration.
const otherKeyPair = "other-key"

var (
	license      = ec2sim.LicenseConfiguration(ec2sim.DefaultAccount, simRegion)
	otherLicense = license + "0"
)

// furnish adds that.
func (w *world) furnish() {
	w.ec2.EditWorld(ec2sim.DefaultAccount, simRegion, func(found *ec2sim.World) {
		found.KeyPairs = append(found.KeyPairs, otherKeyPair)
		found.Licenses = append(found.Licenses, otherLicense)
	})
}
