// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
)

const isField = "must be the name of a field of spec, such as instanceType"

// The lists of the policies of changes.
var (
	overrides   = listField{section: spec, field: "updatePolicy.overrides", in: `{updatePolicy: {overrides: %s}}`}
	tagPrefixes = listField{section: spec, field: "ignore.tagPrefixes", in: `{ignore: {tagPrefixes: %s}}`}
)

var instanceUpdates = slices.Concat(
	spec.words("updatePolicy.allow", "InPlace", "StopStart", "Replace"),
	overrides.keyed("field", "{allow: InPlace}"),
	overrides.upTo(64, "{field: f%[1]d, allow: Ignore}"),
	spec.matching("updatePolicy.overrides[0].field", beside("updatePolicy.overrides", true, map[string]any{"allow": "Replace"}, "field"), isField, 128,
		[]string{"instanceType", "ipv6AddressCount", letters(128)}, []string{"spec.instanceType", "InstanceType", "instance-type", "*"}),
	spec.wordsIn("updatePolicy.overrides[0].allow", beside("updatePolicy.overrides", true, map[string]any{"field": "image"}, "allow"),
		"Ignore", "InPlace", "StopStart", "Replace"),
	tagPrefixes.unique(),
	tagPrefixes.upTo(32, "p%[1]d"),
	tagPrefixes.ofTexts(128),
	[]row{
		spec.refuses("all changes ignored", `{updatePolicy: {allow: Ignore}}`, spec.unsupported("updatePolicy.allow", "Ignore", "InPlace", "StopStart", "Replace")),
		spec.refuses("an override of nothing", overrides.patch(`[{field: image}]`), spec.required("updatePolicy.overrides[0].allow")),
		spec.refuses("an empty list of overrides", overrides.patch(`[]`), spec.tooFew("updatePolicy.overrides", 1)),
		spec.accepts("nothing to be ignored", `{ignore: {}}`),
		spec.refuses("an empty list of tags' prefixes", tagPrefixes.patch(`[]`), spec.tooFew("ignore.tagPrefixes", 1)),
		spec.refuses("all tags by an empty prefix", tagPrefixes.patch(`[""]`), spec.tooShort("ignore.tagPrefixes[0]", 1)),
	},
	spec.groups("ignore.securityGroupIDs", "ignore.securityGroupIDs", putting("ignore.securityGroupIDs")),
)
