// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import "github.com/fieldowner/ec2-operator/controller/apply"

// base is what most rows begin with.
const base = `spec: {image: {id: ami-00000000000000001}, instanceType: t3.micro, tags: [{key: a, value: "1"}]}`

func init() { named[base] = "base" }

// baseLeaves are its leaves.
const baseLeaves = `.spec.image .spec.instanceType .spec.tags[key="a"].key .spec.tags[key="a"].value`

// micro and small are one field of it.
const (
	micro = `spec: {instanceType: t3.micro}`
	small = `spec: {instanceType: t3.small}`
	large = `spec: {instanceType: t3.large}`
)

var basics = theme{
	title: "Basics",
	about: "Who applies a value owns it. A value may have several owners, as long as they agree. Another value is a conflict, unless it comes " +
		"by force, or by an update, which asks nobody.",
	rows: []row{
		{says: "creating by apply", then: []step{
			{a.applies(base), created, `a has ` + baseLeaves + `; .spec.tags[key="a"]: a`, ok},
		}},
		{says: "applying the same again", given: []action{a.applies(base)}, then: []step{
			{a.applies(base).aSecondLater(), unchanged, `a has ` + baseLeaves, ok},
			{a.applies(base).forced(), unchanged, `a has ` + baseLeaves, ok},
		}},
		{says: "sharing a value", given: []action{a.applies(base)}, then: []step{
			{b.applies(micro), onlyOwners + ", metadata: {generation: 1}\nspec: {instanceType: t3.micro}", `.spec.instanceType: a, b; .spec.image: a`, ok},
			{a.applies(base), unchanged, `.spec.instanceType: a, b`, ok},
			{b.applies(micro), unchanged, `.spec.instanceType: a, b`, ok},
		}},
		{says: "sharing a value by force", given: []action{a.applies(base)}, then: []step{
			{b.applies(micro).forced(), onlyOwners, `.spec.instanceType: a, b`, ok},
		}},
		{says: "another value than the owner's", given: []action{a.applies(base)}, then: []step{
			{b.applies(small), `spec: {instanceType: t3.micro}`, `.spec.instanceType: a; b has nothing`, `.spec.instanceType: a`},
		}},
		{says: "another value than the owners'", given: []action{a.applies(base), b.applies(micro)}, then: []step{
			{c.applies(small), none, `.spec.instanceType: a, b`, `.spec.instanceType: a, b`},
		}},
		{says: "several values of several owners", given: []action{a.applies(base), b.applies(`spec: {keyName: k1, suspend: true}`)}, then: []step{
			{c.applies(`spec: {instanceType: t3.small, keyName: k2, suspend: false}`), none, `c has nothing`,
				`.spec.instanceType: a; .spec.keyName: b; .spec.suspend: b`},
		}},
		{says: "a conflict in one field stops the others", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {instanceType: t3.small, keyName: k1}`), `spec: {keyName: (absent)}`, `.spec.keyName: nobody`, `.spec.instanceType: a`},
		}},
		{says: "a co-owner wants another value", given: []action{a.applies(base), b.applies(micro)}, then: []step{
			{b.applies(small), none, `.spec.instanceType: a, b`, `.spec.instanceType: a`},
			{b.applies(small).forced(), small, `.spec.instanceType: b`, ok},
			{a.applies(base), none, `.spec.instanceType: b`, `.spec.instanceType: b`},
		}},
		{says: "force takes from all owners", given: []action{a.applies(base), b.applies(micro)}, then: []step{
			{c.applies(small).forced(), small, `.spec.instanceType: c; b has nothing; a has .spec.image .spec.tags[key="a"].key .spec.tags[key="a"].value`, ok},
			{c.applies(small).forced(), unchanged, `.spec.instanceType: c`, ok},
		}},
		{says: "giving up a shared value", given: []action{a.applies(base), b.applies(micro)}, then: []step{
			{a.applies(`spec: {image: {id: ami-00000000000000001}, tags: [{key: a, value: "1"}]}`), onlyOwners + `, spec: {instanceType: t3.micro}`,
				`.spec.instanceType: b`, ok},
			{b.applies(small), small, `.spec.instanceType: b`, ok},
		}},
		{says: "giving up a value of one's own", given: []action{a.applies(`spec: {image: {id: ami-00000000000000001}, instanceType: t3.micro, keyName: k1}`)}, then: []step{
			{a.applies(`spec: {image: {id: ami-00000000000000001}, instanceType: t3.micro}`), `spec: {keyName: (absent)}`, `.spec.keyName: nobody`, ok},
		}},
		{says: "giving up all, with a part that others need", given: []action{a.applies(base), b.applies(`spec: {keyName: k1}`)}, then: []step{
			{a.applies(``), none, `a has ` + baseLeaves, `422 spec.image: Invalid value: must set image unless launchTemplate or adopt is set`},
			{b.applies(``), `spec: {keyName: (absent)}`, `b has nothing`, ok},
		}},
		{says: "the sole owner gives up all that is required", given: []action{a.applies(base)}, then: []step{
			{a.applies(``), none, `a has ` + baseLeaves, `422 spec: Required value`},
		}},
		{says: "a removal never conflicts", given: []action{a.applies(base), b.applies(micro), c.applies(micro)}, then: []step{
			{b.applies(``), onlyOwners, `.spec.instanceType: a, c`, ok},
			{c.applies(``), onlyOwners, `.spec.instanceType: a`, ok},
		}},
		{says: "an update takes what it changes", given: []action{a.applies(base)}, then: []step{
			{editor.updates(large), large, `.spec.instanceType: editor (Update); .spec.image: a`, ok},
			{a.applies(base), large, `.spec.instanceType: editor (Update)`, `.spec.instanceType: editor (Update)`},
			{a.applies(`spec: {image: {id: ami-00000000000000001}, tags: [{key: a, value: "1"}]}`), unchanged + `, spec: {instanceType: t3.large}`,
				`.spec.instanceType: editor (Update)`, ok},
			{a.applies(base).forced(), micro, `.spec.instanceType: a; editor (Update) has nothing`, ok},
		}},
		{says: "an update takes from all owners", given: []action{a.applies(base), b.applies(micro)}, then: []step{
			{editor.updates(large), large, `.spec.instanceType: editor (Update); b has nothing`, ok},
		}},
		{says: "an update that changes nothing owns nothing", given: []action{a.applies(base)}, then: []step{
			{editor.updates(``), unchanged, `editor (Update) has nothing`, ok},
		}},
		{says: "an update's owner keeps the field when the applier leaves", given: []action{a.applies(base), editor.updates(`spec: {keyName: k1}`), b.applies(`spec: {keyName: k1}`)}, then: []step{
			{b.applies(``), onlyOwners + `, spec: {keyName: k1}`, `.spec.keyName: editor (Update)`, ok},
		}},
		{says: "an update removes another's field", given: []action{a.applies(base), b.applies(`spec: {keyName: k1}`)}, then: []step{
			{editor.updates(`spec: {keyName: null}`), `spec: {keyName: (absent)}`, `.spec.keyName: nobody; b has nothing`, ok},
			{b.applies(`spec: {keyName: k1}`), `spec: {keyName: k1}`, `.spec.keyName: b`, ok},
		}},
		{says: "a second update by another manager", given: []action{a.applies(base), editor.updates(`spec: {keyName: k1}`)}, then: []step{
			{manager("tool").updates(`spec: {keyName: k2}`), `spec: {keyName: k2}`, `.spec.keyName: tool (Update); editor (Update) has nothing`, ok},
		}},
		{says: "a replacement of the whole object", given: []action{a.applies(base), b.applies(`spec: {keyName: k1}`)}, then: []step{
			{editor.replacesWith(`spec: {image: {id: ami-00000000000000001}, instanceType: t3.large}`),
				`spec: {instanceType: t3.large, keyName: (absent), tags: (absent)}`,
				`a has .spec.image; .spec.instanceType: editor (Update); b has nothing`, ok},
		}},
		{says: "a merge patch takes what it changes", given: []action{a.applies(base)}, then: []step{
			{editor.patches(large), large, `.spec.instanceType: editor (Update)`, ok},
			{editor.patches(`spec: {suspend: false, instanceType: t3.large}`), `spec: {suspend: false}`,
				`editor (Update) has .spec.instanceType .spec.suspend`, ok},
		}},
		{says: "one name, two operations", given: []action{a.applies(base)}, then: []step{
			{a.updates(large), large, `.spec.instanceType: a (Update); .spec.image: a`, ok},
			{a.applies(base), none, `.spec.instanceType: a (Update)`, `.spec.instanceType: a (Update)`},
			{a.applies(base).forced(), micro, `.spec.instanceType: a; a (Update) has nothing`, ok},
		}},
		{says: "creating by POST", then: []step{
			{editor.creates(base), created, `.spec.instanceType: editor (Update); .spec.tags: editor (Update); .spec: editor (Update)`, ok},
			{a.applies(base), onlyOwners, `.spec.instanceType: a, editor (Update)`, ok},
			{a.applies(small), none, none, `.spec.instanceType: editor (Update)`},
			{a.applies(`spec: {image: {id: ami-00000000000000001}, instanceType: t3.micro}`), onlyOwners + `, spec: {tags: [{key: a, value: "1"}]}`,
				`.spec.tags[key="a"].value: editor (Update)`, ok},
		}},
		{says: "a client that names no manager", then: []step{
			{posting{agent: "Mozilla/5.0", body: base}, created, `.spec.instanceType: Mozilla (Update)`, ok},
		}},
		{says: "the eleventh manager by update", given: []action{a.applies(base), labelling{count: 10}}, then: []step{
			{manager("m11").updates(`metadata: {labels: {l11: x}}`), `metadata: {labels: {l11: x}}`,
				`.metadata.labels.l01: ancient-changes (Update); .metadata.labels.l02: ancient-changes (Update); ` +
					`.metadata.labels.l03: m03 (Update); .metadata.labels.l11: m11 (Update); .spec.image: a`, ok},
		}},
		{says: "the eleventh manager by apply", given: []action{a.applies(base), labelling{count: 10, apply: true}}, then: []step{
			{manager("m11").applies(`metadata: {labels: {l11: x}}`), `metadata: {labels: {l11: x}}`,
				`.metadata.labels.l01: m01; .metadata.labels.l11: m11; .spec.image: a`, ok},
		}},
		{says: "releasing what others do not need", given: []action{a.applies(base), b.applies(`spec: {instanceType: t3.micro, keyName: k1}`)}, then: []step{
			{b.releases(), `spec: {instanceType: t3.micro, keyName: (absent)}`, `b has nothing; .spec.instanceType: a`, ok},
		}},
		{says: "releasing what is required", given: []action{a.applies(base), b.applies(`spec: {keyName: k1}`)}, then: []step{
			{a.releases(), `spec: {image: {id: ami-00000000000000001}, instanceType: t3.micro, tags: (absent), keyName: k1}`,
				`a has nothing; .spec.image: nobody; .spec.instanceType: nobody; b has .spec.keyName`, ok},
			{c.applies(small), small, `.spec.instanceType: c`, ok},
		}},
		{says: "releasing the whole of an object", given: []action{a.applies(base)}, then: []step{
			{a.releases(), onlyOwners + `, spec: {image: {id: ami-00000000000000001}, instanceType: t3.micro}`, `a has nothing; .spec.image: nobody`, ok},
		}},
		{says: "handing a value over", given: []action{a.applies(base)}, then: []step{
			{manager("handover").applies(micro), onlyOwners, `.spec.instanceType: a, handover`, ok},
			{a.applies(`spec: {image: {id: ami-00000000000000001}, tags: [{key: a, value: "1"}]}`), onlyOwners, `.spec.instanceType: handover`, ok},
			{b.applies(micro), onlyOwners, `.spec.instanceType: b, handover`, ok},
			{manager("handover").applies(``), onlyOwners, `.spec.instanceType: b`, ok},
		}},
		{says: "managedFields that were cleared", given: []action{a.applies(base), b.applies(`spec: {keyName: k1}`)}, then: []step{
			{editor.patches(`metadata: {managedFields: [{}]}`).notPredicted("managedFields are cleared"), onlyOwners, `a has nothing; b has nothing`, ok},
			{b.applies(`spec: {keyName: k1}`).unsafe(apply.ReasonNoManagedFields), onlyOwners,
				`.spec.keyName: b, before-first-apply (Update); .spec.instanceType: before-first-apply (Update)`, ok},
			{b.applies(``), onlyOwners + `, spec: {keyName: k1}`, `.spec.keyName: before-first-apply (Update)`, ok},
			{b.applies(`spec: {keyName: k2}`), none, none, `.spec.keyName: before-first-apply (Update)`},
			{migrating{from: []string{"before-first-apply"}, to: b}, onlyOwners, `.spec.keyName: b; .spec.instanceType: b; before-first-apply (Update) has nothing`, ok},
			{b.applies(base), `spec: {keyName: (absent)}`, `b has ` + baseLeaves, ok},
		}},
		{says: "managedFields set to an empty list", given: []action{a.applies(base)}, then: []step{
			{editor.patches(`metadata: {managedFields: []}`).notPredicted("managedFields are cleared"), unchanged, `a has ` + baseLeaves, ok},
		}},
	},
}
