// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// fieldViews are a play of the rows, and their objects as they are when they are created with the second value.
type fieldViews struct {
	at    map[moment]map[*fieldRow]fieldView
	fresh map[*fieldRow]fieldView
}

// checks are what is proved of a row, by the columns of the table.
var checks = []struct {
	column string
	check  func(fieldViews, *fieldRow) []string
}{
	{"launched", fieldViews.launched},
	{"read back", fieldViews.readBack},
	{"changed", fieldViews.changed},
	{"drift", fieldViews.drift},
}

// launched: EC2 has what spec says by the launch, and one call after it where EC2 takes it no earlier.
func (f fieldViews) launched(r *fieldRow) []string {
	v, calls := f.at[created][r], map[string]int{"RunInstances": 1}
	if r.later != "" {
		calls[r.later] = 1
	}
	wrong := v.has(r.launched)
	if diff := cmp.Diff(calls, v.calls); diff != "" {
		wrong = append(wrong, "the calls are others (-want +got):\n"+diff)
	}
	return wrong
}

// readBack: the operator agrees that EC2 has what spec says: after the launch, and once it has read what EC2 tells apart, since a
// change of spec has it read again; and so does the next operator, which changes nothing.
func (f fieldViews) readBack(r *fieldRow) (wrong []string) {
	for _, m := range []moment{created, reverted, changed, minded} {
		if m == minded && r.drift != nil {
			continue // Somebody has changed it.
		}
		wrong = append(wrong, at(m, f.at[m][r].synced())...)
	}
	v := f.at[takenOver][r]
	return append(wrong, at(takenOver, slices.Concat(v.has(r.changed), v.synced(), v.untouched()))...)
}

// changed: what policy does not allow is told, and nothing else happens; and what it allows is done in the row's way.
func (f fieldViews) changed(r *fieldRow) []string {
	var wrong []string
	add := func(m moment, problems ...[]string) { wrong = append(wrong, at(m, slices.Concat(problems...))...) }
	v := f.at[edited][r]
	switch {
	case r.oneWay != "":
	case r.inPlace():
		add(edited, v.has(r.changed), v.synced(), v.went(r.action, r.stops))
	default:
		add(edited, v.has(r.launched), v.blocked(r.field, r.action), v.untouched())
	}
	v = f.at[reverted][r]
	add(reverted, v.has(r.launched), v.synced())
	if !r.inPlace() {
		add(reverted, v.untouched())
	}
	v = f.at[changed][r]
	add(changed, v.has(r.changed), v.synced(), v.went(r.action, r.stops), v.like(f.fresh[r], r.changed))
	return wrong
}

// drift: what somebody changes in EC2 is brought back, or told, and left alone where overrides say so.
func (f fieldViews) drift(r *fieldRow) []string {
	d := r.drift
	if d == nil {
		return nil
	}
	var wrong []string
	add := func(m moment, problems ...[]string) { wrong = append(wrong, at(m, slices.Concat(problems...))...) }
	if r.ignorable() {
		v := f.at[ignored][r]
		add(ignored, v.has(d.leaves), v.synced(), v.untouched())
	}
	v := f.at[minded][r]
	switch {
	case d.repair == ec2v1.PlanActionNone, d.stopped:
		add(minded, v.has(d.leaves), v.blocked(r.field, d.repair), v.untouched())
	case d.noIgnore == "":
		add(minded, v.has(r.changed), v.synced())
	}
	switch {
	case d.repair == ec2v1.PlanActionNone:
	case d.stopped:
		v = f.at[repaired][r]
		add(repaired, v.has(r.changed), v.synced(), v.went(d.repair, 0))
	case d.apart:
		v = f.at[read][r]
		add(read, v.has(r.changed), v.synced())
	default:
		v = f.at[polled][r]
		add(polled, v.has(r.changed), v.synced())
	}
	return wrong
}

func at(m moment, problems []string) []string {
	out := slices.Clone(problems)
	for i := range out {
		out[i] = string(m) + ": " + out[i]
	}
	return out
}

// has tells how EC2 differs from what is wanted.
func (v fieldView) has(want truth) []string {
	if len(v.live) != 1 {
		return []string{fmt.Sprintf("%d instances live", len(v.live))}
	}
	return want.mismatches(v.have)
}

// synced: nothing is left to do.
func (v fieldView) synced() (wrong []string) {
	if len(v.obj.Status.Plan) > 0 {
		wrong = append(wrong, fmt.Sprintf("the plan is %+v", v.obj.Status.Plan))
	}
	return slices.Concat(wrong, v.says(ec2v1.ConditionSynced, metav1.ConditionTrue, ""), v.says(ec2v1.ConditionReady, metav1.ConditionTrue, ""))
}

// blocked: the one change of the plan waits for policy, or for a person.
func (v fieldView) blocked(field string, action ec2v1.PlanAction) []string {
	var wrong []string
	plan := v.obj.Status.Plan
	if len(plan) != 1 || plan[0].Field != field || plan[0].Action != action || plan[0].State != ec2v1.PlanStateBlocked || plan[0].Message == "" {
		wrong = append(wrong, fmt.Sprintf("the plan is %+v, and is to be that %s is blocked since it takes %s", plan, field, action))
	}
	reason := map[ec2v1.PlanAction]string{
		ec2v1.PlanActionStopStart: ec2v1.ReasonStopRequired, ec2v1.PlanActionReplace: ec2v1.ReasonReplacementRequired,
	}[action]
	return slices.Concat(wrong, v.says(ec2v1.ConditionSynced, metav1.ConditionFalse, reason), v.says(ec2v1.ConditionReady, metav1.ConditionTrue, ""))
}

// says: a condition has the status, and the reason if one is given.
func (v fieldView) says(name string, status metav1.ConditionStatus, reason string) []string {
	c := conditionOf(v.obj.Status.Conditions, name)
	switch {
	case c == nil:
		return []string{"there is no condition " + name}
	case c.Status != status, reason != "" && c.Reason != reason:
		return []string{fmt.Sprintf("%s is %s: %s: %s", name, c.Status, c.Reason, c.Message)}
	default:
		return nil
	}
}

// untouched: the operator has changed nothing of the instance.
func (v fieldView) untouched() []string {
	if len(v.calls) > 0 {
		return []string{fmt.Sprintf("the operator called %v", v.calls)}
	}
	return nil
}

// waysOfCalls are the calls that each way takes.
var waysOfCalls = map[ec2v1.PlanAction]map[string]int{
	ec2v1.PlanActionStopStart: {"StopInstances": 1, "StartInstances": 1},
	ec2v1.PlanActionReplace:   {"TerminateInstances": 1, "RunInstances": 1},
}

// went: the instance was stopped, started and replaced as often as the way takes, and stops times more.
func (v fieldView) went(way ec2v1.PlanAction, stops int) (wrong []string) {
	for _, action := range []string{"StopInstances", "StartInstances", "TerminateInstances", "RunInstances"} {
		want := waysOfCalls[way][action]
		if action == "StopInstances" {
			want += stops
		}
		if v.calls[action] != want {
			wrong = append(wrong, fmt.Sprintf("the operator called %s %d times, not %d", action, v.calls[action], want))
		}
	}
	return wrong
}

// like: a fresh object came to the same in EC2, but for what chance decides and the row does not, and what is history; and its status has the same
// plan.
func (v fieldView) like(fresh fieldView, decided truth) (wrong []string) {
	chance := func(name, _ string) bool {
		_, asked := decided[name]
		return name == "tag."+ec2v1.TagUID || name == reboots || name == "privateIpAddress" && !asked
	}
	have, want := maps.Clone(v.have), maps.Clone(fresh.have)
	maps.DeleteFunc(have, chance)
	maps.DeleteFunc(want, chance)
	if diff := cmp.Diff(want, have); diff != "" {
		wrong = append(wrong, "EC2 has something else for a fresh object (-fresh +here):\n"+diff)
	}
	if diff := cmp.Diff(fresh.obj.Status.Plan, v.obj.Status.Plan); diff != "" {
		wrong = append(wrong, "a fresh object has another plan (-fresh +here):\n"+diff)
	}
	return wrong
}
