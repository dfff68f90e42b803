// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
)

const (
	hibernates   = "spec.powerState: must be Running or Stopped unless hibernation.configured is true"
	isInstanceID = "must be an instance id: i- and 8 to 17 hexadecimal digits"
	adoptFixed   = "spec.adopt: must not set, change or remove adopt after creation: create another EC2Instance instead"
)

// hibernating is put for an instance that can hibernate.
func hibernating(field string) with {
	return func(value any) string { return merged(`{"hibernation": {"configured": true}}`, put(field, value)) }
}

var instanceBehavior = slices.Concat(
	spec.id("adopt.instanceID", putting("adopt.instanceID"), "i-", isInstanceID),
	[]row{
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
