// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

const (
	// user is kubectl when it is told no other name.
	user manager = "kubectl"
	team manager = "team"

	csa = "kubectl-client-side-apply"

	lastApplied = ".metadata.annotations.kubectl.kubernetes.io/last-applied-configuration"

	withKey = `spec: {image: {id: ami-00000000000000001}, instanceType: t3.micro, keyName: k1}`
	keyless = `spec: {image: {id: ami-00000000000000001}, instanceType: t3.micro}`
)

func init() {
	named[withKey] = "with key"
	named[keyless] = "without key"
}

var tools = theme{
	title: "kubectl and other tools",
	about: "What the commands of kubectl do to ownership. All but `kubectl apply --server-side` are updates, under a name for each command.",
	rows: []row{
		{says: "kubectl apply --server-side", then: []step{
			{user.kubectlApplies(base), created, `kubectl has ` + baseLeaves, ok},
			{user.kubectlApplies(base), unchanged, none, ok},
			{team.kubectlApplies(`spec: {tags: [{key: b, value: "2"}]}`), `spec: {tags: [{key: a}, {key: b}]}`, `.spec.tags[key="b"].value: team`, ok},
			{team.kubectlApplies(`spec: {instanceType: t3.large, tags: [{key: a, value: "9"}]}`), none, none, `.spec.instanceType: kubectl; .spec.tags[key="a"].value: kubectl`},
			{team.kubectlApplies(large), none, none, `.spec.instanceType: kubectl`},
			{team.kubectlApplies(large).forced(), large, `.spec.instanceType: team; .spec.tags[key="b"]: nobody`, ok},
			{user.kubectlApplies(base).asDryRun(), none, none, `.spec.instanceType: team`},
		}},
		{says: "kubectl apply, and then --server-side", given: []action{kubectl{"apply -f -", withKey}}, then: []step{
			{user.kubectlApplies(keyless).notPredicted("kubectl moves ownership first"), `spec: {keyName: (absent)}`,
				`.spec.instanceType: kubectl; .spec.keyName: nobody; ` + lastApplied + `: kubectl-last-applied; kubectl-client-side-apply (Update) has nothing`, ok},
		}},
		{says: "kubectl apply, and then --server-side under another name", given: []action{kubectl{"apply -f -", withKey}}, then: []step{
			{team.kubectlApplies(keyless).notPredicted("kubectl moves ownership first"), `spec: {keyName: (absent)}`,
				`.spec.instanceType: team; .spec.keyName: nobody; ` + lastApplied + `: nobody; kubectl-client-side-apply (Update) has nothing`, ok},
		}},
		{says: "kubectl apply, and then another client's apply", given: []action{kubectl{"apply -f -", withKey}}, then: []step{
			{a.applies(keyless), onlyOwners + `, spec: {keyName: k1}`, `.spec.instanceType: a, kubectl-client-side-apply (Update); .spec.keyName: kubectl-client-side-apply (Update)`, ok},
			{a.applies(large + "\n"), none, none, `.spec.instanceType: kubectl-client-side-apply (Update)`},
		}},
		{says: "moving the fields of kubectl apply to another manager", given: []action{kubectl{"apply -f -", withKey}}, then: []step{
			{migrating{from: []string{csa}, to: a, dryRun: true}, unchanged, `.spec.keyName: kubectl-client-side-apply (Update)`, ok},
			{migrating{from: []string{csa}, to: a}, onlyOwners, `.spec.keyName: a; kubectl-client-side-apply (Update) has nothing`, ok},
			{a.applies(keyless), `spec: {keyName: (absent)}`, lastApplied + `: nobody; a has .spec.image .spec.instanceType`, ok},
		}},
		{says: "moving an update's fields to the manager of the same name", given: []action{a.applies(base), a.updates(`spec: {keyName: k1}`)}, then: []step{
			{migrating{from: []string{"a"}, to: a}, onlyOwners, `.spec.keyName: a; .spec.instanceType: a; a (Update) has nothing`, ok},
			{a.applies(base), `spec: {keyName: (absent)}`, none, ok},
		}},
		{says: "kubectl apply on what others apply", given: []action{a.applies(base)}, then: []step{
			{kubectl{"apply -f -", large}, large, `.spec.instanceType: kubectl-client-side-apply (Update); .spec.image: a; ` + lastApplied + `: kubectl-client-side-apply (Update)`, ok},
			{a.applies(base), none, none, `.spec.instanceType: kubectl-client-side-apply (Update)`},
		}},
		{says: "kubectl create", then: []step{
			{kubectl{"create -f -", base}, created, `.spec.instanceType: kubectl-create (Update)`, ok},
			{user.kubectlApplies(base), onlyOwners, `.spec.instanceType: kubectl, kubectl-create (Update)`, ok},
		}},
		{says: "kubectl label and annotate", given: []action{a.applies(base + "\nmetadata: {labels: {team: shop}}")}, then: []step{
			{kubectl{args: "label OBJECT tier=web"}, `metadata: {labels: {team: shop, tier: web}}`, `.metadata.labels.tier: kubectl-label (Update); .metadata.labels.team: a`, ok},
			{kubectl{args: "label OBJECT --overwrite team=ops"}, `metadata: {labels: {team: ops}}`, `.metadata.labels.team: kubectl-label (Update)`, ok},
			{kubectl{args: "annotate OBJECT example.com/note=one"}, `metadata: {annotations: {example.com/note: one}}`, `.metadata.annotations.example.com/note: kubectl-annotate (Update)`, ok},
			{a.applies(base + "\nmetadata: {labels: {team: shop}}"), none, none, `.metadata.labels.team: kubectl-label (Update)`},
			{kubectl{args: "label OBJECT team-"}, `metadata: {labels: {team: (absent)}}`, `.metadata.labels.team: nobody`, ok},
		}},
		{says: "kubectl patch", given: []action{a.applies(base)}, then: []step{
			{kubectl{args: `patch OBJECT --type=merge -p {"spec":{"instanceType":"t3.large"}}`}, large, `.spec.instanceType: kubectl-patch (Update)`, ok},
			{kubectl{args: `patch OBJECT --type=json -p [{"op":"remove","path":"/spec/tags"}]`}, `spec: {tags: (absent)}`, `a has .spec.image`, ok},
		}},
		{says: "kubectl replace", given: []action{a.applies(base), b.applies(`spec: {keyName: k1}`)}, then: []step{
			{kubectl{"replace -f -", `spec: {image: {id: ami-00000000000000001}, instanceType: t3.large}`}, `spec: {instanceType: t3.large, keyName: (absent), tags: (absent)}`,
				`.spec.instanceType: kubectl-replace (Update); a has .spec.image; b has nothing`, ok},
		}},
		{says: "kubectl delete and apply again", given: []action{user.kubectlApplies(base), a.applies(`spec: {keyName: k1}`)}, then: []step{
			{kubectl{args: "delete OBJECT --wait=false"}, gone, none, ok},
			{user.kubectlApplies(base), created + `, spec: {keyName: (absent)}`, `a has nothing; kubectl has ` + baseLeaves, ok},
		}},
		{says: "kubectl scale", of: deployments, given: []action{a.applies(deployment + "\n  replicas: 1")}, then: []step{
			{kubectl{args: "scale OBJECT --replicas=3"}, `spec: {replicas: 3}`, `.spec.replicas: kubectl (Update, scale)`, ok},
			{a.applies(deployment + "\n  replicas: 1"), none, none, `.spec.replicas: kubectl (Update, scale)`},
			{a.applies(deployment), unchanged + `, spec: {replicas: 3}`, `.spec.replicas: kubectl (Update, scale)`, ok},
		}},
		{says: "handing replicas to an autoscaler too early", of: deployments, given: []action{a.applies(deployment + "\n  replicas: 3")}, then: []step{
			{a.applies(deployment), `spec: {replicas: 1}`, `.spec.replicas: nobody`, ok},
		}},
		{says: "handing replicas to an autoscaler in time", of: deployments, given: []action{a.applies(deployment + "\n  replicas: 3")}, then: []step{
			{manager("autoscaler").applies(scale(3)).to("scale"), onlyOwners, `.spec.replicas: a, autoscaler (Apply, scale)`, ok},
			{a.applies(deployment), onlyOwners + `, spec: {replicas: 3}`, `.spec.replicas: autoscaler (Apply, scale)`, ok},
			{manager("autoscaler").applies(scale(5)).to("scale"), `spec: {replicas: 5}`, `.spec.replicas: autoscaler (Apply, scale)`, ok},
		}},
		{says: "the scale of a kind of one's own", of: gauges, given: []action{a.applies(`spec: {replicas: 1}`)}, then: []step{
			{b.applies(scale(2)).to("scale").notPredicted("the scale is an object of another kind"), none, none, `.spec.replicas: a`},
			{b.applies(scale(2)).to("scale").forced().notPredicted("the scale is an object of another kind"), none, none, `500 request to convert CR to an invalid group/version: autoscaling/v1`},
			{kubectl{args: "scale OBJECT --replicas=2"}, `spec: {replicas: 2}`, `.spec.replicas: kubectl (Update, scale)`, ok},
			{a.applies(`spec: {replicas: 1}`), none, none, `.spec.replicas: kubectl (Update, scale)`},
		}},
		{says: "ports of a Service", of: services, given: []action{a.applies(`spec: {ports: [{name: http, port: 80}]}`)}, then: []step{
			{b.applies(`spec: {ports: [{name: metrics, port: 9100}]}`), `spec: {ports: [{name: http, port: 80, protocol: TCP}, {name: metrics, port: 9100, protocol: TCP}]}`,
				`.spec.ports[port=80,protocol="TCP"].name: a; .spec.ports[port=9100,protocol="TCP"].name: b`, ok},
			{b.applies(`spec: {ports: [{name: web, port: 80}]}`), none, none, `.spec.ports[port=80,protocol="TCP"].name: a`},
			{a.applies(`spec: {ports: [{name: http, port: 80}]}`), unchanged, none, ok},
		}},
		{says: "keys of a ConfigMap", of: configMaps, given: []action{a.applies(`data: {id: i-1}`)}, then: []step{
			{b.applies(`data: {note: mine}`), `data: {id: i-1, note: mine}`, `.data.id: a; .data.note: b`, ok},
			{kubectl{args: `patch OBJECT --type=merge -p {"data":{"id":"i-2"}}`}, `data: {id: i-2}`, `.data.id: kubectl-patch (Update)`, ok},
			{a.applies(`data: {id: i-1}`).forced(), `data: {id: i-1}`, `.data.id: a`, ok},
		}},
	},
}

// deployment needs some more lines of spec.
const deployment = `spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}`

func init() { named[deployment] = "deployment" }

func scale(replicas int) string {
	return "apiVersion: autoscaling/v1\nkind: Scale\nspec: {replicas: " + string(rune('0'+replicas)) + "}"
}
