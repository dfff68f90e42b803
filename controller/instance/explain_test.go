// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/validation/schema"
)

// changeSentences are how `kubectl explain` says what a change of a field takes; never is for those that cannot change.
var changeSentences = map[ec2v1.PlanAction]*regexp.Regexp{
	ec2v1.PlanActionInPlace:   regexp.MustCompile(`can change(, be added or be removed)? at any time`),
	ec2v1.PlanActionStopStart: regexp.MustCompile(`[Aa] change needs the instance stopped`),
	ec2v1.PlanActionReplace:   regexp.MustCompile(`[Aa] change needs a new instance`),
	never:                     regexp.MustCompile(`cannot change`),
}

const never ec2v1.PlanAction = "never"

// TestExplainedAsCarriedOut holds the text of each field of spec to the table of fields. What is not in the table is not the
// instance's but what the operator does with it, which can change at any time or never.
func TestExplainedAsCarriedOut(t *testing.T) {
	crds, err := schema.Load("../../config/crd/bases")
	if err != nil {
		t.Fatal(err)
	}
	actions := map[string]ec2v1.PlanAction{}
	for _, f := range Fields() {
		actions[f.Name] = f.Action
	}
	for field := range schema.Fields(crds["EC2Instance"]) {
		name, inSpec := strings.CutPrefix(field.Path, "spec.")
		if !inSpec || strings.ContainsAny(name, ".[") {
			continue
		}
		var said []ec2v1.PlanAction
		text := strings.Join(strings.Fields(field.Schema.Description), " ")
		for action, sentence := range changeSentences {
			if sentence.MatchString(text) {
				said = append(said, action)
			}
		}
		want, inTable := actions[name]
		delete(actions, name)
		switch {
		case len(said) != 1:
			t.Errorf("what a change of %s takes is said in %d ways %v: %q", name, len(said), said, text)
		case inTable && said[0] != want:
			t.Errorf("a change of %s takes %s, and its text says %s: %q", name, want, said[0], text)
		case !inTable && !slices.Contains([]ec2v1.PlanAction{ec2v1.PlanActionInPlace, never}, said[0]):
			t.Errorf("%s is not in the table of fields, and its text says %s: %q", name, said[0], text)
		}
	}
	if len(actions) > 0 {
		t.Errorf("the table has fields that spec does not: %v", actions)
	}
}
