// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import "github.com/fieldowner/ec2-operator/controller/apply"

// The schemas that the rows below change from and to.
var (
	atomicColors = testSchema{spec: `colors: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}`}
	setColors    = testSchema{spec: `colors: {type: array, x-kubernetes-list-type: set, items: {type: string}}`}

	keyedDevices  = testSchema{spec: devicesOf(`x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]`, `{type: integer}`)}
	atomicDevices = testSchema{spec: devicesOf(`x-kubernetes-list-type: atomic`, `{type: integer}`)}
	slotDevices   = testSchema{spec: devicesOf(`x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name, slot]`, `{type: integer, default: 0}`)}

	granularRef = testSchema{spec: `ref: {type: object, properties: {kind: {type: string}, name: {type: string}}}`}
	atomicRef   = testSchema{spec: `ref: {type: object, x-kubernetes-map-type: atomic, properties: {kind: {type: string}, name: {type: string}}}`}

	textAlone    = testSchema{spec: `text: {type: string}`}
	textAndNote  = testSchema{spec: "text: {type: string}\nnote: {type: string}"}
	textAndLimit = testSchema{spec: "text: {type: string}\nlimit: {type: integer, default: 10}"}
	twoVersions  = testSchema{spec: `text: {type: string}`, versions: []string{"v1", "v2"}}
)

func devicesOf(kind, slot string) string {
	return `devices: {type: array, ` + kind + `, items: {type: object, required: [name], properties: {name: {type: string}, slot: ` + slot + `, size: {type: integer}}}}`
}

var schemas = theme{
	title: "Schema changes",
	about: "managedFields name paths, and a change of the schema changes what a path stands for. What was one choice and gets owners for its parts " +
		"leaves parts without an owner; what had owners for its parts and becomes one choice is everybody's, so that nobody can change it.",
	rows: []row{
		{says: "an atomic list becomes a set", of: newKind("atomic-to-set", atomicColors), given: []action{
			a.applies(`spec: {colors: [red]}`), upgrading{"`colors` becomes a set", setColors},
		}, then: []step{
			{b.applies(`spec: {colors: [green]}`), `spec: {colors: [red, green]}`, `.spec.colors: a; .spec.colors[="red"]: nobody; .spec.colors[="green"]: b`, ok},
			{a.applies(`spec: {colors: [red]}`), onlyOwners + `, spec: {colors: [red, green]}`, `a has .spec.colors[="red"]; b has .spec.colors[="green"]`, ok},
			{a.applies(``), `spec: {colors: [green]}`, `a has nothing`, ok},
		}},
		{says: "and entries are left without an owner", of: newKind("atomic-to-set-orphans", atomicColors), given: []action{
			a.applies(`spec: {colors: [red, green]}`), upgrading{"`colors` becomes a set", setColors},
		}, then: []step{
			{a.applies(`spec: {colors: [red]}`), onlyOwners + `, spec: {colors: [red, green]}`, `a has .spec.colors[="red"]; .spec.colors[="green"]: nobody`, ok},
		}},
		{says: "a set becomes an atomic list", of: newKind("set-to-atomic", setColors), given: []action{
			a.applies(`spec: {colors: [red]}`), b.applies(`spec: {colors: [green]}`), upgrading{"`colors` becomes atomic", atomicColors},
		}, then: []step{
			{a.applies(`spec: {colors: [red, blue]}`), none, none, `.spec.colors: b`},
			{a.applies(`spec: {colors: [red, green]}`), onlyOwners, `.spec.colors: a, b`, ok},
			{a.applies(`spec: {colors: [red]}`).forced(), `spec: {colors: [red]}`, `.spec.colors: a; b has nothing`, ok},
		}},
		{says: "a list with keys becomes an atomic list", of: newKind("map-to-atomic", keyedDevices), given: []action{
			a.applies(`spec: {devices: [{name: d, size: 1}]}`), b.applies(`spec: {devices: [{name: e, size: 2}]}`), upgrading{"`devices` becomes atomic", atomicDevices},
		}, then: []step{
			{a.applies(`spec: {devices: [{name: d, size: 3}]}`), none, none, `.spec.devices: b`},
			{b.applies(`spec: {devices: [{name: e, size: 3}]}`), none, none, `.spec.devices: a`},
			{c.applies(`spec: {devices: []}`), none, none, `.spec.devices: a, b`},
		}},
		{says: "an atomic list becomes a list with keys", of: newKind("atomic-to-map", atomicDevices), given: []action{
			a.applies(`spec: {devices: [{name: d, size: 1}]}`), upgrading{"`devices` gets keys", keyedDevices},
		}, then: []step{
			{b.applies(`spec: {devices: [{name: d, size: 2}]}`), `spec: {devices: [{name: d, size: 2}]}`, `.spec.devices: a; .spec.devices[name="d"].size: b`, ok},
			{a.applies(`spec: {devices: [{name: d, size: 1}]}`), none, none, `.spec.devices[name="d"].size: b`},
		}},
		{says: "a struct becomes atomic", of: newKind("struct-to-atomic", granularRef), given: []action{
			a.applies(`spec: {ref: {kind: K}}`), b.applies(`spec: {ref: {name: one}}`), upgrading{"`ref` becomes atomic", atomicRef},
		}, then: []step{
			{a.applies(`spec: {ref: {kind: K}}`), none, none, `.spec.ref: b`},
			{b.applies(``), onlyOwners, `.spec.ref: a`, ok},
		}},
		{says: "an atomic struct gets owners for its parts", of: newKind("atomic-to-struct", atomicRef), given: []action{
			a.applies(`spec: {ref: {kind: K, name: one}}`), upgrading{"`ref` is atomic no longer", granularRef},
		}, then: []step{
			{b.applies(`spec: {ref: {name: two}}`), `spec: {ref: {kind: K, name: two}}`, `.spec.ref: a; .spec.ref.name: b; .spec.ref.kind: nobody`, ok},
			{a.applies(`spec: {ref: {kind: K}}`), onlyOwners, `a has .spec.ref.kind`, ok},
		}},
		{says: "a list gets another key, with a default", of: newKind("new-key", keyedDevices), given: []action{
			a.applies(`spec: {devices: [{name: d, size: 1}]}`), upgrading{"the keys of `devices` are `name` and `slot`, by default 0", slotDevices},
		}, then: []step{
			{a.applies(`spec: {devices: [{name: d, size: 1}]}`), onlyOwners + `, spec: {devices: [{name: d, slot: 0, size: 1}]}`, `a has .spec.devices[name="d",slot=0].name .spec.devices[name="d",slot=0].size`, ok},
			{b.applies(`spec: {devices: [{name: d, slot: 1, size: 2}]}`), `spec: {devices: [{name: d, slot: 0, size: 1}, {name: d, slot: 1, size: 2}]}`, `.spec.devices[name="d",slot=1].size: b`, ok},
			{b.applies(`spec: {devices: [{name: d, slot: 0, size: 2}]}`), none, none, `.spec.devices[name="d",slot=0].size: a`},
		}},
		{says: "a new field with a default", of: newKind("new-default", textAlone), given: []action{
			a.applies(`spec: {text: x}`), upgrading{"`limit` is new, by default 10", textAndLimit},
		}, then: []step{
			{a.applies(`spec: {text: x}`), rewritten + `, spec: {text: x, limit: 10}`, `a has .spec.text; .spec.limit: nobody`, ok},
			{a.applies(`spec: {text: x}`), unchanged, none, ok},
			{b.applies(`spec: {limit: 20}`), `spec: {limit: 20}`, `.spec.limit: b`, ok},
		}},
		{says: "a field is no longer in the schema", of: newKind("no-field", textAndNote), given: []action{
			a.applies(`spec: {text: x, note: z}`), upgrading{"there is no `note`", textAlone},
		}, then: []step{
			{a.applies(`spec: {text: x, note: z}`), none, none, `500 .spec.note: field not declared in schema`},
			{b.applies(`spec: {text: x}`), onlyOwners + `, spec: {text: x, note: (absent)}`, `.spec.text: a, b; .spec.note: a`, ok},
			{a.applies(`spec: {text: x}`), onlyOwners, `a has .spec.text`, ok},
		}},
		{says: "an admission policy changes what is applied", of: newKind("admitted", textAndNote), given: []action{admitting{"text", "policy"}}, then: []step{
			{a.applies(`spec: {text: x, note: z}`), created + `, spec: {text: policy, note: z}`, `a has .spec.note .spec.text`, ok},
			{a.applies(`spec: {text: x, note: z}`).notPredicted("an admission policy changes it"), unchanged, none, ok},
			{b.applies(`spec: {text: x}`), none, none, `.spec.text: a`},
			{b.applies(`spec: {text: policy}`), onlyOwners, `.spec.text: a, b`, ok},
			{a.applies(`spec: {text: x, note: z}`), none, none, `.spec.text: b`},
		}},
		{says: "two versions of the API", of: newKind("versions", twoVersions), given: []action{a.applies(`spec: {text: x}`)}, then: []step{
			{b.applies(`spec: {text: x}`).inVersion("v2").unsafe(apply.ReasonOtherAPIVersion), onlyOwners, `.spec.text: a, b`, ok},
			{c.applies(`spec: {text: z}`).unsafe(apply.ReasonOtherAPIVersion), none, none, `.spec.text: a, b`},
			{b.applies(`spec: {text: x}`).unsafe(apply.ReasonOtherAPIVersion), onlyOwners, `.spec.text: a, b`, ok},
			{c.applies(`spec: {text: z}`), none, none, `.spec.text: a, b`},
		}},
	},
}
