// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestConditionsKeepTheirTime while their status is the same.
func TestConditionsKeepTheirTime(t *testing.T) {
	since, now := metav1.NewTime(someTime), someTime.Add(time.Hour).Add(time.Millisecond).In(time.FixedZone("", 3600))
	want := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "R", Message: "m", ObservedGeneration: 2}
	for _, test := range []struct {
		says string
		live []metav1.Condition
		want metav1.Time
	}{
		{"it is new", nil, metav1.NewTime(someTime.Add(time.Hour))},
		{"another one is there", []metav1.Condition{{Type: "Synced", Status: metav1.ConditionTrue, LastTransitionTime: since}}, metav1.NewTime(someTime.Add(time.Hour))},
		{"its status is another", []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse, LastTransitionTime: since}}, metav1.NewTime(someTime.Add(time.Hour))},
		{"its status is the same", []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Another", LastTransitionTime: since}}, since},
	} {
		t.Run(test.says, func(t *testing.T) {
			got := Condition(test.live, want, now)
			same(t, test.want.Time, got.LastTransitionTime.Time)
			if got.LastTransitionTime.Location() != time.UTC {
				t.Errorf("the time is of %s", got.LastTransitionTime.Location())
			}
			same(t, want, metav1.Condition{
				Type: *got.Type, Status: *got.Status, Reason: *got.Reason, Message: *got.Message, ObservedGeneration: *got.ObservedGeneration,
			})
		})
	}
}
