// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// way is a way out of an object's conflicts.
type way struct {
	title string
	steps []step
}

// step is a paragraph, or a command to run.
type step struct{ text, command string }

// sharedWidth is how long a value a sentence holds, in bytes.
const sharedWidth = 60

// ways are the three ways out, in words for this object. toCluster are the flags with which the user chose the cluster.
func (f *finding) ways(manager string, toCluster []string) []way {
	return []way{f.giveWay(), f.take(manager, toCluster), f.become(manager, toCluster)}
}

// giveWay leaves the fields to their owners.
func (f *finding) giveWay() way {
	w := way{title: "Give way", steps: []step{{text: fmt.Sprintf(
		"Remove %s from what you apply. Values and owners stay as they are.", listed(f.fields(func(apply.Conflict) bool { return true })))}}}
	var shares []string
	for _, c := range f.conflicts {
		if c.Live != nil {
			shares = append(shares, c.Field+" to "+shared(c.Live))
		}
	}
	if len(shares) > 0 {
		w.steps = append(w.steps, step{text: fmt.Sprintf(
			"Or set %s, and own it together with them: then whoever wants another value is in conflict with the others.", listed(shares))})
	}
	return w
}

// shared is their value in a sentence, if it can be said there: one that is cut or masked is no value to set.
func shared(value any) string {
	whole := cli.Inline(value, cli.Whole)
	if len(whole) > sharedWidth || strings.Contains(whole, apply.MaskedValue) {
		return "the value that it has"
	}
	return whole
}

// take forces.
func (f *finding) take(manager string, toCluster []string) way {
	w := way{title: "Take it", steps: []step{{command: f.apply(manager, toCluster, "--force-conflicts")}}}
	for _, o := range f.owners() {
		w.steps = append(w.steps, step{text: fmt.Sprintf("%s loses %s. %s", o, listed(f.fieldsOf(o)), natureOf(o).afterwards())})
	}
	return w
}

// become makes the two owners one, or has the owner let go.
func (f *finding) become(manager string, toCluster []string) way {
	w := way{title: "Become the owner, or ask it"}
	for _, o := range f.owners() {
		switch n := natureOf(o); {
		case o.Subresource != "":
			w.steps = append(w.steps, step{text: fmt.Sprintf(
				"%s has written through the subresource %s, where a file is not applied. If something sets %s there again and again, "+
					"such as an autoscaler, leave it to that.", o, o.Subresource, listed(f.fieldsOf(o)))})
		case n == controller:
			w.steps = append(w.steps, step{text: fmt.Sprintf(
				"Have %s let go of %s, or give it your value to set: change its configuration, or what it has the field from.", o, listed(f.fieldsOf(o)))})
		case o.Operation == metav1.ManagedFieldsOperationUpdate:
			w.steps = append(w.steps, f.migrate(o, manager, toCluster)...)
		default:
			w.steps = append(w.steps, f.applyAs(o, toCluster)...)
		}
	}
	return w
}

// migrate moves what an owner has by Update.
func (f *finding) migrate(o apply.Owner, manager string, toCluster []string) []step {
	words := append([]string{"kubectl", "ec2", "migrate", f.name.Argument()}, f.namespace()...)
	words = append(append(words, toCluster...), "--from="+o.Manager, "--to="+manager)
	text := "It shows what it would do, and does it with --dry-run=none."
	if all, missing := f.held(o); all > 0 {
		text += fmt.Sprintf(" Then apply: you own all of its %s then, and your apply removes those that it leaves out, now %d.", fields(all), missing)
	}
	return []step{
		{text: fmt.Sprintf("Make what %s owns yours:", o)},
		{command: cli.Quote(words)},
		{text: text},
	}
}

// applyAs applies under the owner's name.
func (f *finding) applyAs(o apply.Owner, toCluster []string) []step {
	steps := []step{
		{text: fmt.Sprintf("Have %s leave %s out of what it applies; the value goes with its last owner, until you apply yours. Or apply as it:",
			o, listed(f.fieldsOf(o)))},
		{command: f.apply(o.Manager, toCluster)},
	}
	all, missing := f.held(o)
	switch {
	case all == 0:
	case missing == 0:
		steps = append(steps, step{text: fmt.Sprintf("You apply all that it owns here (%s), so that nothing is lost.", fields(all))})
	default:
		steps = append(steps, step{text: fmt.Sprintf(
			"That gives up what it owns here and you do not apply: %d of its %s, each removed unless somebody else owns it.", missing, fields(all))})
	}
	return steps
}

// held counts the fields that an owner has in the object, and how many of them are not in what is to be applied.
func (f *finding) held(o apply.Owner) (all, missing int) {
	if f.live == nil {
		return 0, 0
	}
	table, err := apply.Ownership(f.live)
	if err != nil {
		return 0, 0
	}
	for _, field := range table {
		if !slices.ContainsFunc(field.Owners, o.Is) {
			continue
		}
		all++
		if _, ok := apply.ValueAt(f.object.Object, field.Path); !ok {
			missing++
		}
	}
	return all, missing
}

// apply is the command that applies the object's file.
func (f *finding) apply(manager string, toCluster []string, more ...string) string {
	words := append([]string{"kubectl", "apply", "--server-side"}, more...)
	if manager != defaultManager {
		words = append(words, "--field-manager="+manager)
	}
	words = append(append(words, f.namespace()...), toCluster...)
	return cli.Quote(append(words, f.file...))
}

func (f *finding) namespace() []string {
	if f.name.Namespace == "" {
		return nil
	}
	return []string{"-n", f.name.Namespace}
}

// owners are those of all conflicts, each once, in order.
func (f *finding) owners() []apply.Owner {
	var all []apply.Owner
	for _, c := range f.conflicts {
		for _, o := range c.Owners {
			if !slices.ContainsFunc(all, o.Is) {
				all = append(all, o)
			}
		}
	}
	return all
}

// fieldsOf are the fields in conflict that an owner has.
func (f *finding) fieldsOf(o apply.Owner) []string {
	return f.fields(func(c apply.Conflict) bool { return slices.ContainsFunc(c.Owners, o.Is) })
}

func (f *finding) fields(match func(apply.Conflict) bool) []string {
	var out []string
	for _, c := range f.conflicts {
		if match(c) {
			out = append(out, c.Field)
		}
	}
	return out
}

func fields(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", n)
}

// listed are words as a sentence has them.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
