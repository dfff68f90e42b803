// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"slices"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// What is deleted may be gone with the next apply, so controller/apply does not rely on predictions then.
const deletes = apply.ReasonDeleting

// Owner references, by kind of their difference.
const (
	owned      = `metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: parent, uid: 11111111-2222-3333-4444-555555555555}]}`
	blocking   = `metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: parent, uid: 11111111-2222-3333-4444-555555555555, blockOwnerDeletion: true}]}`
	controlled = `metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: parent, uid: 11111111-2222-3333-4444-555555555555, controller: true}]}`
	another    = `metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: other, uid: 66666666-7777-8888-9999-000000000000, controller: true}]}`
	reference1 = `.metadata.ownerReferences[uid="11111111-2222-3333-4444-555555555555"]`
	reference2 = `.metadata.ownerReferences[uid="66666666-7777-8888-9999-000000000000"]`
)

func init() {
	named[owned] = "owner reference"
	named[blocking] = "the same, blocking"
	named[controlled] = "the same, controlling"
	named[another] = "another controller"
}

// finalizer is a manager's own.
func finalizer(m manager) string { return fmt.Sprintf("metadata: {finalizers: [example.com/%s]}", m) }

func finalizerOf(m manager) string {
	return fmt.Sprintf(`.metadata.finalizers[="example.com/%s"]: %s`, m, m)
}

var metadata = theme{
	title: "Metadata and lifecycle",
	about: "Finalizers are a set and owner references a list with keys, so that each has its own owner. A uid guards against another object of the " +
		"same name, a resourceVersion against another version of the same object; the status endpoint does not look at the uid.",
	rows: slices.Concat([]row{
		{says: "finalizers of two managers", given: []action{c.applies(base), a.applies(finalizer(a))}, then: []step{
			{b.applies(finalizer(b)), `metadata: {finalizers: [example.com/a, example.com/b]}`, finalizerOf(a) + "; " + finalizerOf(b), ok},
			{a.applies(finalizer(a)), unchanged, none, ok},
			{b.applies(``), `metadata: {finalizers: [example.com/a]}`, `b has nothing`, ok},
			{a.applies(``), `metadata: {finalizers: (absent)}`, `a has nothing`, ok},
		}},
		{says: "one finalizer of two managers", given: []action{c.applies(base), a.applies(finalizer(a)), b.applies(finalizer(a))}, then: []step{
			{a.applies(``), onlyOwners + `, metadata: {finalizers: [example.com/a]}`, `.metadata.finalizers[="example.com/a"]: b`, ok},
			{b.applies(``), `metadata: {finalizers: (absent)}`, none, ok},
		}},
		{says: "a finalizer of another's", given: []action{c.applies(base), editor.updates(finalizer(a))}, then: []step{
			{a.applies(finalizer(a)), onlyOwners, `.metadata.finalizers[="example.com/a"]: a, editor (Update)`, ok},
			{a.applies(``), onlyOwners + `, metadata: {finalizers: [example.com/a]}`, `.metadata.finalizers[="example.com/a"]: editor (Update)`, ok},
		}},
		{says: "one manager of spec and finalizer, that forgets the finalizer", given: []action{a.applies(base + "\nmetadata: {finalizers: [example.com/a]}")}, then: []step{
			{a.applies(base), `metadata: {finalizers: (absent)}`, `a has ` + baseLeaves, ok},
		}},
		{says: "an object on its way out", given: []action{c.applies(base), a.applies(finalizer(a)), deleting{}}, then: []step{
			{a.applies(finalizer(a)).unsafe(deletes), unchanged, none, ok},
			{a.applies("metadata: {finalizers: [example.com/a, example.com/late]}").unsafe(deletes), none, none, `422 metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted`},
			{b.applies(`metadata: {labels: {x: z}}`).unsafe(deletes), `metadata: {labels: {x: z}}`, `.metadata.labels.x: b`, ok},
			{a.applies(``).withUID(live).unsafe(deletes), gone, none, ok},
			{a.applies(``).withUID(old), none, none, `409 uid mismatch: the provided object specified uid`},
			{a.applies(``), none, none, `422 spec: Required value`},
		}},
		{says: "an apply without a uid creates anew what is gone", given: []action{a.applies(base)}, then: []step{
			{deleting{}, gone, none, ok},
			{a.applies(base).withUID(old), none, none, `409 uid mismatch`},
			{a.applies(base), created, `a has ` + baseLeaves, ok},
		}},
	}, orders(), []row{
		{says: "guards of an object", given: []action{a.applies(base)}, then: []step{
			{a.applies(base + "\nmetadata: {labels: {x: z}}").withUID(other).unsafe(apply.ReasonOtherObject), none, none, `422 metadata.uid: Invalid value`},
			{a.applies(base + "\nmetadata: {labels: {x: z}}").withUID(live).atVersion(live), `metadata: {labels: {x: z}}`, `a has .metadata.labels.x ` + baseLeaves, ok},
			{a.applies(base).atVersion(old).unsafe(apply.ReasonGuarded), none, none, `409 the object has been modified`},
			{a.applies(base + "\nmetadata: {labels: {x: z}}").withUID(live).atVersion(live), unchanged, none, ok},
			{b.applies(small).atVersion(live), none, none, `.spec.instanceType: a`},
		}},
		{says: "a uid of no object", then: []step{
			{a.applies(base).withUID(other), none, none, `409 uid mismatch`},
		}},
		{says: "a resourceVersion does not keep an apply from creating", then: []step{
			{a.applies("metadata: {resourceVersion: \"1\"}\n" + base), created, `a has ` + baseLeaves, ok},
		}},
		{says: "guards of a status", given: []action{a.applies(base)}, then: []step{
			{b.appliesStatus(ready).withUID(other).unsafe(apply.ReasonOtherObject), `status: {conditions: [{type: Ready}]}`, `.status.conditions[type="Ready"]: b (Apply, status)`, ok},
			{b.appliesStatus(ready).atVersion(old).unsafe(apply.ReasonGuarded), none, none, `409 the object has been modified`},
			{b.appliesStatus(ready).atVersion(live), unchanged, none, ok},
		}},
		{says: "an object that was recreated", given: []action{a.applies(base), deleting{}, a.applies(base)}, then: []step{
			{b.applies(finalizer(b)).withUID(old).unsafe(apply.ReasonOtherObject), none, none, `422 metadata.uid: Invalid value`},
			{b.appliesStatus(ready).withUID(old).unsafe(apply.ReasonOtherObject), `status: {conditions: [{type: Ready}]}`, none, ok},
			{b.appliesStatus(notReady).atVersion(old).unsafe(apply.ReasonGuarded), none, none, `409 the object has been modified`},
		}},
		{says: "an update of what was read before", given: []action{a.applies(base), b.applies(`spec: {keyName: k1}`)}, then: []step{
			{editor.updates(large).ofOld().unsafe(apply.ReasonGuarded), none, none, `409 the object has been modified`},
		}},
		{says: "an owner reference of two managers", given: []action{c.applies(base), a.applies(owned)}, then: []step{
			{b.applies(owned), onlyOwners, reference1 + `: a, b`, ok},
			{b.applies(blocking), none, none, reference1 + `: a`},
			{a.applies(``), onlyOwners, reference1 + `: b`, ok},
			{b.applies(``), `metadata: {ownerReferences: (absent)}`, none, ok},
		}},
		{says: "a second controller", given: []action{c.applies(base), a.applies(controlled)}, then: []step{
			{b.applies(another), none, none, `422 Only one reference can have Controller set to true`},
			{b.applies(another).forced(), none, none, `422 Only one reference can have Controller set to true`},
			{a.applies(``), `metadata: {ownerReferences: (absent)}`, none, ok},
			{b.applies(another), none, reference2 + `: b`, ok},
		}},
		{says: "two names for one uid of an owner", given: []action{c.applies(base), a.applies(controlled)}, then: []step{
			{b.applies(owned), none, none, reference1 + `: a`},
			{b.applies(owned).forced(), none, reference1 + `: b`, ok},
		}},
		{says: "a generateName", given: []action{a.applies(base)}, then: []step{
			{b.applies(`metadata: {generateName: web-}`), `metadata: {generateName: web-}`, `b has .metadata.generateName`, ok},
		}},
		{says: "no name in the body of an object that exists", given: []action{a.applies(base)}, then: []step{
			{b.applies(micro).asIs().unsafe(apply.ReasonOtherObject), onlyOwners, `.spec.instanceType: a, b`, ok},
		}},
		{says: "no name in the body of an object that does not exist", then: []step{
			{a.applies("metadata: {generateName: web-}\n" + base).asIs(), none, none, `400 name must be provided`},
		}},
		{says: "a name other than the address'", given: []action{a.applies(base)}, then: []step{
			{b.applies("metadata: {name: other}\n" + micro).unsafe(apply.ReasonOtherObject), none, none, `400 the name of the object (other) does not match the name on the URL`},
		}},
		{says: "what only the API server writes", given: []action{a.applies(base)}, then: []step{
			{b.applies(`metadata: {creationTimestamp: "2026-01-01T00:00:00Z", generation: 7}`), unchanged, `b has nothing`, ok},
			{b.applies(`metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}`), none, none, `422 metadata.deletionTimestamp: Invalid value`},
		}},
		{says: "a dry run", given: []action{a.applies(base)}, then: []step{
			{b.applies(micro).asDryRun(), unchanged, `.spec.instanceType: a`, ok},
			{b.applies(small).asDryRun(), none, none, `.spec.instanceType: a`},
			{b.applies(small).asDryRun().forced(), unchanged + `, spec: {instanceType: t3.micro}`, `.spec.instanceType: a`, ok},
		}},
		{says: "a dry run of a creation", then: []step{
			{a.applies(base).asDryRun(), unchanged, none, ok},
		}},
	}),
}

// orders are the rows of three managers' finalizers, dropped in every order.
func orders() []row {
	var out []row
	for _, order := range [][]manager{{a, b, c}, {a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}} {
		r := row{
			says:  fmt.Sprintf("finalizers of three managers, dropped by %s, %s and %s", order[0], order[1], order[2]),
			given: []action{editor.applies(base), a.applies(finalizer(a)), b.applies(finalizer(b)), c.applies(finalizer(c)), deleting{}},
		}
		left := []manager{a, b, c}
		for _, m := range order[:2] {
			left = slices.DeleteFunc(slices.Clone(left), func(l manager) bool { return l == m })
			value, owners := "", fmt.Sprintf("%s has nothing", m)
			for i, l := range left {
				if i > 0 {
					value += ", "
				}
				value += "example.com/" + string(l)
				owners += "; " + finalizerOf(l)
			}
			r.then = append(r.then, step{m.applies(``).unsafe(deletes), fmt.Sprintf("metadata: {finalizers: [%s]}", value), owners, ok})
		}
		r.then = append(r.then, step{order[2].applies(``).unsafe(deletes), gone, none, ok})
		out = append(out, r)
	}
	return out
}
