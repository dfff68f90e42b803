// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
)

// Condition is one condition of an intent. live are the object's conditions and now the time: a condition whose
// status is unchanged keeps its transition time, since another one would be a change each time, and none would
// remove it.
func Condition(live []metav1.Condition, want metav1.Condition, now time.Time) *metav1ac.ConditionApplyConfiguration {
	since := metav1.NewTime(now.UTC().Truncate(time.Second))
	if known := meta.FindStatusCondition(live, want.Type); known != nil && known.Status == want.Status {
		since = known.LastTransitionTime
	}
	return metav1ac.Condition().
		WithType(want.Type).
		WithStatus(want.Status).
		WithReason(want.Reason).
		WithMessage(want.Message).
		WithObservedGeneration(want.ObservedGeneration).
		WithLastTransitionTime(since)
}
