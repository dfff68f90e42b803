// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/test/ownership/intents"
)

const (
	// objects is how many objects of each kind the property tests drive, and length how many writes each of them gets.
	objects = 16
	length  = 66
	// wanted is the least that all of them must be.
	wanted = 2000
)

// The managers of the property test.
var crowd = []manager{a, b, c, "d", "e"}

// TestPredictionsAreTrue: whatever five managers apply, with force or without, update or release, in whatever order, on an EC2Instance or an
// EC2Account, the object or its status: the API server makes of it the object, the owners and the conflicts that were predicted.
func TestPredictionsAreTrue(t *testing.T) {
	seed := flag.Lookup("rapid.seed").Value.String()
	t.Logf("rapid's seed is %s", seed)
	began := tally.snapshot()
	t.Run("kinds", func(t *testing.T) {
		for _, k := range []*kind{instances, accounts} {
			t.Run(k.Kind, func(t *testing.T) {
				t.Parallel()
				var made atomic.Int64
				rapid.Check(t, func(t *rapid.T) {
					p := newPlay(t, k, fmt.Sprintf("property-%d", made.Add(1)))
					for range length {
						p.step()
					}
				})
			})
		}
	})
	now := tally.snapshot()
	steps := total(now.plays) - total(began.plays)
	tally.note("Property test: seed %s, %d steps (%s), %d comparisons, %d disagreements.",
		seed, steps, listed(now.plays), total(now.cases)-total(began.cases), total(now.wrong)-total(began.wrong))
	if steps < wanted {
		t.Errorf("%d steps are fewer than %d", steps, wanted)
	}
	for _, what := range []string{"apply", "apply, in conflict", "apply, forced", "update", "release", "release that keeps values"} {
		if now.plays[what] == 0 {
			t.Errorf("there was no %s: %v", what, now.plays)
		}
	}
}

// play is one object of the property test.
type play struct {
	*scene

	rapid *rapid.T
	// latest are the latest intents of each manager and endpoint.
	latest map[string]string
}

func newPlay(t *rapid.T, k *kind, name string) *play {
	t.Helper()
	p := &play{scene: newScene(t, k, name), rapid: t, latest: map[string]string{}}
	first := p.draw("")
	p.must(manager("first").applies(first).run(p.scene))
	p.settle()
	p.predicted = true
	return p
}

// step is one write.
func (p *play) step() {
	p.t.Helper()
	who := rapid.SampledFrom(crowd).Draw(p.rapid, "manager")
	endpoint := rapid.SampledFrom([]string{"", "", apply.SubresourceStatus}).Draw(p.rapid, "endpoint")
	switch rapid.SampledFrom([]string{"apply", "apply", "force", "force", "update", "release"}).Draw(p.rapid, "what") {
	case "apply":
		tally.count(&tally.plays, p.apply(who, endpoint, false))
	case "force":
		tally.count(&tally.plays, p.apply(who, endpoint, true))
	case "update":
		tally.count(&tally.plays, p.update(who, endpoint))
	case "release":
		tally.count(&tally.plays, p.release(who, endpoint))
	}
	if p.t.Failed() {
		p.t.FailNow()
	}
}

// draw is an intent for the object or its status, as JSON.
func (p *play) draw(endpoint string) string {
	switch {
	case p.kind == accounts && endpoint == "":
		return string(marshal(p.t, intents.Account(p.name).Draw(p.rapid, "intent")))
	case p.kind == accounts:
		return string(marshal(p.t, intents.AccountStatus(p.name).Draw(p.rapid, "intent")))
	case endpoint == "":
		return string(marshal(p.t, intents.Main(p.name, namespace).Draw(p.rapid, "intent")))
	default:
		return string(marshal(p.t, intents.Status(p.name, namespace).Draw(p.rapid, "intent")))
	}
}

func (p *play) apply(who manager, endpoint string, force bool) string {
	p.t.Helper()
	key := string(who) + "/" + endpoint
	body, known := p.latest[key]
	// What a controller applies most often is what it has applied before.
	if !known || !rapid.Bool().Draw(p.rapid, "again") {
		body = p.draw(endpoint)
	}
	p.latest[key] = body
	err := applying{who: who, body: body, endpoint: endpoint, force: force}.run(p.scene)
	_, conflict := apply.Explain(err, nil, nil)
	switch {
	case conflict:
		return "apply, in conflict"
	case err != nil:
		// A value that is taken by force and then given up can leave something that is not valid.
		return "apply, refused"
	case force:
		return "apply, forced"
	}
	return "apply"
}

// update puts some fields of an intent into the object, takes some others away, and writes it back.
func (p *play) update(who manager, endpoint string) string {
	p.t.Helper()
	drawn := asMap([]byte(p.draw(endpoint)))
	part := "spec"
	if endpoint != "" {
		part = endpoint
	}
	fields, _ := drawn[part].(map[string]any)
	change := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if rapid.Bool().Draw(p.rapid, "set "+name) {
			change[name] = fields[name]
		}
	}
	for _, name := range rapid.SampledFrom([][]string{{}, {"keyName"}, {"tags", "suspend"}, {"conditions"}, {"endpoints"}, {"securityGroupIDs"}}).Draw(p.rapid, "removed") {
		change[name] = nil
	}
	patch := map[string]any{part: whole(change)}
	if endpoint == "" && rapid.Bool().Draw(p.rapid, "metadata") {
		metadata, _ := drawn["metadata"].(map[string]any)
		patch["metadata"] = map[string]any{"labels": metadata["labels"], "finalizers": metadata["finalizers"]}
	}
	if err := (updating{who: who, change: string(marshal(p.t, patch)), endpoint: endpoint}).run(p.scene); err != nil {
		return "update, refused"
	}
	return "update"
}

// whole are fields that replace those of the object wholly: a merge would make two choices of one.
func whole(fields map[string]any) map[string]any {
	for _, name := range []string{"image", "userData", "credentials", "metadataOptions"} {
		if inner, is := fields[name].(map[string]any); is {
			fields[name] = onlyThese(name, inner)
		}
	}
	return fields
}

// onlyThese adds a null for each member of a choice that is not made.
func onlyThese(name string, fields map[string]any) map[string]any {
	members := map[string][]string{"image": {"id", "ssmParameter"}, "userData": {"secretKeyRef"}, "credentials": {"default", "assumeRole"}}
	for _, member := range members[name] {
		if _, is := fields[member]; !is {
			fields[member] = nil
		}
	}
	return fields
}

// release gives up all that a manager owns. It is an apply of nothing; where that would not be valid the values stay, and nobody owns them.
func (p *play) release(who manager, endpoint string) string {
	p.t.Helper()
	before := p.now
	delete(p.latest, string(who)+"/"+endpoint)
	empty := applying{who: who, endpoint: endpoint}
	predicted, err := p.predictor().Predict(before, empty.intent(p.object("", false)))
	p.must(err)
	if err := (releasing{who: who, endpoint: endpoint}).run(p.scene); err != nil {
		p.t.Fatalf("%s releases %q: %v\n%s", who, endpoint, err, pretty(before))
	}
	tally.compared(p.kind)
	name := string(who)
	if endpoint != "" {
		name += " (Apply, " + endpoint + ")"
	}
	was, is := ownersOf(before), ownersOf(p.now)
	if len(is.leaves[name]) != 0 {
		p.disagree("%s has released, and owns %v", name, is.leaves[name])
	}
	p.othersKeep(name, before, was, is)
	if !bytes.Equal(content(p.kind.defaulted(predicted.Object)), content(p.now)) {
		return "release that keeps values"
	}
	if diff := cmp.Diff(ownersOf(predicted.Object).entries, is.entries); diff != "" {
		p.disagree("the owners after the release were predicted otherwise (-prediction +is):\n%s", diff)
	}
	return "release"
}

// othersKeep wants that what others apply has not changed. Updates' parts of an entry go with the last who applies the entry.
func (p *play) othersKeep(name string, before *unstructured.Unstructured, was, is owners) {
	p.t.Helper()
	table, err := apply.Ownership(before)
	p.must(err)
	for _, field := range table {
		path := field.Path.String()
		mineOrUpdated := func(o string) bool { return o == name || strings.Contains(o, "(Update") }
		if others := slices.DeleteFunc(slices.Clone(was.byPath[path]), mineOrUpdated); len(others) == 0 {
			continue
		}
		then, _ := apply.ValueAt(before.Object, field.Path)
		now, _ := apply.ValueAt(p.now.Object, field.Path)
		if diff := cmp.Diff(then, now); diff != "" {
			p.disagree("%s of others changed with a release by %s:\n%s", path, name, diff)
		}
		for _, owner := range was.byPath[path] {
			if !mineOrUpdated(owner) && !slices.Contains(is.byPath[path], owner) {
				p.disagree("%s has lost %s with a release by %s", owner, path, name)
			}
		}
	}
}
