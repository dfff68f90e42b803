// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
)

const (
	onceType       = "spec.instanceTypeFallbacks: must hold each instance type once"
	onceSubnet     = "spec.subnetFallbacks: must hold each subnet once"
	ownType        = "spec.instanceTypeFallbacks: must not hold instanceType itself"
	ownSubnet      = "spec.subnetFallbacks: must not hold subnetID itself"
	fallbackType   = "spec.instanceType: must be set with instanceTypeFallbacks"
	fallbackSubnet = "spec.subnetID: must be set with subnetFallbacks"
	fallbackIP     = "spec.privateIPAddress: must not be set with subnetFallbacks: an address is of one subnet"
	fallbackZone   = "spec.placement.availabilityZone: must not be set with subnetFallbacks: each subnet is in a zone of its own"
	hibernates     = "spec.powerState: must be Running or Stopped unless hibernation.configured is true"
	isInstanceID   = "must be an instance id: i- and 8 to 17 hexadecimal digits"
	adoptFixed     = "spec.adopt: must not set, change or remove adopt after creation: create another EC2Instance instead"
)

var (
	typeFallbacks   = plainList(spec, "instanceTypeFallbacks")
	subnetFallbacks = listField{section: spec, field: "subnetFallbacks", in: `{subnetID: subnet-89abcdef, subnetFallbacks: %s}`}
)

// hibernating is put for an instance that can hibernate.
func hibernating(field string) with {
	return func(value any) string { return merged(`{"hibernation": {"configured": true}}`, put(field, value)) }
}

var instanceBehavior = slices.Concat(
	typeFallbacks.upTo(8, "m%[1]d.large"),
	spec.matching("instanceTypeFallbacks[0]", func(value any) string { return put("instanceTypeFallbacks", []any{value}) },
		"must be an EC2 instance type such as t3.micro", 64, []string{"m5.large"}, []string{"m5", "M5.large"}),
	subnetFallbacks.upTo(8, "subnet-0123456%[1]d"),
	spec.id("subnetFallbacks[0]", func(value any) string {
		return merged(put("subnetID", "subnet-89abcdef"), put("subnetFallbacks", []any{value}))
	}, "subnet-", isSubnet),
	spec.id("adopt.instanceID", putting("adopt.instanceID"), "i-", isInstanceID),
	[]row{
		spec.refuses("an empty list of fallback types", typeFallbacks.patch("[]"), spec.tooFew("instanceTypeFallbacks", 1)),
		spec.refuses("a fallback type twice", typeFallbacks.patch("[m5.large, m5.large]"), onceType),
		spec.refuses("instanceType as its own fallback", `{instanceType: m5.large, instanceTypeFallbacks: [m6i.large, m5.large]}`, ownType),
		spec.refuses("a fallback from the launch template's type", `{instanceType: null, launchTemplate: {name: web}, instanceTypeFallbacks: [m5.large]}`, fallbackType),
		spec.refuses("an empty list of fallback subnets", subnetFallbacks.patch("[]"), spec.tooFew("subnetFallbacks", 1)),
		spec.refuses("a fallback subnet twice", subnetFallbacks.patch("[subnet-01234568, subnet-01234568]"), onceSubnet),
		spec.refuses("a fallback from no subnet", `{subnetFallbacks: [subnet-01234567]}`, fallbackSubnet),
		spec.refuses("subnetID as its own fallback", `{subnetID: subnet-01234567, subnetFallbacks: [subnet-01234567]}`, ownSubnet),
		spec.refuses("a zone and other subnets", `{subnetID: subnet-01234567, subnetFallbacks: [subnet-01234568], placement: {availabilityZone: eu-central-1a}}`, fallbackZone),
		spec.accepts("other subnets and a placement group", `{subnetID: subnet-01234567, subnetFallbacks: [subnet-01234568], placement: {groupName: web}}`),
		spec.refuses("an address and other subnets", `{subnetID: subnet-01234567, subnetFallbacks: [subnet-01234568], privateIPAddress: 10.0.0.4}`, fallbackIP),
		spec.refuses("hibernated without being able to", `{powerState: Hibernated}`, hibernates),
		spec.refuses("hibernated without being allowed to", `{powerState: Hibernated, hibernation: {configured: false}}`, hibernates),
		spec.accepts("hibernated as the launch template allows", `{powerState: Hibernated, launchTemplate: {name: web}}`),
		spec.accepts("a reboot", `{rebootRequestedAt: "2026-01-07T12:19:54Z"}`),
		spec.accepts("an instance to adopt and nothing else", `{image: null, instanceType: null, adopt: {instanceID: i-01234567}}`),
		spec.refuses("no instance to adopt", `{adopt: {}}`, spec.required("adopt.instanceID")),
	},
)

var adoptMoves = []move{
	{says: "the same instance again", before: `{adopt: {instanceID: i-01234567}}`, after: `{adopt: {instanceID: i-01234567}}`},
	{says: "another instance", before: `{adopt: {instanceID: i-01234567}}`, after: `{adopt: {instanceID: i-89abcdef}}`, refused: []string{adoptFixed}},
	{says: "an instance taken away", before: `{adopt: {instanceID: i-01234567}}`, after: ``, refused: []string{adoptFixed}},
	{says: "an instance named later", before: ``, after: `{adopt: {instanceID: i-01234567}}`, refused: []string{adoptFixed}},
}
