// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// fights are what one pass took back from other field managers, and what it left to them: fields of the status and
// of the children, which are ours alone.
type fights struct {
	taken, left []contested
	// until is when what is left is first taken back; zero when nothing is.
	until time.Time
}

// contested is a field with another owner than us.
type contested struct {
	// object is empty for the EC2Instance itself, or the child's kind and name.
	object string
	field  string
	owners []string
}

func (c contested) String() string {
	field := c.field
	if c.object != "" {
		field = c.object + " " + field
	}
	return fmt.Sprintf("%s (%s)", field, strings.Join(c.owners, ", "))
}

// add takes over what an apply tells.
func (f *fights) add(object string, taken []apply.Conflict, left []apply.Left) {
	for _, c := range taken {
		f.taken = append(f.taken, contestedOf(object, c))
	}
	for _, l := range left {
		f.left = append(f.left, contestedOf(object, l.Conflict))
		if f.until.IsZero() || l.Until.Before(f.until) {
			f.until = l.Until
		}
	}
}

func contestedOf(object string, c apply.Conflict) contested {
	out := contested{object: object, field: c.Field}
	for _, o := range c.Owners {
		out.owners = append(out.owners, o.String())
	}
	return out
}

// events tell what was taken back, once.
func (f *fights) events() []Event {
	if len(f.taken) == 0 {
		return nil
	}
	note := "Took back fields that are the operator's: " + joined(f.taken)
	f.taken = nil
	return []Event{warning(reasonTookBack, "%s", shortened(note))}
}

const reasonTookBack = "TookBack"

// condition tells what is left to whom; nil when nothing is.
func (f *fights) condition() *State {
	if len(f.left) == 0 {
		return nil
	}
	return &State{Status: metav1.ConditionTrue, Reason: ec2v1.ReasonOwnershipConflict, Message: "Left, for a time that grows, " +
		"to field managers that keep taking what is the operator's: " + joined(f.left) + ". Have them give it up"}
}

// within shortens a wait so that what is left is taken back in time.
func (f *fights) within(after time.Duration, now time.Time) time.Duration {
	if f.until.IsZero() {
		return after
	}
	wait := max(f.until.Sub(now), again)
	if after == 0 {
		return wait
	}
	return min(after, wait)
}

func joined(all []contested) string {
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = c.String()
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), "; ")
}
