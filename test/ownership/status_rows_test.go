// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

// ready, notReady and governed are conditions.
const (
	ready    = `status: {conditions: [{type: Ready, status: "True", reason: Tested, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}`
	notReady = `status: {conditions: [{type: Ready, status: "False", reason: Tested, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}`
	governed = `status: {conditions: [{type: Governed, status: "True", reason: Tested, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}`
)

func init() {
	named[ready] = "ready"
	named[notReady] = "not ready"
	named[governed] = "governed"
}

var statuses = theme{
	title: "Status",
	about: "Status has an endpoint of its own, and with it owners of its own: the same manager is another owner there. Conditions are a list with keys, " +
		"so that each has its own owner.",
	rows: []row{
		{says: "a status in an apply of the object", given: []action{a.applies(base)}, then: []step{
			{a.applies(base + "\nstatus: {instanceID: i-1}"), unchanged + `, status: {instanceID: (absent)}`, `.status.instanceID: nobody; a has ` + baseLeaves, ok},
		}},
		{says: "a spec in an apply of the status", given: []action{a.applies(base)}, then: []step{
			{b.appliesStatus("spec: {instanceType: t3.large}\nmetadata: {labels: {x: z}}\nstatus: {instanceID: i-1}"),
				"spec: {instanceType: t3.micro}\nmetadata: {labels: (absent)}\nstatus: {instanceID: i-1}", `b (Apply, status) has .status.instanceID; .spec.instanceType: a`, ok},
			{b.appliesStatus("spec: {instanceType: t3.large}\nstatus: {instanceID: i-1}"), unchanged, none, ok},
		}},
		{says: "the status of no object", then: []step{
			{a.appliesStatus(ready), none, none, `404 not found`},
		}},
		{says: "one manager of spec and status", given: []action{a.applies(base)}, then: []step{
			{a.appliesStatus(`status: {instanceID: i-1}`), `status: {instanceID: i-1}`, `a (Apply, status) has .status.instanceID; a has ` + baseLeaves, ok},
			{a.applies(`spec: {image: {id: ami-00000000000000001}, instanceType: t3.micro}`), `status: {instanceID: i-1}`, `.status.instanceID: a (Apply, status)`, ok},
			{a.appliesStatus(``), `status: {instanceID: (absent)}`, `a (Apply, status) has nothing; a has .spec.image .spec.instanceType`, ok},
		}},
		{says: "a status changes no generation", given: []action{a.applies(base)}, then: []step{
			{b.appliesStatus(ready), `metadata: {generation: 1}`, `.status.conditions[type="Ready"].status: b (Apply, status)`, ok},
		}},
		{says: "conditions of two managers", given: []action{a.applies(base), b.appliesStatus(ready)}, then: []step{
			{c.appliesStatus(governed), `status: {conditions: [{type: Ready}, {type: Governed}]}`,
				`.status.conditions[type="Ready"].status: b (Apply, status); .status.conditions[type="Governed"].status: c (Apply, status)`, ok},
			{b.appliesStatus(ready), unchanged, none, ok},
			{c.appliesStatus(notReady), none, none, `.status.conditions[type="Ready"].status: b (Apply, status)`},
			{c.appliesStatus(``), `status: {conditions: [{type: Ready}]}`, `c (Apply, status) has nothing`, ok},
		}},
		{says: "one condition of two managers", given: []action{a.applies(base), b.appliesStatus(ready)}, then: []step{
			{c.appliesStatus(ready), onlyOwners, `.status.conditions[type="Ready"].status: b (Apply, status), c (Apply, status)`, ok},
			{b.appliesStatus(notReady), none, none, `.status.conditions[type="Ready"].status: c (Apply, status)`},
			{b.appliesStatus(notReady).forced(), `status: {conditions: [{type: Ready, status: "False"}]}`,
				`.status.conditions[type="Ready"].status: b (Apply, status); .status.conditions[type="Ready"].reason: b (Apply, status), c (Apply, status)`, ok},
		}},
		{says: "a condition without its time", given: []action{a.applies(base), b.appliesStatus(ready)}, then: []step{
			{b.appliesStatus(`status: {conditions: [{type: Ready, status: "True", reason: Tested, message: ""}]}`), none, none, `422 status.conditions[0].lastTransitionTime: Required value`},
		}},
		{says: "an empty status is owned", given: []action{a.applies(base)}, then: []step{
			{b.appliesStatus(`status: {}`), onlyOwners, `b (Apply, status) has .status`, ok},
			{b.appliesStatus(`status: {}`), unchanged, none, ok},
			{c.appliesStatus(`status: {instanceID: i-1}`), `status: {instanceID: i-1}`, `.status: b (Apply, status); .status.instanceID: c (Apply, status)`, ok},
			{b.appliesStatus(``), onlyOwners, `b (Apply, status) has nothing`, ok},
		}},
		{says: "an update of the status", given: []action{a.applies(base), b.appliesStatus(`status: {instanceID: i-1}`)}, then: []step{
			{editor.updates("status: {instanceID: i-2}\nspec: {instanceType: t3.large}\nmetadata: {labels: {x: z}}").to("status"),
				"status: {instanceID: i-2}\nspec: {instanceType: t3.micro}\nmetadata: {labels: (absent)}", `.status.instanceID: editor (Update, status); editor (Update) has nothing`, ok},
			{b.appliesStatus(`status: {instanceID: i-1}`), none, none, `.status.instanceID: editor (Update, status)`},
			{b.appliesStatus(`status: {instanceID: i-1}`).forced(), `status: {instanceID: i-1}`, `.status.instanceID: b (Apply, status)`, ok},
		}},
		{says: "a status in an update of the object", given: []action{a.applies(base), b.appliesStatus(`status: {instanceID: i-1}`)}, then: []step{
			{editor.updates(`status: {instanceID: i-2}`), unchanged, `.status.instanceID: b (Apply, status)`, ok},
			{editor.updates("status: null\nspec: {keyName: k1}"), "spec: {keyName: k1}\nstatus: {instanceID: i-1}", `editor (Update) has .spec.keyName`, ok},
		}},
		{says: "the status' default is given up", given: []action{a.applies(base)}, then: []step{
			{b.appliesStatus(`status: {observedGeneration: 1}`), `status: {observedGeneration: 1}`, `.status.observedGeneration: b (Apply, status)`, ok},
			{b.appliesStatus(``), none, `b (Apply, status) has nothing`, ok},
		}},
		{says: "a patch of the status by kubectl", given: []action{a.applies(base), b.appliesStatus(`status: {instanceID: i-1}`)}, then: []step{
			{kubectl{args: `patch OBJECT --subresource=status --type=merge -p {"status":{"instanceID":"i-2"}}`}, `status: {instanceID: i-2}`, `.status.instanceID: kubectl-patch (Update, status)`, ok},
			{manager("thief").kubectlApplies(`status: {instanceID: i-3}`).to("status"), none, none, `.status.instanceID: kubectl-patch (Update, status)`},
			{manager("thief").kubectlApplies(`status: {instanceID: i-3}`).to("status").forced(), `status: {instanceID: i-3}`, `.status.instanceID: thief (Apply, status)`, ok},
		}},
	},
}
