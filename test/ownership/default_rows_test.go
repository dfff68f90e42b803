// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

// gauges have defaults, fields that may be null, and fields that no schema knows.
var gauges = newKind("gauges", testSchema{spec: `
text: {type: string}
limit: {type: integer, default: 10}
replicas: {type: integer}
maybe: {type: string, nullable: true}
never: {type: string}
open: {type: object, x-kubernetes-preserve-unknown-fields: true}
devices:
  type: array
  x-kubernetes-list-type: map
  x-kubernetes-list-map-keys: [name, slot]
  items:
    type: object
    required: [name]
    properties: {name: {type: string}, slot: {type: integer, default: 0}, size: {type: integer, default: 8}}
`})

var defaults = theme{
	title: "Defaults and null",
	about: "A default belongs to nobody, so everybody may set the field. Whoever gives a field up gets its default back, even where another " +
		"was about to take it over.",
	rows: []row{
		{says: "defaults are nobody's", then: []step{
			{a.applies(base), created, `.spec.powerState: nobody; .spec.accountRef.name: nobody; .spec.metadataOptions.httpTokens: nobody; .status: nobody`, ok},
			{b.applies(`spec: {powerState: Stopped}`), `spec: {powerState: Stopped}`, `.spec.powerState: b`, ok},
			{b.applies(``), `spec: {powerState: Running}`, `.spec.powerState: nobody`, ok},
		}},
		{says: "setting a value to its default", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {powerState: Running, accountRef: {name: default}}`), onlyOwners, `b has .spec.accountRef.name .spec.powerState`, ok},
			{c.applies(`spec: {powerState: Stopped}`), none, none, `.spec.powerState: b`},
			{b.applies(``), onlyOwners + `, spec: {powerState: Running, accountRef: {name: default}}`, `b has nothing`, ok},
		}},
		{says: "all defaults come back", given: []action{
			a.applies(`spec: {image: {id: ami-00000000000000001}, instanceType: t3.micro, powerState: Stopped, deletionPolicy: Retain, recreatePolicy: Never, metadataOptions: {httpTokens: optional}}`),
		}, then: []step{
			{a.applies(base), `spec: {powerState: Running, deletionPolicy: Terminate, recreatePolicy: Always, metadataOptions: {httpTokens: required}}`, `a has ` + baseLeaves, ok},
		}},
		{says: "a struct with a default in it", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {metadataOptions: {httpPutResponseHopLimit: 2}}`), `spec: {metadataOptions: {httpPutResponseHopLimit: 2, httpTokens: required}}`,
				`b has .spec.metadataOptions.httpPutResponseHopLimit`, ok},
			{c.applies(`spec: {metadataOptions: {httpTokens: optional}}`), `spec: {metadataOptions: {httpPutResponseHopLimit: 2, httpTokens: optional}}`, `.spec.metadataOptions.httpTokens: c`, ok},
			{b.applies(``), `spec: {metadataOptions: {httpPutResponseHopLimit: (absent), httpTokens: optional}}`, `b has nothing`, ok},
			{c.applies(``), `spec: {metadataOptions: {httpTokens: required}}`, `c has nothing`, ok},
		}},
		{says: "an empty struct with a default in it", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {metadataOptions: {}}`), onlyOwners, `b has .spec.metadataOptions`, ok},
			{b.applies(``), onlyOwners, `b has nothing`, ok},
		}},
		{says: "an update that leaves a defaulted field out", given: []action{a.applies(base), b.applies(`spec: {powerState: Stopped}`)}, then: []step{
			{editor.updates(`spec: {powerState: null}`), `spec: {powerState: Running}`, `.spec.powerState: editor (Update); b has nothing`, ok},
			{b.applies(`spec: {powerState: Stopped}`), none, none, `.spec.powerState: editor (Update)`},
		}},
		{says: "handing a defaulted field over too early", given: []action{a.applies(`spec: {image: {id: ami-00000000000000001}, instanceType: t3.micro, powerState: Stopped}`)}, then: []step{
			{a.applies(base), `spec: {powerState: Running}`, `.spec.powerState: nobody`, ok},
			{b.applies(`spec: {powerState: Stopped}`), `spec: {powerState: Stopped}`, `.spec.powerState: b`, ok},
		}},
		{says: "handing a defaulted field over in time", given: []action{a.applies(`spec: {image: {id: ami-00000000000000001}, instanceType: t3.micro, powerState: Stopped}`)}, then: []step{
			{b.applies(`spec: {powerState: Stopped}`), onlyOwners, `.spec.powerState: a, b`, ok},
			{a.applies(base), `spec: {powerState: Stopped}`, `.spec.powerState: b`, ok},
		}},
		{says: "the first write after a creation", then: []step{
			{a.applies(base).unsettled(), created + `, status: {observedGeneration: -1}`, `.status: nobody`, ok},
			{a.applies(base), rewritten, `a has ` + baseLeaves, ok},
			{a.applies(base), unchanged, `a has ` + baseLeaves, ok},
		}},
		{says: "a default in an entry", of: gauges, given: []action{a.applies(`spec: {devices: [{name: d}]}`)}, then: []step{
			{b.applies(`spec: {devices: [{name: d, size: 9}]}`), `spec: {devices: [{name: d, slot: 0, size: 9}]}`, `.spec.devices[name="d",slot=0].size: b; .spec.devices[name="d",slot=0].slot: nobody`, ok},
			{b.applies(``), `spec: {devices: [{name: d, slot: 0, size: 8}], limit: 10}`, `b has nothing`, ok},
		}},
		{says: "null for a field that may be null", of: gauges, given: []action{a.applies(`spec: {text: x}`)}, then: []step{
			{b.applies(`spec: {maybe: null}`), `spec: {maybe: null}`, `b has .spec.maybe`, ok},
			{c.applies(`spec: {maybe: x}`), none, none, `.spec.maybe: b`},
			{b.applies(``), `spec: {maybe: (absent)}`, `b has nothing`, ok},
		}},
		{says: "null for a field that may not", of: gauges, given: []action{a.applies(`spec: {text: x}`)}, then: []step{
			{b.applies(`spec: {never: null}`), none, none, `422 spec.never: Invalid value: "null"`},
		}},
		{says: "null for a field with a default", of: gauges, given: []action{a.applies(`spec: {text: x}`)}, then: []step{
			{b.applies(`spec: {limit: null}`), onlyOwners + `, spec: {limit: 10}`, `.spec.limit: b`, ok},
		}},
		{says: "null for a key with a default", of: gauges, given: []action{a.applies(`spec: {text: x}`)}, then: []step{
			{b.applies(`spec: {devices: [{name: d, slot: null}]}`), `spec: {devices: [{name: d, slot: 0}]}`, `.spec.devices[name="d",slot=null].name: b`, ok},
		}},
		{says: "fields that no schema knows", of: gauges, given: []action{a.applies(`spec: {open: {list: [1, 2], map: {x: "1"}}}`)}, then: []step{
			{b.applies(`spec: {open: {map: {z: "2"}}}`), `spec: {open: {list: [1, 2], map: {x: "1", z: "2"}}}`, `.spec.open.map.x: a; .spec.open.map.z: b; .spec.open.list: a`, ok},
			{b.applies(`spec: {open: {list: [3]}}`), none, none, `.spec.open.list: a`},
		}},
	},
}
