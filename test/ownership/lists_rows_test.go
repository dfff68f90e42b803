// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

// widgets are of a kind with everything that EC2Instance does not have.
var widgets = newKind("lists", testSchema{spec: `
replicas: {type: integer}
text: {type: string}
labels: {type: object, additionalProperties: {type: string}}
options: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
colors: {type: array, x-kubernetes-list-type: set, items: {type: string}}
steps: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}
plain: {type: array, items: {type: string}}
devices:
  type: array
  x-kubernetes-list-type: map
  x-kubernetes-list-map-keys: [name, slot]
  items:
    type: object
    required: [name]
    properties: {name: {type: string}, slot: {type: integer, default: 0}, size: {type: integer}, mode: {type: string}}
parts:
  type: array
  x-kubernetes-list-type: map
  x-kubernetes-list-map-keys: [name]
  items:
    type: object
    required: [name]
    properties:
      name: {type: string}
      note: {type: string}
      ports:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [port]
        items: {type: object, required: [port], properties: {port: {type: integer}, use: {type: string}}}
nested: {type: object, properties: {one: {type: string}, two: {type: string}, deep: {type: object, properties: {x: {type: string}}}}}
`})

var lists = theme{
	title: "Maps, sets and lists with keys",
	about: "In a map, a set or a list with keys every entry has owners of its own. The order of entries is content, so two appliers with two " +
		"orders change the object for ever.",
	rows: []row{
		{says: "two managers of one set", given: []action{c.applies(base), a.applies(`spec: {securityGroupIDs: [sg-00000001, sg-00000002]}`)}, then: []step{
			{b.applies(`spec: {securityGroupIDs: [sg-00000002, sg-00000003]}`), `spec: {securityGroupIDs: [sg-00000001, sg-00000002, sg-00000003]}`,
				`.spec.securityGroupIDs[="sg-00000001"]: a; .spec.securityGroupIDs[="sg-00000002"]: a, b; .spec.securityGroupIDs[="sg-00000003"]: b`, ok},
			{a.applies(`spec: {securityGroupIDs: [sg-00000001]}`), onlyOwners, `.spec.securityGroupIDs[="sg-00000002"]: b`, ok},
			{b.applies(``), `spec: {securityGroupIDs: [sg-00000001]}`, `b has nothing`, ok},
			{a.applies(``), `spec: {securityGroupIDs: (absent)}`, `a has nothing`, ok},
		}},
		{says: "one set in two orders", given: []action{c.applies(base), a.applies(`spec: {securityGroupIDs: [sg-00000001, sg-00000002]}`)}, then: []step{
			{b.applies(`spec: {securityGroupIDs: [sg-00000002, sg-00000001]}`), `metadata: {generation: 3}
spec: {securityGroupIDs: [sg-00000002, sg-00000001]}`, `.spec.securityGroupIDs[="sg-00000001"]: a, b`, ok},
			{a.applies(`spec: {securityGroupIDs: [sg-00000001, sg-00000002]}`), `metadata: {generation: 4}
spec: {securityGroupIDs: [sg-00000001, sg-00000002]}`, none, ok},
			{b.applies(`spec: {securityGroupIDs: [sg-00000002, sg-00000001]}`), `metadata: {generation: 5}`, none, ok},
		}},
		{says: "an entry of a set twice", given: []action{c.applies(base)}, then: []step{
			{a.applies(`spec: {securityGroupIDs: [sg-00000001, sg-00000001]}`), none, none, `500 .spec.securityGroupIDs: duplicate entries for key [="sg-00000001"]`},
		}},
		{says: "an update removes another's entry of a set", given: []action{c.applies(base), a.applies(`spec: {securityGroupIDs: [sg-00000001, sg-00000002]}`)}, then: []step{
			{editor.updates(`spec: {securityGroupIDs: [sg-00000002, sg-00000003]}`), `spec: {securityGroupIDs: [sg-00000002, sg-00000003]}`,
				`a has .spec.securityGroupIDs[="sg-00000002"]; .spec.securityGroupIDs[="sg-00000003"]: editor (Update)`, ok},
			{a.applies(`spec: {securityGroupIDs: [sg-00000001, sg-00000002]}`), none, `.spec.securityGroupIDs[="sg-00000001"]: a; .spec.securityGroupIDs[="sg-00000003"]: editor (Update)`, ok},
		}},
		{says: "two managers of one list with keys", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {tags: [{key: b, value: "2"}]}`), `spec: {tags: [{key: a, value: "1"}, {key: b, value: "2"}]}`,
				`.spec.tags[key="a"].value: a; .spec.tags[key="b"].value: b; .spec.tags[key="b"]: b`, ok},
			{a.applies(base), unchanged, none, ok},
			{b.applies(`spec: {tags: [{key: b, value: "2"}]}`), unchanged, none, ok},
			{b.applies(``), `spec: {tags: [{key: a, value: "1"}]}`, `b has nothing`, ok},
		}},
		{says: "another value of an entry", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {tags: [{key: a, value: "9"}]}`), none, none, `.spec.tags[key="a"].value: a`},
			{b.applies(`spec: {tags: [{key: a, value: "9"}]}`).forced(), `spec: {tags: [{key: a, value: "9"}]}`,
				`.spec.tags[key="a"].value: b; .spec.tags[key="a"].key: a, b`, ok},
		}},
		{says: "a value that was taken by force and is given up", given: []action{a.applies(base), b.applies(`spec: {tags: [{key: a, value: "9"}]}`).forced()}, then: []step{
			{b.applies(``), none, `.spec.tags[key="a"].value: b`, `422 spec.tags[0].value: Required value`},
			{a.applies(base).forced(), `spec: {tags: [{key: a, value: "1"}]}`, `.spec.tags[key="a"].value: a`, ok},
			{b.applies(``), onlyOwners, `b has nothing`, ok},
		}},
		{says: "an entry twice", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {tags: [{key: b, value: "1"}, {key: b, value: "2"}]}`), none, none, `500 .spec.tags: duplicate entries for key [key="b"]`},
		}},
		{says: "an entry without its key", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {tags: [{value: "1"}]}`), none, none, `500 .spec.tags: element 0: associative list with keys has an element that omits all key fields`},
		}},
		{says: "entries in two orders", given: []action{c.applies(base), a.applies(`spec: {tags: [{key: v, value: "1"}, {key: w, value: "2"}]}`)}, then: []step{
			{b.applies(`spec: {tags: [{key: w, value: "2"}, {key: v, value: "1"}]}`), `spec: {tags: [{key: a}, {key: w}, {key: v}]}`, `.spec.tags[key="v"].value: a, b`, ok},
			{a.applies(`spec: {tags: [{key: v, value: "1"}, {key: w, value: "2"}]}`), `spec: {tags: [{key: a}, {key: v}, {key: w}]}`, none, ok},
		}},
		{says: "a label of two managers", given: []action{c.applies(base), a.applies(`metadata: {labels: {team: shop}}`)}, then: []step{
			{b.applies(`metadata: {labels: {team: shop, tier: web}}`), `metadata: {labels: {team: shop, tier: web}}`, `.metadata.labels.team: a, b; .metadata.labels.tier: b`, ok},
			{b.applies(`metadata: {labels: {team: ops}}`), none, none, `.metadata.labels.team: a`},
			{a.applies(``), onlyOwners, `.metadata.labels.team: b`, ok},
			{b.applies(``), `metadata: {labels: (absent)}`, `.metadata.labels.team: nobody`, ok},
			{b.applies(``), unchanged, none, ok},
		}},
		{says: "an annotation that several tools change", given: []action{c.applies(base), a.applies(`metadata: {annotations: {example.com/note: one}}`)}, then: []step{
			{editor.patches(`metadata: {annotations: {example.com/note: two}}`), `metadata: {annotations: {example.com/note: two}}`, `.metadata.annotations.example.com/note: editor (Update)`, ok},
			{a.applies(`metadata: {annotations: {example.com/note: one}}`), none, none, `.metadata.annotations.example.com/note: editor (Update)`},
		}},
		{says: "counts in an account's status", of: accounts, given: []action{a.applies(`spec: {region: eu-central-1}`)}, then: []step{
			{b.appliesStatus(`status: {instances: [{state: running, count: 1}]}`), `status: {instances: [{state: running, count: 1}]}`, `.status.instances[state="running"].count: b (Apply, status)`, ok},
			{c.appliesStatus(`status: {instances: [{state: stopped, count: 0}]}`), `status: {instances: [{state: running, count: 1}, {state: stopped, count: 0}]}`, `.status.instances[state="stopped"].count: c (Apply, status)`, ok},
			{c.appliesStatus(`status: {instances: [{state: running, count: 2}]}`), none, none, `.status.instances[state="running"].count: b (Apply, status)`},
		}},
		{says: "two managers of one entry's parts", of: widgets, given: []action{a.applies(`spec: {devices: [{name: d, slot: 0, size: 1}]}`)}, then: []step{
			{b.applies(`spec: {devices: [{name: d, slot: 0, mode: ro}]}`), `spec: {devices: [{name: d, slot: 0, size: 1, mode: ro}]}`,
				`.spec.devices[name="d",slot=0].size: a; .spec.devices[name="d",slot=0].mode: b; .spec.devices[name="d",slot=0].name: a, b`, ok},
			{a.applies(``), `spec: {devices: [{name: d, slot: 0, size: (absent), mode: ro}]}`, `a has nothing`, ok},
			{b.applies(``), `spec: (absent)`, `b has nothing`, ok},
		}},
		{says: "a key with a default is left out", of: widgets, given: []action{a.applies(`spec: {devices: [{name: d, size: 1}]}`)}, then: []step{
			{b.applies(`spec: {devices: [{name: d, slot: 0, size: 2}]}`), none, none, `.spec.devices[name="d",slot=0].size: a`},
			{b.applies(`spec: {devices: [{name: d, slot: 0, mode: ro}]}`), `spec: {devices: [{name: d, slot: 0, size: 1, mode: ro}]}`,
				`.spec.devices[name="d",slot=0].slot: b; .spec.devices[name="d",slot=0].name: a, b`, ok},
			{b.applies(`spec: {devices: [{name: d, slot: 1, size: 2}]}`), `spec: {devices: [{name: d, slot: 0, size: 1, mode: (absent)}, {name: d, slot: 1, size: 2}]}`,
				`.spec.devices[name="d",slot=1].size: b; .spec.devices[name="d",slot=0].slot: nobody`, ok},
		}},
		{says: "one of two keys is left out and has no default", of: widgets, given: []action{a.applies(`spec: {devices: [{name: d}]}`)}, then: []step{
			{b.applies(`spec: {devices: [{slot: 1, size: 2}]}`), none, none, `422 spec.devices[1].name: Required value`},
		}},
		{says: "an update's parts do not keep an entry", of: widgets, given: []action{
			a.applies(`spec: {devices: [{name: d, size: 1}, {name: e}]}`), editor.updates(`spec: {devices: [{name: d, slot: 0, size: 1, mode: ro}, {name: e, slot: 0}]}`),
		}, then: []step{
			{a.applies(`spec: {devices: [{name: e}]}`), `spec: {devices: [{name: e, slot: 0}]}`, `editor (Update) has nothing`, ok},
		}},
		{says: "nor the list, which may then be in the way", of: widgets, given: []action{
			a.applies(`spec: {devices: [{name: d, size: 1}]}`), editor.updates(`spec: {devices: [{name: d, slot: 0, size: 1, mode: ro}]}`),
		}, then: []step{
			{a.applies(``), none, `.spec.devices[name="d",slot=0].mode: editor (Update)`, `422 spec.devices: Invalid value: "null"`},
		}},
		{says: "lists with keys in entries of lists with keys", of: widgets, given: []action{a.applies(`spec: {parts: [{name: p, ports: [{port: 80, use: web}]}]}`)}, then: []step{
			{b.applies(`spec: {parts: [{name: p, ports: [{port: 443, use: tls}]}]}`), `spec: {parts: [{name: p, ports: [{port: 80, use: web}, {port: 443, use: tls}]}]}`,
				`.spec.parts[name="p"].ports[port=80].use: a; .spec.parts[name="p"].ports[port=443].use: b; .spec.parts[name="p"].name: a, b`, ok},
			{b.applies(`spec: {parts: [{name: p, ports: [{port: 80, use: other}]}]}`), none, none, `.spec.parts[name="p"].ports[port=80].use: a`},
			{a.applies(`spec: {parts: [{name: p}]}`), `spec: {parts: [{name: p, ports: [{port: 443, use: tls}]}]}`, `a has .spec.parts[name="p"].name`, ok},
		}},
		{says: "an empty list that has entries with owners of their own", of: widgets, given: []action{a.applies(`spec: {text: x}`)}, then: []step{
			{b.applies(`spec: {colors: [], devices: []}`), `spec: {colors: [], devices: []}`, `b has nothing; .spec.colors: nobody`, ok},
			{b.applies(``), unchanged + `, spec: {colors: [], devices: []}`, `b has nothing`, ok},
			{b.applies(`spec: {colors: [red]}`), `spec: {colors: [red]}`, `b has .spec.colors[="red"]`, ok},
			{b.applies(`spec: {colors: []}`), `spec: {colors: (absent)}`, `b has nothing`, ok},
		}},
		{says: "an empty map", of: widgets, given: []action{a.applies(`spec: {text: x}`)}, then: []step{
			{b.applies(`spec: {labels: {}, nested: {}}`), `spec: {labels: {}, nested: {}}`, `b has .spec.labels .spec.nested`, ok},
			{c.applies(`spec: {labels: {x: "1"}}`), `spec: {labels: {x: "1"}}`, `.spec.labels: b; .spec.labels.x: c`, ok},
			{b.applies(``), `spec: {labels: {x: "1"}, nested: (absent)}`, `b has nothing`, ok},
		}},
		{says: "the last field of a struct", of: widgets, given: []action{a.applies(`spec: {text: x}`), b.applies(`spec: {nested: {deep: {x: "1"}}}`)}, then: []step{
			{b.applies(``), `spec: {text: x, nested: (absent)}`, `b has nothing`, ok},
		}},
		{says: "a struct of two managers", of: widgets, given: []action{a.applies(`spec: {nested: {one: "1"}}`)}, then: []step{
			{b.applies(`spec: {nested: {two: "2"}}`), `spec: {nested: {one: "1", two: "2"}}`, `.spec.nested.one: a; .spec.nested.two: b`, ok},
			{b.applies(`spec: {nested: {one: "9", two: "2"}}`), none, none, `.spec.nested.one: a`},
			{a.applies(``), `spec: {nested: {one: (absent), two: "2"}}`, `a has nothing`, ok},
		}},
	},
}
