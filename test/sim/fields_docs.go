// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/instance"
)

// otherFields are the fields of spec that do not say what an instance is, and why they need no row.
var otherFields = map[string]string{
	"accountRef":            "says where to ask, and cannot change",
	"region":                "says where to ask, and cannot change",
	"adopt":                 "says which instance it is, and cannot change",
	"instanceTypeFallbacks": "says what else a launch may ask for, and an instance of one of them is no drift",
	"subnetFallbacks":       "says where else a launch may be, and an instance in one of them is no drift",
	"propagateTags":         "says what a launch puts on volumes and interfaces, which keep what they have",
	"recreatePolicy":        "says what follows the end of an instance",
	"deletionPolicy":        "says what the deletion of the object does",
	"protectionPolicy":      "says what the deletion of the object does",
	"managementPolicy":      "says whether anything is done in EC2",
	"updatePolicy":          "says what may be done in EC2",
	"ignore":                "says what is left to others",
	"suspend":               "says whether anything is done in EC2",
	"expose":                "makes a Service",
	"connection":            "makes a ConfigMap",
}

// toldWhere is where EC2 tells a field, for the page.
var toldWhere = map[instance.Reported]string{
	instance.ReportedInList: "in each list",
	instance.ReportedApart:  "when asked",
	instance.ReportedNever:  "no",
}

// proof is what the page says of the table.
const proof = "Each cell is proved by a subtest of `TestFields` (test/sim), named by row and column, such as `TestFields/tags/drift`: the whole\n" +
	"operator, in virtual time, with a simulated EC2 whose true configuration is looked at. A cell with a dash has no test, and says why.\n\n"

// fieldTable tells the rows as a table in Markdown.
func fieldTable(rows []*fieldRow) string {
	fields := instance.Fields()
	place := func(r *fieldRow) int {
		return slices.IndexFunc(fields, func(f instance.Field) bool { return f.Name == r.field })
	}
	rows = slices.SortedStableFunc(slices.Values(rows), func(a, b *fieldRow) int { return place(a) - place(b) })
	var b strings.Builder
	b.WriteString(proof + "| field | EC2 tells it |")
	for _, c := range checks {
		b.WriteString(" " + c.column + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(checks)) + "\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | yes | %s | %s |\n",
			r.title(), toldWhere[fields[place(r)].Reported], r.launchTold(), r.way(), r.driftTold())
	}
	return b.String()
}

// title is how the page names the row.
func (r *fieldRow) title() string {
	if r.part == "" {
		return "`" + r.field + "`"
	}
	return "`" + r.field + "`: " + r.part
}

// launchTold is how the page tells by what it is launched.
func (r *fieldRow) launchTold() string {
	if r.later == "" {
		return "yes"
	}
	return "yes, in part by `" + r.later + "` after the launch"
}

// way is how the page tells what a change takes.
func (r *fieldRow) way() string {
	way := map[ec2v1.PlanAction]string{
		ec2v1.PlanActionInPlace:   "in place",
		ec2v1.PlanActionStopStart: "stopped and started; not by default, and told",
		ec2v1.PlanActionReplace:   "replaced; not by default, and told",
	}[r.action]
	if r.oneWay != "" {
		way += "; not back: " + r.oneWay
	}
	return way
}

// driftTold is how the page tells what becomes of drift.
func (r *fieldRow) driftTold() string {
	d := r.drift
	if d == nil {
		return "– " + r.noDrift
	}
	var text string
	switch {
	case d.repair == ec2v1.PlanActionNone:
		text = "told as Blocked: " + r.oneWay
	case d.repair == ec2v1.PlanActionStopStart:
		text = "told as Blocked; repaired by a stop and a start when allowed"
	case d.repair == ec2v1.PlanActionReplace:
		text = "told as Blocked; replaced when allowed"
	case d.apart:
		text = "repaired when it is read next, within 75 minutes"
	default:
		text = "repaired within a poll"
	}
	if d.noIgnore != "" {
		return text + "; – `Ignore` is shown " + d.noIgnore
	}
	return text + "; left alone with `Ignore`"
}
