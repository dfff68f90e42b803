// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

func takenBy(field string, owners ...string) apply.Conflict {
	c := apply.Conflict{Field: field}
	for _, o := range owners {
		c.Owners = append(c.Owners, apply.Owner{Manager: o, Operation: metav1.ManagedFieldsOperationApply, Time: &metav1.Time{Time: time.Now()}})
	}
	return c
}

// TestTakenFieldsAreToldOnce, in whatever order they were found.
func TestTakenFieldsAreToldOnce(t *testing.T) {
	f := &fights{}
	f.add("", []apply.Conflict{takenBy(".status.state", "thief"), takenBy(".status.arn", "thief", "other")}, nil)
	f.add(`Service "web"`, []apply.Conflict{takenBy(".spec.type", "thief")}, nil)
	events := f.events()
	want := `Took back fields that are the operator's: .status.arn (thief (Apply), other (Apply)); .status.state (thief (Apply)); Service "web" .spec.type (thief (Apply))`
	if len(events) != 1 || events[0].Note != want || events[0].Reason != "TookBack" {
		t.Errorf("tells %+v, want %s", events, want)
	}
	if again := f.events(); len(again) != 0 {
		t.Errorf("tells again %+v", again)
	}
	if c := f.condition(); c != nil {
		t.Errorf("what was taken back is contested: %+v", c)
	}
}

// TestLeftFieldsAreACondition: one whose message is the same for the same fields.
func TestLeftFieldsAreACondition(t *testing.T) {
	now := time.Now()
	left := func(f *fights, field string, until time.Duration) {
		f.add("", nil, []apply.Left{{Conflict: takenBy(field, "thief"), Until: now.Add(until)}})
	}
	a, b := &fights{}, &fights{}
	left(a, ".status.state", time.Minute)
	left(a, ".status.arn", 2*time.Minute)
	left(b, ".status.arn", 3*time.Minute)
	left(b, ".status.state", 4*time.Minute)
	left(b, ".status.state", 4*time.Minute)
	one, two := a.condition(), b.condition()
	if one == nil || two == nil || *one != *two {
		t.Fatalf("the conditions are\n%+v\n%+v", one, two)
	}
	if one.Status != metav1.ConditionTrue || one.Reason != ec2v1.ReasonOwnershipConflict ||
		!strings.Contains(one.Message, ".status.arn (thief (Apply)); .status.state (thief (Apply)).") {
		t.Errorf("the condition is %+v", one)
	}
	for _, test := range []struct{ after, want time.Duration }{
		{0, time.Minute}, {time.Hour, time.Minute}, {time.Second, time.Second},
	} {
		if got := a.within(test.after, now); got != test.want {
			t.Errorf("a wait of %s becomes %s, want %s", test.after, got, test.want)
		}
	}
	if got := a.within(0, now.Add(time.Hour)); got != again {
		t.Errorf("a pause that is over is waited for: %s", got)
	}
	if got := (&fights{}).within(time.Hour, now); got != time.Hour {
		t.Errorf("without a fight, an hour becomes %s", got)
	}
}
