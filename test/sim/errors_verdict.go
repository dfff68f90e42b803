// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// errorPair is a code at a call.
type errorPair struct {
	code errorCode
	row  *callRow
}

func (p errorPair) String() string { return p.code.code + "@" + p.row.String() }

// Limits of a trial.
const (
	// writesWhileFailing are the most writes to the EC2Instance in the hour; where the change by itself costs more, those and writesToTell,
	// which tell that it fails.
	writesWhileFailing = 8
	writesToTell       = 2
	// sdkTries are how often the SDK makes a call that reads, where it takes the error for one that passes.
	sdkTries = 3
	// serverError is the first HTTP status for which it does.
	serverError = 500
	// slack is what may pass between two pauses: a poll, a change's settling and EC2's status checks.
	slack = pollTime + 5*time.Minute
)

// exception is a pair of which a code says more than its class.
type exception struct {
	// why is what the operator does instead.
	why string
	// writes and longest are instead of the usual limits, where they are not zero.
	writes  int
	longest time.Duration
	// attempts: each answer costs an attempt, so that the end differs from that without the error in its number.
	attempts bool
	// asClass: what is told is what the class says, all the same.
	asClass bool
}

var (
	launchIsThere = exception{
		why: "EC2 has the launch: its instance is looked for, and after 5 minutes the same launch is asked for again", longest: 6 * time.Minute, asClass: true,
	}
	// The pause between two attempts is a quarter of an hour at last: with nine of them in the first hour, each of which is an intent and
	// what is told of it.
	attemptIsOver = exception{
		why: "the attempt is over: the next one follows after a pause that grows up to 15 minutes", writes: 30, longest: 15 * time.Minute, attempts: true,
	}
)

// exceptions by the names of their pairs.
var exceptions = map[string]exception{
	"IdempotentParameterMismatch@RunInstances":            launchIsThere,
	"IdempotentParameterMismatch@RunInstances, again":     launchIsThere,
	"IdempotentInstanceTerminated@RunInstances":           attemptIsOver,
	"IdempotentInstanceTerminated@RunInstances, again":    attemptIsOver,
	"InvalidInstanceID.NotFound@DescribeInstances, by id": {why: "EC2 does not know the instance, which is so: another one is launched"},
}

// wrong lists what is wrong with a trial, beside what the judge found.
func (p errorPair) wrong(r, reference trialResult) []string {
	out := slices.Clone(r.violations)
	wrong := func(ok bool, format string, args ...any) {
		if !ok {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	e, excepted := exceptions[p.String()]
	writes := max(writesWhileFailing, len(reference.writes)+writesToTell, e.writes)
	healing := max(ruleOf(p.code.class).longest, e.longest)*11/10 + slack
	wrong(r.launched == reference.launched, "%d instances were launched, and %d without the error", r.launched, reference.launched)
	wrong(r.calls > 0, "the call was not made")
	wrong(r.calls <= p.mostCalls(), "%d calls in an hour, and at most %d are due", r.calls, p.mostCalls())
	wrong(len(r.writes) <= writes, "%d writes in the hour, and at most %d are due: %q", len(r.writes), writes, r.writes)
	wrong(r.healed <= healing, "healed after %s, and at most %s are due", r.healed, healing)
	if !e.attempts {
		out = append(out, stateDiffers(withoutGenerations(reference.state), withoutGenerations(r.state))...)
	}
	out = append(out, r.volatile()...)
	wrong(!p.saysDone(r), "Synced is True, and %s is not as asked", p.row.field)
	if !excepted || e.asClass {
		out = append(out, p.untold(r)...)
	}
	return out
}

// saysDone tells whether the object says that the field that the call is for is as asked, while the call fails.
func (p errorPair) saysDone(r trialResult) bool {
	if p.row.field == "" || r.object == nil {
		return false
	}
	synced := conditionOf(r.object.Status.Conditions, ec2v1.ConditionSynced)
	// A start or stop that is throttled is no news: what is told then is of the spec before.
	return synced != nil && synced.Status == metav1.ConditionTrue && synced.ObservedGeneration == r.object.Generation
}

// mostCalls are the most that the call may be made in an hour.
func (p errorPair) mostCalls() int {
	n := ruleOf(p.code.class).calls
	if p.row.polled {
		n += int(errorLasts / pollTime)
	}
	if p.row.reads && p.code.status >= serverError {
		n *= sdkTries
	}
	return n
}

var generations = regexp.MustCompile(`(eneration\\*"): ?\d+`)

// withoutGenerations leaves out how often spec was edited.
func withoutGenerations(lines []string) []string {
	out := slices.Clone(lines)
	for i := range out {
		out[i] = generations.ReplaceAllString(out[i], "$1")
	}
	return out
}

// told are all texts that anybody could read: the EC2Instance in each of its versions, and events.
func (t *trial) told() []string {
	var out []string
	for _, c := range t.world.api.Changes(0) {
		if c.Object == nil {
			continue
		}
		text, err := json.Marshal(c.Object)
		if err == nil {
			out = append(out, string(text))
		}
	}
	for _, line := range t.world.lines() {
		if _, event, found := strings.Cut(line, " event "); found {
			out = append(out, event)
		}
	}
	return out
}

var requestIDs = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}`)

// volatile: nothing that is another text in each answer is told.
func (r trialResult) volatile() []string {
	known := map[string]bool{}
	for _, id := range r.requests {
		known[id] = true
	}
	for _, text := range r.texts {
		for _, id := range requestIDs.FindAllString(text, -1) {
			if known[id] {
				return []string{"a request's id is told: " + text}
			}
		}
		for _, mark := range []string{"Request ID", "Encoded authorization", "4tCz7", "Canonical String"} {
			if strings.Contains(text, mark) {
				return []string{"what changes with each answer is told: " + text}
			}
		}
	}
	return nil
}

// untold lists what is not told as the class asks for it, while the call fails.
func (p errorPair) untold(r trialResult) []string {
	rule := p.row.ruleOf(p.code.class)
	switch {
	case p.code.class == cloud.ClassThrottled:
		return p.blamed(r)
	case p.row.told == byAccount:
		return p.lacks("the account's Ready", conditionOf(r.account.Status.Conditions, ec2v1.ConditionReady), metav1.ConditionFalse, rule.accountReason)
	case r.object == nil:
		return []string{"the object is gone"}
	case p.row.told == byReachable && rule.stalled:
		return p.lacks("Reachable", conditionOf(r.object.Status.Conditions, ec2v1.ConditionReachable), metav1.ConditionUnknown, rule.reason)
	case p.row.told == byReachable:
		return nil
	default:
		return p.untoldByObject(r.object.Status, rule)
	}
}

// untoldByObject: Ready tells of the error, and status.plan of a change that is refused for good.
func (p errorPair) untoldByObject(status ec2v1.EC2InstanceStatus, rule classRule) []string {
	reason, stalled := rule.reason, rule.stalled
	if p.row.told == byResolution && slices.Contains([]cloud.Class{cloud.ClassInvalid, cloud.ClassDependency}, p.code.class) {
		reason, stalled = p.row.unknown, true
	}
	out := p.help(status.Conditions, stalled)
	ready := conditionOf(status.Conditions, ec2v1.ConditionReady)
	if p.row.told == byChange && stalled {
		return append(out, p.unplanned(ready, status.Plan)...)
	}
	return append(out, p.lacks("Ready", ready, metav1.ConditionFalse, reason)...)
}

// unplanned: status.plan tells of a change that has failed, and Ready of its field.
func (p errorPair) unplanned(ready *metav1.Condition, plan []ec2v1.PlannedChange) []string {
	i := slices.IndexFunc(plan, func(c ec2v1.PlannedChange) bool { return c.Field == p.row.field })
	switch {
	case ready.Status != metav1.ConditionFalse || ready.Reason != ec2v1.ReasonBlocked || !strings.Contains(ready.Message, p.row.field):
		return []string{fmt.Sprintf("Ready does not tell that %s is blocked: %+v", p.row.field, ready)}
	case i < 0 || plan[i].State != ec2v1.PlanStateFailed:
		return []string{fmt.Sprintf("status.plan does not tell that %s has failed: %+v", p.row.field, plan)}
	default:
		return p.wordless("status.plan", plan[i].Message)
	}
}

// help: where somebody has to help the object is Stalled, and else Reconciling.
func (p errorPair) help(conditions []metav1.Condition, stalled bool) []string {
	has := func(name string) bool { return conditionOf(conditions, name) != nil }
	if has(ec2v1.ConditionStalled) != stalled || has(ec2v1.ConditionReconciling) == stalled {
		return []string{fmt.Sprintf("Stalled shall be %t, and Reconciling %t: %+v", stalled, !stalled, conditions)}
	}
	return nil
}

// lacks compares a condition.
func (p errorPair) lacks(name string, c *metav1.Condition, status metav1.ConditionStatus, reason string) []string {
	if c == nil || c.Status != status || c.Reason != reason {
		return []string{fmt.Sprintf("%s is not %s for %s: %+v", name, status, reason, c)}
	}
	return p.wordless(name, c.Message)
}

// wordless: a message holds EC2's words and its code, and names the action.
func (p errorPair) wordless(where, message string) []string {
	for _, part := range []string{p.row.action, p.code.code, strings.TrimSuffix(p.code.words, ".")} {
		if !strings.Contains(message, part) {
			return []string{fmt.Sprintf("the message of %s does not hold %q: %s", where, part, message)}
		}
	}
	return nil
}

// blamed: throttling is told as nobody's fault. Only the account's Throttled tells of it.
func (p errorPair) blamed(r trialResult) []string {
	if r.object == nil {
		return []string{"the object is gone"}
	}
	var out []string
	for _, c := range r.object.Status.Conditions {
		if c.Reason == ec2v1.ReasonThrottled || strings.Contains(c.Message, p.code.code) || c.Type == ec2v1.ConditionStalled {
			out = append(out, fmt.Sprintf("throttling is told: %+v", c))
		}
	}
	return out
}
