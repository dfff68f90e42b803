// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

// selectors have what makes trouble in atomic structs: members with defaults.
var selectors = newKind("selectors", testSchema{spec: `
text: {type: string}
ref:
  type: object
  x-kubernetes-map-type: atomic
  properties: {name: {type: string, default: ""}, key: {type: string}}
size: {x-kubernetes-int-or-string: true}
lasts: {type: string}
at: {type: string, format: date-time}
`})

var atomics = theme{
	title: "Atomic lists, maps and structs",
	about: "What is one choice has one owner: an atomic list or struct is owned, and taken, whole.",
	rows: []row{
		{says: "the image is one choice", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {image: {ssmParameter: /golden/base}}`), none, `.spec.image: a; .spec.image.id: nobody`, `.spec.image: a`},
			{b.applies(`spec: {image: {ssmParameter: /golden/base}}`).forced(), `spec: {image: {id: (absent), ssmParameter: /golden/base}}`, `.spec.image: b`, ok},
			{a.applies(base), none, none, `.spec.image: b`},
		}},
		{says: "the same choice is shared", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {image: {id: ami-00000000000000001}}`), onlyOwners, `.spec.image: a, b`, ok},
		}},
		{says: "a reference to user data is one choice", given: []action{a.applies(base), b.applies(`spec: {userData: {secretKeyRef: {name: boot, key: x}}}`)}, then: []step{
			{c.applies(`spec: {userData: {secretKeyRef: {name: boot, key: z}}}`), none, none, `.spec.userData: b`},
			{c.applies(`spec: {userData: {inline: hello}}`), none, none, `.spec.userData: b`},
			{c.applies(`spec: {userData: {secretKeyRef: {name: boot, key: x}}}`), onlyOwners, `.spec.userData: b, c`, ok},
		}},
		{says: "an update of a part takes the whole", given: []action{a.applies(base)}, then: []step{
			{editor.updates(`spec: {image: {id: ami-00000000000000002}}`), `spec: {image: {id: ami-00000000000000002}}`, `.spec.image: editor (Update)`, ok},
		}},
		{says: "an account's credentials are one choice, with all lists in them", of: accounts, given: []action{
			a.applies(`spec: {region: eu-central-1, credentials: {assumeRole: {roleARN: "arn:aws:iam::123456789012:role/ec2", sessionTags: [{key: x, value: "1"}]}}}`),
		}, then: []step{
			{b.applies(`spec: {credentials: {assumeRole: {roleARN: "arn:aws:iam::123456789012:role/ec2", sessionTags: [{key: "y", value: "1"}]}}}`), none, `.spec.credentials: a`, `.spec.credentials: a`},
			{b.applies(`spec: {pollIntervalSeconds: 30}`), `spec: {pollIntervalSeconds: 30}`, `.spec.pollIntervalSeconds: b`, ok},
			{b.applies(`spec: {credentials: {default: {}}}`).forced(), `spec: {credentials: {default: {}, assumeRole: (absent)}, pollIntervalSeconds: 60}`, `b has .spec.credentials`, ok},
		}},
		{says: "an account's selector of namespaces is one choice", of: accounts, given: []action{
			a.applies(`spec: {region: eu-central-1, allowedNamespaces: {matchLabels: {env: prod}}}`),
		}, then: []step{
			{b.applies(`spec: {allowedNamespaces: {matchLabels: {team: shop}}}`), none, `.spec.allowedNamespaces: a`, `.spec.allowedNamespaces: a`},
		}},
		{says: "an atomic list", of: widgets, given: []action{a.applies(`spec: {steps: [x, w]}`)}, then: []step{
			{b.applies(`spec: {steps: [z]}`), none, none, `.spec.steps: a`},
			{b.applies(`spec: {steps: [w, x]}`), none, none, `.spec.steps: a`},
			{b.applies(`spec: {steps: [x, w], text: t}`), `spec: {text: t}`, `.spec.steps: a, b`, ok},
			{b.applies(`spec: {steps: [z]}`).forced(), `spec: {steps: [z], text: (absent)}`, `.spec.steps: b`, ok},
		}},
		{says: "a list without a type is atomic", of: widgets, given: []action{a.applies(`spec: {plain: [x, w]}`)}, then: []step{
			{b.applies(`spec: {plain: [x, w, z]}`), none, none, `.spec.plain: a`},
		}},
		{says: "an empty atomic list is owned", of: widgets, given: []action{a.applies(`spec: {text: x}`)}, then: []step{
			{b.applies(`spec: {steps: []}`), `spec: {steps: []}`, `b has .spec.steps`, ok},
			{c.applies(`spec: {steps: [x]}`), none, none, `.spec.steps: b`},
			{b.applies(``), `spec: {steps: (absent)}`, `b has nothing`, ok},
		}},
		{says: "an atomic map", of: widgets, given: []action{a.applies(`spec: {options: {x: "1"}}`)}, then: []step{
			{b.applies(`spec: {options: {"y": "2"}}`), none, none, `.spec.options: a`},
			{b.applies(`spec: {options: {"y": "2"}}`).forced(), `spec: {options: {x: (absent), "y": "2"}}`, `.spec.options: b`, ok},
		}},
		{says: "an atomic struct with a default in it: two say the same and conflict", of: selectors, given: []action{a.applies(`spec: {ref: {key: k}}`)}, then: []step{
			{b.applies(`spec: {ref: {key: k}}`), `spec: {ref: {key: k, name: ""}}`, `.spec.ref: a`, `.spec.ref: a`},
			{b.applies(`spec: {ref: {key: k, name: ""}}`), onlyOwners, `.spec.ref: a, b`, ok},
			{a.applies(`spec: {ref: {key: k}}`), none, none, `.spec.ref: b`},
		}},
		{says: "two ways to write a quantity", of: selectors, given: []action{a.applies(`spec: {size: 1024Mi}`)}, then: []step{
			{b.applies(`spec: {size: 1Gi}`), none, none, `.spec.size: a`},
			{b.applies(`spec: {size: 1024Mi}`), onlyOwners, `.spec.size: a, b`, ok},
		}},
		{says: "two ways to write a duration", of: selectors, given: []action{a.applies(`spec: {lasts: 60m}`)}, then: []step{
			{b.applies(`spec: {lasts: 1h0m0s}`), none, none, `.spec.lasts: a`},
		}},
		{says: "two ways to write a time", of: selectors, given: []action{a.applies(`spec: {at: "2026-01-02T03:04:05Z"}`)}, then: []step{
			{b.applies(`spec: {at: "2026-01-02T03:04:05.000Z"}`), none, none, `.spec.at: a`},
			{a.applies(`spec: {at: "2026-01-02T03:04:05.000Z"}`), `spec: {at: "2026-01-02T03:04:05.000Z"}`, none, ok},
		}},
	},
}
