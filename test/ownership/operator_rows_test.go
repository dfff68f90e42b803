// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// What users apply where the operator is at work: an instance, and the same with more.
var (
	instance = instanceWith(``)
	tagged   = instanceWith(`, tags: [{key: a, value: "1"}]`)
	retagged = instanceWith(`, tags: [{key: a, value: "2"}]`)
	stopped  = instanceWith(`, powerState: Stopped`)
	exposed  = instanceWith(`, expose: {serviceName: web, ports: [{name: http, port: 80, targetPort: 8080}]}, connection: {configMapName: web-connection}`)
)

func instanceWith(more string) string {
	return fmt.Sprintf(`spec: {accountRef: {name: %s}, image: {id: %s}, instanceType: t3.micro, subnetID: %s, securityGroupIDs: [%s]%s}`,
		account, ec2sim.ImageAL2023, ec2sim.SubnetA, ec2sim.SecurityGroupDefault, more)
}

func init() {
	named[instance] = "instance"
	named[tagged] = "instance with tag a=1"
	named[retagged] = "instance with tag a=2"
	named[stopped] = "instance, stopped"
	named[exposed] = "instance with Service and ConfigMap"
}

// Who owns what is the operator's.
const (
	ours = `.metadata.finalizers[="ec2.fieldowner.dev/instance"]: ec2-instance-lifecycle; ` +
		`.metadata.annotations.ec2.fieldowner.dev/launch: ec2-instance-lifecycle; ` +
		`.status.instanceID: ec2-instance (Apply, status); .status.conditions[type="Ready"].status: ec2-instance (Apply, status)`
	runs = `status: {state: running}`

	flux    manager = "kustomize-controller"
	restore manager = "restore"
	thief   manager = "thief"
	audit   manager = "audit"
)

// stolen is a status that is not so.
const stolen = `status: {instanceID: i-00000000000000000}`

// compliant is a condition that is not the operator's.
const compliant = `status: {conditions: [{type: Compliant, status: "True", reason: Audited, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}]}`

func init() { named[compliant] = "compliant" }

var operatorTheme = theme{
	title: "The operator beside others",
	about: "Here the operator runs, as a process of its own with the rights that it has in a cluster. It owns its finalizer, its annotation and the " +
		"status, and nothing of spec, after every one of these. A row's value and owners are what comes true, by the operator's doing.",
	rows: []row{
		{says: "a user applies, and again", then: []step{
			{user.kubectlApplies(tagged), runs, `.spec.instanceType: kubectl; ` + ours, ok},
			{settling{}, none, none, ok},
			{user.kubectlApplies(tagged), none, `.spec.tags[key="a"].value: kubectl; ` + ours, ok},
			{observing{"the operator writes nothing for that", wroteAtMost(0)}, none, none, ok},
		}},
		{says: "two users with their own tags", given: []action{user.kubectlApplies(tagged), settling{}}, then: []step{
			{team.kubectlApplies(`spec: {tags: [{key: cost, value: "7"}]}`), none, `.spec.tags[key="cost"].value: team; ` + ours, ok},
			{observing{"both tags are in EC2", inEC2("a=1", "cost=7")}, none, none, ok},
			{team.kubectlApplies(`spec: {tags: [{key: a, value: "9"}]}`), none, none, `.spec.tags[key="a"].value: kubectl`},
			{team.kubectlApplies(``), `spec: {tags: [{key: a}]}`, `team has nothing`, ok},
			{observing{"the second tag has left EC2", inEC2("a=1", "cost=")}, none, none, ok},
		}},
		{says: "kubectl apply first, and --server-side later", given: []action{kubectl{"apply -f -", tagged}, settling{}}, then: []step{
			{looking{}, runs, `.spec.tags[key="a"].value: kubectl-client-side-apply (Update); ` + ours, ok},
			{user.kubectlApplies(instance), `spec: {tags: (absent)}`, `.spec.instanceType: kubectl; kubectl-client-side-apply (Update) has nothing; ` + ours, ok},
			{observing{"the tag has left EC2", inEC2("a=")}, none, none, ok},
		}},
		{says: "a controller that reads and updates the whole object, on end", given: []action{user.kubectlApplies(instance)}, then: []step{
			{repeating{do: counting(editor), times: 100}, none, `.spec.instanceType: kubectl`, ok},
			{settling{}, runs, `.spec.instanceType: kubectl; .metadata.annotations.example.com/seen: editor (Update); ` + ours, ok},
			{observing{"there is one instance in EC2", inEC2()}, none, none, ok},
		}},
		{says: "an update of what was read before the operator came", given: []action{user.kubectlApplies(instance), settling{}}, then: []step{
			{editor.updates(large).ofOld(), none, ours, `409 the object has been modified`},
		}},
		{says: "a replacement without what is the operator's", given: []action{user.kubectlApplies(instance), settling{}}, then: []step{
			{kubectl{"replace -f -", instance}, runs + "\nmetadata: {finalizers: [ec2.fieldowner.dev/instance]}", `.spec.instanceType: kubectl; .metadata.finalizers[="ec2.fieldowner.dev/instance"]: ec2-instance-lifecycle`, ok},
			{settling{}, none, none, ok},
			{observing{"it is the same instance", launchedOnce}, none, none, ok},
		}},
		{says: "a GitOps tool that applies all of spec with force, every second", given: []action{flux.applies(tagged).forced(), settling{}}, then: []step{
			{repeating{do: flux.applies(tagged).forced(), times: 5, every: time.Second}, runs, `.spec.tags[key="a"].value: kustomize-controller; ` + ours, ok},
			{observing{"the operator writes nothing for that", wroteAtMost(0)}, none, none, ok},
			{kubectl{args: `patch OBJECT --type=merge -p {"spec":{"tags":[{"key":"a","value":"9"}]}}`}, none, `.spec.tags[key="a"].value: kubectl-patch (Update)`, ok},
			{observing{"the change is in EC2", inEC2("a=9")}, none, none, ok},
			{repeating{do: flux.applies(tagged).forced(), times: 3, every: time.Second}, none, `.spec.tags[key="a"].value: kustomize-controller; ` + ours, ok},
			{observing{"Git's tag is in EC2", inEC2("a=1")}, none, none, ok},
		}},
		{says: "somebody clears managedFields", given: []action{user.kubectlApplies(tagged), settling{}}, then: []step{
			{editor.patches(`metadata: {managedFields: [{}]}`), runs, none, ok},
			{kubectl{args: "label OBJECT tier=web"}, `metadata: {labels: {tier: web}}`, ours, ok},
			{user.kubectlApplies(retagged), none, none, `.spec.tags[key="a"].value: before-first-apply (Update)`},
			{user.kubectlApplies(retagged).forced(), `metadata: {labels: {tier: web}}`,
				`.spec.tags[key="a"].value: kubectl; .spec.instanceType: before-first-apply (Update), kubectl; ` + ours, ok},
			{observing{"the change is in EC2", inEC2("a=2")}, none, ours, ok},
			{settling{}, none, ours, ok},
			{deleting{}, gone, none, ok},
		}},
		{says: "a user's labels, annotations, finalizer and condition", given: []action{user.kubectlApplies(instance), settling{}}, then: []step{
			{audit.kubectlApplies(`metadata: {labels: {l: x}, annotations: {example.com/n: x}, finalizers: [example.com/audit]}`), none, `.metadata.labels.l: audit; ` + ours, ok},
			{audit.kubectlApplies(compliant).to("status"), none, `.status.conditions[type="Compliant"].status: audit (Apply, status); ` + ours, ok},
			{user.kubectlApplies(stopped),
				"metadata: {labels: {l: x}, annotations: {example.com/n: x}}\nstatus: {state: stopped}",
				`.status.conditions[type="Compliant"].status: audit (Apply, status); .metadata.finalizers[="example.com/audit"]: audit; ` + ours, ok},
			{deleting{}, `metadata: {labels: {l: x}, annotations: {example.com/n: x}, finalizers: [example.com/audit]}`,
				`.status.conditions[type="Compliant"].status: audit (Apply, status); ec2-instance-lifecycle has nothing`, ok},
			{audit.kubectlApplies(``), gone, none, ok},
		}},
		{says: "the operator's finalizer goes between two others", given: []action{
			a.applies(instance), settling{}, b.applies(finalizer(b)), c.applies(finalizer(c)),
		}, then: []step{
			{deleting{}, `metadata: {finalizers: [example.com/b, example.com/c]}`, finalizerOf(b) + "; " + finalizerOf(c), ok},
			{observing{"nothing is left in EC2", nothingInEC2}, none, none, ok},
			{b.applies(``), `metadata: {finalizers: [example.com/c]}`, `b has nothing`, ok},
			{c.applies(``), gone, none, ok},
		}},
		{says: "two others' finalizers go before the operator's", given: []action{
			a.applies(instance), settling{}, b.applies(finalizer(b)), c.applies(finalizer(c)),
		}, then: []step{
			{c.applies(``), `metadata: {finalizers: [ec2.fieldowner.dev/instance, example.com/b]}`, finalizerOf(b) + "; c has nothing; " + ours, ok},
			{b.applies(``), `metadata: {finalizers: [ec2.fieldowner.dev/instance]}`, ours, ok},
			{deleting{}, gone, none, ok},
		}},
		{says: "another owns the operator's finalizer, too", given: []action{user.kubectlApplies(instance), settling{},
			restore.kubectlApplies(`metadata: {finalizers: [ec2.fieldowner.dev/instance]}`)}, then: []step{
			{deleting{}, `metadata: {finalizers: [ec2.fieldowner.dev/instance]}`, `.metadata.finalizers[="ec2.fieldowner.dev/instance"]: restore`, ok},
			{observing{"the operator says that it cannot give it up, and nothing is left in EC2", stalledOverFinalizer}, none, none, ok},
			{restore.kubectlApplies(``), gone, none, ok},
		}},
		{says: "a field of the status is taken once", given: []action{user.kubectlApplies(instance), settling{}}, then: []step{
			{thief.kubectlApplies(stolen).to("status").forced(), runs, `thief (Apply, status) has nothing; ` + ours, ok},
			{observing{"an event names who took it, and nothing is contested", tookBack(`.status.instanceID (thief (Apply, status))`)}, none, none, ok},
			{observing{"it was taken back in one write", wroteAtMost(1)}, none, none, ok},
		}},
		{says: "a field of the status is changed by an update", given: []action{user.kubectlApplies(instance), settling{}}, then: []step{
			{kubectl{args: `patch OBJECT --subresource=status --type=merge -p ` + `{"status":{"instanceID":"i-00000000000000000"}}`}, none, `kubectl-patch (Update, status) has nothing; ` + ours, ok},
			{observing{"an event names who took it, and nothing is contested", tookBack(`.status.instanceID (kubectl-patch (Update, status))`)}, none, none, ok},
		}},
		{says: "all of the status is removed by an update", given: []action{user.kubectlApplies(instance), settling{}}, then: []step{
			{editor.updates(`status: null`).to("status"), runs, ours, ok},
			{settling{}, none, ours, ok},
			{observing{"it is the same instance", launchedOnce}, none, none, ok},
		}},
		{says: "a field of the status is taken again", given: []action{user.kubectlApplies(instance), settling{}}, then: []step{
			{thief.kubectlApplies(stolen).to("status").forced(), runs, ours, ok},
			{thief.kubectlApplies(stolen).to("status").forced(), `status: {instanceID: i-00000000000000000}`,
				`.status.instanceID: thief (Apply, status); .status.conditions[type="Contested"].status: ec2-instance (Apply, status)`, ok},
			{observing{"condition Contested says who fights, and over what", contested(`.status.instanceID`, `thief (Apply, status)`)}, none, none, ok},
			{observing{"the operator has stopped writing", wroteAtMost(2)}, none, none, ok},
			{observing{"the operator acts on the instance that it knows, all the same", launchedOnce}, none, none, ok},
		}},
		{says: "a field of the Service is taken, and again", given: []action{user.kubectlApplies(exposed), settling{}}, then: []step{
			{onChild{services, web, looking{}}, `spec: {ports: [{name: http, port: 80, targetPort: 8080}]}`, `.spec.ports[port=80,protocol="TCP"].targetPort: ec2-instance`, ok},
			{onChild{services, web, team.applies("metadata: {labels: {l: x}}\nspec: {ports: [{name: metrics, port: 9100}]}")},
				`spec: {ports: [{port: 80}, {port: 9100}]}`, `.spec.ports[port=9100,protocol="TCP"].name: team; .metadata.labels.l: team`, ok},
			{onChild{services, web, thief.applies(`spec: {ports: [{port: 80, targetPort: 9999}]}`)}, none, none, `.spec.ports[port=80,protocol="TCP"].targetPort: ec2-instance`},
			{onChild{services, web, thief.applies(`spec: {ports: [{port: 80, targetPort: 9999}]}`).forced()},
				`spec: {ports: [{port: 80, targetPort: 8080}, {port: 9100}]}`, `.spec.ports[port=80,protocol="TCP"].targetPort: ec2-instance`, ok},
			{observing{"an event names who took it", tookBack(`Service "web" .spec.ports[port=80,protocol="TCP"].targetPort (thief (Apply))`)}, none, none, ok},
			{onChild{services, web, thief.applies(`spec: {ports: [{port: 80, targetPort: 9999}]}`).forced()},
				`spec: {ports: [{port: 80, targetPort: 9999}, {port: 9100}]}`, `.spec.ports[port=80,protocol="TCP"].targetPort: thief; .spec.ports[port=9100,protocol="TCP"].name: team`, ok},
			{observing{"condition Contested says who fights, and over what", contested(`Service "web" .spec.ports[port=80,protocol="TCP"].targetPort`, `thief (Apply)`)}, none, ours, ok},
		}},
		{says: "a key of the ConfigMap is changed", given: []action{user.kubectlApplies(exposed), settling{}}, then: []step{
			{onChild{configMaps, web + "-connection", kubectl{args: `patch OBJECT --type=merge -p {"data":{"instanceID":"i-0","note":"mine"}}`}},
				`data: {note: mine, region: eu-central-1}`, `.data.instanceID: ec2-instance; .data.note: kubectl-patch (Update)`, ok},
		}},
		{says: "an object that is recreated", given: []action{user.kubectlApplies(instance), settling{}}, then: []step{
			{deleting{}, gone, none, ok},
			{user.kubectlApplies(instance), none, `.spec.instanceType: kubectl`, ok},
			{settling{}, runs, ours, ok},
			{b.appliesStatus(compliant).atVersion(old), none, none, `409 the object has been modified`},
			{b.applies(finalizer(b)).withUID(old), none, none, `422 metadata.uid: Invalid value`},
			{observing{"the new object has an instance of its own, and nothing of the old one", inEC2()}, none, none, ok},
		}},
		{says: "a user changes a tag", given: []action{user.kubectlApplies(tagged), settling{}}, then: []step{
			{user.applies(retagged), none, `.spec.tags[key="a"].value: kubectl; ` + ours, ok},
			{observing{"the change is in EC2", inEC2("a=2")}, none, none, ok},
			{settling{}, none, none, ok},
			{observing{"the operator wrote twice, when it began and when it was in effect", wrote(2)}, none, none, ok},
			{resting{long}, none, none, ok},
			{observing{"and not again", wrote(2)}, none, none, ok},
		}},
		{says: "the CRD gets another field with a default", alone: true, given: []action{user.kubectlApplies(tagged), settling{}}, then: []step{
			{extending{field: "note", value: "none"}, `spec: {note: none}`, `.spec.note: nobody; ` + ours, ok},
			{kubectl{args: "label OBJECT tier=web"}, `spec: {note: none}`, ours, ok},
			{settling{}, none, none, ok},
			{calming{briefly}, none, ours, ok},
			{user.kubectlApplies(tagged), `spec: {note: none}`, `.spec.note: nobody; ` + ours, ok},
			{team.kubectlApplies(`spec: {note: some}`), `spec: {note: some}`, `.spec.note: team; ` + ours, ok},
			{settling{}, none, none, ok},
			{extending{field: "note", remove: true}, `spec: {note: (absent)}`, ours, ok},
			{user.kubectlApplies(retagged), none, `.spec.tags[key="a"].value: kubectl; ` + ours, ok},
			{observing{"the change is in EC2", inEC2("a=2")}, none, none, ok},
			{settling{}, none, ours, ok},
		}},
		{says: "an object at rest, with children", given: []action{user.kubectlApplies(exposed), settling{}}, then: []step{
			{resting{long}, none, ours, ok},
			{user.kubectlApplies(exposed), none, ours, ok},
			{observing{"no request was made", wroteAtMost(0)}, none, none, ok},
		}},
	},
}

// counting is an update that changes something each time.
func counting(m manager) action {
	return m.updates(`metadata: {annotations: {example.com/seen: "NOW"}}`)
}

// wroteAtMost is how many writes the operator may have made since the last step that did something began, once the object is at rest.
func wroteAtMost(most int) func(*scene) error {
	return func(s *scene) error {
		if err := s.settled(); err != nil && meta.FindStatusCondition(s.instance().Status.Conditions, ec2v1.ConditionContested) == nil {
			return err
		}
		if writes := s.requests()[s.mark:].Writes(); len(writes) > most {
			s.t.Fatalf("the operator made %d writes, more than %d: %v", len(writes), most, writes)
		}
		return nil
	}
}

// wrote is how many writes the operator has made since the last step that did something began.
func wrote(want int) func(*scene) error {
	return func(s *scene) error {
		if err := s.settled(); err != nil {
			return err
		}
		if writes := s.requests()[s.mark:].Writes(); len(writes) != want {
			s.t.Fatalf("the operator made %d writes, not %d: %v", len(writes), want, writes)
		}
		return nil
	}
}

// inEC2 wants one instance of the object, and tags of it as KEY=VALUE; without a value none.
func inEC2(tags ...string) func(*scene) error {
	return func(s *scene) error {
		machine, err := s.machine()
		if err != nil {
			return err
		}
		for _, tag := range tags {
			key, value := regexp.MustCompile(`^(.*)=`).FindStringSubmatch(tag)[1], regexp.MustCompile(`=(.*)$`).FindStringSubmatch(tag)[1]
			if machine.Tags[key] != value {
				return notYet("tags are %v, not %s", machine.Tags, tag)
			}
		}
		return nil
	}
}

// launchedOnce wants that the object never had another instance in EC2.
func launchedOnce(s *scene) error {
	count := 0
	for _, i := range s.stage.sim.Instances() {
		if i.Tags[ec2v1.TagUID] == string(s.now.GetUID()) {
			count++
		}
	}
	if count != 1 {
		s.t.Fatalf("%d instances were launched for the object", count)
	}
	return inEC2()(s)
}

// nothingInEC2 wants that no instance of the object lives.
func nothingInEC2(s *scene) error {
	for _, i := range s.stage.sim.Live() {
		if i.Tags[ec2v1.TagUID] == string(s.now.GetUID()) {
			return notYet("%s is %s", i.ID, i.State)
		}
	}
	return nil
}

func stalledOverFinalizer(s *scene) error {
	c := meta.FindStatusCondition(s.instance().Status.Conditions, ec2v1.ConditionStalled)
	if c == nil || c.Reason != ec2v1.ReasonOwnershipConflict {
		return notYet("conditions are %+v", s.instance().Status.Conditions)
	}
	return nothingInEC2(s)
}

// tookBack wants one event that names the field and who took it, and no contest.
func tookBack(what string) func(*scene) error {
	return func(s *scene) error {
		told := 0
		for _, note := range s.events("TookBack") {
			if regexp.MustCompile(regexp.QuoteMeta(what)).MatchString(note) {
				told++
			}
		}
		if told == 0 {
			return notYet("no event tells of %s: %q", what, s.events("TookBack"))
		}
		if told > 1 {
			s.t.Fatalf("it was told %d times", told)
		}
		if c := meta.FindStatusCondition(s.instance().Status.Conditions, ec2v1.ConditionContested); c != nil {
			return errors.New("it is contested: " + c.Message)
		}
		return nil
	}
}

// contested wants the condition, with the field and the manager in its message.
func contested(field, who string) func(*scene) error {
	return func(s *scene) error {
		c := meta.FindStatusCondition(s.instance().Status.Conditions, ec2v1.ConditionContested)
		if c == nil || c.Status != "True" {
			return notYet("conditions are %+v", s.instance().Status.Conditions)
		}
		if !regexp.MustCompile(regexp.QuoteMeta(field) + ".*" + regexp.QuoteMeta(who)).MatchString(c.Message) {
			s.t.Fatalf("condition Contested says %q, and not %s and %s", c.Message, field, who)
		}
		return nil
	}
}
