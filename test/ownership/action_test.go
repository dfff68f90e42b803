// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// action is something that somebody does, as data: a state is made of actions, and a step does one.
type action interface {
	// text is the action as a sentence, in the present tense for an operation and in the perfect for a part of a state.
	text(perfect bool) string
	// run does it to the scene's object and returns what the API server had against it.
	run(s *scene) error
}

// manager is a field manager that takes part in a row.
type manager string

// The managers of most rows. Those in a row that do not apply are named for what they do.
const (
	a      manager = "a"
	b      manager = "b"
	c      manager = "c"
	editor manager = "editor"
)

// reference is a uid or resourceVersion that a request carries as a guard.
type reference string

const (
	// live is the object's own, and old that of the object when it was first seen.
	live reference = "the object's"
	old  reference = "an old"
	// other is a uid that no object has.
	other reference = "another object's"
)

// applying is a server-side apply.
type applying struct {
	who  manager
	body string
	// endpoint is empty or a subresource.
	endpoint             string
	force, dryRun, later bool
	// kubectl has the real kubectl send it.
	kubectl bool
	// unsettle leaves a new object as its creation has left it; see scene.settle.
	unsettle bool
	// whole sends the body without the object's name and namespace added.
	whole        bool
	uid, version reference
	// params are added to the request's query; an empty value takes one away.
	params map[string]string
	// in is the version of the API to write in, where it is not the kind's own.
	in string
	// as is the user to act as, if not the cluster's admin.
	as string
	// excused is why controller/apply is not sure of its prediction, and apart that the suite makes no prediction at all, with a reason.
	excused apply.Reason
	apart   string
}

func (m manager) applies(body string) applying { return applying{who: m, body: body} }

func (m manager) appliesStatus(body string) applying {
	return applying{who: m, body: body, endpoint: apply.SubresourceStatus}
}

// kubectlApplies is `kubectl apply --server-side`.
func (m manager) kubectlApplies(body string) applying {
	return applying{who: m, body: body, kubectl: true}
}

func (x applying) forced() applying   { x.force = true; return x }
func (x applying) asDryRun() applying { x.dryRun = true; return x }

func (x applying) unsettled() applying { x.unsettle = true; return x }

// aSecondLater waits until managedFields would get other times.
func (x applying) aSecondLater() applying { x.later = true; return x }

func (x applying) to(endpoint string) applying            { x.endpoint = endpoint; return x }
func (x applying) withUID(r reference) applying           { x.uid = r; return x }
func (x applying) atVersion(r reference) applying         { x.version = r; return x }
func (x applying) asIs() applying                         { x.whole = true; return x }
func (x applying) inVersion(v string) applying            { x.in = v; return x }
func (x applying) asUser(name string) applying            { x.as = name; return x }
func (x applying) with(params map[string]string) applying { x.params = params; return x }
func (x applying) unsafe(reason apply.Reason) applying    { x.excused = reason; return x }
func (x applying) notPredicted(because string) applying   { x.apart = because; return x }

func (x applying) text(perfect bool) string {
	var b strings.Builder
	if x.kubectl {
		fmt.Fprintf(&b, "`kubectl %s`%s with %s", strings.Join(x.flags(), " "), tense(perfect, "", " has been run"), quoted(x.body))
		return b.String() + x.conditions()
	}
	fmt.Fprintf(&b, "%#q %s %s", x.who, tense(perfect, "applies", "has applied"), quoted(x.body))
	if x.endpoint != "" {
		fmt.Fprintf(&b, " to %s", x.endpoint)
	}
	if x.in != "" {
		fmt.Fprintf(&b, " in %s", x.in)
	}
	if x.force {
		b.WriteString(" with force")
	}
	if x.dryRun {
		b.WriteString(" as a dry run")
	}
	return b.String() + x.conditions()
}

// conditions are the less usual parts of the text.
func (x applying) conditions() string {
	var out []string
	if x.uid != "" {
		out = append(out, fmt.Sprintf("with %s uid", x.uid))
	}
	if x.version != "" {
		out = append(out, fmt.Sprintf("with %s resourceVersion", x.version))
	}
	for name, value := range x.params {
		if value == "" {
			out = append(out, fmt.Sprintf("without a %s", name))
		} else {
			out = append(out, fmt.Sprintf("with `%s=%s`", name, shortened(value)))
		}
	}
	if x.as != "" {
		out = append(out, "as a user who may "+x.as)
	}
	if x.later {
		out = append(out, "a second later")
	}
	if len(out) == 0 {
		return ""
	}
	return ", " + strings.Join(out, ", ")
}

// flags are what kubectl is told, but for the file.
func (x applying) flags() []string {
	out := []string{"apply", "--server-side"}
	if x.who != "kubectl" {
		out = append(out, "--field-manager="+string(x.who))
	}
	if x.endpoint != "" {
		out = append(out, "--subresource="+x.endpoint)
	}
	if x.force {
		out = append(out, "--force-conflicts")
	}
	if x.dryRun {
		out = append(out, "--dry-run=server")
	}
	return out
}

// updating is a read of the object and a write of the whole of it, changed: a PUT, as most controllers and `kubectl edit` do it.
type updating struct {
	who      manager
	change   string
	endpoint string
	// version is the guard; the object's own unless it is set. stale sends the object as it was first seen.
	stale bool
	// replace sends the body alone in the object's place, without what else it holds and without a guard.
	replace bool
	excused apply.Reason
	apart   string
}

func (m manager) updates(change string) updating { return updating{who: m, change: change} }

func (m manager) replacesWith(body string) updating {
	return updating{who: m, change: body, replace: true}
}

func (x updating) to(endpoint string) updating         { x.endpoint = endpoint; return x }
func (x updating) ofOld() updating                     { x.stale = true; return x }
func (x updating) unsafe(reason apply.Reason) updating { x.excused = reason; return x }

func (x updating) text(perfect bool) string {
	verb := tense(perfect, "reads the object and updates it (PUT)", "has read the object and updated it (PUT)")
	if x.replace {
		verb = tense(perfect, "replaces the object (PUT)", "has replaced the object (PUT)")
	}
	if x.stale {
		verb = tense(perfect, "updates (PUT) what it read at first", "has updated (PUT) what it read at first")
	}
	out := fmt.Sprintf("%#q %s", x.who, verb)
	if x.endpoint != "" {
		out += " through " + x.endpoint
	}
	if x.change == "" {
		return out + " as it is"
	}
	return out + " with " + quoted(strings.ReplaceAll(x.change, "NOW", "another value"))
}

// patching is a merge patch.
type patching struct {
	who      manager
	change   string
	endpoint string
	apart    string
}

func (m manager) patches(change string) patching { return patching{who: m, change: change} }

func (x patching) notPredicted(because string) patching { x.apart = because; return x }

func (x patching) text(perfect bool) string {
	out := fmt.Sprintf("%#q %s %s", x.who, tense(perfect, "merges", "has merged"), quoted(x.change))
	if x.endpoint != "" {
		out += " into " + x.endpoint
	}
	return out + " (patch)"
}

// posting is a creation.
type posting struct {
	who  manager
	body string
	// agent is a client's name that names no field manager.
	agent string
}

func (m manager) creates(body string) posting { return posting{who: m, body: body} }

func (x posting) text(perfect bool) string {
	who := string(x.who)
	if x.agent != "" {
		return fmt.Sprintf("the client %#q %s %s (POST) and names no manager", x.agent, tense(perfect, "creates", "has created"), quoted(x.body))
	}
	return fmt.Sprintf("%#q %s %s (POST)", who, tense(perfect, "creates", "has created"), quoted(x.body))
}

// deleting asks for the object's deletion.
type deleting struct{}

func (deleting) text(perfect bool) string {
	return tense(perfect, "somebody deletes the object", "somebody has deleted the object")
}

// kubectl runs the real kubectl with a body, if any. NAME among the arguments stands for the object.
type kubectl struct {
	args string
	body string
}

func (x kubectl) text(perfect bool) string {
	out := fmt.Sprintf("`kubectl %s`%s", strings.ReplaceAll(x.args, "OBJECT", "KIND/NAME"), tense(perfect, "", " has been run"))
	if x.body != "" {
		out += " with " + quoted(x.body)
	}
	return out
}

// releasing gives up all that a manager owns through controller/apply.
type releasing struct {
	who      manager
	endpoint string
}

func (m manager) releases() releasing { return releasing{who: m} }

func (x releasing) text(perfect bool) string {
	return fmt.Sprintf("%#q %s (`apply.Release`)", x.who, tense(perfect, "releases all that it owns", "has released all that it owned"))
}

// migrating moves the fields of other managers to one through controller/apply.
type migrating struct {
	from     []string
	to       manager
	endpoint string
	dryRun   bool
}

func (x migrating) text(perfect bool) string {
	out := fmt.Sprintf("`apply.Migrate` %s the fields of %s to %#q", tense(perfect, "moves", "has moved"), codes(x.from, ""), x.to)
	if x.dryRun {
		out += " as a dry run"
	}
	return out
}

// upgrading changes the schema of the row's own CRD.
type upgrading struct {
	says string
	to   testSchema
}

func (x upgrading) text(perfect bool) string {
	return fmt.Sprintf("the CRD %s: %s", tense(perfect, "changes", "has changed"), x.says)
}

func tense(perfect bool, present, past string) string {
	if perfect {
		return past
	}
	return present
}

// named are the bodies that many rows share, by what docs/ownership.md calls them.
var named = map[string]string{}

// quoted is a body in a sentence.
func quoted(body string) string {
	if strings.TrimSpace(body) == "" {
		return "nothing"
	}
	if name, ok := named[body]; ok {
		return "*" + name + "*"
	}
	return "`" + shortened(strings.Join(strings.Fields(body), " ")) + "`"
}

// shortened keeps sentences readable.
func shortened(text string) string { return cut(text, 140) }

// cut is the beginning of a text that has more than so many bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:32], len(text))
}

// noUID is no object's.
const noUID = types.UID("11111111-2222-3333-4444-555555555555")
